"""What one caller may see of a snapshot: the visible blobs by number, and which fit the filters.

Each filter is one pass over what the ones before it left.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from treering.model.choices import Status
from treering.model.query import Filters
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import Corpus
from treering.search.entry import Entry
from treering.search.entry_table import EntryList

if TYPE_CHECKING:
    from treering.search.succession import Successors

Test = Callable[[Entry], bool]

#: Without a status asked for, what was replaced or forgotten is withheld and counted.
WITHHELD: tuple[Status, ...] = ("superseded", "deleted")


class VisibleEntries:
    """A snapshot seen through a mapping of visible blobs to their layer's rank (0 is nearest)."""

    def __init__(
        self, snapshot: Corpus, visible: Mapping[str, int], numbers: set[int] | None = None
    ) -> None:
        """`numbers` are those of the visible documents, where somebody knows them."""
        self.snapshot = snapshot
        self.visible = visible
        self.is_checked = False
        #: What replaces a document, or may, as far as somebody asked.
        self.successors: dict[int, Successors] = {}
        self._beyond: tuple[VisibleEntries, set[int]] | None = None
        self._priors: tuple[int, dict[int, float]] = (-1, {})
        self.all = _number(snapshot, visible) if numbers is None else numbers

    @cached_property
    def ids(self) -> set[str]:
        entries = self.snapshot.entries
        return {entries[number].id for number in self.all}

    @cached_property
    def by_status(self) -> dict[str, set[int]]:
        numbers: dict[str, set[int]] = defaultdict(set)
        status_of = self._look_up("status")
        for number in self.all:
            numbers[status_of(number)].add(number)
        return dict(numbers)

    @cached_property
    def in_force(self) -> set[int]:
        """Everything but what was replaced or forgotten."""
        hidden = [self.by_status[status] for status in WITHHELD if status in self.by_status]
        return self.all.difference(*hidden) if hidden else self.all

    @cached_property
    def knowledge(self) -> set[int]:
        """What somebody meant to say, of what is in force: all but records."""
        type_of = self._look_up("type")
        return {number for number in self.in_force if type_of(number) not in RECORD_TYPES}

    @property
    def has_records(self) -> bool:
        return len(self.knowledge) < len(self.in_force)

    def in_force_beyond(self, other: "VisibleEntries") -> set[int]:
        """What is in force here and not visible there; kept for the view asked about last."""
        if self._beyond is None or self._beyond[0] is not other:
            self._beyond = (other, self.in_force - other.all)
        return self._beyond[1]

    @cached_property
    def sessions(self) -> dict[str, list[int]]:
        """The documents in force of each session, oldest first."""
        sessions: dict[str, list[int]] = defaultdict(list)
        session_of = self._look_up("session")
        for number in self.in_force:
            if session := session_of(number):
                sessions[session].append(number)
        for members in sessions.values():
            members.sort(key=self.session_order)
        return dict(sessions)

    def session_order(self, number: int) -> tuple[float, int, int]:
        entry = self.snapshot.entries[number]
        return entry.created, entry.place, number

    @cached_property
    def places(self) -> dict[int, int]:
        """Each document's place in its session."""
        return {n: at for members in self.sessions.values() for at, n in enumerate(members)}

    @property
    def kept_priors(self) -> tuple[int, dict[int, float]]:
        """The hour priors were kept for last, and those."""
        return self._priors

    def priors(self, hour: int) -> dict[int, float]:
        """Where a caller keeps its documents' priors, for as long as they hold."""
        if self._priors[0] != hour:
            self._priors = (hour, {})
        return self._priors[1]

    def entry(self, number: int) -> Entry:
        return self.snapshot.entries[number]

    def blob(self, number: int) -> str:
        """The blob of a document, for which its entry need not be read."""
        entries = self.snapshot.entries
        return entries.blob(number) if isinstance(entries, EntryList) else entries[number].blob

    def list_blobs(self, numbers: Iterable[int]) -> tuple[str, ...]:
        entries = self.snapshot.entries
        if isinstance(entries, EntryList):
            return tuple(map(entries.blob, numbers))
        return tuple([entries[number].blob for number in numbers])

    def layer(self, number: int) -> int:
        return self.visible[self.blob(number)]

    def _look_up(self, name: str) -> Callable[[int], str]:
        """What gives the type, status or session of a document."""
        entries = self.snapshot.entries
        if isinstance(entries, EntryList):
            return entries.column(name).__getitem__
        get = attrgetter(name)
        return lambda number: get(entries[number])


