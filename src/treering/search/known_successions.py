"""What is known of what outdates what, kept for as long as it holds.

A document's succession depends on those that share a key with it, and on those that say they
supersede it or one of its successors. So when the view changes, what is near a document that came
or went is looked up again, and all else stays.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treering.search.corpus import Corpus
from treering.search.entry import Entry
from treering.search.keys import alike_keys, is_compared

if TYPE_CHECKING:
    from treering.search.succession import Succession

_COMMON = 50  # documents, or one in 200, from which on a key says nothing
_MOST_CHANGED = 100  # documents, from which on nothing is kept


def most_sharing(snapshot: Corpus, more: int = 0) -> int:
    """How many documents may share a key that still says something, or may after some `more`."""
    return max(_COMMON, (snapshot.count + more) // (4 * _COMMON))


class KnownSuccessions:
    """What was looked up in one view."""

    def __init__(self) -> None:
        #: What outdates a document, None where nothing does.
        self.newer: dict[int, Succession | None] = {}
        #: The documents that one may outdate.
        self.older: dict[int, list[int]] = {}
        #: Memory -> documents of which something is known only as long as no link to it changes.
        self._watching: dict[str, set[int]] = {}

    def watch(self, memory_id: str, number: int) -> None:
        """Note, before what is found, that it depends on who links to a memory."""
        self._watching.setdefault(memory_id, set()).add(number)

    def follow(
        self, before: Corpus, after: Corpus, changed: Iterable[int], *, is_free: bool
    ) -> "KnownSuccessions":
        """What still holds in a later view, in which some documents are gone, or new, or elsewhere.

        Where nobody else uses these (`is_free`) they are changed where they are.
        """
        near = {*changed, *range(before.count, after.count)}
        if len(near) > _MOST_CHANGED or most_sharing(before) != most_sharing(after):
            return KnownSuccessions()
        known = self if is_free else self._copy()
        if known.newer or known.older:
            # Documents that nobody sees count as well where it is told how common a key is.
            most = most_sharing(after) + after.count - before.count
            for number in near:
                known._forget_near(number, after, most)
        return known

    def _copy(self) -> "KnownSuccessions":
        """Another thread may be adding: what is watched is noted first, so it is copied last."""
        known = KnownSuccessions()
        known.newer, known.older = self.newer.copy(), self.older.copy()
        known._watching = {key: set(some) for key, some in list(self._watching.items())}
        return known

    def _forget_near(self, number: int, snapshot: Corpus, most: int) -> None:
        entry = snapshot.entries[number]
        self._forget((number,))
        for memory_id in (entry.id, *list_superseded(entry)):
            self._forget(self._watching.pop(memory_id, ()))
        for key in alike_keys(entry) if is_compared(entry.type) else ():
            self._forget(snapshot.sharing(key, most))

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.newer.pop(number, None)
            self.older.pop(number, None)


def list_superseded(entry: Entry) -> list[str]:
    """The memories that one says it replaces."""
    return [target for relation, target, *_ in entry.links if relation == "supersedes"]
