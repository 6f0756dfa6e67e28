"""Nearness of memories to one question, by their vectors.

Signs first: each sign two vectors share takes a step towards a cosine of 1, each other one away
from it. With 256 of them that errs by about a tenth, which is enough to leave out what is far away.
Of the rest the signs of the question's large numbers count twice and more, and what is near by that
is worked out from the numbers.
"""

import heapq
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from operator import mul
from typing import Any

from treering.search.analysis import question_terms
from treering.search.meaning.protocol import Embedder
from treering.search.meaning.vectors import MIDDLE, SmallVector, VectorColumns, shrink
from treering.search.visible import VisibleEntries

_CLOSELY = 30  # of what words found; the others' cosines are estimates
_BEYOND = 0.05  # above the floor, from which on meaning alone brings a memory in
_SAMPLE = 512
_WIDELY = 4  # as many are put in order by their signs as are wanted, times this
_FEW, _MANY = 4_000, 200_000  # memories that are looked through whatever words find
_ROUGHLY = 3  # as many are looked at closely as are wanted, times this
#: The shares of a question's numbers, the largest first, whose signs count once more.
_LARGE = (0.5, 0.2)


def embed_question(
    embedder: Embedder, words: str, count: int, frequency: Callable[[str], int]
) -> SmallVector | None:
    """The vector of a question to `count` memories, some of which hold a term; None where its words
    say nothing to the model."""
    if not embedder.understands(words):
        return None
    highest = math.log((count + 1) / 1.5)

    def rarity(word: str) -> float:
        """As BM25 has it: of one memory's word 1, of every memory's next to nothing."""
        most = max(map(frequency, question_terms(word)), default=0)
        return math.log((count + 1) / (max(most, 1) + 0.5)) / highest if count > 1 else 1.0

    vector = shrink(embedder.embed_question(words, rarity))
    return vector if vector.length else None


def scanned_by(embedder: Embedder) -> int:
    """Return how many memories are looked through for a model, whatever words find."""
    return _FEW if embedder.is_quick else _MANY


class VectorView:
    """The vectors of the documents in a view, by their numbers there."""

    def __init__(self, view: VisibleEntries, columns: VectorColumns) -> None:
        self.view = view
        self.columns = columns

    def row(self, number: int) -> int | None:
        return self.columns.rows.get(self.view.blob(number))

    def scan(self, numbers: Collection[int]) -> tuple[list[int], list[int]]:
        """Return documents that have vectors, and their signs."""
        rows, blobs, signs = self.columns.rows, self.view.snapshot.blobs, self.columns.signs
        places = [(n, row) for n in numbers if (row := rows.get(blobs[n])) is not None]
        return [n for n, _ in places], [signs[row] for _, row in places]


class Nearness:
    """The cosines between one question and the documents of a view."""

    def __init__(self, vectors: VectorView, question: SmallVector, embedder: Embedder) -> None:
        self.weight = embedder.weight
        self.floor = embedder.floor
        self.scanned = scanned_by(embedder)
        self._vectors = vectors
        self._question = question
        self._numbers = [number - MIDDLE for number in question.numbers]
        self._offset = MIDDLE * sum(self._numbers)

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        return self._best(self._nearly(numbers, _ROUGHLY * count), count)

    def join(self, numbers: Collection[int], count: int) -> dict[int, float]:
        least = self.floor + _BEYOND
        cosines = self._cosines(self._nearly(numbers, count))
        return {document: cosine for document, cosine in cosines.items() if cosine >= least}

    def near(self, scores: Mapping[int, float]) -> dict[int, float]:
        estimates = self._estimates(scores)
        if len(scores) > _CLOSELY:
            weight = self.weight
            hopes = [(score + weight * max(estimates[n], 0.0), n) for n, score in scores.items()]
            first = [number for _, number in sorted(hopes, reverse=True)[:_CLOSELY]]
        else:
            first = list(scores)
        return estimates | self._cosines(first)

    def _nearly(self, numbers: Collection[int], count: int) -> list[int]:
        """About the nearest documents, by their signs."""
        documents, signs = self._vectors.scan(numbers)
        mine = self._question.signs
        step = max(1, len(signs) // _SAMPLE)
        # A sample tells how near that is, so that only what is near is put in order.
        sample = sorted([(other ^ mine).bit_count() for other in signs[::step]])
        cutoff = sample[min(_WIDELY * count // step, len(sample) - 1)] if sample else 0
        first, second = (_mask_largest(self._numbers, share) for share in _LARGE)
        near = [
            (distance + (unlike & first).bit_count() + (unlike & second).bit_count(), document)
            for document, other in zip(documents, signs, strict=True)
            if (distance := (unlike := other ^ mine).bit_count()) <= cutoff
        ]
        return [document for _, document in heapq.nsmallest(count, near)]

    def _estimates(self, documents: Iterable[int]) -> dict[int, float]:
        """About the cosines of documents, by their signs."""
        columns, row_of, mine = self._vectors.columns, self._vectors.row, self._question.signs
        signs, cosines = columns.signs, _cosines_by_distance(columns.dimensions)
        estimates = {}
        for document in documents:
            row = row_of(document)
            estimates[document] = 0.0 if row is None else cosines[(signs[row] ^ mine).bit_count()]
        return estimates

    def _best(self, documents: Iterable[int], count: int) -> dict[int, float]:
        cosines = self._cosines(list(documents))
        if len(cosines) <= count:
            return cosines
        kept = heapq.nlargest(count, cosines, key=lambda n: (cosines[n], -n))
        return {document: cosines[document] for document in kept}

    def _cosines(self, documents: list[int]) -> dict[int, float]:
        columns, rows = self._vectors.columns, self._vectors.row
        places = [(document, row) for document in documents if (row := rows(document)) is not None]
        if numpy := sys.modules.get("numpy"):  # somebody else loaded it: it costs nothing here
            dots = _dots_at_once(numpy, columns, [row for _, row in places], self._numbers)
        else:
            mine, offset, of = self._numbers, self._offset, columns.numbers_of
            dots = [sum(map(mul, mine, of(row))) - offset for _, row in places]
        whole, lengths = self._question.length, columns.lengths
        return {
            document: dot / (whole * lengths[row]) if lengths[row] else 0.0
            for (document, row), dot in zip(places, dots, strict=True)
        }


def _mask_largest(numbers: list[int], share: float) -> int:
    """Bits as those of signs, set for the largest numbers."""
    sizes = list(map(abs, numbers))
    least = sorted(sizes, reverse=True)[int(len(sizes) * share)]
    return int("".join(["1" if size >= least else "0" for size in sizes]), 2)


@lru_cache(8)
def _cosines_by_distance(dimensions: int) -> list[float]:
    """About the cosine of two vectors, by how many of their signs differ."""
    return [math.cos(math.pi * distance / dimensions) for distance in range(dimensions + 1)]


def _dots_at_once(numpy: Any, columns: VectorColumns, rows: list[int], mine: list[int]) -> Any:
    if not rows:
        return []
    every = numpy.frombuffer(columns.numbers, "u1").reshape(-1, columns.dimensions)
    chosen = every[rows].astype("float32") - MIDDLE
    # `@` would wake a thread on every core for little work.
    return numpy.einsum("ij,j->i", chosen, numpy.asarray(mine, "float32")).tolist()