def _number(snapshot: Corpus, visible: Iterable[str]) -> set[int]:
    numbers = snapshot.numbers
    return {numbers[blob] for blob in visible if blob in numbers}


# --- filters --------------------------------------------------------------------------------------


def filter_numbers(numbers: Iterable[int], entries: Sequence[Entry], filters: Filters) -> list[int]:
    """The documents that pass every filter but the status, in the order given."""
    numbers = list(numbers)
    for test in _tests(filters):
        numbers = [number for number in numbers if test(entries[number])]
    return numbers


def _tests(filters: Filters) -> list[Test]:
    """One test per filter that asks for something; the cheap and selective ones first."""
    return [test for make in _MAKERS if (test := make(filters)) is not None]


def _of_types(filters: Filters) -> Test | None:
    types, without = frozenset(filters.types), frozenset(filters.without_types)
    if not types and not without:
        return None
    return lambda e: (not types or e.type in types) and e.type not in without


def _of_tier(filters: Filters) -> Test | None:
    if filters.records == "auto":
        return None
    wants_records = filters.records == "only"
    return lambda e: (e.type in RECORD_TYPES) is wants_records


def _in_session(filters: Filters) -> Test | None:
    session = filters.session
    return (lambda e: e.session == session) if session else None


def _by_creation(filters: Filters) -> Test | None:
    if filters.since is None and filters.until is None:
        return None
    low = float("-inf") if filters.since is None else filters.since
    high = float("inf") if filters.until is None else filters.until
    return lambda e: low <= e.created <= high


def _confident(filters: Filters) -> Test | None:
    if filters.min_confidence is None and filters.max_confidence is None:
        return None
    low = 0.0 if filters.min_confidence is None else filters.min_confidence
    high = 1.0 if filters.max_confidence is None else filters.max_confidence
    return lambda e: low <= e.confidence <= high


def _by_tags(filters: Filters) -> Test | None:
    tags = {tag.lower() for tag in filters.tags}
    without = {tag.lower() for tag in filters.without_tags}
    if not tags and not without:
        return None

    def test(entry: Entry) -> bool:
        has = {tag.lower() for tag in entry.tags}
        return tags <= has and not without & has

    return test


def _on_topic(filters: Filters) -> Test | None:
    topic = filters.topic.lower()
    if not topic:
        return None
    below = topic + "/"
    return lambda e: (t := e.topic.lower()) == topic or t.startswith(below)


def _by_title(filters: Filters) -> Test | None:
    part = filters.title.lower()
    return (lambda e: part in e.title.lower()) if part else None


def _by_author(filters: Filters) -> Test | None:
    part = filters.author.lower()
    return (lambda e: part in e.author.lower()) if part else None


def _by_agent(filters: Filters) -> Test | None:
    part = filters.agent.lower()
    return (lambda e: part in e.agent.lower()) if part else None


def _about_file(filters: Filters) -> Test | None:
    """The path itself, a folder above it, or its base name."""
    place = filters.file.removeprefix("./").rstrip("/")
    if not place:
        return None
    folder, base = place + "/", "/" + place
    bare = "/" not in place
    explaining = frozenset(filters.explaining)
    return lambda e: (
        e.id in explaining
        or any(
            path == place or path.startswith(folder) or (bare and path.endswith(base))
            for path in e.files
        )
    )


_MAKERS: tuple[Callable[[Filters], Test | None], ...] = (
    _of_types,
    _of_tier,
    _in_session,
    _by_creation,
    _confident,
    _by_tags,
    _on_topic,
    _by_title,
    _by_author,
    _by_agent,
    _about_file,
)
