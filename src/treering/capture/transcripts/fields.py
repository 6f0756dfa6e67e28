"""Fields of JSON that anybody may have written: of the kind that is wanted, or nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

_NOTHING: Mapping[str, Any] = {}


def text_at(fields: Mapping[str, Any], *keys: str) -> str:
    """The text under a key, inside others; "" where there is none."""
    value = mapping_at(fields, *keys[:-1]).get(keys[-1])
    return value if isinstance(value, str) else ""


def mapping_at(fields: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = fields.get(key)
        fields = value if isinstance(value, dict) else _NOTHING
    return fields


def mappings_at(fields: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The mappings in a list."""
    return _mappings(fields.get(key))


def prose_of(value: Any) -> str:
    """A message's text: as it is, or the texts of its parts."""
    if isinstance(value, str):
        return value
    return "\n".join(filter(None, (text_at(part, "text") for part in _mappings(value))))


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else ()
    return (item for item in items if isinstance(item, dict))
