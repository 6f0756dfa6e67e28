"""Records: foreign data on its way in, as JSON lines or markdown files, each checked on its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import frontmatter as python_frontmatter
from frontmatter.default_handlers import YAMLHandler
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.errors import Invalid, InvalidDocument
from treering.model import document
from treering.model.frontmatter import load
from treering.model.memory import Memory
from treering.model.scope import unescape

_LONGEST_LINE = 1024 * 1024


class FileLine(BaseModel):
    path: str
    blob: str = ""


class LinkLine(BaseModel):
    model_config = ConfigDict(extra="allow")

    relation: str = "relates_to"
    target: str
    confidence: float = Field(default=0.8, ge=0, le=1)
    by: str = "import"
    reason: str = ""


class Record(BaseModel):
    """One memory as another program hands it over; only `content` is required."""

    model_config = ConfigDict(extra="allow")

    content: str
    id: str = ""
    type: str = ""
    title: str = ""
    tags: list[str] = []
    topic: str = ""
    status: str = "active"
    confidence: float = Field(default=0.8, ge=0, le=1)
    source: str = ""
    author: str = ""
    agent: str = ""
    session: str = ""
    commit: str = ""
    files: list[FileLine | str] = []
    created: str = ""
    modified: str = ""
    links: list[LinkLine] = []
    details: dict[str, Any] = {}
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A record, or a memory that needs no translation, and where it stood."""

    line: int
    where: str
    found: Record | Memory | Invalid
    branch: str = ""


def from_path(path: Path) -> Iterator[Numbered]:
    """The records of a JSONL file, a markdown file, or a folder of them."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.md") if file.is_file())
        for number, file in enumerate(files, 1):
            yield _markdown(file, str(file.relative_to(path)), number)
    elif path.suffix.lower() in (".md", ".markdown"):
        yield _markdown(path, path.name, 1)
    else:
        yield from from_lines(_read(path))


def from_lines(data: bytes) -> Iterator[Numbered]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield Numbered(number, f"line {number}", _record(line))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}.") from error


def _record(line: bytes) -> Record | Invalid:
    if len(line) > _LONGEST_LINE:
        return Invalid("The line is longer than 1 MB.")
    try:
        return Record.model_validate_json(line)
    except ValidationError as error:
        return Invalid(_brief(error))


def _brief(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field + ': ' if field else ''}{first['msg']}."


# --- markdown ------------------------------------------------------------------------------------


class _StrictYaml(YAMLHandler):  # type: ignore[misc]
    """python-frontmatter's way of finding front matter, our limits on what is in it."""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        return load(fm) if fm.strip() else {}


def _markdown(path: Path, where: str, number: int) -> Numbered:
    """A file of ours as it is; any other note by its front matter and text."""
    data = _read(path)
    folder = PurePath(where).parent.parts
    branch = unescape(folder[0]) or "" if len(folder) == 1 else ""
    try:
        return Numbered(number, where, document.parse(data), branch)
    except InvalidDocument:
        pass
    try:
        text = _decoded(data).replace("\r\n", "\n")
        metadata, content = python_frontmatter.parse(text, handler=_StrictYaml())
        record = Record.model_validate(_translated(metadata, content, path, where))
    except (ValidationError, Invalid) as error:
        message = _brief(error) if isinstance(error, ValidationError) else str(error)
        return Numbered(number, where, Invalid(message))
    return Numbered(number, where, record)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid("The file is not valid UTF-8.") from error


def _translated(metadata: dict[str, Any], content: str, path: Path, where: str) -> dict[str, Any]:
    """The words other note keepers use, in ours; what has no word of ours goes to details."""
    known = {key: value for key, value in metadata.items() if key in Record.model_fields}
    other = {key: value for key, value in metadata.items() if key not in Record.model_fields}
    tags = known.get("tags", [])
    known["tags"] = [t.strip("# ") for t in tags.split(",")] if isinstance(tags, str) else tags
    for theirs, ours in (("date", "created"), ("updated", "modified"), ("category", "topic")):
        if theirs in other and not known.get(ours):
            known[ours] = str(other.pop(theirs))
    details = known.get("details") if isinstance(known.get("details"), dict) else {}
    known["details"] = (details or {}) | other | {"imported_from": where}
    if isinstance(known.get("id"), int | float):
        known["id"] = str(known["id"])
    return known | {"content": content or known.get("title") or path.stem}
