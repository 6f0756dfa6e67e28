"""Autology: a folder of nodes, one markdown file each, relations and references in front matter."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treering.actions.imports.markdown import (
    files_of,
    note,
    report_passed_over,
    settle_type,
    translate,
)
from treering.actions.imports.records import Numbered, check
from treering.errors import Invalid

_FOLDER = ".autology"


def is_here(path: Path) -> bool:
    inner = path / _FOLDER
    return path.is_dir() and (path.name == _FOLDER or (inner.is_dir() and not inner.is_symlink()))


def records(path: Path) -> Iterator[Numbered]:
    """Every node, with its relations as links between them."""
    inner = path / _FOLDER
    if inner.is_symlink():
        raise Invalid(f"{inner} is a link, which is not followed.", hint="Name it to import it.")
    root = inner if inner.is_dir() else path
    yield from report_passed_over(root)
    for number, (file, where) in enumerate(files_of(root), 1):
        try:
            fields = _fields(file, where)
        except Invalid as error:
            yield Numbered(number, where, error)
            continue
        yield check(number, where, fields, str(fields.get("id", "")), fields.get("title", ""))


def _fields(file: Path, where: str) -> dict[str, Any]:
    metadata, content = note(file)
    relations = metadata.pop("relations", None) or []
    references = metadata.pop("references", None) or []
    fields = settle_type(translate(metadata, content, file, where))
    return fields | {
        "links": [_link(r) for r in relations if isinstance(r, dict) and r.get("target")],
        "files": [str(reference) for reference in references],
        "source": "autology",
    }


def _link(relation: dict[str, Any]) -> dict[str, Any]:
    link = {"relation": relation.get("type", "relates_to"), "target": str(relation["target"])}
    return link | {
        key: relation[key] for key in ("confidence", "description") if relation.get(key) is not None
    }
