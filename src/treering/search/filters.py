"""Which entries fit the filters; each filter is one pass over what the ones before it left."""

from collections.abc import Callable, Iterable, Sequence

from treering.model.query import Filters
from treering.search.entry import Entry

Test = Callable[[Entry], bool]

#: Without a status asked for, what was replaced or forgotten is withheld and counted.
WITHHELD = ("superseded", "deleted")


def fitting(numbers: Iterable[int], entries: Sequence[Entry], filters: Filters) -> list[int]:
    """The documents that pass every filter but the status, in the order given."""
    left = list(numbers)
    for test in tests(filters):
        left = [number for number in left if test(entries[number])]
    return left


def tests(filters: Filters) -> list[Test]:
    """One test per filter that asks for something; the cheap and selective ones first."""
    return [test for make in _MAKERS if (test := make(filters)) is not None]


def _of_types(filters: Filters) -> Test | None:
    wanted, unwanted = frozenset(filters.types), frozenset(filters.without_types)
    if not wanted and not unwanted:
        return None
    return lambda e: (not wanted or e.type in wanted) and e.type not in unwanted


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
    wanted = {tag.lower() for tag in filters.tags}
    unwanted = {tag.lower() for tag in filters.without_tags}
    if not wanted and not unwanted:
        return None

    def test(entry: Entry) -> bool:
        has = {tag.lower() for tag in entry.tags}
        return wanted <= has and not unwanted & has

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
    wanted = filters.file.removeprefix("./").rstrip("/")
    if not wanted:
        return None
    folder, base = wanted + "/", "/" + wanted
    bare = "/" not in wanted
    return lambda e: any(
        path == wanted or path.startswith(folder) or (bare and path.endswith(base))
        for path in e.files
    )


_MAKERS: tuple[Callable[[Filters], Test | None], ...] = (
    _of_types,
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
