"""What the index keeps of a memory besides its terms: the fields that filter, order and count.

How they are kept is in entry_table.py.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from treering.model.choices import OUTCOMES
from treering.model.dates import instant
from treering.model.memory import Memory, age_of_link
from treering.search.analysis import terms
from treering.text import likeness

_WORD = 4
_BLOB, _ID = 40, 12


class Entry(NamedTuple):
    """One indexed memory.

    `place` orders memories of one moment, `length` counts the terms, `sketch` is packed.
    A link is its relation, target, confidence, who made it and when, 0 where that was not noted.
    `flags` are what looks wrong with it; None where nobody has looked yet. `outcome` is how it
    turned out, where somebody said so. `said` is when it got the content it has,
    `title_sketch` the smallest hashes of its title's terms, packed.
    """

    blob: str
    id: str
    type: str
    title: str
    status: str
    created: float
    modified: float
    confidence: float
    author: str
    agent: str
    session: str
    topic: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    links: tuple[tuple[str, str, float, str, float], ...]
    place: int
    length: int
    sketch: bytes
    flags: tuple[str, ...] | None
    outcome: str = ""
    said: float = 0.0
    title_sketch: bytes = b""


def entry_of(
    blob: str,
    memory: Memory,
    counts: dict[str, int],
    flags: tuple[str, ...] | None = None,
    said: float | None = None,
) -> Entry:
    """The entry of a memory whose terms were counted."""
    return Entry(
        blob,
        memory.id,
        memory.type,
        memory.title,
        memory.status,
        instant(memory.created),
        instant(memory.modified),
        memory.confidence,
        memory.author,
        memory.agent,
        memory.session,
        memory.topic,
        memory.tags,
        tuple(file.path for file in memory.files),
        tuple(
            (link.relation, link.target, link.confidence, link.by, age_of_link(link))
            for link in memory.links
        ),
        _place_of(memory),
        sum(counts.values()),
        likeness.pack(likeness.sketch(counts, likeness.INDEX_SKETCH)),
        flags,
        memory.outcome or "",
        instant(memory.modified) if said is None else said,
        likeness.pack(likeness.sketch(terms(memory.title), likeness.TITLE_SKETCH)),
    )


def share_repository(one: Entry, other: Entry) -> bool:
    """Whether two are of one repository. Where several are searched as one, each blob bears a mark
    of its own; nothing that one holds says anything about what another does."""
    return one.blob[:-_BLOB] == other.blob[:-_BLOB]


def _place_of(memory: Memory) -> int:
    """Where an imported memory stood among those of its moment; 0 where nobody said."""
    place = memory.details.get("place")
    return place if isinstance(place, int) and 0 <= place < 1 << 31 else 0


def searchable_text(memory: Memory) -> str:
    """The one text a memory is found by; the title counts twice, which beat a field of its own."""
    paths = " ".join(file.path for file in memory.files)
    title = "" if memory.content.startswith(memory.title) else memory.title
    tags = " ".join(memory.tags)
    return f"{memory.title}\n{title}\n{tags}\n{memory.topic}\n{paths}\n{memory.content}"


def count_terms(memory: Memory) -> Counter[str]:
    """The terms a memory is found by, and how often each occurs."""
    return Counter(terms(searchable_text(memory)))


def describe(blob: str, memory: Memory) -> Entry:
    """The entry of a memory nobody has looked at, with the dates it gives itself."""
    return entry_of(blob, memory, count_terms(memory))


def hashes_of(entry: Entry) -> likeness.Sketch:
    """The sketch of a memory's terms."""
    return likeness.unpack(entry.sketch)


#: What stands in the row of an entry, in its order; the rest is in columns of a table's head.
IN_ROW = (
    "id", "title", "created", "modified", "confidence", "author", "agent", "topic", "tags",
    "files", "links", "place", "sketch", "flags", "outcome", "said", "title_sketch",
)  # fmt: skip


def row_of(entry: Entry) -> list[Any]:
    """What JSON can hold of an entry, apart from its columns."""
    values = {name: getattr(entry, name) for name in IN_ROW}
    sketches = {"sketch": entry.sketch.hex(), "title_sketch": entry.title_sketch.hex()}
    return list((values | sketches).values())


