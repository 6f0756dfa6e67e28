"""Arguments as agents send them, made ready to be checked.

Empty means not given, a single word may stand for a list of one, and a list or an object may come
as JSON text: some clients send everything as strings. An argument nobody knows is refused: it
would be dropped in silence, and the caller would believe it had been heard.
"""

import json
from difflib import get_close_matches
from typing import Any, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from treering.capture.hygiene import must_be_utf8
from treering.errors import Invalid

_LONGEST_NAME = 60


class Arguments(BaseModel):
    """What a tool accepts; only what was given reaches the action, whose defaults then hold."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    @classmethod
    def given(cls, raw: dict[str, Any]) -> dict[str, Any]:
        """The arguments that say something, each of its type; Invalid for the rest."""
        cls._refuse_unknown(raw)
        for name, value in raw.items():
            _must_be_unicode(name, value)
        said = {name: cls._unwrapped(name, value) for name, value in raw.items()}
        try:
            checked = cls.model_validate({n: v for n, v in said.items() if not _is_nothing(v)})
        except ValidationError as error:
            raise Invalid(cls._said(error), hint=cls._hint()) from None
        return checked.model_dump(exclude_unset=True)

    @classmethod
    def _refuse_unknown(cls, raw: dict[str, Any]) -> None:
        for name in raw:
            if name in cls.model_fields:
                continue
            close = get_close_matches(name[:_LONGEST_NAME], cls.model_fields, n=1)
            meant = f" Did you mean {close[0]}?" if close else ""
            raise Invalid(f"Unknown argument {name[:_LONGEST_NAME]!r}.{meant}", hint=cls._hint())

    @classmethod
    def _unwrapped(cls, name: str, value: Any) -> Any:
        kind = cls._kind(name)
        if isinstance(value, str) and kind is not str:
            value = _from_text(value, kind)
        if kind is list and isinstance(value, list):
            return [item for item in value if not _is_nothing(item)]
        return value

    @classmethod
    def _kind(cls, name: str) -> Any:
        annotation = cls.model_fields[name].annotation
        return get_origin(annotation) or annotation

    @classmethod
    def _hint(cls) -> str:
        return f"It takes {', '.join(cls.model_fields)}."

    @staticmethod
    def _said(error: ValidationError) -> str:
        """The first complaint, without the value complained about."""
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:_LONGEST_NAME]
        if first["type"] == "missing":
            return f"{where} is required."
        return f"{where}: {first['msg']}."

    @classmethod
    def schema_for_clients(cls) -> dict[str, Any]:
        """A flat JSON schema: no unions, no references, no titles, no defaults that say nothing."""
        made = cls.model_json_schema()
        properties = {name: _plain(field) for name, field in made["properties"].items()}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required := made.get("required"):
            schema["required"] = required
        return schema | {"additionalProperties": False}


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _must_be_unicode(name: str, value: Any) -> None:
    """JSON can spell halves of characters, which no memory could hold."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        must_be_utf8(part if isinstance(part, str) else "", name)


def _from_text(text: str, kind: Any) -> Any:
    """A list or an object that came as text; a plain word is a list of one."""
    if kind not in (list, dict):
        return text.strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, kind):
        return value
    return [text] if kind is list and text.strip() else text


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    kept = {key: field[key] for key in field if key not in ("title", "additionalProperties")}
    if kept.get("default", ()) in (None, "", [], {}, False, ()):
        kept.pop("default", None)
    return kept
