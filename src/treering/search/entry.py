"""What the index keeps of a memory besides its terms: the fields that filter, order and count.

Parsing a memory's front matter takes 150 us; a whole segment of entries is read back at 3 us each.
They are kept field by field, as JSON and as lines of text: nothing in them can run, and a few long
columns are read faster than many records.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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


def pack(entries: Sequence[Entry]) -> bytes:
    """Entries as bytes, behind a checksum: a line of JSON, then a line for each of the texts."""
    columns: dict[str, list[Any]] = {
        name: [entry[at] for entry in entries] for at, name in enumerate(Entry._fields)
    }
    columns["sketch"] = [entry.sketch.hex() for entry in entries]
    columns["title_sketch"] = [entry.title_sketch.hex() for entry in entries]
    texts = [text for name in _LINES for text in columns.pop(name)]
    data = "\n".join((json.dumps(columns, separators=(",", ":")), *texts))
    raw = data.encode(errors="surrogatepass")
    return zlib.crc32(raw).to_bytes(_WORD, "little") + raw


def unpack(data: bytes) -> list[Entry]:
    """The entries in these bytes; ValueError when they are not what was written."""
    raw = memoryview(data)[_WORD:]
    if zlib.crc32(raw).to_bytes(_WORD, "little") != data[:_WORD]:
        raise ValueError("the entries are damaged")
    head, *lines = str(raw, "utf-8", "surrogatepass").split("\n")
    columns = json.loads(head, parse_constant=_refuse)
    if not isinstance(columns, dict) or len(lines) % len(_LINES):
        raise ValueError("the entries are not ours")
    count = len(lines) // len(_LINES)
    columns |= {name: lines[at * count : (at + 1) * count] for at, name in enumerate(_LINES)}
    try:
        read = [_COLUMNS[name](columns[name]) for name in Entry._fields]
    except (TypeError, KeyError) as error:
        raise ValueError("the entries are not ours") from error
    return list(map(Entry._make, zip(*read, strict=True)))


def _refuse(value: Any) -> NoReturn:
    raise ValueError(f"an entry holds {value!r:.40}")


# Columns are checked as a whole, a few calls into C each: an index is opened by every command.


def _check(values: Iterable[Any], *kinds: type) -> None:
    if others := set(map(type, values)).difference(kinds):
        _refuse(others)


def _column(*kinds: type) -> Callable[[list[Any]], list[Any]]:
    """A reader of plain values of these kinds."""

    def read(values: list[Any]) -> list[Any]:
        _check(values, *kinds)
        return values

    return read


def _blobs(lines: list[str]) -> list[str]:
    if set(map(len, lines)) - {_BLOB} or len(bytes.fromhex("".join(lines))) * 2 % _BLOB:
        _refuse(lines[:1])
    return lines


def _ids(lines: list[str]) -> list[str]:
    """They are looked up as paths: nothing but letters and digits."""
    if set(map(len, lines)) - {_ID} or not "".join(lines).isalnum():
        _refuse(lines[:1])
    return lines


def _outcomes(lines: list[str]) -> list[str]:
    if set(lines).difference(OUTCOMES, ("",)):
        _refuse(lines[:1])
    return lines


def _text_lists(values: list[Any]) -> list[tuple[str, ...]]:
    _check(values, list)
    _check(chain.from_iterable(values), str)
    return [tuple(texts) if texts else () for texts in values]


def _flag_lists(values: list[Any]) -> list[tuple[str, ...] | None]:
    lists = _text_lists([flags or [] for flags in values])
    return [None if raw is None else flags for raw, flags in zip(values, lists, strict=True)]


def _link_lists(values: list[Any]) -> list[tuple[tuple[Any, ...], ...]]:
    _check(values, list)
    links = list(chain.from_iterable(values))
    _check(links, list)
    if set(map(len, links)) - {len(_LINK)}:
        _refuse(links)
    for column, kinds in zip(zip(*links, strict=True), _LINK, strict=False):
        _check(column, *kinds)
    return [tuple(map(tuple, links)) if links else () for links in values]


def _sketches(lines: list[str]) -> list[bytes]:
    sketches = list(map(bytes.fromhex, lines))
    if any(size % _WORD for size in set(map(len, sketches))):
        _refuse(lines[:1])
    return sketches


_NUMBER = (float, int)
_LINK = ((str,), (str,), _NUMBER, (str,), _NUMBER)
#: Fields that are one line each, by the rules of a memory.
_LINES = (
    "blob", "id", "type", "title", "status", "author", "agent", "session", "topic",
    "outcome", "sketch", "title_sketch",
)  # fmt: skip
#: How each field is read back.
_COLUMNS: dict[str, Callable[[list[Any]], Sequence[Any]]] = {
    **dict.fromkeys(_LINES, list),
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
