"""A strict handler of python-frontmatter, for what untrusted people and machines write.

Values are built straight from the events of PyYAML's C loader, which never recurse, so that
aliases, nesting, duplicate keys and tags are refused before they can cost anything. Only null,
true/false, decimal numbers and strings exist; a date stays the string it is (YAML 1.1 would turn
`1:30` into 90 and lose what was written).
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import yaml
from frontmatter.default_handlers import SafeLoader, YAMLHandler
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from treering.errors import InvalidDocument
from treering.model.frontmatter import MAX_BYTES, MAX_DEPTH, MAX_KEY, MAX_VALUES, dump

_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,999})")
_FLOAT = re.compile(
    r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?|[-+]?[0-9]+[eE][-+]?[0-9]{1,3}"
    r"|[-+]?\.inf|\.nan"
)
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}


class StrictYamlHandler(YAMLHandler):  # type: ignore[misc]
    """Reads and writes front matter by the rules of docs/reference/format.md."""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        """Return the mapping in `fm`, or raise InvalidDocument with the reason."""
        if len(fm.encode()) > MAX_BYTES:
            raise InvalidDocument(
                "too-large", f"Front matter is longer than {MAX_BYTES // 1024} KB."
            )
        try:
            root = _build(fm)
        except yaml.YAMLError as error:
            message = f"Front matter is not YAML: {_describe(error)}"
            raise InvalidDocument("not-yaml", message) from error
        except (ValueError, OverflowError) as error:
            message = f"Front matter holds a bad value: {error}"
            raise InvalidDocument("bad-value", message) from error
        if not isinstance(root, dict):
            raise InvalidDocument(
                "not-a-mapping", "Front matter is not a mapping of keys to values."
            )
        return root

    def export(self, metadata: Mapping[str, Any], **_: object) -> str:
        """Return the metadata as front matter, without a final newline."""
        return dump(metadata).removesuffix("\n")


HANDLER = StrictYamlHandler()


def _build(text: str) -> Any:
    """Put the events of one document together, on a stack of our own instead of Python's."""
    root: Any = None
    value: Any
    documents = values = 0
    containers: list[list[Any] | dict[str, Any]] = []
    keys: list[str | None] = []  # of each open mapping: the key whose value comes next
    for event in yaml.parse(text, Loader=SafeLoader):
        kind = type(event)
        if isinstance(event, ScalarEvent):
            _refuse_anchor_and_tag(event)
            value = _resolve(event.value) if event.implicit[0] else event.value  # or quoted
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            _refuse_anchor_and_tag(event)
            if len(containers) >= MAX_DEPTH:
                message = f"Front matter nests deeper than {MAX_DEPTH} levels."
                raise InvalidDocument("too-deep", message)
            value = {} if kind is MappingStartEvent else []
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            containers.pop()
            keys.pop()
            continue
        elif kind is AliasEvent:
            raise InvalidDocument("alias", "Front matter uses an anchor or alias.")
        else:
            documents += kind is DocumentStartEvent
            if documents > 1:
                raise InvalidDocument("not-yaml", "Front matter is more than one document.")
            continue

        values += 1
        if values > MAX_VALUES:
            raise InvalidDocument("too-many", f"Front matter has more than {MAX_VALUES} values.")
        if not containers:
            root = value
        elif isinstance(parent := containers[-1], list):
            parent.append(value)
        elif (key := keys[-1]) is None:
            keys[-1] = _check_key(value, parent)
        else:
            parent[key] = value
            keys[-1] = None
        if kind is not ScalarEvent:
            containers.append(value)
            keys.append(None)
    return root


def _refuse_anchor_and_tag(event: Any) -> None:
    if event.anchor:
        raise InvalidDocument("alias", "Front matter uses an anchor or alias.")
    if event.tag is not None:
        raise InvalidDocument("tag", f"Front matter uses the tag {event.tag[:60]!r}.")


def _check_key(value: Any, siblings: dict[str, Any]) -> str:
    if not isinstance(value, str):
        raise InvalidDocument("bad-key", f"Front matter has a key that is not text: {value!r:.60}.")
    if len(value) > MAX_KEY:
        raise InvalidDocument("bad-key", "Front matter has a key that is too long.")
    if value in siblings:
        raise InvalidDocument("duplicate-key", f"Front matter has the key {value!r} twice.")
    return value


def _resolve(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text.replace(".inf", "inf").replace(".nan", "nan"))
        return number if math.isfinite(number) or text.endswith(("inf", "nan")) else text
    return text


def _describe(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1})" if mark else ""
    return f"{getattr(error, 'problem', None) or type(error).__name__}{where}."
