"""What the index keeps of a memory besides its terms: the fields that filter, order and count.

Parsing a memory's front matter takes 150 us; a whole segment of entries is read back at 3 us each.
They are kept as JSON, field by field: nothing in it can run, and many short lists of one kind are
read faster than many records.
"""

import heapq
import json
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from treering.model.memory import Memory, made_at
from treering.model.when import instant

SKETCH = 24  # terms sampled of each memory
_WORD = 4


class Entry(NamedTuple):
    """One indexed memory.

    `place` orders memories of one moment, `length` counts the terms, `sketch` is a sample of them.
    A link is its relation, target, confidence, who made it and when, 0 where that was not noted.
    `flags` are what looks wrong with it; None where nobody has looked yet.
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


def entry_of(
    blob: str, memory: Memory, counts: dict[str, int], flags: tuple[str, ...] | None = None
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
            (link.relation, link.target, link.confidence, link.by, made_at(link))
            for link in memory.links
        ),
        _place_of(memory),
        sum(counts.values()),
        _sketch_of(counts),
        flags,
    )


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


def are_alike(one: Entry, other: Entry, share: float) -> bool:
    """Whether two memories have about this share of their terms in common, from their sketches.

    A sketch holds the smallest hashes of a text's terms, so the smallest of both together are a
    fair sample of all terms, and those in both sketches are the common ones.
    """
    first, second = _hashes(one.sketch), _hashes(other.sketch)
    wanted = share * max(len(first), len(second))
    common = first & second
    if len(common) < wanted:
        return False
    sample = heapq.nsmallest(max(len(first), len(second)), first | second)
    return sum(h in common for h in sample) >= wanted


def hashes_of(entry: Entry) -> tuple[int, ...]:
    """The sample of a memory's terms, as numbers."""
    return struct.unpack(f">{len(entry.sketch) // _WORD}I", entry.sketch)


def packed(entries: Sequence[Entry]) -> bytes:
    """Entries as bytes, behind a checksum."""
    columns: dict[str, list[Any]] = {
        name: [entry[at] for entry in entries] for at, name in enumerate(Entry._fields)
    }
    columns["sketch"] = [entry.sketch.hex() for entry in entries]
    data = json.dumps(columns, separators=(",", ":")).encode()
    return zlib.crc32(data).to_bytes(_WORD, "little") + data


def unpacked(data: bytes) -> list[Entry]:
    """The entries in these bytes; ValueError when they are not what was written."""
    if zlib.crc32(memoryview(data)[_WORD:]).to_bytes(_WORD, "little") != data[:_WORD]:
        raise ValueError("the entries are damaged")
    columns = json.loads(data[_WORD:], parse_constant=_refuse)
    if not isinstance(columns, dict) or columns.keys() != set(Entry._fields):
        raise ValueError("the entries are not ours")
    try:
        rows = zip(*(_COLUMNS[name](columns[name]) for name in Entry._fields), strict=True)
        return list(map(Entry._make, rows))
    except TypeError as error:
        raise ValueError("the entries are not ours") from error


def _refuse(value: Any) -> None:
    raise ValueError(f"an entry holds {value!r:.40}")


def _plain(*kinds: type) -> Callable[[list[Any]], list[Any]]:
    """A reader of a column whose values are all of these kinds."""
    wanted = set(kinds)

    def read(values: list[Any]) -> list[Any]:
        if set(map(type, values)) - wanted:
            _refuse(values)
        return values

    return read


_texts, _numbers, _integers = _plain(str), _plain(float, int), _plain(int)


def _ids(pattern: str) -> Callable[[list[Any]], list[str]]:
    match = re.compile(pattern).fullmatch

    def read(values: list[Any]) -> list[str]:
        if not all(map(match, _texts(values))):
            _refuse(values)
        return values

    return read


def _text_lists(values: list[Any]) -> list[tuple[str, ...]]:
    return [tuple(_texts(texts)) if texts else () for texts in _plain(list)(values)]


def _flag_lists(values: list[Any]) -> list[tuple[str, ...] | None]:
    return [flags if flags is None else _text_lists([flags])[0] for flags in values]


def _link_lists(values: list[Any]) -> list[tuple[Any, ...]]:
    return [tuple(map(_link, links)) if links else () for links in _plain(list)(values)]


def _link(value: Any) -> tuple[str, str, float, str, float]:
    match value:
        case [str(), str(), float() | int(), str(), float() | int()]:
            return tuple(value)
    raise ValueError("an entry holds what is no link")


def _sketches(values: list[Any]) -> list[bytes]:
    return [bytes.fromhex(value) for value in _ids(f"(?:[0-9a-f]{{8}}){{0,{SKETCH}}}")(values)]


#: How each field is read back.
_COLUMNS: dict[str, Callable[[list[Any]], Sequence[Any]]] = {
    **dict.fromkeys(("type", "title", "status", "author", "agent", "session", "topic"), _texts),
    **dict.fromkeys(("created", "modified", "confidence"), _numbers),
    **dict.fromkeys(("tags", "files"), _text_lists),
    **dict.fromkeys(("place", "length"), _integers),
    "blob": _ids("[0-9a-f]{40}"),
    "id": _ids("[0-9a-z]{12}"),
    "links": _link_lists,
    "flags": _flag_lists,
    "sketch": _sketches,
}


def _sketch_of(counts: dict[str, int]) -> bytes:
    """Hashes in big-endian, so that their bytes sort as they do."""
    hashes = heapq.nsmallest(SKETCH, set(map(_hash_of, counts)))
    return struct.pack(f">{len(hashes)}I", *hashes)


@cache
def _hash_of(term: str) -> int:
    return zlib.crc32(term.encode())


@lru_cache(4096)
def _hashes(sketch: bytes) -> frozenset[bytes]:
    return frozenset(sketch[at : at + _WORD] for at in range(0, len(sketch), _WORD))