def join_columns(rows: Any, columns: Mapping[str, Sequence[Any]], count: int) -> list[Entry]:
    """Entries from their rows and the other columns; ValueError when they are not what was written.

    Columns are checked as a whole, a few calls into C each.
    """
    if len(rows) != count or any(type(row) is not list or len(row) != len(IN_ROW) for row in rows):
        raise ValueError("the entries are not ours")
    in_rows = zip(*rows, strict=True) if rows else [()] * len(IN_ROW)
    raw = dict(columns) | dict(zip(IN_ROW, in_rows, strict=True))
    try:
        read = [_COLUMNS[name](raw[name]) for name in Entry._fields]
    except (TypeError, KeyError) as error:
        raise ValueError("the entries are not ours") from error
    return list(map(Entry._make, zip(*read, strict=True)))


def refuse(value: Any) -> NoReturn:
    raise ValueError(f"an entry holds {value!r:.40}")


def _check(values: Iterable[Any], *kinds: type) -> None:
    if others := set(map(type, values)).difference(kinds):
        refuse(others)


def _column(*kinds: type) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A reader of plain values of these kinds."""

    def read(values: Sequence[Any]) -> Sequence[Any]:
        _check(values, *kinds)
        return values

    return read


def _lines(texts: Sequence[Any]) -> Sequence[str]:
    if "\n" in "".join(texts):
        refuse(texts[:1])
    return texts


def _blobs(lines: Sequence[str]) -> Sequence[str]:
    if set(map(len, lines)) - {_BLOB} or len(bytes.fromhex("".join(lines))) * 2 % _BLOB:
        refuse(lines[:1])
    return lines


def _ids(lines: Sequence[str]) -> Sequence[str]:
    """They are looked up as paths: nothing but letters and digits."""
    if set(map(len, lines)) - {_ID} or not "".join(lines).isalnum():
        refuse(lines[:1])
    return lines


def _outcomes(lines: Sequence[str]) -> Sequence[str]:
    if set(lines).difference(OUTCOMES, ("",)):
        refuse(lines[:1])
    return lines


def _text_lists(values: Sequence[Any]) -> Sequence[tuple[str, ...]]:
    _check(values, list)
    _check(chain.from_iterable(values), str)
    return [tuple(texts) if texts else () for texts in values]


def _flag_lists(values: Sequence[Any]) -> Sequence[tuple[str, ...] | None]:
    lists = _text_lists([flags or [] for flags in values])
    return [None if raw is None else flags for raw, flags in zip(values, lists, strict=True)]


def _link_lists(values: Sequence[Any]) -> Sequence[tuple[tuple[Any, ...], ...]]:
    _check(values, list)
    links = list(chain.from_iterable(values))
    _check(links, list)
    if set(map(len, links)) - {len(_LINK)}:
        refuse(links)
    for column, kinds in zip(zip(*links, strict=True), _LINK, strict=False):
        _check(column, *kinds)
    return [tuple(map(tuple, links)) if links else () for links in values]


def _sketches(lines: Sequence[str]) -> Sequence[bytes]:
    sketches = list(map(bytes.fromhex, lines))
    if any(size % _WORD for size in set(map(len, sketches))):
        refuse(lines[:1])
    return sketches


_NUMBER = (float, int)
_LINK = ((str,), (str,), _NUMBER, (str,), _NUMBER)
#: Fields that are one line each, by the rules of a memory.
_LINES = (
    "type", "title", "status", "author", "agent", "session", "topic",
)  # fmt: skip
#: How each field is read back.
_COLUMNS: dict[str, Callable[[Sequence[Any]], Sequence[Any]]] = {
    **dict.fromkeys(_LINES, _lines),
    **dict.fromkeys(("created", "modified", "confidence", "said"), _column(*_NUMBER)),
    **dict.fromkeys(("tags", "files"), _text_lists),
    **dict.fromkeys(("place", "length"), _column(int)),
    "blob": _blobs,
    "id": _ids,
    "links": _link_lists,
    "flags": _flag_lists,
    "outcome": _outcomes,
    "sketch": _sketches,
    "title_sketch": _sketches,
}
