"""Vectors of memories: how one is kept, and many of them in a file beside the index.

A vector is kept as 8 bits a number, with a bit for each sign. How many signs two vectors share
tells quickly, and roughly, how near they are, so all memories can be looked through. How near the
best of them really are is then worked out from the numbers.

The file is a row of chunks. Each is a count and a checksum, then blob ids, lengths, signs and
numbers, column by column. It is only ever added to, under a file lock. A chunk that is damaged, or
that a killed process left half written, is left out, and the file is written anew without it. What
is missing in it is made again.
"""

import fcntl
import os
import struct
import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import mul
from pathlib import Path
from typing import NamedTuple

from treering.git.files import check_folder, make_folder, open_file, read_file, replace_file

MIDDLE = 128  # numbers are kept as bytes, with this added
_BLOB = 20
_HEAD = struct.Struct("<4sII")
_MAGIC = b"TRV1"
_MANY_CHUNKS = 64
_SIGNS = bytes(48 + (value >= MIDDLE) for value in range(256))


class SmallVector(NamedTuple):
    """A vector in few bytes: its numbers plus 128, how long it is in them, and its signs."""

    numbers: bytes
    length: float
    signs: int


def shrink(values: Sequence[float]) -> SmallVector:
    """A vector in few bytes; where it points is what counts, not how long it was."""
    highest = max(max(values), -min(values))
    if not highest:
        return SmallVector(bytes([MIDDLE]) * len(values), 0.0, 0)
    share = 127 / highest
    numbers = bytes([int(value * share + MIDDLE + 0.5) for value in values])
    # (n - 128)^2 = n^2 - 256 n + 128^2, all in C
    square = sum(map(mul, numbers, numbers)) - 2 * MIDDLE * sum(numbers)
    length = max(square + MIDDLE * MIDDLE * len(numbers), 0) ** 0.5
    return SmallVector(numbers, length, int(numbers.translate(_SIGNS), 2))


class VectorColumns:
    """Vectors by blob id, column by column."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.rows: dict[str, int] = {}
        self.lengths = array("f")
        self.signs: list[int] = []
        self.numbers = bytearray()

    def add(self, blob: str, vector: SmallVector) -> None:
        if blob not in self.rows:
            self.rows[blob] = len(self.signs)
            self.lengths.append(vector.length)
            self.signs.append(vector.signs)
            self.numbers += vector.numbers

    def get(self, blob: str) -> SmallVector | None:
        row = self.rows.get(blob)
        if row is None:
            return None
        return SmallVector(self.numbers_of(row), self.lengths[row], self.signs[row])

    def numbers_of(self, row: int) -> bytes:
        start = row * self.dimensions
        return bytes(self.numbers[start : start + self.dimensions])

    def extend(self, other: "VectorColumns") -> None:
        """Take over another's vectors; the usual case, all of them new, is a few copies."""
        if self.rows.keys() & other.rows.keys():
            for blob in other.rows:
                vector = other.get(blob)
                if vector:
                    self.add(blob, vector)
            return
        base = len(self.signs)
        self.rows.update((blob, base + row) for blob, row in other.rows.items())
        self.lengths += other.lengths
        self.signs += other.signs
        self.numbers += other.numbers

    def pack(self) -> bytes:
        """All of it as one chunk."""
        if not self.rows:
            return b""
        width = (self.dimensions + 7) // 8
        body = b"".join(
            (
                bytes.fromhex("".join(self.rows)),
                struct.pack(f"<{len(self.lengths)}f", *self.lengths),
                *(signs.to_bytes(width, "little") for signs in self.signs),
                self.numbers,
            )
        )
        return _HEAD.pack(_MAGIC, len(self.rows), zlib.crc32(body)) + body


def _unpack(body: memoryview, count: int, dimensions: int) -> VectorColumns:
    columns, width = VectorColumns(dimensions), (dimensions + 7) // 8
    ids, lengths = _BLOB * count, 4 * count
    names = body[:ids].hex()
    columns.rows = {names[at : at + 40]: at // 40 for at in range(0, len(names), 40)}
    columns.lengths = array("f", struct.unpack_from(f"<{count}f", body, ids))
    at = ids + lengths
    signs = bytes(body[at : at + width * count])
    read = int.from_bytes
    columns.signs = [read(signs[p : p + width], "little") for p in range(0, len(signs), width)]
    columns.numbers = bytearray(body[at + width * count :])
    if len(columns.rows) != count:
        raise ValueError("a vector is there twice")
    return columns


class VectorFile:
    """The file of one model's vectors; it may vanish, break or be another's at any time."""

    def __init__(self, path: Path, dimensions: int, levels: int) -> None:
        self._path = path
        self._dimensions = dimensions
        self._levels = levels

    def state(self) -> tuple[int, ...]:
        """A value that changes whenever the file does."""
        try:
            info = os.lstat(self._path)
        except OSError:
            return ()
        return (info.st_mtime_ns, info.st_size, info.st_ino)

    def read(self) -> VectorColumns:
        """What of it can be used; one that is damaged or in many parts is written anew."""
        try:
            check_folder(self._path.parent, levels=self._levels)
            data = read_file(self._path)
        except OSError:
            return VectorColumns(self._dimensions)
        columns, chunks, size = VectorColumns(self._dimensions), 0, 0
        for body, count in self._chunks(data):
            columns.extend(_unpack(body, count, self._dimensions))
            chunks, size = chunks + 1, size + _HEAD.size + len(body)
        if chunks > _MANY_CHUNKS or size != len(data):
            with suppress(OSError):
                self._replace(columns)
        return columns

    def append(self, columns: VectorColumns) -> None:
        """Add vectors, if the disk lets us."""
        with suppress(OSError):
            make_folder(self._path.parent, levels=self._levels)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
            with os.fdopen(open_file(self._path, flags), "ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(columns.pack())

    def keep_only(self, columns: VectorColumns) -> None:
        """Put these in the place of what there is."""
        with suppress(OSError):
            make_folder(self._path.parent, levels=self._levels)
            self._replace(columns)

    def _replace(self, columns: VectorColumns) -> None:
        # What another process appends meanwhile is lost, and made again by whoever misses it.
        replace_file(self._path, columns.pack(), mode=0o600)

    def _chunks(self, data: bytes) -> Iterator[tuple[memoryview, int]]:
        view, at = memoryview(data), 0
        each = _BLOB + 4 + (self._dimensions + 7) // 8 + self._dimensions
        while at + _HEAD.size <= len(data):
            magic, count, checksum = _HEAD.unpack_from(data, at)
            end = at + _HEAD.size + count * each
            if magic != _MAGIC or end > len(data):
                return
            body = view[at + _HEAD.size : end]
            if zlib.crc32(body) == checksum:
                yield body, count
            at = end
