"""ONNX models written without the `onnx` package: the few messages of its format that we need.

A message is a row of fields, each a number, a kind and a value. That is all of the format, and a
model is a few nested messages, so it is written here, and a large dependency is saved.
"""

from collections.abc import Iterable, Sequence
from typing import Any

_FLOAT, _INT8, _INT64 = 1, 3, 7
_KINDS = {"float32": _FLOAT, "int8": _INT8, "int64": _INT64}
_IR_VERSION, _OPSET = 9, 18

Attribute = int | float | Sequence[int]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _single(field: int, value: float) -> bytes:
    import struct

    return _varint(field << 3 | 5) + struct.pack("<f", value)


def tensor(name: str, array: Any) -> bytes:
    """A constant of a graph, from a numpy array."""
    sizes = b"".join(_number(1, size) for size in array.shape)
    kind = _number(2, _KINDS[str(array.dtype)])
    return sizes + kind + _text(8, name) + _bytes(9, array.tobytes())


def node(
    operation: str, inputs: Iterable[str], outputs: Iterable[str], **attributes: Attribute
) -> bytes:
    """One step of a graph."""
    parts = [_text(1, name) for name in inputs] + [_text(2, name) for name in outputs]
    parts.append(_text(4, operation))
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _single(2, value) + _number(20, 1)
    return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, 7)


def value_info(name: str, kind: str, sizes: Iterable[str | int]) -> bytes:
    """An input or output of a graph; a size that is a word may be anything."""
    shape = b"".join(
        _bytes(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in sizes
    )
    tensor_type = _number(1, _KINDS[kind]) + _bytes(2, shape)
    return _text(1, name) + _bytes(2, _bytes(1, tensor_type))


def model(
    nodes: Iterable[bytes],
    tensors: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
) -> bytes:
    """A whole model, ready to be written to a file."""
    graph = b"".join(
        [_bytes(1, part) for part in nodes]
        + [_text(2, "encoder")]
        + [_bytes(5, part) for part in tensors]
        + [_bytes(11, part) for part in inputs]
        + [_bytes(12, part) for part in outputs]
    )
    opset = _bytes(8, _text(1, "") + _number(2, _OPSET))
    return _number(1, _IR_VERSION) + _text(2, "treering") + _bytes(7, graph) + opset
