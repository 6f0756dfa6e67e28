"""Marks of a memory's truth in every answer: `outdated_by`, `newer` and `reverted`, and from the
other side `outdates`.

`outdated_by` and `reverted` are what somebody or git said, `newer` is a suggestion. All are worked
out at each answer from what is visible, and never stored: so a mark made on a branch holds there, a
private memory marks only for its owner, and nothing has to follow a promotion or a sync.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeGuard

from treering.model.dates import format_moment, instant
from treering.model.memory import Memory, is_id
from treering.model.taxonomy import RECORD_TYPES
from treering.store.view import View
from treering.text.flags import unless_flagged
from treering.text.rewording import (
    HowNewer,
    Statement,
    TextDifference,
    find_difference,
    says_it_amends,
)

if TYPE_CHECKING:  # a capture needs this module, and no index
    from treering.actions.searcher import SearchView
    from treering.actions.workspace import MemoryWorkspace, Workspace
    from treering.derived.code_records import CodeRecords
    from treering.search.entry import Entry
    from treering.search.succession import Successors

#: Said of a memory that nobody has looked at yet: its words are not put into answers about others.
_FLAGGED = "a flagged memory"
_SHORT = 12
#: What stands for code: no longer in force once its code was taken back.
_OF_CODE = frozenset({"decision", "pattern", "component", "api", "config"})


class OutdatedBy(NamedTuple):
    """The memory that replaces the one it stands with: the newest in its chain of links.

    `by` names whose word that is, where it is weaker than that of the memory replaced.
    """

    id: str
    title: str
    how: Literal["supersedes"] = "supersedes"
    by: str | None = None


class NewerMemory(NamedTuple):
    """A later memory that may replace the one it stands with, and the words that differ."""

    id: str
    title: str
    how: HowNewer
    said: str | None = None
    says: str | None = None


class Reverted(NamedTuple):
    """The commit that took back the code a memory landed with, or the commit it records."""

    commit: str
    when: str


class Marks(NamedTuple):
    """All there is to say of a memory's truth."""

    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None

    @property
    def is_replaced(self) -> bool:
        """Return whether it is outdated by a word as good as its own."""
        return self.outdated_by is not None and not self.outdated_by.by

    @property
    def words(self) -> list[str]:
        """In a few words each, for people and for texts that agents read."""
        words = []
        if by := self.outdated_by:
            words.append(f"outdated by {by.id}" + (f", says {by.by}" if by.by else ""))
        if newer := self.newer:
            change = f": {newer.said} -> {newer.says}" if newer.said and newer.says else ""
            words.append(f"newer: {newer.id}{change}")
        if self.reverted:
            words.append(f"reverted by {self.reverted.commit[:_SHORT]}")
        return words


NO_MARKS = Marks()


class Outdates(NamedTuple):
    """A memory that the one it stands with replaces, or may; with the words, where it was just
    written."""

    id: str
    title: str
    how: Literal["supersedes", "value", "name", "wording", "amends"]
    said: str | None = None
    says: str | None = None


def marks_of(item: object) -> Marks:
    """The marks in any answer that shows a memory."""
    return Marks(*(getattr(item, name, None) for name in Marks._fields))


def is_out_of_force(type: str, outcome: str | None, marks: Marks) -> bool:
    """Return whether a memory speaks of code that was taken back. A lesson outlives the code."""
    return marks.reverted is not None and type in _OF_CODE and outcome != "failed"


def find_marks(
    workspace: "Workspace", view: View, ids: Iterable[str], head: str | None
) -> dict[str, Marks]:
    """Of some memories those that bear a mark in a view; `head` is the code's commit there.

    For any verb that shows memories. Commits and sessions need the whole index, and knowledge only
    the small one.
    """
    places = [place for memory_id in dict.fromkeys(ids) if (place := view.place(memory_id))]
    if not places:
        return {}
    blobs = [place.blob for place in places]
    marks = mark_blobs(workspace, view_with(workspace, view, blobs), blobs, head)
    return {place.id: marks[place.blob] for place in places if place.blob in marks}


def view_with(workspace: "MemoryWorkspace", view: View, blobs: Iterable[str]) -> "SearchView":
    """A view ready to be searched that knows some blobs: the smallest that is enough."""
    wanted, searcher = list(blobs), workspace.searcher
    for make in (searcher.knowledge_view, searcher.search_view):
        search_view = make(view)
        if all(blob in search_view.ranks for blob in wanted):
            return search_view
    return searcher.search_view(view, with_saved=True)


def mark_blobs(
    workspace: "MemoryWorkspace",
    search_view: "SearchView",
    blobs: Collection[str],
    head: str | None,
) -> dict[str, Marks]:
    """The same by blob, for a view that is ready to be searched."""
    marks: dict[str, Marks] = {}
    for blob, found in search_view.find_successors(blobs).items():
        mark = describe(found)
        if mark.outdated_by and found.replaced_by:
            by = _whose_word(workspace, search_view, found.replaced_by.blob, blob)
            mark = mark._replace(outdated_by=mark.outdated_by._replace(by=by))
        marks[blob] = mark
    for blob in blobs:
        if overruling := _find_overruling(search_view, blob):
            marks.setdefault(blob, Marks(outdated_by=overruling))
    if head is None or not _has_code(workspace):
        return marks
    places = [place for blob in blobs if (place := search_view.place(blob))]
    memories = (place.try_memory() for place in places)
    read_records = partial(workspace.read_code_records, search_view.view)
    reverted = find_reverted(workspace, memories, head, read_records)
    for place in places:
        if place.id in reverted:
            mark = marks.get(place.blob, NO_MARKS)
            marks[place.blob] = mark._replace(reverted=reverted[place.id])
    return marks


