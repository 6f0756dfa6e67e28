"""The interface of a model: the questions of search, and its answers.

`Embedder` is a model that makes vectors. `Meaning` is how near memories are to one question.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

#: How rare a word is among the memories that are asked, from 0 to 1.
Rarity = Callable[[str], float]


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Vectors are kept under it: another model, or another version of one, has another."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def weight(self) -> float:
        """Return what a cosine counts beside the best text score."""
        ...

    @property
    def floor(self) -> float:
        """The cosine that any two texts have: only what is above it counts."""
        ...

    @property
    def is_quick(self) -> bool:
        """Return whether vectors are made on the way, as memories are indexed, or where nobody
        waits."""
        ...

    def understands(self, text: str) -> bool:
        """Return whether a question is in words it knows; of others it makes noise."""
        ...

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]: ...

    def embed_question(self, words: str, rarity: Rarity) -> Sequence[float]:
        """The vector of a question: what every memory holds tells none from the others."""
        ...

    def rest(self) -> None:
        """No more texts come for now."""
        ...


class Meaning(Protocol):
    """Nearness of documents to one question."""

    @property
    def weight(self) -> float: ...

    @property
    def floor(self) -> float: ...

    @property
    def scanned(self) -> int:
        """Return how many documents are looked through though words found enough."""
        ...

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        """The cosines of the nearest among these documents."""
        ...

    def join(self, numbers: Collection[int], count: int) -> dict[int, float]:
        """The same for those that are near enough to stand beside what words found."""
        ...

    def near(self, scores: Mapping[int, float]) -> dict[int, float]:
        """The cosines of documents with these scores by words, of which the best is at most 1:
        worked out for those that may come first, estimated for the rest, 0 without a vector."""
        ...
