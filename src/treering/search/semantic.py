"""Search by meaning: what an embedding model must be able to do, and the two that are supported.

Optional by design: without a model the program is whole. Models come inside packages or folders;
nothing here ever opens a connection.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Protocol


class Embedder(Protocol):
    """Turns texts into vectors; `weight` is what a cosine counts beside the best text score."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def weight(self) -> float: ...

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]: ...


class Meaning(Protocol):
    """How near documents are to one question."""

    @property
    def weight(self) -> float: ...

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        """The cosines of the nearest among these documents."""
        ...

    def near(self, numbers: Collection[int]) -> dict[int, float]:
        """The cosines of these documents."""
        ...


class WordLlama:
    """Averaged token vectors from the `wordllama` package, whose wheel holds the weights."""

    dimensions = 256
    weight = 1.0
    name = "wordllama-256"

    def __init__(self) -> None:
        self._model: Any = None

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self._model is None:
            self._model = self._load()
        vectors: Sequence[Sequence[float]] = self._model.embed(texts)
        return vectors

    def _load(self) -> Any:
        import wordllama

        # 0.4.0.post1 looks for its tokenizer in the wrong folder, then on the network.
        # Told that its own package is the cache, it finds both files.
        here = Path(wordllama.__file__).parent
        return wordllama.WordLlama.load(cache_dir=here, disable_download=True)


class SentenceTransformer:
    """Any sentence-transformers model that is already on this machine, by name or folder."""

    weight = 2.0

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers-{model}"
        self._source = model
        self._model: Any = None

    @property
    def dimensions(self) -> int:
        model = self._ready()
        # Renamed in sentence-transformers 6.
        ask = getattr(model, "get_embedding_dimension", None)
        return int(ask() if ask else model.get_sentence_embedding_dimension())

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = self._ready().encode(texts, show_progress_bar=False)
        return vectors

    def _ready(self) -> Any:
        if self._model is None:
            from sentence_transformers import SentenceTransformer as Model

            self._model = Model(self._source, local_files_only=True)
        return self._model


def embedder_named(name: str) -> Embedder | None:
    """The model meant by a setting, or None when its package is not installed.

    `""` and `auto` take wordllama when it is there; `off` none; anything else is the name or folder
    of a sentence-transformers model.
    """
    from importlib.util import find_spec

    if name == "off":
        return None
    if name in ("", "auto", "wordllama"):
        return WordLlama() if find_spec("wordllama") else None
    return SentenceTransformer(name) if find_spec("sentence_transformers") else None
