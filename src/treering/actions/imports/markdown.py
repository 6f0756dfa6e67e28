"""Markdown on its way in: files of ours as they are, other notes by front matter and text."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import frontmatter

from treering.actions.imports.records import Numbered, Record, check, decode, read
from treering.actions.plain_files import list_files, list_passed_over
from treering.errors import Invalid, InvalidDocument
from treering.model import document
from treering.model.scope import unescape
from treering.model.strict_yaml import StrictYamlHandler
from treering.model.taxonomy import type_named

_NAME = r"(?:change(?:s|log)?|history|news|release[-_ ]?notes)(?:\.(?:md|markdown|rst|txt))?"
_VERSION = r"\bv?(\d+\.\d+(?:\.\d+)*(?:[.-]?(?:a|b|rc|alpha|beta|dev|post)\.?\d*)?)\b"
_DATE = r"\b(\d{4}-\d{2}-\d{2})\b"
_UNDERLINE = r"([=\-~^*+#])\1{2,}\s*"
_BULLET = r"( *)[-*+] +(\S.*)"


def is_changelog(path: Path) -> bool:
    """Tell whether a file is called like a changelog, and has versions in its headings."""
    if not path.is_file() or not re.fullmatch(_NAME, path.name, re.IGNORECASE):
        return False
    return any(entry.version for entry in _list_entries(decode(read(path))))


def entries(path: Path) -> Iterator[Numbered]:
    """Yield a record per bullet."""
    for number, entry in enumerate(_list_entries(decode(read(path))), 1):
        where = f"{path.name}:{entry.line}"
        details = {"imported_from": path.name, "version": entry.version}
        fields = {
            "content": entry.text,
            "created": entry.date,
            "tags": [entry.section] if entry.section else [],
            "source": "changelog",
            "details": {key: value for key, value in details.items() if value},
        }
        yield check(number, where, fields)


class _ChangelogEntry(NamedTuple):
    line: int
    version: str
    date: str
    section: str
    text: str


def _list_entries(text: str) -> list[_ChangelogEntry]:
    """Return every bullet of the outermost level, with the heading it stands below."""
    found: list[_ChangelogEntry] = []
    version = date = section = ""
    bullet: list[str] = []
    start, margin = 0, 0

    def close() -> None:
        if bullet:
            found.append(_ChangelogEntry(start, version, date, section, "\n".join(bullet).strip()))
            bullet.clear()

    lines = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    rows = lines.expandtabs(4).split("\n")
    for number, line in enumerate(rows, 1):
        below = rows[number] if number < len(rows) else ""
        is_title = bool(line.strip()) and re.fullmatch(_UNDERLINE, below) is not None
        heading = line.lstrip("# ") if line.startswith("#") else line.strip() if is_title else ""
        item = re.fullmatch(_BULLET, line)
        if heading:
            close()
            if match := re.search(_VERSION, heading):
                version, section = match[1], ""
                day = re.search(_DATE, heading)
                date = day[1] if day else ""
            elif heading.strip("[] ").lower().startswith("unreleased"):
                version, date, section = "", "", ""
            else:
                section = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[:40]
        elif item and (not bullet or len(item[1]) <= margin):
            close()
            start, margin = number, len(item[1])
            bullet.append(item[2])
        elif bullet and (not line.strip() or line.startswith(" " * (margin + 1))):
            bullet.append(line[margin + 2 :] if line.strip() else "")
        else:
            close()
            if not date and (day := re.search(rf"released\s+{_DATE}", line, re.IGNORECASE)):
                date = day[1]
    close()
    return found


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
    files = list_files(path, _SUFFIX)
    return [(file, str(file.relative_to(path))) for file in files]


def report_passed_over(path: Path) -> Iterator[Numbered]:
    """Yield what of a folder is not read: each with its reason, as a record that went wrong."""
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
