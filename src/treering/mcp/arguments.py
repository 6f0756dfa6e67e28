"""Arguments as agents send them, made ready and checked against the definition of the verb.

Empty means not given, a single word may stand for a list of one, and a list or an object may come
as JSON text: some clients send everything as strings. An argument nobody knows is refused: it
would be dropped in silence, and the caller would believe it had been heard.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from treering.actions.verbs import find_verb
from treering.actions.verbs.verb import Kind, Verb
from treering.errors import Invalid
from treering.model.spelling import suggest
from treering.text.hygiene import must_be_utf8

_LONGEST_NAME = 60
_TYPES: dict[Kind, Any] = {
    "text": str, "number": float, "whole": int, "flag": bool, "list": list[str],
    "map": dict[str, Any],
}  # fmt: skip
_LENIENT = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


def check_arguments(verb: Verb, raw: dict[str, Any]) -> dict[str, Any]:
    """The arguments that say something, each of its kind; Invalid for the rest.

    What was not given is not in it, so that the action's own defaults hold.
    """
    parameters = {parameter.name: parameter for parameter in verb.parameters_of("mcp")}
    for name, value in raw.items():
        if name not in parameters:
            _refuse(name, list(parameters))
        _must_be_unicode(name, value)
    values = {name: _unwrap(parameters[name].kind, value) for name, value in raw.items()}
    arguments = {name: value for name, value in values.items() if not _is_nothing(value)}
    try:
        model = _model(verb.name).model_validate(arguments)
    except ValidationError as error:
        raise Invalid(_describe(error), hint=_hint(list(parameters))) from None
    return model.model_dump(exclude_unset=True)


@cache
def _model(name: str) -> type[BaseModel]:
    """What checks the kinds; made at the first call, since the handshake does not need it."""
    fields: dict[str, Any] = {}
    for parameter in find_verb(name).parameters_of("mcp"):
        default = Field() if parameter.is_required else Field(default=None)
        fields[parameter.name] = (_TYPES[parameter.kind], default)
    return create_model(name, __config__=_LENIENT, **fields)


def _refuse(name: str, names: Sequence[str]) -> None:
    message = f"Unknown argument {name[:_LONGEST_NAME]!r}. {suggest(name, names)}"
    raise Invalid(message.rstrip(), hint=_hint(names))


def _hint(names: Sequence[str]) -> str:
    return f"It takes {', '.join(names)}."


def _describe(error: ValidationError) -> str:
    """The first complaint, without the value complained about."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:_LONGEST_NAME]
    if first["type"] == "missing":
        return f"{where} is required."
    return f"{where}: {first['msg']}."


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
