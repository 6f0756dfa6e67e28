"""Records: foreign data on its way in, each checked on its own; as JSON lines, ours or others'."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treering.errors import Invalid
from treering.git import log
from treering.git.repository import Repository
from treering.model.memory import Memory
from treering.model.taxonomy import type_named

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
    private: bool = False


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
        record: Record | Invalid = Record.model_validate(fields)
    except ValidationError as error:
        record = Invalid(brief(error))
    return Numbered(number, where, record, names=tuple(name for name in names if name))


# --- the MCP memory server: one file of entities with observations, and relations by name ---------


def is_server_memory(path: Path) -> bool:
    if not path.is_file() or path.suffix.lower() not in (".json", ".jsonl"):
        return False
    first = next((line for line in read(path).splitlines() if line.strip()), b"")
    item = _line(first)
    return item.get("type") in ("entity", "relation") and not {"content", "id"} & set(item)


def from_server_memory(path: Path) -> Iterator[Numbered]:
    """An entity is a memory that holds its observations; a relation is a link of its source."""
    lines = [(n, _line(line)) for n, line in enumerate(read(path).splitlines(), 1) if line.strip()]
    relations: dict[str, list[dict[str, str]]] = {}
    for _, item in lines:
        if item.get("type") == "relation" and item.get("from") and item.get("to"):
            link = {"relation": _word(item.get("relationType")), "target": str(item["to"])}
            relations.setdefault(str(item["from"]), []).append(link)
    for number, item in lines:
        where = f"line {number}"
        if item.get("type") == "entity" and item.get("name"):
            name = str(item["name"])
            yield check(number, where, _entity(item, relations.get(name, [])), name)
        elif item.get("type") != "relation":
            yield Numbered(number, where, Invalid("The line is neither an entity nor a relation."))


def _entity(item: dict[str, Any], links: list[dict[str, str]]) -> dict[str, Any]:
    name, kind = str(item["name"]), str(item.get("entityType") or "concept")
    observations = item.get("observations")
    facts = [str(fact) for fact in observations] if isinstance(observations, list) else []
    return {
        "title": name,
        "type": _type(kind),
        "content": "\n".join([f"# {name}", "", *(f"- {fact}" for fact in facts)]).strip(),
        "details": {"kind": kind.lower(), "imported_from": "server-memory"},
        "links": links,
        "source": "server-memory",
    }


def _type(kind: str) -> str:
    """Kinds that are types of ours are those; a person or a tool is an entity."""
    try:
        return type_named(kind)
    except Invalid:
        return "entity"


def _word(relation: object) -> str:
    return "_".join(str(relation or "relates_to").lower().split()) or "relates_to"


def _line(line: bytes) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def decode(data: bytes) -> str:
    """Return the text of a file; Invalid where it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid("The file is not valid UTF-8.") from error


# --- what an import answers, whatever it read -----------------------------------------------------


Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Failure:
    line: int
    where: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The records a dry run would import."""

    type: str
    title: str
    branch: str


@dataclass(frozen=True, slots=True)
class Imported:
    imported: int
    skipped: int
    errors: tuple[Failure, ...]
    source: str | None = None
    dry_run: bool | None = None
    preview: tuple[Preview, ...] | None = None
    #: The command that undoes it; prompts stay.
    back: str | None = None


_MEMORY = "mem-"  # git-notes-memory: one JSON object a branch, on the first commit
_WORDS = {
    "learning": "insight",
    "preference": "convention",
    "task": "progress",
    "question": "issue",
}
_CONFIDENCE = {"c": 0.95, "h": 0.9, "n": 0.8, "l": 0.5}


def from_git_notes(repository: Repository, wanted: str = "") -> Iterator[Numbered]:
    """Every note of the repository, or of one notes ref."""
    number = 0
    for ref in _refs(repository.common_dir, wanted):
        name = ref.removeprefix(log.NOTES)
        if name.startswith(("ent-", "idx-")):
            continue  # indexes that git-notes-memory derives from its mem- notes
        for commit, text in log.read_notes(repository.common_dir, ref):
            found = (
                _memories(name, text) if name.startswith(_MEMORY) else [_note(name, commit, text)]
            )
            for names, fields in found:
                number += 1
                yield check(number, f"{ref} {commit[:12]}", fields, *names)


def _refs(git_dir: Path, wanted: str) -> list[str]:
    if wanted in ("", "."):
        pattern = log.NOTES
    else:
        pattern = wanted if wanted.startswith(log.NOTES) else log.NOTES + wanted
    refs = log.list_notes_refs(git_dir, pattern)
    if not refs:
        raise Invalid("There are no notes here.", hint="`git notes list` shows what git has.")
    return refs


def _note(ref: str, commit: str, text: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Words hung on a commit: a memory about that commit."""
    details = {"imported_from": f"git notes {ref}"}
    return (), {"content": text, "commit": commit, "source": "git-notes", "details": details}


def _memories(ref: str, text: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    try:
        found = json.loads(text)
        items = [(str(key), dict(value)) for key, value in found.items()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        yield (), {"details": {"imported_from": ref}}  # reported as a record without content
        return
    for key, item in items:
        yield (key,), _fields(ref, key, item)


def _fields(ref: str, key: str, item: dict[str, Any]) -> dict[str, Any]:
    said = item.get("d", "")
    kind = str(item.get("t", ""))
    return {
        "id": key,
        "content": said if isinstance(said, str) else _prose(said),
        "type": _WORDS.get(kind, kind if kind in ("decision", "progress") else ""),
        "tags": [str(tag) for tag in item.get("g") or []],
        "confidence": _CONFIDENCE.get(str(item.get("i")), 0.8),
        "branch": str(item.get("b") or ref.removeprefix(_MEMORY)),
        "created": _when(item.get("c")),
        "modified": _when(item.get("u")),
        "source": "git-notes-memory",
        "details": {"imported_from": ref},
    }


def _when(said: object) -> str:
    """That memory writes local time without saying which; it is taken as UTC."""
    try:
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return ""
    return moment.replace(tzinfo=moment.tzinfo or UTC).isoformat()


def _prose(said: Any) -> str:
    """Structured content as lines a person reads."""
    if isinstance(said, dict):
        return "\n".join(f"{key}: {_inline(value)}" for key, value in said.items())
    return _inline(said)


def _inline(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
