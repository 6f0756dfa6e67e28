"""Whole answers as the doors give them: without hidden characters, and as JSON.

In JSON the contract's words are the field names, and what is None is left out.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from treering.model.choices import MaintainOp
from treering.text.hygiene import clean

Answer = TypeVar("Answer", covariant=True)


class Maintained(NamedTuple, Generic[Answer]):
    """The answer of an operation of maintain, under the name it was asked by."""

    op: MaintainOp
    dry_run: bool
    answer: Answer

    def as_json(self) -> dict[str, object]:
        own = getattr(self.answer, "as_json", None)
        names = getattr(type(self.answer), "__match_args__", ())
        fields = own() if own else {name: getattr(self.answer, name) for name in names}
        said = {name: value for name, value in fields.items() if value is not None}
        return {"op": self.op, "dry_run": self.dry_run} | said


_PLAIN = frozenset({int, bool, type(None)})


def jsonable(value: Any, advise: Callable[[str], str] = str) -> Any:
    """Return records as objects and plain tuples as lists; a field that is None is not said.

    `advise` spells the calls in a text for the door.
    """
    kind = type(value)
    if kind is str:  # most of every answer
        return clean(value)
    if kind in _PLAIN:
        return value
    if hasattr(value, "as_json"):
        return jsonable(value.as_json(), advise)
    if isinstance(value, str):
        return clean(advise(value))
    names = getattr(kind, "__match_args__", None)  # of named tuples and data classes
    if names is not None:
        pairs = ((name, getattr(value, name)) for name in names)
        return {name: jsonable(item, advise) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {jsonable(key): jsonable(item, advise) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item, advise) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    return value


def strip_control_characters(value: Any) -> Any:
    """Return the same answer, with hidden characters and terminal escapes out of all its texts.

    What was fetched was written by others, and so were branch names, authors and commit subjects.
    Every door does this once, on the way out, so it cannot be forgotten.
    """
    if isinstance(value, str):
        plain = clean(value).replace("\r", "")
        return value if plain == value else plain  # advice stays what it is
    if isinstance(value, Mapping):
        return {
            strip_control_characters(key): strip_control_characters(item)
            for key, item in value.items()
        }
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(strip_control_characters, value))
    if isinstance(value, list | tuple):
        return type(value)(map(strip_control_characters, value))
    if (names := getattr(type(value), "__match_args__", None)) is not None:
        fields = {name: strip_control_characters(getattr(value, name)) for name in names}
        return type(value)(**fields)
    return value
