"""The visible part of a snapshot for one caller: blobs by number, and which fit the filters.

Each filter is one pass over what the ones before it left.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from treering.model.choices import STATUSES, Status
from treering.model.query import PARTS, Filters
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import Corpus, EntryList
from treering.search.entry import Entry

if TYPE_CHECKING:
    from treering.search.succession import Successors

Test = Callable[[Entry], bool]

#: Without a status asked for, what was replaced or forgotten is withheld and counted.
WITHHELD: tuple[Status, ...] = ("superseded", "deleted")
ACTIVE: Status = "active"


class VisibleEntries:
    """A corpus seen through a mapping of visible blobs to their layer's rank (0 is nearest)."""

    def __init__(self, snapshot: Corpus, visible: Mapping[str, int]) -> None:
        self.snapshot = snapshot
        self.visible = visible
        #: What replaces a document, or may, as far as somebody asked.
        self.successors: dict[int, Successors] = {}
        #: For how many models the vectors were looked for that are missing.
        self.vectors_checked = 0

    @cached_property
    def all(self) -> set[int]:
        """The documents of the visible blobs."""
        visible, numbers = self.visible, self.snapshot.numbers
        if len(visible) < len(numbers):
            return {numbers[blob] for blob in visible if blob in numbers}
        return {number for blob, number in numbers.items() if blob in visible}

    @cached_property
    def ids(self) -> set[str]:
        ids = self.snapshot.ids
        return {ids[number] for number in self.all}

    @cached_property
    def by_status(self) -> dict[str, set[int]]:
        find, others = self.snapshot.find, [word for word in STATUSES if word != ACTIVE]
        found: dict[str, set[int]] = {word: self.all & find("status", word) for word in others}
        return {ACTIVE: self.all.difference(*found.values()), **found}

    @cached_property
    def in_force(self) -> set[int]:
        """Everything but what was replaced or forgotten."""
        find = self.snapshot.find
        return self.all.difference(*(find("status", status) for status in WITHHELD))

    @cached_property
    def knowledge(self) -> set[int]:
        """Return what somebody meant to say, of what is in force: all but records."""
        is_record = self.snapshot.is_record
        return {number for number in self.in_force if not is_record(number)}

    @property
    def has_records(self) -> bool:
        return len(self.knowledge) < len(self.in_force)

    def list_session(self, number: int) -> list[int]:
        """Return the documents in force of the session of one, oldest first."""
        one = self.entry(number)
        if not one.session:
            return []
        members = self.snapshot.find("session", one.session) & self.in_force
        return sorted(members, key=self._session_order)

    def _session_order(self, number: int) -> tuple[float, int, int]:
        entry = self.entry(number)
        return entry.created, entry.place, number

    def entry(self, number: int) -> Entry:
        return self.snapshot.entries[number]

    def blob(self, number: int) -> str:
        """Return the blob of a document, for which its entry need not be read."""
        return self.snapshot.blobs[number]

    def list_blobs(self, numbers: Iterable[int]) -> tuple[str, ...]:
        blobs = self.snapshot.blobs
        return tuple([blobs[number] for number in numbers])

    def layer(self, number: int) -> int:
        return self.visible[self.blob(number)]


# --- filters --------------------------------------------------------------------------------------


def filter_numbers(numbers: Iterable[int], entries: Sequence[Entry], filters: Filters) -> list[int]:
    """The documents that pass every filter but the status, in the order given."""
    numbers, tests = list(numbers), _tests(filters)
    if tests and isinstance(entries, EntryList):
        entries.load(numbers)
    for test in tests:
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
    return (lambda e: e.session == e.mark + session) if session else None


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


def _by_parts(filters: Filters) -> Test | None:
    parts = {name: part.lower() for name in PARTS if (part := getattr(filters, name))}
    if not parts:
        return None
    return lambda e: all(part in getattr(e, name).lower() for name, part in parts.items())


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
    _by_parts,
    _about_file,
)
