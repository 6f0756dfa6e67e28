"""Architecture decision records: numbered markdown files with a status, a date and references."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treering.actions.imports.markdown import files_of, note, report_passed_over, translate
from treering.actions.imports.records import Numbered, check
from treering.errors import Invalid

_NUMBERED = r"(?:adr[-_])?(\d{1,5})[-_. ].*\.md"
_TITLE = r"^#\s+(?:adr[- ]?)?(?:\d+[.:)]?\s*(?:-\s+)?)?(.+)$"
_DATE = r"^(?:\W*date\W+)(\d{4}-\d{2}-\d{2})"
_STATUS = r"^(?:#+\s*status\s*\n+|\W*status\W*:\s*)\W*(\w+)"
_REFERENCE = r"\b(supersedes|amends|clarifies|depends on)\b[^\n\d]{0,40}(\d{1,5})"
_STATUSES = {"superseded": "superseded", "deprecated": "superseded", "rejected": "superseded",
             "proposed": "needs-review", "draft": "needs-review"}  # fmt: skip


def is_here(path: Path) -> bool:
    """A folder most of whose files are numbered."""
    if not path.is_dir():
        return False
    files = files_of(path)
    numbered = [name for _, name in files if re.fullmatch(_NUMBERED, Path(name).name, re.I)]
    return bool(numbered) and 2 * len(numbered) >= len(files)


def records(path: Path) -> Iterator[Numbered]:
    """Each record is a decision; what it supersedes or amends are links."""
    yield from report_passed_over(path)
    for number, (file, where) in enumerate(files_of(path), 1):
        match = re.fullmatch(_NUMBERED, file.name, re.I)
        if match is None and path.is_dir():
            continue  # an index or a template
        try:
            fields = _fields(file, where)
        except Invalid as error:
            yield Numbered(number, where, error)
            continue
        yield check(number, where, fields, *([_name(match[1])] if match else []))


def _fields(file: Path, where: str) -> dict[str, Any]:
    metadata, content = note(file)
    said_status = str(metadata.pop("status", "")) or _first(_STATUS, content)
    fields = translate(metadata, content, file, where)
    links = [
        {"relation": word.lower().replace(" ", "_"), "target": _name(number)}
        for word, number in re.findall(_REFERENCE, content, re.I)
    ]
    return fields | {
        "type": "decision",
        "title": fields.get("title") or _first(_TITLE, content) or file.stem,
        "status": _STATUSES.get(said_status.lower(), "active"),
        "created": fields.get("created") or _first(_DATE, content),
        "links": links,
        "source": "adr",
        "details": fields["details"] | ({"adr_status": said_status} if said_status else {}),
    }


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.I | re.M)
    return found[1].strip() if found else ""


def _name(number: str) -> str:
    """0012, 12 and ADR-12 are one record."""
    return f"adr {int(number)}"
