"""Links made and unmade for memories that are there already: a backfill, and a clean-up.

Neither changes `modified`: of two versions of a memory the one a person changed last must win, not
the one that was tidied last.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from treering.actions.searcher import SearchView
from treering.actions.tidying import Rewrite, TidyCandidates
from treering.actions.workspace import Workspace, WriteOp, Writing
from treering.graph.inference import MOST, infer
from treering.graph.network import FADING_DAYS, Edge, Network
from treering.model.memory import Link, Memory
from treering.model.taxonomy import family_of
from treering.store.view import Copy

_WEAK = 0.2
_DAY = 86_400.0


class InferredLink(NamedTuple):
    source: str
    target: str
    relation: str
    confidence: float
    reason: str


class PrunedLink(NamedTuple):
    source: str
    target: str
    relation: str
    confidence: float
    by: str
    reason: str


LinkChange = TypeVar("LinkChange", InferredLink, PrunedLink)


class InferredLinks(NamedTuple):
    """`total` counts what was found, beyond the limit too."""

    op: str
    dry_run: bool
    links: tuple[InferredLink, ...]
    total: int


class PrunedLinks(NamedTuple):
    op: str
    dry_run: bool
    links: tuple[PrunedLink, ...]
    total: int


def infer_links(
    workspace: Workspace,
    *,
    ids: Sequence[str] = (),
    query: str = "",
    type: str = "",
    min_confidence: float = 0.7,
    limit: int = 20,
    branch: str = "",
    dry_run: bool = True,
) -> InferredLinks:
    """Find the links that a capture would have made, the surest first; made in one commit.

    Without ids it looks at what was captured on the branch itself: links for memories of the trunk
    are made on the trunk, not copied to every branch.
    """
    candidates = TidyCandidates(workspace, branch=branch, ids=ids, type=type, query=query)
    workspace.rows.catch_up(candidates.search_view.view)
    sources = _list_sources(workspace, candidates, branch, is_named=bool(ids))
    links = [
        link
        for link in _missing(workspace, candidates.search_view, sources)
        if link.confidence >= min_confidence
    ]
    if not dry_run and links:
        _write(workspace, branch, "infer-links", links[:limit], _add_link)
    return InferredLinks("infer_links", dry_run, tuple(links[:limit]), len(links))


def prune_links(
    workspace: Workspace,
    *,
    ids: Sequence[str] = (),
    limit: int = 1000,
    branch: str = "",
    dry_run: bool = True,
) -> PrunedLinks:
    """Take away links nobody made that are hardly believed any more, and temporal ones of old."""
    candidates = TidyCandidates(workspace, branch=branch, ids=ids, type="", query="")
    places = _list_sources(workspace, candidates, branch, is_named=bool(ids))
    sources, now = {place.id for place in places}, workspace.clock()
    edges = (edge for edge in candidates.search_view.network.edges() if edge.source in sources)
    links = [
        PrunedLink(*_show(edge, now), why) for edge in edges if (why := _reason_to_go(edge, now))
    ]
    if not dry_run and links:
        _write(workspace, branch, "prune-links", links[:limit], _drop_link)
    return PrunedLinks("prune_links", dry_run, tuple(links[:limit]), len(links))


def _list_sources(
    workspace: Workspace, candidates: TidyCandidates, branch: str, *, is_named: bool
) -> list[Copy]:
    """The memories to look at: those named, else those of the branch itself, newest first."""
    if is_named:
        return candidates.places
    scope = workspace.position(branch).scope
    return [p for p in reversed(candidates.places) if p.layer.snapshot.scope == scope]


def _write(
    workspace: Workspace,
    branch: str,
    op: WriteOp,
    links: Iterable[LinkChange],
    change: Callable[[Memory, LinkChange], Memory],
) -> None:
    """Change the links of memories in one commit."""

    def attempt(writing: Writing) -> None:
        rewriting = Rewrite(workspace, writing.view)
        for link in links:
            place = writing.view.find(link.source)
            rewriting.change(place, change(rewriting.memory(place), link), by_hand=False)
        rewriting.commit(writing, op)

    workspace.write(branch, attempt)


# --- what is missing -----------------------------------------------------------------------------


def _missing(
    workspace: Workspace, search_view: SearchView, sources: list[Copy]
) -> list[InferredLink]:
    """The best link of each pair that has none, at most five from each memory."""
    best: dict[frozenset[str], InferredLink] = {}
    for place in sources:
        for link in _infer(workspace, search_view, place):
            pair = frozenset((link.source, link.target))
            if pair not in best or link.confidence > best[pair].confidence:
                best[pair] = link
    return sorted(best.values(), key=lambda link: (-link.confidence, link.source, link.target))


def _infer(workspace: Workspace, search_view: SearchView, place: Copy) -> Iterator[InferredLink]:
    memory = place.try_memory()
    if memory is None:
        return
    case, others = workspace.neighbourhood.case_of(memory, place.blob)
    count = sum(link.by == "system" for link in memory.links)
    for link, other in infer(case, others, memory.unlinked):
        if count >= MOST:
            return
        target = search_view.view.place(other.id)
        if target and target.blob == other.blob and _may_link(search_view.network, place, target):
            count += 1
            yield InferredLink(place.id, link.target, link.relation, link.confidence, link.reason)


def _may_link(network: Network, source: Copy, target: Copy) -> bool:
    """Not where they are linked already, where someone took a link away, or private by shared."""
    is_leak = target.is_private and not source.is_private
    return (
        not is_leak
        and not network.are_linked(source.id, target.id)
        and source.id not in target.memory().unlinked
    )


def _add_link(memory: Memory, link: InferredLink) -> Memory:
    extra = {"since": memory.created} if family_of(link.relation) == "temporal" else {}
    return memory.link(
        Link(link.relation, link.target, link.confidence, "system", link.reason, extra)
    )


# --- what has outlived itself --------------------------------------------------------------------


def _reason_to_go(edge: Edge, now: float) -> str:
    """Return why a link should go; empty if it should stay."""
    age = (now - edge.since) / _DAY if edge.since else 0.0
    if family_of(edge.relation) == "temporal" and age > FADING_DAYS:
        return f"temporal, and older than {FADING_DAYS} days"
    if edge.by == "system" and edge.confidence_at(now) < _WEAK:
        return f"made by inference, and its confidence is below {_WEAK:g}"
    return ""


def _show(edge: Edge, now: float) -> tuple[str, str, str, float, str]:
    return (edge.source, edge.target, edge.relation, edge.confidence_at(now), edge.by)


def _drop_link(memory: Memory, link: PrunedLink) -> Memory:
    return memory.drop_link(link.relation, link.target)
