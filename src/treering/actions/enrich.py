"""enrich, infer_links and prune_links: what rules add to memories that are there, or take away.

Tags, topic, files and a shorter title come by rules. A better text does not: someone has to write
it, and what it would be for is said under `needs_model`. Links change nobody's `modified`: of two
versions of a memory the one a person changed last must win, not the one that was tidied last.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypedDict, Unpack

from treering.actions import inputs
from treering.actions.revise import diff_fields
from treering.actions.searcher import SearchView
from treering.actions.tidying import Rewrite, Selection, TidyCandidates, tags_of, text_given
from treering.actions.workspace import Position, Workspace, WriteOp, Writing
from treering.call import Advice, Call
from treering.errors import Invalid, NeedsModel
from treering.graph.inference import MOST, infer
from treering.graph.network import FADING_DAYS, Edge, Network
from treering.model.memory import FileRef, Link, Memory, title_of
from treering.model.query import Query
from treering.model.taxonomy import BOOKKEEPING_TYPES, family_of
from treering.search.entry import Entry
from treering.store.view import Copy
from treering.text import secrets
from treering.text.extraction import paths_in, tags_for, title_for

_NEIGHBOURS = 5
_ALONE = 400  # characters from which on a text without any structure is hard to read


class Suggestions(TypedDict, total=False):
    """Additions to a memory by rules; fields without one are left out."""

    tags_add: tuple[str, ...]
    title: str
    topic: str
    files: list[str]


@dataclass(frozen=True, slots=True)
class Enriched:
    """One memory: what is suggested, what only a writer can do, and what was changed."""

    id: str
    title: str
    suggest: Suggestions
    needs_model: tuple[str, ...]
    next: str
    changed: tuple[str, ...] | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Enrichment:
    memories: tuple[Enriched, ...]
    total: int


def enrich(
    workspace: Workspace,
    *,
    content: str = "",
    title: str = "",
    limit: int = 20,
    dry_run: bool = True,
    **selection: Unpack[Selection],
) -> Enrichment:
    """Suggest tags, title, topic and files; without `dry_run` take them over, with the text given
    in `content`."""
    candidates = TidyCandidates(workspace, **selection)
    if (content or title) and len(candidates.ids) != 1:
        raise Invalid("A text is for one memory.", hint="Name it with one id.")
    text = text_given(content) if content else ""
    secrets.refuse(title)
    is_chosen = candidates.is_chosen
    entries = [entry for entry in candidates.entries if is_chosen or _is_bare(entry)]
    position = workspace.position(candidates.branch)
    places = candidates.locate(entries)
    drafts_of_all = (_Draft(workspace, position, candidates, place) for place in places)
    useful = (draft for draft in drafts_of_all if is_chosen or draft.has_suggestions)
    drafts = list(islice(useful, limit))
    if dry_run:
        return Enrichment(tuple(draft.describe() for draft in drafts), len(entries))
    for draft in drafts:
        draft.take(text, title)
    if candidates.ids and not any(draft.is_changed for draft in drafts):
        raise NeedsModel("Rules have nothing more to add: someone has to write a better text.")
    return Enrichment(_write(workspace, candidates.branch, drafts), len(entries))


def _is_bare(entry: Entry) -> bool:
    """Return whether a memory is hard to find: no tags, or a title that runs on."""
    return entry.type not in BOOKKEEPING_TYPES and (not entry.tags or bool(title_for(entry.title)))


class _Draft:
    """A memory on its way to be better found."""

    def __init__(
        self, workspace: Workspace, position: Position, candidates: TidyCandidates, place: Copy
    ) -> None:
        self.place = place
        self.memory = place.memory()
        self.is_rewritten = False
        self._files = _files(workspace, position, self.memory)
        self._suggestions = _suggest(workspace, candidates, self.memory)
        if self._files:
            self._suggestions["files"] = [file.path for file in self._files]

    @property
    def has_suggestions(self) -> bool:
        return bool(self._suggestions)

    @property
    def is_changed(self) -> bool:
        return bool(diff_fields(self.place, self.memory))

    def take(self, text: str, title: str) -> None:
        """The suggestions, and the text where there is one."""
        memory, add = self.memory, self._suggestions
        memory = memory._replace(
            tags=tags_of([memory, memory._replace(tags=tuple(add.get("tags_add", ())))]),
            title=add.get("title", memory.title),
            topic=memory.topic or add.get("topic", ""),
            files=(*memory.files, *self._files),
        )
        if text:
            memory = memory._replace(content=text, title=title_of(text))
            self.is_rewritten = True
        if title:
            memory = memory._replace(title=inputs.line_given(title, "title"))
        self.memory, self._suggestions, self._files = memory, {}, ()

    def describe(
        self, changed: tuple[str, ...] | None = None, version: str | None = None
    ) -> Enriched:
        memory = self.memory
        missing = () if self.is_rewritten else _unwritten(memory)
        content = "..." if missing else ""
        call = Call("maintain", "enrich", ids=[memory.id], content=content, apply=True)
        following = Advice("{} with a better text" if missing else "{}", call, mark="")
        return Enriched(
            memory.id, memory.title, self._suggestions, missing, following, changed, version
        )


def _unwritten(memory: Memory) -> tuple[str, ...]:
    """Return what a better text could have, and rules cannot give it."""
    is_long = len(memory.content) > _ALONE
    has_structure = "\n#" in f"\n{memory.content}" or "\n- " in memory.content
    needs = {"structure": is_long and not has_structure, "context": len(memory.content) < 60}
    return tuple(what for what, is_needed in needs.items() if is_needed)


def _suggest(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> Suggestions:
    near = _neighbours(workspace, candidates, memory)
    common = Counter(tag for entry in near for tag in set(entry.tags))
    tags = [tag for tag, _ in common.most_common()]
    tags += sorted({tag for entry in candidates.search_view.entries() for tag in entry.tags})
    topics = Counter(entry.topic for entry in near if entry.topic).most_common(1)
    suggestions: Suggestions = {}
    if new_tags := tags_for(f"{memory.title}\n{memory.content}", tags, memory.tags):
        suggestions["tags_add"] = new_tags
    if title := title_for(memory.title):
        suggestions["title"] = title
    if topics and topics[0][1] > 1 and not memory.topic:
        suggestions["topic"] = topics[0][0]
    return suggestions


def _neighbours(workspace: Workspace, candidates: TidyCandidates, memory: Memory) -> list[Entry]:
    """The memories a search for this one's title finds."""
    index, words = workspace.searcher.index, memory.title
    result = index.search(
        Query(text=words, words=words), candidates.search_view.ranks, mode="text",
        now=workspace.clock(), limit=_NEIGHBOURS + 1,
    )  # fmt: skip
    entries = (index.entry(hit.blob) for hit in result.hits)
    return [entry for entry in entries if entry and entry.id != memory.id]


