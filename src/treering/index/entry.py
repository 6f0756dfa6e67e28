"""What the index keeps of a memory besides its terms: the fields that filter, order and count.

Parsing a memory's front matter takes 150 us; a whole segment of entries is read back at 2 us each.
They are kept as `marshal` data, which holds plain values only and runs no code when loaded.
"""

import heapq
import marshal
import struct
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from treering.model.memory import Memory, made_at
from treering.model.when import instant

# Format 4 shares equal strings and is read by every Python from 3.4 on.
_MARSHAL = 4
SKETCH = 24  # terms sampled of each memory
_WORD = 4


class Entry(NamedTuple):
    """One indexed memory.

    `place` orders memories of one moment, `length` counts the terms, `sketch` is a sample of them.
    A link is its relation, target, confidence, who made it and when, 0 where that was not noted.
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


def entry_of(blob: str, memory: Memory, counts: dict[str, int]) -> Entry:
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
    data = marshal.dumps([tuple(entry) for entry in entries], _MARSHAL)
    return zlib.crc32(data).to_bytes(_WORD, "little") + data


def unpacked(data: bytes) -> list[Entry]:
    """The entries in these bytes; ValueError when they are not what was written."""
    if zlib.crc32(memoryview(data)[_WORD:]).to_bytes(_WORD, "little") != data[:_WORD]:
        raise ValueError("the entries are damaged")
    return list(map(Entry._make, marshal.loads(memoryview(data)[_WORD:])))  # noqa: S302  our own


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
