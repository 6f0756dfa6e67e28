"""Answers as JSON: the contract's words are the field names, and what is None is left out."""

import math
from collections.abc import Mapping
from typing import Any

from treering.capture.secrets import masked
from treering.errors import TreeringError


def jsonable(value: Any) -> Any:
    """Records as objects, plain tuples as lists; a field that is None is not said."""
    if hasattr(value, "as_json"):
        return jsonable(value.as_json())
    kind = type(value)
    names = getattr(kind, "__dataclass_fields__", None) or getattr(kind, "_fields", None)
    if names is not None:
        pairs = ((name, getattr(value, name)) for name in names)
        return {name: jsonable(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {key: jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    return value


def told(error: TreeringError) -> dict[str, str]:
    """An error as every door says it: what a caller or a branch name put into it cannot steer a
    terminal, and a credential given in the wrong place is not repeated."""
    message, hint = masked(error.message), masked(error.hint)
    return {"code": error.code, "message": message, "hint": hint}


def uri_of(memory_id: str) -> str:
    return f"treering://memory/{memory_id}"