def _has_code(workspace: "MemoryWorkspace") -> "TypeGuard[Workspace]":
    from treering.actions.workspace import Workspace

    return isinstance(workspace, Workspace)


def _find_overruling(search_view: "SearchView", blob: str) -> OutdatedBy | None:
    """The commit whose message says that it overrules a memory: records are not searched for what
    they replace."""
    entry = search_view.index.entry(blob)
    place = search_view.place(blob) if entry and entry.status == "superseded" else None
    memory = place.try_memory() if place else None
    by = str(memory.details.get("superseded_by", "")) if memory else ""
    other = search_view.view.place(entry.mark + by) if entry and is_id(by) else None
    newer = other.try_memory() if other else None
    if place is None or newer is None or newer.type != "commit":
        return None
    if not newer.has_link("supersedes", place.id):
        return None
    return OutdatedBy(newer.id, unless_flagged(newer.title, _FLAGGED))


def find_reverted(
    workspace: "Workspace",
    memories: Iterable[Memory | None],
    head: str | None,
    read_records: "Callable[[], CodeRecords]",
) -> dict[str, Reverted]:
    """Of some memories those whose code is taken back in the history of `head`, by id.

    Where nothing is taken back, neither they nor the records of the code are read.
    """
    taken = workspace.reverts.list_taken_back(head) if head else {}
    if not taken or not head:
        return {}
    from treering.branches.reverts import RevertedLandings

    by_id = {memory.id: memory for memory in memories if memory}
    records = read_records()
    said = records.list_of_memories(by_id)
    landings = RevertedLandings(workspace.repository, records, head, taken)
    return {
        mid: Reverted(revert.commit, format_moment(revert.time))
        for mid, memory in by_id.items()
        if (revert := landings.find(memory, said.get(mid, ())))
    }


def _whose_word(
    workspace: "MemoryWorkspace", search_view: "SearchView", newer: str, older: str
) -> str | None:
    """Return whose word a link is, where that is weaker than the word it is about."""
    from treering.actions.origin import attribute, is_weaker, name_person

    places = [search_view.place(blob) for blob in (newer, older)]
    memories = [place.try_memory() if place else None for place in places]
    if memories[0] is None or memories[1] is None:
        return None
    whose, other = (
        attribute(workspace, blob, memory)
        for blob, memory in zip((newer, older), memories, strict=True)
        if memory
    )
    if not is_weaker(whose.origin, other.origin):
        return None
    return name_person(whose.edited_by[-1] if whose.edited_by else memories[0].author)


def describe(found: "Successors") -> Marks:
    """Return what replaces a memory, or may, as an answer says it."""
    if found.replaced_by:
        return Marks(outdated_by=OutdatedBy(found.replaced_by.id, _title(found.replaced_by)))
    if found.newer:
        entry, how, said, says = found.newer
        return Marks(newer=NewerMemory(entry.id, _title(entry), how, said or None, says or None))
    return NO_MARKS


def find_amendments(memories: Sequence[Memory]) -> dict[str, NewerMemory]:
    """Of some memories that are close to one question, find those that a later one says it changes,
    by id. Between decisions, or between conversations; what failed stays a warning."""
    found: dict[str, NewerMemory] = {}
    by_age = sorted(memories, key=lambda memory: instant(memory.created), reverse=True)
    for number, newer in enumerate(by_age):
        for older in by_age[number + 1 :]:
            is_session = newer.type == older.type == "session"
            if older.id in found or older.outcome == "failed" or older.created == newer.created:
                continue
            if not is_session and {newer.type, older.type} & RECORD_TYPES:
                continue
            if says_it_amends(newer.content, f"{older.title}\n{older.content}"):
                found[older.id] = NewerMemory(newer.id, newer.title, "amends")
    return found


def list_outdates(search_view: "SearchView", blob: str) -> tuple[Outdates, ...]:
    """The memories that one visible memory replaces, or may."""
    return tuple(
        Outdates(older.id, _title(older), found.newer.how if found.newer else "supersedes")
        for older, found in search_view.find_predecessors(blob)
    )


def list_replaced(memory: Memory, others: Iterable[Memory], most: int) -> list[Outdates]:
    """Return what a memory about to be written probably replaces, of some that are there; the
    surest first, and at most so many. What failed is a warning, and stays one."""
    new = Statement(memory.title, memory.content)
    said = instant(memory.modified)
    pairs: list[tuple[Memory, TextDifference]] = []
    for other in others:
        old = Statement(other.title, other.content)
        if other.outcome != "failed" and (
            found := find_difference(old, new, said - instant(other.modified))
        ):
            pairs.append((other, found))
    pairs.sort(key=lambda pair: (pair[1].how != "value", pair[0].id))
    return [
        Outdates(other.id, other.title, found.how, said or None, says or None)
        for other, found in pairs[:most]
        for said, says in (found.find_words(),)
    ]


def _title(entry: "Entry") -> str:
    """A title as it may stand in an answer about another memory."""
    if entry.flags:
        return _FLAGGED
    return entry.title if entry.flags == () else unless_flagged(entry.title, _FLAGGED)
