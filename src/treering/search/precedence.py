"""Newer before older: what outdates a memory stands right above it.

What was replaced goes right below its successor, wherever that stands, and what a later memory may
replace right below that one. Of two that are merely alike the newer goes right above the older, but
only where it holds every word of the question that the older holds. Nothing is left out.
"""

from collections.abc import Collection, Sequence

from treering.search.matching import Clause, Read
from treering.search.succession import find_successors
from treering.search.tiers import is_record
from treering.search.visible import VisibleEntries
from treering.text.likeness import (
    ALIKE,
    INDEX_SKETCH,
    MAYBE_ALIKE,
    Sketch,
    likeness,
    smallest,
    unpack_cached,
)

_PROBES = 3  # alike sketches nearly always share one of their three smallest hashes


def put_newer_first(
    order: Sequence[int],
    top: int,
    view: VisibleEntries,
    clauses: Collection[Clause],
    read: Read,
) -> list[int]:
    """The same documents, each of the first few after those that outdate it."""
    words = [clause for clause in clauses if not clause.is_pair]
    ranking = _Ranking(order, top, view, words, read)
    return ranking.arrange() if ranking.has_any else list(order)


class _Ranking:
    def __init__(
        self,
        order: Sequence[int],
        top: int,
        view: VisibleEntries,
        clauses: Sequence[Clause],
        read: Read,
    ) -> None:
        self._order = order
        self._view = view
        self._clauses = clauses
        self._newer: dict[int, set[int]] = {}
        self._below: dict[int, list[int]] = {}  # successor -> what it supersedes
        self._above: dict[int, int] = {}
        self._by_words(order[:top])
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
        """Note what replaces the first few, or may, if it is among what matches at all."""
        numbers = self._view.snapshot.numbers
        present: set[int] = set()
        for old, found in find_successors(first, self._view, read).items():
            present = present or set(self._order)
            if found.replaced_by and (new := numbers[found.replaced_by.blob]) in present:
                self._above[old] = new
                self._below.setdefault(new, []).append(old)
            elif found.newer and (new := numbers[found.newer.entry.blob]) in present:
                self._newer.setdefault(old, set()).add(new)

    def _by_words(self, first: Sequence[int]) -> None:
        shelves: dict[int, list[int]] = {}
        sketches: dict[int, Sketch] = {}
        for number in first:
            entry = self._view.entry(number)
            if is_record(entry):
                continue  # each tells of an event of its own
            sketches[number] = mine = unpack_cached(entry.sketch)
            labels = smallest(mine, _PROBES)
            for other in {n for label in labels for n in shelves.get(label, ())}:
                if entry.mark != self._view.entry(other).mark:
                    continue
                theirs = sketches[other]
                if len(mine & theirs) >= ALIKE * MAYBE_ALIKE * max(len(mine), len(theirs)):
                    self._compare(number, other, likeness(mine, theirs, cut=INDEX_SKETCH))
            for label in labels:
                shelves.setdefault(label, []).append(number)

    def _compare(self, one: int, other: int, score: float) -> None:
        if score < ALIKE or self._said(one) == self._said(other):
            return
        older, newer = sorted((one, other), key=self._said)
        if self._holds_as_much(newer, older):
            self._newer.setdefault(older, set()).add(newer)

    def _holds_as_much(self, newer: int, older: int) -> bool:
        """Return whether it matches every word of the question that the older one does."""
        return all(newer in c.weights for c in self._clauses if older in c.weights)

    def _said(self, number: int) -> float:
        return self._view.entry(number).said
