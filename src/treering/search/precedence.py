"""Newer before older: what outdates a memory stands right above it.

What was replaced goes right below its successor, wherever that stands, and what a later memory may
replace right below that one. Nothing is left out.
"""

from collections.abc import Sequence

from treering.search.matching import Read
from treering.search.succession import find_successors
from treering.search.visible import VisibleEntries


def put_newer_first(
    order: Sequence[int],
    top: int,
    view: VisibleEntries,
    read: Read,
) -> list[int]:
    """The same documents, each of the first few after those that outdate it."""
    ranking = _Ranking(order, top, view, read)
    return ranking.arrange() if ranking.has_any else list(order)


class _Ranking:
    def __init__(
        self,
        order: Sequence[int],
        top: int,
        view: VisibleEntries,
        read: Read,
    ) -> None:
        self._order = order
        self._view = view
        self._newer: dict[int, set[int]] = {}
        self._below: dict[int, list[int]] = {}  # successor -> what it supersedes
        self._above: dict[int, int] = {}
        self._by_marks(order[:top], read)

    @property
    def has_any(self) -> bool:
        return bool(self._newer or self._above)

    def arrange(self) -> list[int]:
        placed: dict[int, None] = {}
        for number in self._order:
            self._place(self._above.get(number, number), placed)
            self._place(number, placed)
        return list(placed)

    def _place(self, number: int, placed: dict[int, None]) -> None:
        """A document after those newer than it, and before those it supersedes."""
        todo = [number]
        while todo:
            at = todo[-1]
            newer = sorted(self._newer.pop(at, ()), key=self._said)
            if rest := [n for n in newer if n not in placed]:
                todo += rest
                continue
            todo.pop()
            if at not in placed:
                placed[at] = None
                olds = sorted(self._below.pop(at, ()), key=self._said, reverse=True)
                placed.update(dict.fromkeys(olds))

    def _by_marks(self, first: Sequence[int], read: Read) -> None:
        """What replaces the first few, or may, if it is among what matches at all."""
        numbers = self._view.snapshot.numbers
        present: set[int] = set()
        for old, found in find_successors(first, self._view, read).items():
            present = present or set(self._order)
            if found.replaced_by and (new := numbers[found.replaced_by.blob]) in present:
                self._above[old] = new
                self._below.setdefault(new, []).append(old)
            elif found.newer and (new := numbers[found.newer.entry.blob]) in present:
                self._newer.setdefault(old, set()).add(new)

    def _said(self, number: int) -> float:
        return self._view.entry(number).said