def _files(workspace: Workspace, position: Position, memory: Memory) -> tuple[FileRef, ...]:
    """Files the text names that the code really has."""
    names = {file.path for file in memory.files}
    paths = [path for path in paths_in(memory.content) if path not in names]
    files = inputs.files_given(workspace, position, paths)
    return tuple(file for file in files if file.blob)


def _write(workspace: Workspace, branch: str, drafts: Sequence[_Draft]) -> tuple[Enriched, ...]:
    def attempt(writing: Writing) -> tuple[Enriched, ...]:
        rewriting = Rewrite(workspace, writing.view)
        for draft in drafts:
            rewriting.change(rewriting.still(draft.place), draft.memory)
        versions = rewriting.commit(writing, "enrich")
        return tuple(
            draft.describe(
                diff_fields(draft.place, draft.memory),
                versions.get(draft.place.id, draft.place.blob),
            )
            for draft in drafts
        )

    return workspace.write(branch, attempt)


_WEAK = 0.2
_DAY = 86_400.0


class LinkChange(NamedTuple):
    """A link that is made, or taken away, and why."""

    source: str
    target: str
    relation: str
    confidence: float
    #: Who made the one that is taken away.
    by: str | None = None
    reason: str = ""


class LinkChanges(NamedTuple):
    """`total` counts what was found, beyond the limit too."""

    op: str
    dry_run: bool
    links: tuple[LinkChange, ...]
    total: int


