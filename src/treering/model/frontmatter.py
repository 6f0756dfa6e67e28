"""Front matter: the YAML between the `---` lines, read strictly and written in one way.

What we wrote ourselves is read by own_yaml.py. All else is built straight from libyaml's events,
which never recurse, so that aliases, nesting, duplicate keys and tags are refused before they can
cost anything. Only null, true/false, decimal numbers and strings exist; a date stays the string it
is (YAML 1.1 would turn `1:30` into 90 and lose what was written). Writing is our own, because "the
same memory gives the same bytes" must not depend on the version of a YAML library; it also keeps
YAML out of the capture path.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _json_quoted
from typing import Any

from treering.errors import InvalidDocument
from treering.model.own_yaml import read_own

MAX_BYTES = 64 * 1024
MAX_DEPTH = 16
MAX_KEY = 200
MAX_DIGITS = 1000

_INT = r"[-+]?(0|[1-9][0-9]{0,999})"
_FLOAT = (
    r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?|[-+]?[0-9]+[eE][-+]?[0-9]{1,3}"
    r"|[-+]?\.inf|\.nan"
)
#: libyaml finds no colon beyond this, counted in what is written.
_LONGEST_WRITTEN_KEY = 1000
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}


# --- reading -------------------------------------------------------------------------------------


def load(text: str) -> dict[str, Any]:
    """The mapping written in `text`; anything unusual is an InvalidDocument with a reason."""
    if len(text.encode()) > MAX_BYTES:
        raise InvalidDocument("too-large", f"Front matter is longer than {MAX_BYTES // 1024} KB.")
    fields = read_own(text, _resolve)
    return _load_yaml(text) if fields is None else fields


def _load_yaml(text: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event, type(event).__name__)
    except yaml.YAMLError as error:
        raise InvalidDocument("not-yaml", f"Front matter is not YAML: {_brief(error)}") from error
    except (ValueError, OverflowError) as error:
        raise InvalidDocument("bad-value", f"Front matter holds a bad value: {error}") from error
    if not isinstance(builder.root, dict):
        raise InvalidDocument("not-a-mapping", "Front matter is not a mapping of keys to values.")
    return builder.root


class _Builder:
    """Puts events together into one value, on a stack of its own instead of Python's."""

    def __init__(self) -> None:
        self.root: Any = None
        self._documents = 0
        self._stack: list[list[Any] | dict[str, Any]] = []
        self._keys: list[str | None] = []

    def take(self, event: Any, kind: str) -> None:
        if kind == "AliasEvent" or getattr(event, "anchor", None):
            raise InvalidDocument("alias", "Front matter uses an anchor or alias.")
        if kind == "ScalarEvent":
            self._add(_scalar(event))
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open({} if kind == "MappingStartEvent" else [], event.tag)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._stack.pop()
            self._keys.pop()
        elif kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise InvalidDocument("not-yaml", "Front matter is more than one document.")

    def _open(self, container: list[Any] | dict[str, Any], tag: str | None) -> None:
        if tag is not None:
            raise InvalidDocument("tag", f"Front matter uses the tag {tag[:60]!r}.")
        if len(self._stack) >= MAX_DEPTH:
            raise InvalidDocument("too-deep", f"Front matter nests deeper than {MAX_DEPTH} levels.")
        self._add(container)
        self._stack.append(container)
        self._keys.append(None)

    def _add(self, value: Any) -> None:
        if not self._stack:
            self.root = value
            return
        parent, key = self._stack[-1], self._keys[-1]
        if isinstance(parent, list):
            parent.append(value)
        elif key is None:
            self._keys[-1] = _key(value, parent)
        else:
            parent[key] = value
            self._keys[-1] = None


def _key(value: Any, siblings: dict[str, Any]) -> str:
    if not isinstance(value, str):
        raise InvalidDocument("bad-key", f"Front matter has a key that is not text: {value!r:.60}.")
    if len(value) > MAX_KEY:
        raise InvalidDocument("bad-key", "Front matter has a key that is too long.")
    if value in siblings:
        raise InvalidDocument("duplicate-key", f"Front matter has the key {value!r} twice.")
    return value


def _scalar(event: Any) -> Any:
    if event.tag is not None:
        raise InvalidDocument("tag", f"Front matter uses the tag {event.tag[:60]!r}.")
    text: str = event.value
    return _resolve(text) if event.implicit[0] else text  # or it was quoted


def _resolve(text: str) -> Any:
    """What a scalar without quotes stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if re.fullmatch(_INT, text):
        return int(text)
    if re.fullmatch(_FLOAT, text):
        number = float(text.replace(".inf", "inf").replace(".nan", "nan"))
        return number if math.isfinite(number) or text.endswith(("inf", "nan")) else text
    return text


def _brief(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1})" if mark else ""
    return f"{getattr(error, 'problem', None) or type(error).__name__}{where}."


# --- writing -------------------------------------------------------------------------------------

# ASCII only: which other characters are letters depends on the version of Unicode.
_PLAIN = r"[A-Za-z](?:[A-Za-z0-9_ /.@<>()+~'!?;=-]*[A-Za-z0-9_/.@<>()+~'!?;=])?|[0-9a-z]{12,64}"
_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_NUMBERISH = r"[-+]?[.\d][\d_.:eExob+-]*|0[xob][\da-fA-F_]+"
_RESERVED = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}
# Characters that are fine in JSON but not raw in YAML.
_UNSAFE = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"


def dump(fields: Mapping[str, Any]) -> str:
    """The fields as YAML lines: a list of mappings as a block list, all else in flow style."""
    lines: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            lines.append(f"{_key_text(key)}:")
            lines.extend(f"- {_flow(item, 2)}" for item in value)
        else:
            lines.append(f"{_key_text(key)}: {_flow(value)}")
    text = "\n".join(lines) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise InvalidDocument("too-large", f"Front matter is longer than {MAX_BYTES // 1024} KB.")
    return text


def _flow(value: Any, depth: int = 1) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _number(value)
    if depth > MAX_DEPTH - 1:
        raise InvalidDocument("too-deep", f"Front matter nests deeper than {MAX_DEPTH} levels.")
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key_text(k)}: {_flow(v, depth + 1)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item, depth + 1) for item in value) + "]"
    raise InvalidDocument("bad-value", f"{type(value).__name__} cannot be written as front matter.")


def _key_text(key: Any) -> str:
    text = _text(key) if isinstance(key, str) and len(key) <= MAX_KEY else ""
    if not text or len(text) > _LONGEST_WRITTEN_KEY:
        raise InvalidDocument("bad-key", f"{key!r:.60} is not a key for front matter.")
    return text


def _whole(value: int) -> str:
    if abs(value) >= 10**MAX_DIGITS:
        raise InvalidDocument("bad-value", f"A number has more than {MAX_DIGITS} digits.")
    return str(value)


def _number(value: float) -> str:
    if math.isinf(value) or math.isnan(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return text if not e or "." in mantissa else f"{mantissa}.0e{exponent}"


@lru_cache(maxsize=256)  # keys, authors and dates come again and again in an import
def _text(text: str) -> str:
    """Plain where every YAML reader takes it for the same string, else in double quotes."""
    if re.fullmatch(_STAMP, text):
        return text
    plain = re.fullmatch(_PLAIN, text) and text.lower() not in _RESERVED
    if plain and not re.fullmatch(_NUMBERISH, text):
        return text
    return re.sub(_UNSAFE, lambda m: f"\\u{ord(m[0]):04x}", _json_quoted(text))
