"""Markdown on its way in: files of ours as they are, other notes by front matter and text."""

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import frontmatter

from treering.actions.imports.records import Numbered, Record, check, decode, read
from treering.actions.plain_files import list_files, list_passed_over
from treering.actions.prompts.shelves import is_prompt_file
from treering.errors import Invalid, InvalidDocument
from treering.model import document
from treering.model.scope import unescape
from treering.model.strict_yaml import StrictYamlHandler
from treering.model.taxonomy import type_named

_SUFFIX = ".md"


def from_path(path: Path) -> Iterator[Numbered]:
    """A markdown file, or a folder of them."""
    yield from report_passed_over(path)
    for number, (file, where) in enumerate(files_of(path), 1):
        yield _markdown(file, where, number)


def files_of(path: Path) -> list[tuple[Path, str]]:
    """The markdown files at a path, each with its name below it."""
    if not path.is_dir():
        return [(path, path.name)]
    files = [file for file in list_files(path, _SUFFIX) if not is_prompt_file(file)]
    return [(file, str(file.relative_to(path))) for file in files]


def report_passed_over(path: Path) -> Iterator[Numbered]:
    """What of a folder is not read: each with its reason, as a record that went wrong."""
    if path.is_dir():
        for where, why in list_passed_over(path, _SUFFIX).items():
            yield Numbered(0, where, Invalid(why))


def note(path: Path) -> tuple[dict[str, Any], str]:
    """Front matter and text of a note."""
    text = decode(read(path)).replace("\r\n", "\n")
    metadata, content = frontmatter.parse(text, handler=_NoteHandler())
    return metadata, content


def translate(metadata: dict[str, Any], content: str, path: Path, where: str) -> dict[str, Any]:
    """The words other note keepers use, in ours; what has no word of ours goes to details."""
    fields = {key: value for key, value in metadata.items() if key in Record.model_fields}
    other = {key: value for key, value in metadata.items() if key not in Record.model_fields}
    tags = fields.get("tags") or []
    fields["tags"] = [t.strip("# ") for t in tags.split(",")] if isinstance(tags, str) else tags
    for theirs, ours in (("date", "created"), ("updated", "modified"), ("category", "topic")):
        if theirs in other and not fields.get(ours):
            fields[ours] = str(other.pop(theirs))
    details = fields.get("details") if isinstance(fields.get("details"), dict) else {}
    fields["details"] = (details or {}) | other | {"imported_from": where}
    if isinstance(fields.get("id"), int | float):
        fields["id"] = str(fields["id"])
    return fields | {"content": content or fields.get("title") or path.stem}


def settle_type(fields: dict[str, Any]) -> dict[str, Any]:
    """A type that is none of ours is kept as a detail, and the text decides."""
    word = fields.get("type")
    if not word:
        return fields
    try:
        return fields | {"type": type_named(str(word))}
    except Invalid:
        details = fields.get("details", {}) | {"imported_type": str(word)}
        return fields | {"type": "", "details": details}


class _NoteHandler(StrictYamlHandler):
    """The front matter of other programs' notes, which may be empty."""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        return super().load(fm) if fm.strip() else {}


def _markdown(path: Path, where: str, number: int) -> Numbered:
    """A file of ours as it is; any other note by its front matter and text."""
    folder = PurePath(where).parent.parts
    branch = unescape(folder[0]) or "" if len(folder) == 1 else ""
    try:
        return Numbered(number, where, document.parse(read(path)), branch)
    except InvalidDocument:
        pass
    try:
        fields = translate(*note(path), path, where)
    except Invalid as error:
        return Numbered(number, where, error)
    return check(number, where, fields, str(fields.get("id") or ""), str(fields.get("title", "")))
