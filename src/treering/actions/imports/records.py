"""Records: foreign data on its way in, each checked on its own; plainest as JSON lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.errors import Invalid
from treering.model.memory import Memory

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
    description: str = Field(default="", exclude=True)  # what others call the reason


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
    """A record, or a memory that needs no translation, and where it stood.

    `names` are what other records of the same source may call it in their links.
    """

    line: int
    where: str
    found: Record | Memory | Invalid
    branch: str = ""
    names: tuple[str, ...] = ()


def from_lines(data: bytes) -> Iterator[Numbered]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield Numbered(number, f"line {number}", _record(line))


def read(path: Path) -> bytes:
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
        return Invalid(brief(error))


def brief(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field + ': ' if field else ''}{first['msg']}."


def check(number: int, where: str, fields: dict[str, Any], *names: str) -> Numbered:
    """Fields that a source has put into our words, as a record or as what is wrong with it."""
    try:
        found: Record | Invalid = Record.model_validate(fields)
    except ValidationError as error:
        found = Invalid(brief(error))
    return Numbered(number, where, found, names=tuple(name for name in names if name))
