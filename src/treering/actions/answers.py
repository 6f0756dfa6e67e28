"""Answers as the doors give them: without hidden characters, and as JSON.

In JSON the contract's words are the field names, and what is None is left out.
"""

import math
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from treering.model.choices import MaintainOp
from treering.text.hygiene import clean

Answer = TypeVar("Answer", covariant=True)


class Maintained(NamedTuple, Generic[Answer]):
    """What an operation of maintain answered, under the name it was asked by."""

    op: MaintainOp
    dry_run: bool
    answer: Answer

    def as_json(self) -> dict[str, object]:
        fields: dict[str, object] = jsonable(self.answer)
        return {"op": self.op, "dry_run": self.dry_run} | fields


_PLAIN = frozenset({int, bool, type(None)})


def jsonable(value: Any) -> Any:
    """Records as objects, plain tuples as lists; a field that is None is not said."""
    kind = type(value)
    if kind is str:  # most of every answer
        return clean(value)
    if kind in _PLAIN:
        return value
    if hasattr(value, "as_json"):
        return jsonable(value.as_json())
    names = getattr(kind, "__match_args__", None)  # of named tuples and data classes
    if names is not None:
        pairs = ((name, getattr(value, name)) for name in names)
        return {name: jsonable(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {jsonable(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    return value


def harmless(value: Any) -> Any:
    """The same answer, with hidden characters and terminal escapes taken out of all its texts.

    What was fetched was written by others, and so were branch names, authors and commit subjects;
    the one place all answers pass is the one that cannot be forgotten.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {harmless(key): harmless(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(harmless, value))
    if isinstance(value, list | tuple):
        return type(value)(map(harmless, value))
    if (names := getattr(type(value), "__match_args__", None)) is not None:
        return type(value)(**{name: harmless(getattr(value, name)) for name in names})
    return value
