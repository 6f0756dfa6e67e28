"""What outdates a memory, as every answer says it: `outdated_by`, and from the other side
`outdates`.

Worked out at each answer from what is visible, and never stored: so a mark made on a branch holds
there, a private memory marks only for its owner, and nothing has to follow a promotion or a sync.
"""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from treering.model.dates import instant
from treering.model.memory import Memory
from treering.model.value import NamedTuple
from treering.store.view import View
from treering.text.contradiction import (
    HowOutdated,
    Statement,
    TextDifference,
    find_difference,
    take_apart,
)
from treering.text.flags import unless_flagged

if TYPE_CHECKING:  # a capture needs this module, and no index
    from treering.actions.searcher import SearchView
    from treering.actions.workspace import Workspace
    from treering.search import Entry
    from treering.search.succession import Succession

#: Said of what a flagged memory replaces: its words are not put into answers about others.
_FLAGGED = "a flagged memory"


class OutdatedBy(NamedTuple):
    """The newest memory that outdates the one it stands with, and the words that differ."""

    id: str
    title: str
    how: HowOutdated
    said: str | None = None
    says: str | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is worth more than a hint."""
        return self.how not in ("name", "wording")

    @property
    def mark(self) -> str:
        """In a few words, for people and for texts that agents read."""
        change = f": {self.said} -> {self.says}" if self.said and self.says else ""
        return f"outdated by {self.id}{change}" if self.is_sure else f"newer: {self.id}"


class Outdates(NamedTuple):
    """A memory that the one it stands with outdates; with the words, where it was just written."""

    id: str
    title: str
    how: HowOutdated
    said: str | None = None
    says: str | None = None


def find_outdated(workspace: "Workspace", view: View, ids: Iterable[str]) -> dict[str, OutdatedBy]:
    """Of some memories those that something visible in the view outdates, and what does.

    For any verb that shows memories. Commits and sessions need the whole index, and knowledge only
    the small one.
    """
    places = [place for memory_id in dict.fromkeys(ids) if (place := view.place(memory_id))]
    if not places:
        return {}
    blobs = [place.blob for place in places]
    marks = mark_blobs(view_with(workspace, view, blobs), blobs)
    return {place.id: marks[place.blob] for place in places if place.blob in marks}


def view_with(workspace: "Workspace", view: View, blobs: Iterable[str]) -> "SearchView":
    """A view ready to be searched that knows some blobs: the small one, where that is enough."""
    search_view = workspace.searcher.knowledge_view(view)
    if all(blob in search_view.ranks for blob in blobs):
        return search_view
    return workspace.searcher.search_view(view)


def mark_blobs(search_view: "SearchView", blobs: Collection[str]) -> dict[str, OutdatedBy]:
    """The same by blob, for a view that is ready to be searched."""
    return {
        blob: describe(succession) for blob, succession in search_view.find_outdated(blobs).items()
    }


def mark_contradicted(search_view: "SearchView", blobs: Collection[str]) -> dict[str, OutdatedBy]:
    """Of some blobs those that the message of a later commit contradicts, and which commit."""
    found = search_view.index.find_contradicted(blobs, search_view.ranks)
    return {blob: describe(succession) for blob, succession in found.items()}


def describe(succession: "Succession") -> OutdatedBy:
    """What outdates a memory, as an answer says it."""
    newer = succession.newer
    title = _title(newer)
    if title == _FLAGGED:
        return OutdatedBy(newer.id, title, succession.how)
    return OutdatedBy(
        newer.id, title, succession.how, succession.said or None, succession.says or None
    )


def list_outdates(search_view: "SearchView", blob: str) -> tuple[Outdates, ...]:
    """The memories that one visible memory outdates."""
    return tuple(
        Outdates(older.id, _title(older), succession.how)
        for older, succession in search_view.find_outdated_by(blob)
    )


def list_replaced(memory: Memory, others: Iterable[Memory], most: int) -> list[Outdates]:
    """What a memory about to be written probably replaces, of some that are there; the surest
    first, and at most so many."""
    new = Statement(memory.title, memory.content)
    said = instant(memory.modified)
    pairs: list[tuple[Memory, TextDifference]] = []
    for other in others:
        old = take_apart(other.title, other.content)
        if found := find_difference(old, new, said - instant(other.modified)):
            pairs.append((other, found))
    pairs.sort(key=lambda pair: (not pair[1].is_sure, pair[0].id))
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
