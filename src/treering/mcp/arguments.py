"""Arguments as agents send them, made ready and checked against the definition of the verb.

Empty means not given, a single word may stand for a list of one, and a list or an object may come
as JSON text: some clients send everything as strings. An argument nobody knows is refused: it
would be dropped in silence, and the caller would believe it had been heard.
"""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from treering.errors import Invalid
from treering.model.spelling import suggest
from treering.text.hygiene import must_be_utf8
from treering.verbs.verb import Kind, Verb

_LONGEST_NAME = 60
_NAMES: dict[Kind, str] = {
    "text": "a text",
    "number": "a number",
    "whole": "a whole number",
    "flag": "true or false",
    "list": "a list of texts",
    "map": "an object",
}
_FLAGS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip


def check_arguments(verb: Verb, raw: dict[str, Any]) -> dict[str, Any]:
    """The arguments that say something, each of its kind; Invalid for the rest.

    What was not given is not in it, so that the action's own defaults hold.
    """
    parameters = {parameter.name: parameter for parameter in verb.parameters_of("mcp")}
    arguments: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in parameters:
            _refuse(name, list(parameters))
        _must_be_unicode(name, value)
        kind = parameters[name].kind
        plain_value = _unwrap(kind, value)
        if not _is_nothing(plain_value):
            arguments[name] = _of_kind(kind, plain_value, name, list(parameters))
    for name, parameter in parameters.items():
        if parameter.is_required and name not in arguments:
            raise Invalid(f"{name} is required.", hint=_hint(list(parameters)))
    return arguments


def _of_kind(kind: Kind, value: Any, name: str, names: Sequence[str]) -> Any:
    """The value as the action takes it. The message never repeats it: it may be a secret."""
    try:
        return _READERS[kind](value)
    except (ValueError, OverflowError):
        raise Invalid(f"{name} is not {_NAMES[kind]}.", hint=_hint(names)) from None


def _refuse(name: str, names: Sequence[str]) -> None:
    message = f"Unknown argument {name[:_LONGEST_NAME]!r}. {suggest(name, names)}"
    raise Invalid(message.rstrip(), hint=_hint(names))


def _hint(names: Sequence[str]) -> str:
    return f"It takes {', '.join(names)}."


# --- kinds ----------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    return str(value)


def _number(value: Any) -> float:
    """Also one that came as text; true and false are numbers to Python only."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _whole(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = _number(value)
    if not number.is_integer():
        raise ValueError
    return int(number)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word not in _FLAGS:
        raise ValueError
    return _FLAGS[word]


def _list(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise ValueError
    return [_text(item) for item in value]


def _map(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError
    return value


_READERS: dict[Kind, Callable[[Any], Any]] = {
    "text": _text,
    "number": _number,
    "whole": _whole,
    "flag": _flag,
    "list": _list,
    "map": _map,
}


def _unwrap(kind: Kind, value: Any) -> Any:
    if isinstance(value, str) and kind != "text":
        value = _from_text(value, kind)
    if kind == "list" and isinstance(value, list):
        return [item for item in value if not _is_nothing(item)]
    return value


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _must_be_unicode(name: str, value: Any) -> None:
    """JSON can spell halves of characters, which no memory could hold."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        must_be_utf8(part if isinstance(part, str) else "", name)


def _from_text(text: str, kind: Kind) -> Any:
    """A list or an object that came as text; a plain word is a list of one."""
    if kind not in ("list", "map"):
        return text.strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list if kind == "list" else dict):
        return value
    return [text] if kind == "list" and text.strip() else text
