"""JSON changed as text: a member or an item is put in, every other byte stays.

Settings of editors and agents are files people keep in git and look at in diffs. Parsing one and
writing it anew would lay it out differently, so an edit here is an insertion at the right place, in
the indentation that is there. Many of them have comments, a comma after the last item, or a mark of
the byte order at the start: all of it stays. Places are looked for in a copy of the same length, in
which these are blanks.
"""

import json
import re
from collections.abc import Sequence
from json.decoder import JSONDecodeError
from typing import Any, NamedTuple

from treering.errors import Invalid

Path = Sequence[str]

#: Texts come first: what looks like a comment inside one is none.
_TEXT = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = rf"{_TEXT}|//[^\n]*|/\*.*?\*/"
_LAST_COMMA = rf"{_TEXT}|,(?=\s*[}}\]])"


class Insertion(NamedTuple):
    """Text that was put in; undone by cutting it out again at its place."""

    at: int
    text: str


class _Part(NamedTuple):
    """A member or an item: where it starts (its key, if it has one) and where its value is."""

    key: str
    start: int
    value: int
    end: int


def parse(text: str) -> Any:
    try:
        return json.loads(blank_out(text))
    except (JSONDecodeError, RecursionError) as error:
        raise Invalid("It is not JSON.") from error


def blank_out(text: str) -> str:
    """Plain JSON of the same length: no comments, no comma before a bracket, no byte order mark."""
    text = " " + text[1:] if text.startswith("\ufeff") else text
    text = re.sub(_COMMENT, lambda found: _blanks(found[0]), text, flags=re.DOTALL)
    return re.sub(_LAST_COMMA, lambda found: _blanks(found[0]), text)


def _blanks(found: str) -> str:
    return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)


def lay_out(value: object, unit: str = "  ") -> str:
    """A value over several lines, lists of words on one."""
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    words = r'\[\s+("[^"\n]*"(?:,\s+"[^"\n]*")*)\s+\]'
    return re.sub(words, lambda found: "[" + re.sub(r",\s+", ", ", found[1]) + "]", text)


def put_member(text: str, path: Path, value: object) -> Insertion:
    """Return what has to be put in so that the object at `path[:-1]` has the member `path[-1]`.

    Objects on the way that are missing are made.
    """
    parse(text)
    plain = blank_out(text)
    at, depth = _skip(plain, 0), 0
    for depth, key in enumerate(path):
        if plain[at] != "{":
            raise Invalid(f"{'.'.join(path[:depth]) or 'the file'} is not an object.")
        member = _member(plain, at, key)
        if member is None:
            break
        at = member.value
    else:
        raise Invalid(f"{'.'.join(path)} is already there.")
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _insert(text, at, f"{json.dumps(path[depth], ensure_ascii=False)}: ", value)


def put_item(text: str, path: Path, value: object) -> Insertion:
    """Return what has to be put in so that the list at `path` ends in `value`; it is made if
    missing."""
    at = _find(text, path)
    if at is None:
        return put_member(text, path, [value])
    if text[at] != "[":
        raise Invalid(f"{'.'.join(path)} is not a list.")
    return _insert(text, at, "", value)


def apply(text: str, insertion: Insertion) -> str:
    return text[: insertion.at] + insertion.text + text[insertion.at :]


def rewrite(text: str, value: object) -> str:
    """The text of a changed value, in the indentation and line ends of the file it was read from;
    Invalid where comments would be lost."""
    if _has_comment(re.sub(_TEXT, "", text)):
        raise Invalid("It has comments, which would be lost.")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + lay_out(value, _unit(text)).replace("\n", _newline(text)) + _newline(text)


# --- places in the text ---------------------------------------------------------------------------


def _skip(text: str, at: int) -> int:
    match = re.compile(r"[ \t\n\r]*").match(text, at)
    return match.end() if match else at


def _find(text: str, path: Path) -> int | None:
    """Return where the value at a path starts."""
    parse(text)
    plain = blank_out(text)
    at = _skip(plain, 0)
    for key in path:
        member = _member(plain, at, key) if plain[at] == "{" else None
        if member is None:
            return None
        at = member.value
    return at


def _member(text: str, holder: int, key: str) -> _Part | None:
    # The last one of a name is the one a parser takes.
    return next((part for part in reversed(_parts(text, holder)) if part.key == key), None)


def _parts(text: str, holder: int) -> list[_Part]:
    """The members of the object or the items of the list that starts at `holder`."""
    text = blank_out(text)
    decode = json.JSONDecoder().raw_decode
    parts: list[_Part] = []
    at = _skip(text, holder + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if text[holder] == "{":
            key, at = decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = decode(text, at)
        parts.append(_Part(key, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return parts


# --- layout ---------------------------------------------------------------------------------------


def _insert(text: str, holder: int, label: str, value: object) -> Insertion:
    """A new last part, laid out like its neighbours; the first, where a comment ends the list."""
    parts = _parts(text, holder)
    outer = _indent_of_line(text, holder)
    if parts and "\n" not in text[holder : parts[0].start]:
        return Insertion(parts[-1].end, f", {label}{json.dumps(value, ensure_ascii=False)}")
    inner = _indent_of_line(text, parts[0].start) if parts else outer + _unit(text)
    unit = inner[len(outer) :] if inner.startswith(outer) else ""
    member = label + lay_out(value, unit or _unit(text))
    lines = _newline(text) + inner + member.replace("\n", _newline(text) + inner)
    closing = _skip(blank_out(text), parts[-1].end if parts else holder + 1)
    if parts and _has_comment(text[parts[-1].end : closing]):
        return Insertion(holder + 1, lines + ",")
    if parts:
        return Insertion(parts[-1].end, "," + lines)
    end = "" if "\n" in text[holder:closing] else _newline(text) + outer
    return Insertion(holder + 1, lines + end)


def _has_comment(text: str) -> bool:
    """Return whether there is one in what stands between two parts."""
    return "//" in text or "/*" in text


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the file has it."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
