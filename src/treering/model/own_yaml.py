"""Front matter in the one way we write it, read without a YAML library.

Most memories are read by the program that wrote them, and what it writes is a small part of YAML:
a line a key, flow style, plain words of ASCII, all else in double quotes. That part is read here,
at a tenth of the cost and without importing anything. Whatever is in the least unusual is None, and
for `frontmatter.load` to judge: nothing is refused here, or read in another way than there.
"""

from __future__ import annotations

from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # C where there is a C compiler
from typing import Any

_MAX_DEPTH = 8
_MAX_KEY = 100
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_FIRST = frozenset(_LETTERS + _DIGITS)
#: What a plain scalar may hold anywhere. No `:`, `#`, `,`, `?` or bracket: they can end one.
_PLAIN = frozenset(_LETTERS + _DIGITS + "_ /.@<>()+~'!;=-")
_STAMP = len("2026-01-02T03:04:05Z")
_ENDS = ",]}"

#: What a plain scalar stands for.
Resolve = Callable[[str], Any]


class _UnusualError(Exception):
    """Not in our own way: somebody else's to read."""


def read_own(text: str, resolve: Resolve) -> dict[str, Any] | None:
    """The mapping in `text`, or None where it is not exactly as we write."""
    fields: dict[str, Any] = {}
    items: list[Any] | None = None
    try:
        for line in text.split("\n"):
            if line.startswith("- "):
                if items is None:
                    return None
                items.append(_read_whole(line, 2, resolve))
                continue
            if items == []:  # a key without a value
                return None
            key, at = _read_key(line, 0, resolve)
            if key in fields:
                return None
            items = [] if at == len(line) else None
            fields[key] = _read_whole(line, at + 1, resolve) if items is None else items
    except (_UnusualError, ValueError, IndexError):
        return None
    return None if items == [] else fields


def _read_key(text: str, at: int, resolve: Resolve) -> tuple[str, int]:
    """A key, and where its colon ends; a value follows after one space."""
    colon = text.index(":", at)
    key = text[at:colon]
    is_plain = len(key) <= _MAX_KEY and _is_plain(key) and key[0] not in _DIGITS
    if not is_plain or (text[colon + 1 : colon + 2] or " ") != " " or resolve(key) != key:
        raise _UnusualError
    return key, colon + 1


def _read_whole(text: str, at: int, resolve: Resolve) -> Any:
    """The value that goes on to the end of the line."""
    if text[at] not in '"[{':
        return _resolve(text[at:], resolve)
    value, end = _read_value(text, at, resolve, 1)
    if end != len(text):
        raise _UnusualError
    return value


def _read_value(text: str, at: int, resolve: Resolve, depth: int) -> tuple[Any, int]:
    """A value in flow style, and where it ends."""
    first = text[at]
    if first == '"':
        return _read_quoted(text, at)
    if depth > _MAX_DEPTH:
        raise _UnusualError
    if first == "[":
        return _read_list(text, at + 1, resolve, depth)
    if first == "{":
        return _read_mapping(text, at + 1, resolve, depth)
    end = at
    while text[end] not in _ENDS:
        end += 1
    return _resolve(text[at:end], resolve), end


def _read_list(text: str, at: int, resolve: Resolve, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while text[at] != "]":
        item, at = _read_value(text, at, resolve, depth + 1)
        items.append(item)
        at = _skip_comma(text, at, "]")
    return items, at + 1


def _read_mapping(text: str, at: int, resolve: Resolve, depth: int) -> tuple[dict[str, Any], int]:
    fields: dict[str, Any] = {}
    while text[at] != "}":
        key, at = _read_key(text, at, resolve)
        if key in fields:
            raise _UnusualError
        fields[key], at = _read_value(text, at + 1, resolve, depth + 1)
        at = _skip_comma(text, at, "}")
    return fields, at + 1


def _skip_comma(text: str, at: int, end: str) -> int:
    if text[at] == end:
        return at
    if text[at : at + 2] != ", " or text[at + 2] == end:
        raise _UnusualError
    return at + 2


def _read_quoted(text: str, at: int) -> tuple[str, int]:
    """A string as JSON has it, which YAML reads alike but for halves of a pair of surrogates."""
    value, end = scanstring(text, at + 1, True)
    written = text[at:end]
    if not written.isprintable() or "\\ud" in written.lower():
        raise _UnusualError
    return value, end


def _resolve(text: str, resolve: Resolve) -> Any:
    if _is_plain(text) or (len(text) == _STAMP and _is_stamp(text)):
        return resolve(text)
    raise _UnusualError


def _is_plain(text: str) -> bool:
    return text[0] in _FIRST and text[-1] != " " and _PLAIN.issuperset(text)


def _is_stamp(text: str) -> bool:
    digits = text[:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16] + text[17:19]
    marks = text[4] + text[7] + text[10] + text[13] + text[16] + text[19]
    return marks == "--T::Z" and digits.isascii() and digits.isdecimal()
