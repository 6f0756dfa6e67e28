"""Search by meaning: the models that are supported, and the vectors they make of memories.

Optional by design: without a model the program is whole. Models come inside packages or folders.
Nothing here ever opens a connection.

Vectors are kept by blob id beside the index and only ever added. One file per model: fixed-size
records of blob id, half-precision vector and checksum. Appending happens under a file lock and
first cuts off what a killed process left half written. A record whose checksum is wrong is skipped
and its memory embedded again. Everything is brute force: a product with the whole matrix is faster
than any clever structure below some hundred thousand memories.
"""

import fcntl
import hashlib
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from treering.git.files import check_folder, make_folder, open_file, read_file
from treering.model.memory import Memory
from treering.search.visible import VisibleEntries

_BLOB = 20
_CRC = 4
_TOGETHER = 256
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 4000  # characters; models read the beginning of a text anyway

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]


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


# --- vectors of memories --------------------------------------------------------------------------


class Vectors:
    """The vectors of one model. Not safe for threads: Index takes the lock."""

    def __init__(self, folder: Path, embedder: Embedder, read: Read, levels: int) -> None:
        digest = hashlib.sha256(embedder.name.encode()).hexdigest()[:12]
        self._path = folder / f"vectors-{digest}"
        self._levels = levels
        self._embedder = embedder
        self._read = read
        self._rows: dict[str, int] = {}
        self._matrix: Any = None
        self._size = 1  # row 0 is all zeros and stands for memories without a vector
        self._failed: set[str] = set()
        self._table: _Table | None = None

    def meaning(self, words: str, view: VisibleEntries) -> Meaning:
        """How near the documents of a view are to these words; embeds what has no vector yet."""
        import numpy

        if self._table is None or self._table.view is not view:
            self._embed_missing(view)
            self._table = _Table(view, self._matrix[: self._size], self._rows)
        vector = self._embed([words])[0]
        # `@` would wake a thread on every core for half a millisecond of work.
        cosines = numpy.einsum("ij,j->i", self._table.matrix, vector)
        return _Nearness(self._table, cosines, self._embedder.weight)

    def _embed_missing(self, view: VisibleEntries) -> None:
        if self._matrix is None:
            self._load()
        missing = [b for b in view.visible if b not in self._rows and b not in self._failed]
        if not missing:
            return
        texts = ((blob, _text_of(memory)) for blob, memory in self._read(missing))
        while part := list(islice(texts, _TOGETHER)):
            self._add([blob for blob, _ in part], self._embed([text for _, text in part]))
        self._failed.update(blob for blob in missing if blob not in self._rows)

    def _embed(self, texts: list[str]) -> Any:
        import numpy

        vectors = numpy.asarray(self._embedder.embed(texts), dtype="float32")
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.where(lengths == 0, 1, lengths)

    def _add(self, blobs: list[str], vectors: Any) -> None:
        self._take(blobs, vectors)
        halves = vectors.astype("<f2")
        records = []
        for blob, half in zip(blobs, halves, strict=True):
            data = bytes.fromhex(blob) + half.tobytes()
            records.append(data + zlib.crc32(data).to_bytes(_CRC, "little"))
        with suppress(OSError):
            self._append(b"".join(records))

    def _take(self, blobs: list[str], vectors: Any) -> None:
        """Add rows, in a matrix with room to spare: views of its old part stay valid."""
        import numpy

        size = self._size + len(blobs)
        if self._matrix is None or size > len(self._matrix):
            matrix = numpy.zeros((max(size * 3 // 2, 256), self._embedder.dimensions), "float32")
            if self._matrix is not None:
                matrix[: self._size] = self._matrix[: self._size]
            self._matrix = matrix
        self._matrix[self._size : size] = vectors
        for row, blob in enumerate(blobs, self._size):
            self._rows[blob] = row
        self._size = size

    def _append(self, data: bytes) -> None:
        make_folder(self._path.parent, levels=self._levels)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        with os.fdopen(open_file(self._path, flags), "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file.fileno()).st_size
            if size % self._record:
                file.truncate(size - size % self._record)
            file.write(data)

    @property
    def _record(self) -> int:
        return _BLOB + 2 * self._embedder.dimensions + _CRC

    def _load(self) -> None:
        import numpy

        try:
            check_folder(self._path.parent, levels=self._levels)
            data = read_file(self._path)
        except OSError:
            data = b""
        view, blobs, halves = memoryview(data), [], []
        for at in range(0, len(data) - self._record + 1, self._record):
            body = view[at : at + self._record - _CRC]
            crc = view[at + self._record - _CRC : at + self._record]
            if zlib.crc32(body) == int.from_bytes(crc, "little"):
                blobs.append(body[:_BLOB].hex())
                halves.append(body[_BLOB:])
        vectors = numpy.frombuffer(b"".join(halves), "<f2").astype("float32")
        self._take(blobs, vectors.reshape(len(blobs), self._embedder.dimensions))


class _Table:
    """Which row of the matrix belongs to which document of a view."""

    def __init__(self, view: VisibleEntries, matrix: Any, rows: dict[str, int]) -> None:
        import numpy

        self.view = view
        self.matrix = matrix
        self.row_of = numpy.zeros(view.snapshot.count, "int64")
        entries = view.snapshot.entries
        for number in view.all:
            self.row_of[number] = rows.get(entries[number].blob, 0)
        self._kept: tuple[Any, Any, Any] = (None, None, None)

    def places(self, numbers: Collection[int]) -> tuple[Any, Any]:
        """The documents as an array, and their rows; kept for the set asked about last."""
        import numpy

        last = self._kept
        if last[0] is not numbers:
            documents = numpy.fromiter(numbers, "int64", len(numbers))
            last = self._kept = (numbers, documents, self.row_of[documents])
        return last[1], last[2]


class _Nearness:
    """The cosines between one question and the documents of a view."""

    def __init__(self, table: _Table, cosines: Any, weight: float) -> None:
        self.weight = weight
        self._table = table
        self._cosines = cosines

    def nearest(self, numbers: Collection[int], count: int) -> dict[int, float]:
        import numpy

        documents, rows = self._table.places(numbers)
        cosines = self._cosines[rows]
        if len(cosines) > count:
            top = numpy.argpartition(cosines, -count)[-count:]
            documents, cosines = documents[top], cosines[top]
        return dict(zip(documents.tolist(), cosines.tolist(), strict=True))

    def near(self, numbers: Collection[int]) -> dict[int, float]:
        documents = list(numbers)
        cosines = self._cosines[self._table.row_of[documents]]
        return dict(zip(documents, cosines.tolist(), strict=True))


def _text_of(memory: Memory) -> str:
    """What is embedded; names in the title are taken apart, since models know words, not names."""
    title = _HUMP.sub(" ", memory.title.replace("_", " "))
    begins = memory.content.startswith(memory.title)
    return (memory.content if begins else f"{title}\n{memory.content}")[:_LONGEST]
