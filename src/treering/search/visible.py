"""What one caller may see of a snapshot: the visible blobs by number, and their sessions."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from treering.search.corpus import Corpus
from treering.search.entry import Entry
from treering.search.filters import WITHHELD


class VisibleEntries:
    """A snapshot seen through a mapping of visible blobs to their layer's rank (0 is nearest)."""

    def __init__(self, snapshot: Corpus, visible: Mapping[str, int]) -> None:
        self.snapshot = snapshot
        self.visible = visible
        self.is_checked = False
        self._beyond: tuple[VisibleEntries, set[int]] | None = None
        self._priors: tuple[int, dict[int, float]] = (-1, {})
        numbers = snapshot.numbers
        self.all = {numbers[blob] for blob in visible if blob in numbers}

    @cached_property
    def ids(self) -> set[str]:
        entries = self.snapshot.entries
        return {entries[number].id for number in self.all}

    @cached_property
    def by_status(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        entries = self.snapshot.entries
        for number in self.all:
            found[entries[number].status].add(number)
        return dict(found)

    @cached_property
    def in_force(self) -> set[int]:
        """Everything but what was replaced or forgotten."""
        hidden = [self.by_status[status] for status in WITHHELD if status in self.by_status]
        return self.all.difference(*hidden) if hidden else self.all

    def in_force_beyond(self, other: "VisibleEntries") -> set[int]:
        """What is in force here and not visible there; kept for the view asked about last."""
        if self._beyond is None or self._beyond[0] is not other:
            self._beyond = (other, self.in_force - other.all)
        return self._beyond[1]

    @cached_property
    def sessions(self) -> dict[str, list[int]]:
        """The documents in force of each session, oldest first."""
        found: dict[str, list[int]] = defaultdict(list)
        entries = self.snapshot.entries
        for number in self.in_force:
            if entries[number].session:
                found[entries[number].session].append(number)
        for members in found.values():
            members.sort(key=lambda n: (entries[n].created, entries[n].place, n))
        return dict(found)

    @cached_property
    def places(self) -> dict[int, int]:
        """Each document's place in its session."""
        return {n: at for members in self.sessions.values() for at, n in enumerate(members)}

    def priors(self, hour: int) -> dict[int, float]:
        """Where a caller keeps its documents' priors, for as long as they hold."""
        if self._priors[0] != hour:
            self._priors = (hour, {})
        return self._priors[1]

    def entry(self, number: int) -> Entry:
        return self.snapshot.entries[number]

    def layer(self, number: int) -> int:
        return self.visible[self.snapshot.entries[number].blob]
