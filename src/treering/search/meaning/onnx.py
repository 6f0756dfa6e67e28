"""Any sentence encoder as an ONNX model, through onnxruntime: a folder with model and vocabulary.

    model.onnx    takes the numbers of pieces, and where it wants them a mask and types; gives
                  `sentence_embedding`, or first of all one vector a text, or one a piece, of which
                  the mean is taken
    vocab.txt     the pieces of an uncased WordPiece vocabulary, one a line

The graph is data to onnxruntime: it has no way to run programs or to open a connection. Both are
loaded when a first text is to be embedded, not before.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from treering.search.meaning.protocol import Rarity
from treering.search.meaning.wordpiece import WordPiece, tokens

MODEL, VOCABULARY = "model.onnx", "vocab.txt"
_LONGEST = 256  # pieces of a text that are read
_TOGETHER = 16
_SAMPLE = 1 << 16  # bytes of a model that tell it from others
_SENTENCE = "sentence_embedding"
_MARKS = ("[CLS]", "[SEP]", "[UNK]")
_NUMBERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_QUIET = 3  # onnxruntime's errors, and not what it would have built otherwise


class OnnxEncoder:
    """A sentence encoder in a folder."""

    #: What a cosine counts beside the best text score, and below which it counts nothing.
    weight = 0.5
    floor = 0.1
    #: Its vectors take a while: they are made where nobody waits.
    is_quick = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def name(self) -> str:
        """The same for the same model, wherever it lies."""
        path = self._folder / MODEL
        digest = hashlib.sha256(str(path.stat().st_size).encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(-min(_SAMPLE, path.stat().st_size), 2)
            digest.update(file.read())
        return f"onnx-{self._folder.name}-{digest.hexdigest()[:8]}"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The vocabulary: each piece and its number."""
        lines = (self._folder / VOCABULARY).read_text(encoding="utf-8").split("\n")
        return {line.rstrip("\r"): number for number, line in enumerate(lines) if line.strip()}

    @cached_property
    def dimensions(self) -> int:
        return len(self.embed(["a"])[0])

    def understands(self, text: str) -> bool:
        return any(map(self._pieces.pieces, tokens(text)))

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        vectors: list[list[float]] = self.encode(texts).tolist()
        return vectors

    def embed_question(self, words: str, _: Rarity) -> Sequence[float]:
        """It reads a text as a whole, and weighs its words itself."""
        return self.embed([words])[0]

    def rest(self) -> None:
        """The model stays loaded: loading it takes longer than what it is asked."""

    def try_out(self) -> None:
        """Raise ValueError, in words for a user, unless texts become vectors."""
        if missing := [mark for mark in _MARKS if mark not in self.numbers]:
            raise ValueError(f"{VOCABULARY} is not a WordPiece vocabulary: it has no {missing[0]}")
        try:
            vectors = self.encode(["a", "a text of some more words than the other one"])
        except Exception as error:
            raise ValueError(f"{MODEL} cannot be run: {_first_line(error)}") from error
        if vectors.ndim != 2 or not abs(vectors).sum(1).all() or (vectors != vectors).any():
            raise ValueError(f"{MODEL} does not give one vector for each text")

    def encode(self, texts: list[str], longest: int = _LONGEST) -> Any:
        """The vectors of texts, as an array; texts of like length go together."""
        import numpy

        rows = [self._number(text, longest) for text in texts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        parts: list[Any] = [None] * len(rows)
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            for place, vector in zip(places, self._run([rows[p] for p in places]), strict=True):
                parts[place] = vector
        return numpy.stack(parts)

    def encode_pieces(self) -> Any:
        """What the model makes of each piece of its vocabulary by itself."""
        import numpy

        first, last = self.numbers["[CLS]"], self.numbers["[SEP]"]
        rows = [[first, number, last] for number in range(max(self.numbers.values()) + 1)]
        parts = [self._run(rows[at : at + 512]) for at in range(0, len(rows), 512)]
        return numpy.concatenate(parts)

    def _number(self, text: str, longest: int) -> list[int]:
        numbers, unknown = self.numbers, (self.numbers["[UNK]"],)
        row = [numbers["[CLS]"]]
        for token in tokens(text):
            if len(row) >= longest - 1:
                break
            row += self._pieces.pieces(token) or unknown
        return [*row[: longest - 1], numbers["[SEP]"]]

    def _run(self, rows: Sequence[Sequence[int]]) -> Any:
        import numpy

        width = max(map(len, rows))
        ids: Any = numpy.zeros((len(rows), width), "int64")
        mask: Any = numpy.zeros((len(rows), width), "int64")
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        inputs = self._session.get_inputs()
        feed = {one.name: _feed(one, ids, mask) for one in inputs}
        names = [one.name for one in self._session.get_outputs()]
        wanted = _SENTENCE if _SENTENCE in names else names[0]
        vectors = self._session.run([wanted], feed)[0].astype("float32")
        if vectors.ndim == 3:  # one for each piece
            share: Any = mask[:, :, None].astype("float32")
            vectors = (vectors * share).sum(1) / share.sum(1)
        return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    @cached_property
    def _pieces(self) -> WordPiece:
        return WordPiece(self.numbers)

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a server answers on the others meanwhile
        options.inter_op_num_threads = 1
        options.log_severity_level = _QUIET
        return onnxruntime.InferenceSession(
            str(self._folder / MODEL), options, providers=["CPUExecutionProvider"]
        )


def _feed(wanted: Any, ids: Any, mask: Any) -> Any:
    """What an input of a model is to get; exporters agree on words in their names, not on names."""
    if wanted.type not in _NUMBERS:
        raise ValueError(f"its input {wanted.name} is not for numbers of words")
    name = wanted.name.lower()
    if "mask" in name:
        values = mask
    elif "type" in name or "segment" in name:
        values = ids * 0
    elif "position" in name:
        values = mask.cumsum(1) - 1
    else:
        values = ids
    return values.astype(_NUMBERS[wanted.type])


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
