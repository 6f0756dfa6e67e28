"""Meaning in the hub: one model for all repositories, and the vectors of several as one.

The hub makes every vector itself, from the text of a memory and with the table that comes with the
program: nothing that a repository holds is taken for a vector. Other words for the same are those
that come with the program: what somebody wrote down in one repository is not for others.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from treering.model.memory import Memory
from treering.search.meaning.library import text_of
from treering.search.meaning.models import ModelChoice
from treering.search.meaning.nearness import Nearness, VectorView, embed_question
from treering.search.meaning.protocol import Embedder, Meaning
from treering.search.meaning.vectors import SmallVector, VectorColumns, shrink
from treering.search.synonyms import synonyms_of
from treering.search.understanding import SemanticMatch


@cache
def hub_model() -> Embedder | None:
    """The model of every hub, or None where the program came without its table."""
    return ModelChoice("table").best


def embed_memory(memory: Memory) -> SmallVector | None:
    """The vector of a memory. A model that fails costs its part of the answers, no more."""
    model = hub_model()
    try:
        return shrink(model.embed([text_of(memory)])[0]) if model else None
    except Exception:
        return None


def embed_words(words: str, count: int, frequency: Callable[[str], int]) -> SmallVector | None:
    """The vector of a question to so many memories; None where the model does not understand it."""
    model = hub_model()
    try:
        return embed_question(model, words, count, frequency) if model else None
    except Exception:
        return None


def join_vectors(vectors: Iterable[tuple[str, SmallVector | None]]) -> VectorColumns:
    """The vectors of some blobs as one library; what cannot be of our model is left out."""
    model = hub_model()
    columns = VectorColumns(model.dimensions if model else 0)
    for blob, vector in vectors:
        if vector and _is_sound(vector, columns.dimensions):
            columns.add(blob, vector)
    return columns


def _is_sound(vector: SmallVector, dimensions: int) -> bool:
    """A file or a row may be another model's, or damaged: one bad number would be everywhere."""
    return len(vector.numbers) == dimensions and math.isfinite(vector.length) and vector.length > 0


def sense_question(
    words: str, question: SmallVector | None, vectors: VectorView | None
) -> SemanticMatch:
    """What is known about a question beyond its words, and of all repositories at once."""
    model = hub_model()
    nearness = Nearness(vectors, question, model) if model and question and vectors else None
    return SemanticMatch(nearness, synonyms_of(words), has_model=model is not None)


class CandidateMeaning:
    """How near candidates are to a question, where most memories are elsewhere.

    `is_whole` says that the nearest of all memories are among the candidates. Where they are not
    and the ranking would look through all, `is_missing` says so, and it has to be done again.
    """

    def __init__(self, nearness: Meaning, memories: int, *, is_whole: bool) -> None:
        self._nearness = nearness
        self._is_whole = is_whole
        self.weight = nearness.weight
        self.floor = nearness.floor
        #: What counts is how many memories there are, not how many are at hand.
        self.scanned = nearness.scanned if memories <= nearness.scanned else -1
        self.is_missing = False

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        self.is_missing = not self._is_whole
        return self._nearness.nearest(numbers, count)

    def join(self, numbers: Collection[int], count: int) -> dict[int, float]:
        self.is_missing = not self._is_whole
        return self._nearness.join(numbers, count)

    def near(self, scores: Mapping[int, float]) -> dict[int, float]:
        return self._nearness.near(scores)
