"""Vectors of memories: how one is kept, and many of them.

A vector is kept as 8 bits a number, with a bit for each sign. How many signs two vectors share
tells quickly, and roughly, how near they are, so all memories can be looked through. How near the
best of them really are is then worked out from the numbers.

    vectors     model, blob -> length, signs and numbers
"""

import struct
from array import array
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from treering.derived.database import Database, chunks

if TYPE_CHECKING:
    import sqlite3

MIDDLE = 128  # numbers are kept as bytes, with this added
_SIGNS = bytes(48 + (value >= MIDDLE) for value in range(256))
_LENGTH = struct.Struct("<f")
_READ_ALL_FROM = 2_000  # looked up one by one they take longer than all there are


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

    def numbers_of(self, row: int) -> bytes:
        start = row * self.dimensions
        return bytes(self.numbers[start : start + self.dimensions])


class VectorTable:
    """The vectors that one model made."""

    def __init__(self, database: Database, model: str, dimensions: int) -> None:
        self._database = database
        self._model = model
        self._width = (dimensions + 7) // 8
        self._size = _LENGTH.size + self._width + dimensions

    def load(self, blobs: Iterable[str], into: VectorColumns) -> None:
        """Add the vectors of some blobs, none of which is at hand yet; one of another size does not
        count."""
        wanted, start, nothing = set(blobs), _LENGTH.size, list[tuple[str, bytes]]()
        rows = [
            (blob, value)
            for blob, value in self._database.ask(lambda db: self._select(db, wanted), nothing)
            if blob in wanted and len(value) == self._size
        ]
        values, end, read = [value for _, value in rows], start + self._width, int.from_bytes
        into.rows.update((blob, at) for at, (blob, _) in enumerate(rows, len(into.signs)))
        lengths = b"".join([value[:start] for value in values])
        into.lengths.extend(struct.unpack(f"<{len(rows)}f", lengths))
        into.signs += [read(value[start:end], "little") for value in values]
        into.numbers += b"".join([value[end:] for value in values])

    def _select(self, db: "sqlite3.Connection", blobs: set[str]) -> list[tuple[str, bytes]]:
        query = "SELECT blob, value FROM vectors WHERE model = ?"
        if len(blobs) > _READ_ALL_FROM:
            return db.execute(query, (self._model,)).fetchall()
        rows: list[tuple[str, bytes]] = []
        for part in chunks(list(blobs)):
            marks = ",".join("?" * len(part))
            rows += db.execute(f"{query} AND blob IN ({marks})", (self._model, *part)).fetchall()
        return rows

    def write(self, vectors: Iterable[tuple[str, SmallVector]]) -> None:
        """Keep vectors, if the disk lets us."""
        rows = [
            (
                self._model,
                blob,
                _LENGTH.pack(vector.length)
                + vector.signs.to_bytes(self._width, "little")
                + vector.numbers,
            )
            for blob, vector in vectors
        ]
        insert = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)"
        self._database.change(lambda db: db.executemany(insert, rows))

    def keep_only(self, blobs: Iterable[str]) -> None:
        """Forget the vectors of everything else."""
        kept = set(blobs)

        def change(db: "sqlite3.Connection") -> None:
            query = "SELECT blob FROM vectors WHERE model = ?"
            gone = [blob for (blob,) in db.execute(query, (self._model,)) if blob not in kept]
            delete = "DELETE FROM vectors WHERE model = ? AND blob = ?"
            db.executemany(delete, ((self._model, blob) for blob in gone))

        self._database.change(change)
