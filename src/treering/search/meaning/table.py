"""The table of token vectors that comes with the program: meaning without a model to run.

A text is the sum of the vectors of its words' pieces, so its vector costs a few additions. There
is no numpy here, and none is needed: the small numbers of a row, 32 bits apart, are one large
integer, and one addition of Python's adds them all.

    header          b"TRT1", then 32 bits each: rows, dimensions, bytes of the vocabulary, checksum
    vocabulary      a piece a line
    weights         16 bits a row: what the row is to be multiplied with
    rows            8 bits a number, plus 128

The file comes with the package, not with a repository. It is read when a first text is to be
embedded.
"""

import mmap
import struct
import sys
from array import array
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from treering.search.meaning.protocol import Rarity
from treering.search.meaning.wordpiece import WordPiece, plain_runs, plain_words
from treering.text.words import STOP_WORDS

MAGIC = b"TRT1"
HEADER = struct.Struct("<4sIIII")
MOST_WEIGHT = 4095  # so that the sum of 4,096 pieces fits into 32 bits
MIDDLE = 128
_LANE = 4
_MOST_WORDS = 1000  # of a text; words are cut into at most four pieces on average
_REMEMBERED = 16_000  # words, at a kilobyte each, while many memories are indexed
_AT_REST = 1000  # between them
_TELLING = 4  # letters
_LEAST_KNOWN = 0.5  # of the words of a question
_STEPS = 16  # from a word that everything holds to one that is rare
_ROOM = (1 << 32) // 255  # for weights, so that their sum fits into a lane
FILE = Path(__file__).parent / "data" / "table.bin"

#: The rows of the pieces of the words in a run, summed as one large integer, the sum of their
#: weights, and how many words these are.
RunSum = tuple[int, int, int]


class TableContents(NamedTuple):
    """The contents of a file of vectors."""

    dimensions: int
    checksum: int
    numbers: dict[str, int]
    weights: Sequence[int]
    rows: memoryview


@cache  # a server opens many workspaces, and the file is part of the package
def read_table(file: Path) -> TableContents:
    with file.open("rb") as opened:  # mapped: a question needs a few of its thousands of rows
        data = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    magic, rows, dimensions, size, checksum = HEADER.unpack_from(data)
    if magic != MAGIC or len(data) != HEADER.size + size + rows * (2 + dimensions):
        raise ValueError(f"{file} is not a table of vectors")
    at = HEADER.size + size
    pieces = str(data[HEADER.size : at], "utf-8").split("\n")
    weights = array("H")
    weights.frombytes(data[at : at + 2 * rows])
    if sys.byteorder == "big":
        weights.byteswap()
    numbers = dict(zip(pieces, range(rows), strict=True))
    return TableContents(dimensions, checksum, numbers, weights, data[at + 2 * rows :])


class StaticTable:
    """Summed token vectors from the table in the package."""

    weight = 0.5
    floor = 0.1
    #: Its vectors take a tenth of a millisecond: they are made as memories are indexed.
    is_quick = True

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._sums: dict[str, RunSum] = {}

    @cached_property
    def name(self) -> str:
        """Vectors of another table must not be taken for ours."""
        with self._file.open("rb") as file:
            _, rows, dimensions, _, checksum = HEADER.unpack(file.read(HEADER.size))
        return f"table-{dimensions}-{rows}-{checksum:08x}"

    @property
    def dimensions(self) -> int:
        return self._contents.dimensions

    def understands(self, text: str) -> bool:
        """Return whether most words are whole words of the vocabulary: of another language they are
        cut into pieces that mean nothing."""
        words = [word for word in plain_words(text) if word not in STOP_WORDS]
        # Small words are the same in many languages.
        telling = [word for word in words if len(word) >= _TELLING] or words
        known = sum(len(self._pieces.pieces(word)) == 1 for word in telling)
        return known > 0 and known >= len(telling) * _LEAST_KNOWN

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        return [self._embed(text) for text in texts]

    def embed_question(self, words: str, rarity: Rarity) -> Sequence[float]:
        total = weights = 0
        for word in plain_words(words):
            if word in STOP_WORDS:
                continue
            row, weight, *_ = self._sums.get(word) or self._remember(word)
            share = max(1, round(rarity(word) * _STEPS))
            if weights + weight * share > _ROOM:
                break
            total += row * share
            weights += weight * share
        return self._unpack(total, weights)

    def rest(self) -> None:
        """Many texts were embedded, and no more come for now: give back the memory."""
        if len(self._sums) > _AT_REST:
            self._sums.clear()
            self._pieces.forget()

    def _embed(self, text: str) -> Sequence[float]:
        total = weights = count = 0
        sums = self._sums
        for run in plain_runs(text):
            row, weight, words = sums.get(run) or self._remember(run)
            if (count := count + words) > _MOST_WORDS:
                return self._embed(" ".join(plain_words(text)[:_MOST_WORDS]))
            if weight:
                total += row
                weights += weight
        return self._unpack(total, weights)

    def _unpack(self, total: int, weights: int) -> Sequence[float]:
        lanes = array("I", total.to_bytes(_LANE * self.dimensions, sys.byteorder))
        middle = MIDDLE * weights
        return [lane - middle for lane in lanes]

    def _remember(self, run: str) -> RunSum:
        if len(self._sums) >= _REMEMBERED:
            self._sums.clear()
        total = weights = 0
        words = plain_words(run)[:_MOST_WORDS]
        for word in words:
            if word not in STOP_WORDS:
                for piece in self._pieces.pieces(word):
                    weight = self._contents.weights[piece]
                    total += self._row(piece) * weight
                    weights += weight
        self._sums[run] = total, weights, len(words)
        return self._sums[run]

    def _row(self, piece: int) -> int:
        """A row, its numbers moved apart, as one integer."""
        size = self.dimensions
        wide = bytearray(_LANE * size)
        wide[::_LANE] = self._contents.rows[piece * size : (piece + 1) * size]
        return int.from_bytes(wide, "little")

    @cached_property
    def _contents(self) -> TableContents:
        return read_table(self._file)

    @cached_property
    def _pieces(self) -> WordPiece:
        return WordPiece(self._contents.numbers)
