"""Sentence encoders that others exported: theirs are the names, and what they give."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from treering.search.meaning.models import ModelChoice
from treering.search.meaning.onnx import OnnxEncoder
from treering.search.meaning.protobuf import model, node, tensor, value_info

numpy = pytest.importorskip("numpy")
pytest.importorskip("onnxruntime")

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "text", "token", "login", "picture", "image")
ROWS = {"token": (1, 0, 0), "login": (1, 0.2, 0), "picture": (0, 1, 0), "image": (0, 1, 0.2)}


def write(
    folder: Path,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    outputs: Sequence[str] = ("sentence_embedding",),
    kind: str = "int64",
    length: str | int = "length",
    words: Sequence[str] = WORDS,
    scale: float = 1.0,
) -> Path:
    """A small encoder: the sum of its words' vectors."""
    rows = numpy.array([ROWS.get(word, (0, 0, 0.1)) for word in WORDS], "float32") * scale
    mask = inputs[1] if len(inputs) > 1 else ""
    steps = [node("Gather", ("rows", inputs[0]), ("pieces",))]
    if mask:
        steps += [
            node("Cast", (mask,), ("share",), to=1),
            node("Unsqueeze", ("share", "last"), ("shares",)),
            node("Mul", ("pieces", "shares"), ("kept",)),
        ]
    steps.append(node("ReduceSum", ("kept" if mask else "pieces", "middle"), ("sum",), keepdims=0))
    steps += [node("Identity", ("sum",), (name,)) for name in outputs if name != "pieces"]
    axes = {"last": 2, "middle": 1}
    tensors = [tensor("rows", rows)]
    tensors += [tensor(name, numpy.array([axis], "int64")) for name, axis in axes.items()]
    wide = {"pieces": ("batch", length, 3)}
    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    (folder / "model.onnx").write_bytes(
        model(
            steps,
            tensors,
            [value_info(name, kind, ("batch", length)) for name in inputs],
            [value_info(name, "float32", wide.get(name, ("batch", 3))) for name in outputs],
        )
    )
    return folder


def nearness(encoder: OnnxEncoder, one: str, other: str) -> float:
    first, second = encoder.encode([one, other])
    return float(first @ second)


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"inputs": ("ids", "mask")},
        {"inputs": ("tokens",)},
        {"outputs": ("embedding",)},
        {"outputs": ("pieces", "sentence_embedding")},
        {"outputs": ("pieces",)},
    ],
    ids=str,
)
def test_an_encoder_of_another_exporter_is_understood(
    tmp_path: Path, shape: dict[str, Any]
) -> None:
    """They agree on words in the names, and not on the names."""
    encoder = OnnxEncoder(write(tmp_path / "model", **shape))

    encoder.try_out()

    assert nearness(encoder, "login", "token") > 0.9
    assert nearness(encoder, "login", "picture image") < 0.5


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"kind": "float32"}, "model.onnx cannot be run"),
        ({"length": 2}, "model.onnx cannot be run"),
        ({"words": ("<s>", "</s>", "a")}, "vocab.txt is not a WordPiece vocabulary"),
        ({"scale": float("nan")}, "does not give one vector for each text"),
        ({"scale": 0.0}, "does not give one vector for each text"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_in_words(
    tmp_path: Path, shape: dict[str, Any], reason: str
) -> None:
    """Whoever names a folder hears what is wrong with it, and no search does."""
    folder = write(tmp_path / "model", **shape)

    with pytest.raises(ValueError, match=reason):
        ModelChoice(str(folder)).check()


def test_what_is_no_model_is_refused_in_words(tmp_path: Path) -> None:
    folder = write(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"nothing of the kind" * 10)

    with pytest.raises(ValueError, match="cannot be run"):
        ModelChoice(str(folder)).check()
