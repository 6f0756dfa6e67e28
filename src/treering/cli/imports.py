"""treering import"""

import sys
from typing import Any

import click

from treering.actions.imports import GIT_NOTES
from treering.actions.imports.imports import Imported, import_path, import_records
from treering.actions.imports.records import from_lines
from treering.cli import shared
from treering.cli.progress import progress_bar
from treering.cli.render import safe, table
from treering.cli.shared import Door
from treering.model.choices import SOURCE_NAMES

_OTHERS = set(SOURCE_NAMES) - {"jsonl", "markdown"}


def run(door_: Door, path: str | None, system: str, **given: Any) -> Imported:
    if not path and system != GIT_NOTES:
        raise click.UsageError("Missing argument 'FILE'.")
    given["allow_secret"] = shared.secret_allowed(given["allow_secret"])
    workspace = door_.open()
    with progress_bar("importing", quiet=door_.as_json) as progress:
        if path == "-":
            lines = from_lines(sys.stdin.buffer.read())
            return import_records(workspace, lines, progress=progress, **given)
        return import_path(workspace, path or "", system=system, progress=progress, **given)


def exit_code(answer: Imported) -> int:
    """A bad line costs nothing but itself; nothing but bad lines is a failure."""
    return 1 if answer.errors and not answer.imported and not answer.skipped else 0


def text(answer: Imported) -> str:
    verb = "would import" if answer.dry_run else "imported"
    source = f" from {answer.source}" if answer.source in _OTHERS else ""
    lines = [f"{verb} {answer.imported}{source}, skipped {answer.skipped} that were there already"]
    rows = [(p.type, safe(p.branch), safe(p.title)) for p in answer.preview or ()]
    lines.append(table(rows, indent="  "))
    if (more := answer.imported - len(rows)) and rows:
        lines.append(f"  and {more} more")
    lines += [f"  {safe(e.where)}: {safe(e.message)}" for e in answer.errors]
    return "\n".join(line for line in lines if line)
