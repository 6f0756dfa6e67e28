"""Any sentence encoder in a folder, run by onnxruntime with the `tokenizers` package.

    model.onnx      takes token ids, and where it wants them a mask, types and positions; returns
                    `sentence_embedding`, or else its first output is used: one vector per text, or
                    one per token, of which the mean is taken
    tokenizer.json  the tokenizer that belongs to it

The graph is data to onnxruntime: it has no way to run programs or to open a connection. Both files
are loaded when a first text is to be embedded, not before.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from treering.search.meaning.protocol import Rarity

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
MAX_TOKENS = 256  # of a text that are read
_BATCH_SIZE = 16
_SAMPLE = 1 << 16  # bytes of a model that tell it from others
_SENTENCE = "sentence_embedding"
_UNKNOWN = "<unk>"  # where a tokenizer does not say what its own is
_INTEGERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_LOG_ERRORS = 3  # onnxruntime's errors, without its warnings


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
        """The same for the same model and tokenizer in a folder of this name, wherever it lies."""
        path = self._folder / MODEL
        digest = hashlib.sha256((self._folder / TOKENIZER).read_bytes())
        digest.update(str(path.stat().st_size).encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(-min(_SAMPLE, path.stat().st_size), 2)
            digest.update(file.read())
        return f"onnx-{self._folder.name}-{digest.hexdigest()[:8]}"

    @cached_property
    def dimensions(self) -> int:
        return len(self.embed(["a"])[0])

    def understands(self, text: str) -> bool:
        """Return whether at least one token of the text is known."""
        tokenizer = self.tokenizer
        unknown = tokenizer.token_to_id(getattr(tokenizer.model, "unk_token", None) or _UNKNOWN)
        return any(
            token != unknown for token in tokenizer.encode(text, add_special_tokens=False).ids
        )

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        vectors: list[list[float]] = self.encode(texts).tolist()
        return vectors

    def embed_question(self, words: str, _: Rarity) -> Sequence[float]:
        """Return the vector of a question: the model weighs its words itself."""
        return self.embed([words])[0]

    def rest(self) -> None:
        """Keep the model loaded: loading it takes longer than what it is asked."""

    def try_out(self) -> None:
        """Raise ValueError, in words for a user, unless texts become vectors."""
        try:
            _ = self.tokenizer
        except Exception as error:
            raise ValueError(f"{TOKENIZER} cannot be read: {_first_line(error)}") from error
        try:
            vectors = self.encode(["a", "a text of some more words than the other one"])
        except Exception as error:
            raise ValueError(f"{MODEL} cannot be run: {_first_line(error)}") from error
        if vectors.ndim != 2 or not abs(vectors).sum(1).all() or (vectors != vectors).any():
            raise ValueError(f"{MODEL} does not give one vector for each text")

    def encode(self, texts: list[str]) -> Any:
        """Return the vectors of texts, as an array; texts of like length are run together."""
        import numpy

        rows = [self.tokenizer.encode(text).ids for text in texts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        parts: list[Any] = [None] * len(rows)
        for start in range(0, len(order), _BATCH_SIZE):
            places = order[start : start + _BATCH_SIZE]
            for place, vector in zip(places, self.run([rows[p] for p in places]), strict=True):
                parts[place] = vector
        return numpy.stack(parts)

    def run(self, rows: Sequence[Sequence[int]]) -> Any:
        """Return one vector of length 1 for each row of token ids."""
        import numpy

        width = max(map(len, rows))
        ids: Any = numpy.full((len(rows), width), self.tokenizer.padding["pad_id"], "int64")
        mask: Any = numpy.zeros((len(rows), width), "int64")
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        inputs = self._session.get_inputs()
        feed = {one.name: _feed(one, ids, mask) for one in inputs}
        names = [one.name for one in self._session.get_outputs()]
        wanted = _SENTENCE if _SENTENCE in names else names[0]
        vectors = self._session.run([wanted], feed)[0].astype("float32")
        if vectors.ndim == 3:  # one for each token
            share: Any = mask[:, :, None].astype("float32")
            vectors = (vectors * share).sum(1) / share.sum(1)
        return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    @cached_property
    def tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
        padding = tokenizer.padding or {}
        # Up to the longest of a batch: the file may say a fixed length, for training.
        tokenizer.enable_padding(
            pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]")
        )
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a server answers on the others meanwhile
        options.inter_op_num_threads = 1
        options.log_severity_level = _LOG_ERRORS
        return onnxruntime.InferenceSession(
            str(self._folder / MODEL), options, providers=["CPUExecutionProvider"]
        )


def _feed(wanted: Any, ids: Any, mask: Any) -> Any:
    """Return what an input of a model is to get; exporters agree on words in its name only."""
    if wanted.type not in _INTEGERS:
        raise ValueError(f"its input {wanted.name} does not take token ids")
    name = wanted.name.lower()
    if "mask" in name:
        values = mask
    elif "type" in name or "segment" in name:
        values = ids * 0
    elif "position" in name:
        values = mask.cumsum(1) - 1
    else:
        values = ids
    return values.astype(_INTEGERS[wanted.type])


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".") or type(error).__name__
