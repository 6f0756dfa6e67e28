"""A memory as bytes: YAML front matter between `---` lines, then the content and one newline.

`dump` and `parse` are inverse: what was dumped parses to the same memory, and what parses dumps to
the same bytes if we wrote it. Nothing is repaired on the way in: bytes that are not exactly a
memory are an InvalidDocument, so that no reader ever sees what its author did not write.
"""

from collections.abc import Callable, Mapping
from typing import Any

from treering.errors import Invalid, InvalidDocument
from treering.model import frontmatter
from treering.model.memory import MAX_CONTENT, FileRef, Link, Memory, check

FORMAT = 1
# 1: front matter as in docs/reference/format.md

_FENCE = "---\n"
#: No document is larger; the size of a blob is known before it is read.
MAX_BYTES = 2 * len(_FENCE) + frontmatter.MAX_BYTES + MAX_CONTENT + 2
_ORDER = (
    "id", "type", "title", "tags", "topic", "status", "confidence", "source", "author", "agent",
    "session", "commit", "files", "created", "modified", "links", "details",
)  # fmt: skip
_REQUIRED = {"id", "type", "title", "status", "confidence", "created", "modified"}


def dump(memory: Memory) -> bytes:
    """The one way to write this memory."""
    check(memory)
    return join(fields(memory), memory.content)


def join(values: Mapping[str, Any], content: str) -> bytes:
    """A document of ours, from its fields and its content."""
    return f"{_FENCE}{frontmatter.dump(values)}{_FENCE}{content}\n".encode()


def fields(memory: Memory) -> dict[str, Any]:
    """The front matter: our keys in their fixed order, then the unknown ones in theirs."""
    values: dict[str, Any] = {}
    for name in _ORDER:
        value = getattr(memory, name)
        if name == "files":
            value = [_without_empty({"path": f.path, "blob": f.blob}) for f in memory.files]
        elif name == "links":
            value = [link_fields(link) for link in memory.links]
        if value or name in _REQUIRED:
            values[name] = value
    return values | dict(memory.extra)


def parse(data: bytes) -> Memory:
    """The memory in these bytes, or InvalidDocument with the reason."""
    return from_fields(*split(data))


def is_read_back_alike(memory: Memory) -> bool:
    """Return whether parsing what was written gives this very memory: details may hold values of a
    caller that are others as text."""
    extras = (memory.details, memory.extra, *(dict(link.extra) for link in memory.links))
    numbers = (memory.confidence, *(link.confidence for link in memory.links))
    return all(map(_is_plain, extras)) and all(type(number) is float for number in numbers)


def _is_plain(value: object) -> bool:
    if type(value) is list:
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(map(_is_plain, value.values()))
    return type(value) in (str, int, float, bool)


def split(data: bytes) -> tuple[dict[str, Any], str]:
    """Front matter fields and content of any document of ours."""
    text = _decode(data)
    if not text.startswith(_FENCE):
        raise InvalidDocument("no-front-matter", "The document does not start with `---`.")
    head, fence, content = text[len(_FENCE) :].partition(f"\n{_FENCE}")
    if not fence:
        raise InvalidDocument("no-front-matter", "The front matter has no end.")
    if not content.endswith("\n"):
        raise InvalidDocument("no-final-newline", "The document does not end with a newline.")
    return frontmatter.load(head), content[:-1]


def from_fields(values: Mapping[str, Any], content: str) -> Memory:
    """A memory from front matter fields, checked; unknown keys are kept."""
    for name in _REQUIRED - values.keys():
        raise InvalidDocument("missing-field", f"The field {name!r} is missing.")
    ours: dict[str, Any] = {
        name: _READERS[name](values[name], name) for name in _ORDER if name in values
    }
    extra = {key: value for key, value in values.items() if key not in ours}
    try:
        return check(Memory(content=content, extra=extra, **ours))
    except InvalidDocument:
        raise
    except Invalid as error:
        raise InvalidDocument("bad-value", error.message) from error


def _decode(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise InvalidDocument("bom", "The document starts with a byte order mark.")
    if data.startswith(b"---\r\n"):
        raise InvalidDocument("crlf", "The front matter has CRLF line ends.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidDocument("not-utf-8", f"Byte {error.start} is not UTF-8.") from error


def _without_empty(pairs: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in pairs.items() if value not in ("", None)}


def link_fields(link: Link) -> dict[str, Any]:
    fields = {
        "relation": link.relation,
        "target": link.target,
        "confidence": link.confidence,
        "by": link.by,
        "reason": link.reason,
    }
    return _without_empty(fields) | dict(link.extra)


def _wrong(name: str, value: Any, kind: str) -> InvalidDocument:
    return InvalidDocument("wrong-type", f"The field {name!r} is not {kind}: {value!r:.60}.")


def _read_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, "text")
    return value


def _read_number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "a number")
    return float(value)


def _read_mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(name, value, "a mapping")
    return value


def _read_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(name, value, "a list")
    return value


def _read_each(read: Callable[[Any, str], Any]) -> Callable[[Any, str], tuple[Any, ...]]:
    """A reader of lists, of which `read` reads an item."""
    return lambda value, name: tuple(read(item, name) for item in _read_list(value, name))


def _read_file(value: Any, name: str) -> FileRef:
    item = _read_mapping(value, name)
    if unknown := item.keys() - {"path", "blob"}:
        raise InvalidDocument("bad-key", f"A file has the unknown key {min(unknown)!r}.")
    return FileRef(
        path=_read_text(item.get("path"), "files.path"),
        blob=_read_text(item.get("blob", ""), "files.blob"),
    )


def _read_link(value: Any, name: str) -> Link:
    item = _read_mapping(value, name)
    names = {"relation", "target", "confidence", "by", "reason"}
    return Link(
        relation=_read_text(item.get("relation"), "links.relation"),
        target=_read_text(item.get("target"), "links.target"),
        confidence=_read_number(item.get("confidence", 0.8), "links.confidence"),
        by=_read_text(item.get("by", ""), "links.by"),
        reason=_read_text(item.get("reason", ""), "links.reason"),
        extra={key: value for key, value in item.items() if key not in names},
    )


_READERS: dict[str, Callable[[Any, str], Any]] = dict.fromkeys(_ORDER, _read_text) | {
    "tags": _read_each(_read_text),
    "confidence": _read_number,
    "files": _read_each(_read_file),
    "links": _read_each(_read_link),
    "details": _read_mapping,
}
