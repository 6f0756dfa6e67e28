"""How postings are read: a table of terms in memory, and a file of posting lists.

Apart from their writer: a command that answers one question reads, and Whoosh would take it as long
to import as the answer takes. So the table is Whoosh's, but for its tail, and its reader is ours.

    header       b"HSH3", which hash, two words for later
    terms        for each, in their order: lengths of term and value, term, value
    256 tables   of slots: a hash, and where its term is; 0 for none
    directory    where each table is, and its number of slots
    tail         the type of the array of positions, their number, and the array itself
    last word    the length of the tail

A posting list is: crc32 of the rest, document numbers (4 bytes each), counts (1 byte each).
"""

from __future__ import annotations

import hashlib
import os
import struct
import weakref
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

from treering.git.files import open_file
from treering.search.corpus import Posting

NUMBER = 4
CRC = 4
#: Where a term's posting list is: its offset and its length.
TERM = struct.Struct("<QI")
#: The tail of a term table: the type of its array of positions, and how many there are.
TAIL = struct.Struct("<cI")

_MAGIC = b"HSH3\0"  # and md5 as hash
_HEADER = len(_MAGIC) + 8
_LENGTHS = struct.Struct("!ii")
_SLOT = struct.Struct("!Iq")
_TABLE = struct.Struct("!qi")
_TABLES = 256
_WORD = struct.Struct("!i")
_POSITIONS = {
    b"H": struct.Struct("!H"),
    b"i": _WORD,
    b"I": struct.Struct("!I"),
    b"q": struct.Struct("!q"),
}


class TermTable:
    """Terms and their values, looked up one by one; ValueError for what is not such a table."""

    def __init__(self, data: bytes) -> None:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("the term table is not ours")
        self._data = data
        end = len(data) - _WORD.size
        try:
            tail = end - _WORD.unpack_from(data, end)[0]
            kind, self._count = TAIL.unpack_from(data, tail)
            self._directory = tail - _TABLES * _TABLE.size
            self._end = _TABLE.unpack_from(data, self._directory)[0]
            self._position = _POSITIONS[kind]
        except (struct.error, KeyError) as error:
            raise ValueError("the term table is damaged") from error
        self._positions = tail + TAIL.size
        if self._positions + self._count * self._position.size > end:
            raise ValueError("the term table is cut short")

    def get(self, term: bytes) -> bytes | None:
        """The value of a term."""
        digest = hashlib.md5(term, usedforsecurity=False).digest()
        wanted = int.from_bytes(digest[-4:], "big")
        at = self._directory + (wanted & 255) * _TABLE.size
        start, slots = _TABLE.unpack_from(self._data, at)
        first = (wanted >> 8) % slots if slots > 0 else 0
        for number in range(first, first + slots):
            hashed, place = self._unpack(_SLOT, start + number % slots * _SLOT.size)
            if not place:
                return None
            if hashed == wanted:
                found, value = self._read(place)
                if found == term:
                    return value
        return None

    def terms_from(self, prefix: bytes) -> Iterator[bytes]:
        """The terms that do not come before this one, in their order."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._term(middle) < prefix:
                low = middle + 1
            else:
                high = middle
        return map(self._term, range(low, self._count))

    def _term(self, number: int) -> bytes:
        at = self._positions + number * self._position.size
        return self._read(self._position.unpack_from(self._data, at)[0])[0]

    def _read(self, place: int) -> tuple[bytes, bytes]:
        term, value = self._unpack(_LENGTHS, place)
        at = place + _LENGTHS.size
        if term < 0 or value < 0 or at + term + value > self._end:
            raise ValueError("the term table is damaged")
        return self._data[at : at + term], self._data[at + term : at + term + value]

    def _unpack(self, shape: struct.Struct, at: int) -> tuple[int, ...]:
        if not _HEADER <= at <= len(self._data) - shape.size:
            raise ValueError("the term table is damaged")
        return shape.unpack_from(self._data, at)


class PostingsFile:
    """A file that may change under us, read at an offset.

    Whoosh maps its files, and a mapped file that someone cuts short kills the process that looks at
    it. Reading gives too few bytes instead, which the checksum notices.
    """

    def __init__(self, path: Path) -> None:
        self._file = open_file(path)
        self._size = os.fstat(self._file).st_size
        # Segments go out of use quietly, when the last snapshot that holds them does.
        weakref.finalize(self, os.close, self._file)

    def get(self, position: int, length: int) -> bytes:
        if position + length > self._size:  # or the memory for it would be asked for first
            raise ValueError("a posting list lies beyond its file")
        return os.pread(self._file, length, position)


class ListReader:
    """Reads whole posting lists by term, from a term table in memory and a file of lists."""

    def __init__(self, terms: bytes, postings: Path) -> None:
        self._table = TermTable(terms)
        self._postings = PostingsFile(postings)

    def posting(self, term: bytes) -> Posting | None:
        place = self._table.get(term)
        return None if place is None else _unpack(self._postings.get(*TERM.unpack(place)))

    def terms_starting(self, prefix: bytes) -> Iterator[bytes]:
        last = b""
        for term in self._table.terms_from(prefix):
            if not term.startswith(prefix):
                return
            if term <= last:  # a table made to lead round in circles
                raise ValueError("the term table is damaged")
            last = term
            yield term


def _unpack(data: bytes) -> Posting:
    """A term's documents and counts; ValueError when the bytes are not what was written."""
    crc = int.from_bytes(data[:CRC], "little")
    if len(data) < CRC or zlib.crc32(memoryview(data)[CRC:]) != crc:
        raise ValueError("a posting list is damaged")
    split = CRC + (len(data) - CRC) // (NUMBER + 1) * NUMBER
    documents = array("I")
    documents.frombytes(data[CRC:split])
    return documents, data[split:]
