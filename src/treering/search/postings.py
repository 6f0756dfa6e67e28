"""How postings are read: a table of terms in memory, and a file of posting lists.

Apart from their writer: a command that answers one question reads, and Whoosh's writer would take
it as long to import as the answer takes. The table is Whoosh's, but for its tail.

A posting list is: crc32 of the rest, document numbers (4 bytes each), counts (1 byte each).
"""

import os
import struct
import warnings
import weakref
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path

from treering.git.files import open_file
from treering.search.corpus import Posting

with warnings.catch_warnings():
    for kind in (SyntaxWarning, DeprecationWarning):
        warnings.simplefilter("ignore", kind)  # see codec.py
    from whoosh.filedb.filetables import OrderedHashReader
    from whoosh.filedb.structfile import BufferFile

NUMBER = 4
CRC = 4
#: Where a term's posting list is: its offset and its length.
TERM = struct.Struct("<QI")
#: The tail of a term table: the type of its array of positions, and how many there are.
TAIL = struct.Struct("<cI")


class TermTable(OrderedHashReader):  # type: ignore[misc]
    """Whoosh's table of terms, with a tail of two plain values where Whoosh's is a pickle."""

    def _read_extras(self) -> None:
        file = self.dbfile
        kind, self.indexlen = TAIL.unpack(file.read(TAIL.size))
        self.indexbase = file.tell()
        self.indexsize = struct.calcsize(kind)
        readers = {b"H": file.get_ushort, b"i": file.get_int, b"I": file.get_uint}
        self._get_pos = (readers | {b"q": file.get_long})[kind]


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
        self._table = TermTable(BufferFile(terms), len(terms))
        self._postings = PostingsFile(postings)

    def posting(self, term: bytes) -> Posting | None:
        place = self._table.get(term)
        return None if place is None else _unpack(self._postings.get(*TERM.unpack(place)))

    def terms_starting(self, prefix: bytes) -> Iterator[bytes]:
        last = b""
        for term in self._table.keys_from(prefix):
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