def infer_links(
    workspace: Workspace,
    *,
    min_confidence: float = 0.7,
    limit: int = 20,
    dry_run: bool = True,
    **selection: Unpack[Selection],
) -> LinkChanges:
    """Find the links that a capture would have made, the surest first; made in one commit.

    Without ids it looks at what was captured on the branch itself: links for memories of the trunk
    are made on the trunk, not copied to every branch.
    """
    candidates = TidyCandidates(workspace, **selection)
    workspace.rows.catch_up(candidates.search_view.view)
    sources = _list_sources(workspace, candidates)
    links = [
        link
        for link in _missing(workspace, candidates.search_view, sources)
        if link.confidence >= min_confidence
    ]
    if not dry_run and links:
        _write_links(workspace, candidates.branch, "infer-links", links[:limit], _add_link)
    return LinkChanges("infer_links", dry_run, tuple(links[:limit]), len(links))


def prune_links(
    workspace: Workspace,
    *,
    limit: int = 1000,
    dry_run: bool = True,
    **selection: Unpack[Selection],
) -> LinkChanges:
    """Take away links nobody made that are hardly believed any more, and temporal ones of old."""
    candidates = TidyCandidates(workspace, **selection)
    places = _list_sources(workspace, candidates)
    sources, now = {place.id for place in places}, workspace.clock()
    edges = (edge for edge in candidates.search_view.network.edges() if edge.source in sources)
    links = [
        LinkChange(*_show(edge, now), why) for edge in edges if (why := _reason_to_go(edge, now))
    ]
    if not dry_run and links:
        _write_links(workspace, candidates.branch, "prune-links", links[:limit], _drop_link)
    return LinkChanges("prune_links", dry_run, tuple(links[:limit]), len(links))


def _list_sources(workspace: Workspace, candidates: TidyCandidates) -> list[Copy]:
    """The memories to look at: those named, else those of the branch itself, newest first."""
    if candidates.ids:
        return candidates.places
    scope = workspace.position(candidates.branch).scope
    return [p for p in reversed(candidates.places) if p.layer.snapshot.scope == scope]


def _write_links(
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
) -> list[LinkChange]:
    """The best link of each pair that has none, at most five from each memory."""
    best: dict[frozenset[str], LinkChange] = {}
    for place in sources:
        for link in _infer(workspace, search_view, place):
            pair = frozenset((link.source, link.target))
            if pair not in best or link.confidence > best[pair].confidence:
                best[pair] = link
    return sorted(best.values(), key=lambda link: (-link.confidence, link.source, link.target))


def _infer(workspace: Workspace, search_view: SearchView, place: Copy) -> Iterator[LinkChange]:
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
            yield LinkChange(
                place.id, link.target, link.relation, link.confidence, reason=link.reason
            )


def _may_link(network: Network, source: Copy, target: Copy) -> bool:
    """Not where they are linked already, where someone took a link away, or private by shared."""
    is_leak = target.is_private and not source.is_private
    return (
        not is_leak
        and not network.are_linked(source.id, target.id)
        and source.id not in target.memory().unlinked
    )


def _add_link(memory: Memory, link: LinkChange) -> Memory:
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


def _drop_link(memory: Memory, link: LinkChange) -> Memory:
    return memory.drop_link(link.relation, link.target)
