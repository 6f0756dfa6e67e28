"""review: what is doubtful, each with its reasons, and what a person kept all the same.

Nothing is decided here: whoever reads the queue keeps a memory, or changes it by the verbs that do
that. What was kept is noted in the memory with the reasons there were, so that it comes back only
for another one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treering.actions.card import Card, CardMaker, Doubt
from treering.actions.marks import NO_MARKS, mark_blobs
from treering.actions.merge import dedupe
from treering.actions.searcher import SearchView
from treering.actions.staleness import CodeTree, FileState, Stale
from treering.actions.workspace import Change, Position, Workspace, Writing
from treering.call import Advice, Call, ways
from treering.errors import Invalid
from treering.model.choices import REVIEW_REASONS
from treering.model.memory import FileRef, Memory
from treering.model.taxonomy import RECORD_TYPES
from treering.search.entry import Entry
from treering.search.succession import MOST_SUPERSEDED
from treering.store.view import Copy

_MOST_GROUPS = 1000
_SURE_CONFIDENCE = 0.5
_ALIKE = 0.8
_MOST_NOTED = 50
_REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """Doubts as seen from a branch, the gravest first, and what was kept just now."""

    branch: str
    total: int
    by_reason: Mapping[str, int]
    items: tuple[Card, ...]
    kept: tuple[str, ...] | None = None


def review(
    workspace: Workspace,
    *,
    keep: Sequence[str] = (),
    limit: int = 20,
    branch: str = "",
    caller: str = "",
) -> ReviewQueue:
    """List what is doubtful; with `keep`, first note that a person looked at these and keeps them.

    An agent cannot keep a memory: that a person looked is what it says.
    """
    if keep and caller:
        raise Invalid(
            "Only a person can say that a memory was looked at.",
            hint="Ask them to run `treering review`.",
        )
    kept = _keep(workspace, keep, branch) if keep else None
    position = workspace.position(branch)
    doubts = _Doubts(workspace, position, branch)
    found = [found for entry in doubts.entries if (found := doubts.find(entry))]
    found.sort(key=_rank)
    counts = Counter(reason for _, _, some in found for reason in {d.reason for d in some})
    by_reason: dict[str, int] = {
        reason: counts[reason] for reason in REVIEW_REASONS if counts[reason]
    }
    cards = doubts.make_cards(found[:limit])
    return ReviewQueue(position.scope.branch, len(found), by_reason, cards, kept)


#: A memory in doubt, where it is, and why.
_Doubtful = tuple[Copy, Memory, tuple[Doubt, ...]]


def _rank(found: _Doubtful) -> tuple[object, ...]:
    """The gravest reason first, of one reason those with more of them, then the oldest."""
    _, memory, doubts = found
    places = sorted(REVIEW_REASONS.index(doubt.reason) for doubt in doubts)
    return (places[0], -len(places), memory.created, memory.id)


class _Doubts:
    """Doubts about the memories of a view."""

    def __init__(self, workspace: Workspace, position: Position, branch: str) -> None:
        view = workspace.view_from(position)
        self._workspace, self._position = workspace, position
        self._search_view: SearchView = workspace.searcher.search_view(view)
        self._code = CodeTree(workspace.repository, position.head, effort=8)
        self.entries = [entry for entry in self._search_view.entries() if _is_in_force(entry)]
        self._titles = {entry.id: entry.title for entry in self.entries}
        blobs = {entry.blob: entry.id for entry in self.entries}
        marks = mark_blobs(workspace, self._search_view, blobs, position.head)
        self._marks = {blobs[blob]: mark for blob, mark in marks.items()}
        self._twins = _find_twins(workspace, branch)

    def find(self, entry: Entry) -> _Doubtful | None:
        place = self._search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        if place is None or memory is None:
            return None
        noted = _list_kept(memory)
        doubts = tuple(doubt for doubt in self.doubts_of(memory) if doubt.key not in noted)
        return (place, memory, doubts) if doubts else None

    def make_cards(self, found: Sequence[_Doubtful]) -> tuple[Card, ...]:
        maker = CardMaker(self._workspace, self._search_view, self._position.head, self._code)
        maker.prepare(place for place, _, _ in found)
        return tuple(
            maker.make(place, memory)._replace(reasons=doubts, next=_settle(memory, doubts[0]))
            for place, memory, doubts in found
        )

    def doubts_of(self, memory: Memory) -> Iterator[Doubt]:
        """Each reason once, the gravest first."""
        if version := memory.lost_wording[:12]:
            yield Doubt("conflict", f"two people reworded it; the other text is version {version}")
        marks = self._marks.get(memory.id, NO_MARKS)
        if by := marks.outdated_by:
            whose = f", says {by.by}" if by.by else ""
            yield Doubt("outdated", f"superseded by: {by.title}{whose}", by.id)
        if reverted := marks.reverted:
            yield Doubt("reverted", f"{reverted.commit[:12]} took its code back")
        if newer := marks.newer:
            change = f" ({newer.said} -> {newer.says})" if newer.said and newer.says else ""
            yield Doubt("newer", f"perhaps replaced by: {newer.title}{change}", newer.id)
        for twin, how in self._twins.get(memory.id, ()):
            yield Doubt("duplicate", f"{how}: {self._titles.get(twin, twin)}", twin)
        if memory.status == "needs-review":
            yield Doubt("needs-review", "somebody asked for a look at it")
        replaced = {link.target for link in memory.links if link.relation == "supersedes"}
        if len(replaced) > MOST_SUPERSEDED:
            detail = f"it says that it supersedes {len(replaced)} memories; none of them is marked"
            yield Doubt("needs-review", detail)
        stale = self._code.staleness(memory)
        for state in _doubtful_files(stale):
            yield Doubt("stale", f"{state.path} {_tell(state)}")
        if stale and stale.lost:
            yield Doubt("stale", f"no longer in its files: {', '.join(stale.lost)}")
        if memory.confidence < _SURE_CONFIDENCE:
            yield Doubt("low-confidence", f"confidence {memory.confidence:g}")
        if memory.agent and _REVIEWED not in memory.details:
            yield Doubt("unconfirmed", f"{memory.agent} wrote it, and no person has confirmed it")

    def refresh(self, workspace: Workspace, memory: Memory, head: str | None) -> Memory:
        """The memory with its files as they are now: a person said that it still holds."""
        now = {file.path: file for file in _doubtful_files(self._code.staleness(memory))}
        files = []
        for file in memory.files:
            path = (now[file.path].now or file.path) if file.path in now else file.path
            blob = workspace.repository.blob_at(head, path) if head and file.path in now else None
            files.append(FileRef(path, blob or file.blob))
        return memory._replace(files=tuple(dict.fromkeys(files)))


def _doubtful_files(stale: Stale | None) -> list[FileState]:
    return [f for f in stale.files if f.state in ("changed", "moved", "gone")] if stale else []


def _is_in_force(entry: Entry) -> bool:
    return entry.status in ("active", "needs-review") and entry.type not in RECORD_TYPES


def _tell(state: FileState) -> str:
    return {
        "changed": "changed since",
        "moved": f"is {state.now} now",
        "gone": "is gone",
    }[state.state]


def _find_twins(workspace: Workspace, branch: str) -> dict[str, list[tuple[str, str]]]:
    """Memory -> those that say the same, and whether in the same words."""
    answer = dedupe(workspace, branch=branch, threshold=_ALIKE, limit=_MOST_GROUPS)
    twins: dict[str, list[tuple[str, str]]] = {}
    for group in answer.groups:
        first, *others = group.ids
        how = "the same text" if group.exact else "nearly the same text"
        for other in others:
            twins.setdefault(other, []).append((first, how))
    return twins


def _settle(memory: Memory, doubt: Doubt) -> Advice:
    """Return the call that settles a doubt, as far as a rule can tell."""
    if doubt.reason in ("outdated", "newer") and doubt.other:
        return ways(Call("revise", memory.id, supersede_with=doubt.other))
    if doubt.reason == "duplicate" and doubt.other:
        return ways(Call("maintain", "merge", ids=[doubt.other, memory.id], content="..."))
    if doubt.reason == "conflict":
        return ways(Call("read", memory.id, history=True))
    if doubt.reason == "reverted":
        return ways(Call("revise", memory.id, outcome="failed"))
    return ways(Call("review", keep=[memory.id]))


# --- keeping --------------------------------------------------------------------------------------


def _keep(workspace: Workspace, ids: Sequence[str], branch: str) -> tuple[str, ...]:
    """Note in each memory that a person looked, when, and at which reasons: all or none."""
    doubts = _Doubts(workspace, workspace.position(branch), branch)

    def attempt(writing: Writing) -> tuple[str, ...]:
        places = {place.id: place for place in map(writing.view.find, ids)}
        changes = [
            Change(_mark(workspace, writing, doubts, place.memory()), place, place.is_private)
            for place in places.values()
        ]
        writing.commit("revise", changes)
        return tuple(places)

    return workspace.write(branch, attempt)


def _mark(workspace: Workspace, writing: Writing, doubts: _Doubts, memory: Memory) -> Memory:
    """The memory as somebody keeps it: what can be put right is, the rest is noted."""
    current = doubts.refresh(workspace, memory, writing.position.head).settle_conflict()
    if memory.status == "needs-review":
        current = current._replace(status="active")
    keys = [doubt.key for doubt in doubts.doubts_of(current) if doubt.reason != "unconfirmed"]
    noted = list(dict.fromkeys([*_list_kept(memory), *keys]))[-_MOST_NOTED:]
    now = workspace.now()
    mark: dict[str, object] = {"when": now, "by": str(workspace.person), "kept": noted}
    return current.with_details(**{_REVIEWED: mark}).touch(now)


def _list_kept(memory: Memory) -> list[str]:
    mark = memory.details.get(_REVIEWED)
    kept = mark.get("kept") if isinstance(mark, dict) else None
    return [key for key in kept if isinstance(key, str)] if isinstance(kept, list) else []
