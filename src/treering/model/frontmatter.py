"""Front matter: the YAML between the `---` lines, read strictly and written in one way.

Reading is done by a strict handler of python-frontmatter (strict_yaml.py), which is imported when a
first document is read: the library takes longer to load than a whole capture. Writing is our own,
because "the same memory gives the same bytes" must not depend on the version of a YAML library; it
also keeps YAML out of the capture path.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _json_quoted
from typing import Any

from treering.errors import InvalidDocument

MAX_BYTES = 64 * 1024
MAX_DEPTH = 16
MAX_VALUES = 4000  # keys, lists and mappings included; each costs more to read than its bytes
MAX_KEY = 200
MAX_DIGITS = 1000

#: libyaml finds no colon beyond this, counted in what is written.
_LONGEST_WRITTEN_KEY = 1000


def load(text: str) -> dict[str, Any]:
    """Return the mapping in `text`, or raise InvalidDocument with the reason."""
    from treering.model.strict_yaml import HANDLER

    return HANDLER.load(text)


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
    if _count(fields) > MAX_VALUES:
        raise InvalidDocument("too-many", f"Front matter has more than {MAX_VALUES} values.")
    return text


def _count(value: Any) -> int:
    """Return how many keys, lists, mappings and single values there are."""
    if isinstance(value, Mapping):
        return 1 + len(value) + sum(map(_count, value.values()))
    return 1 + (sum(map(_count, value)) if isinstance(value, list | tuple) else 0)


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
