"""Links made and unmade for memories that are there already: a backfill, and a clean-up.

Neither changes `modified`: of two versions of a memory the one a person changed last must win, not
the one that was tidied last.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treering.actions.searcher import SearchView
from treering.actions.workspace import Change, Workspace, WriteOp, Writing
from treering.graph.inference import MOST, infer
from treering.graph.network import FADING_DAYS, Edge, Network
from treering.model.memory import Link, Memory
from treering.model.query import Filters, parse
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
    search_view = workspace.searcher.search_view(workspace.view(branch))
    workspace.rows.catch_up(search_view.view)
    sources = _choose(workspace, search_view, ids, query, type, branch)
    links = [
        link
        for link in _missing(workspace, search_view, sources)
        if link.confidence >= min_confidence
    ]
    if not dry_run and links:
        workspace.write(branch, lambda writing: _make(writing, links[:limit]))
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
    search_view = workspace.searcher.search_view(workspace.view(branch))
    sources = {place.id for place in _choose(workspace, search_view, ids, "", "", branch)}
    now = workspace.clock()
    edges = (edge for edge in search_view.network.edges() if edge.source in sources)
    links = [
        PrunedLink(*_show(edge, now), why) for edge in edges if (why := _reason_to_go(edge, now))
    ]
    if not dry_run and links:
        workspace.write(branch, lambda writing: _unmake(writing, links[:limit]))
    return PrunedLinks("prune_links", dry_run, tuple(links[:limit]), len(links))


def _choose(
    workspace: Workspace,
    search_view: SearchView,
    ids: Sequence[str],
    query: str,
    kind: str,
    branch: str,
) -> list[Copy]:
    """The memories to look at: those named, else those of the branch that fit, newest first."""
    if ids:
        return [search_view.view.find(text) for text in ids]
    now = workspace.clock()
    result = workspace.searcher.index.search(
        parse(query, now),
        search_view.ranks,
        filters=Filters.of(now, type=kind),
        order="newest",
        mode="text",
        now=now,
        limit=None,
    )
    scope = workspace.position(branch).scope
    places = (search_view.place(hit.blob) for hit in result.hits)
    return [place for place in places if place and place.layer.snapshot.scope == scope]


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


def _make(writing: Writing, links: Iterable[InferredLink]) -> None:
    news: dict[str, tuple[Copy, Memory]] = {}
    for link in links:
        place, memory = news.get(link.source) or _find(writing, link.source)
        extra = {"since": memory.created} if family_of(link.relation) == "temporal" else {}
        new = Link(link.relation, link.target, link.confidence, "system", link.reason, extra)
        news[link.source] = (place, memory.link(new))
    _write(writing, "infer-links", news.values())


# --- what has outlived itself --------------------------------------------------------------------


def _reason_to_go(edge: Edge, now: float) -> str:
    """Why a link should go; empty if it should stay."""
    age = (now - edge.since) / _DAY if edge.since else 0.0
    if family_of(edge.relation) == "temporal" and age > FADING_DAYS:
        return f"temporal, and older than {FADING_DAYS} days"
    if edge.by == "system" and edge.confidence_at(now) < _WEAK:
        return f"made by inference, and its confidence is below {_WEAK:g}"
    return ""


def _show(edge: Edge, now: float) -> tuple[str, str, str, float, str]:
    return (edge.source, edge.target, edge.relation, edge.confidence_at(now), edge.by)


def _unmake(writing: Writing, links: Iterable[PrunedLink]) -> None:
    news: dict[str, tuple[Copy, Memory]] = {}
    for link in links:
        place, memory = news.get(link.source) or _find(writing, link.source)
        news[link.source] = (place, memory.drop_link(link.relation, link.target))
    _write(writing, "prune-links", news.values())


def _find(writing: Writing, memory_id: str) -> tuple[Copy, Memory]:
    place = writing.view.find(memory_id)
    return place, place.memory()


def _write(writing: Writing, op: WriteOp, news: Iterable[tuple[Copy, Memory]]) -> None:
    changes = [Change(memory, place, place.is_private) for place, memory in news]
    real = [c for c in changes if c.replaces and c.replaces.memory() != c.memory]
    if real:
        writing.commit(op, real)
