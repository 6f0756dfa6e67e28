"""treering import"""

import sys
from typing import Any

import click

from treering.actions.imports import Imported, import_path, import_records
from treering.actions.sources import GIT_NOTES, NAMES
from treering.actions.sources.records import from_lines
from treering.cli import door
from treering.cli.door import Door
from treering.cli.progress import progress_bar
from treering.cli.render import safe, table

_OTHERS = set(NAMES) - {"jsonl", "markdown"}


@click.command("import", epilog="Example: treering import memories.jsonl --dry-run")
@click.argument("file", default="")
@click.option(
    "--from", "system", default="", help=f"What it is: {', '.join(NAMES)} (default: seen)."
)
@click.option("-b", "--branch", default="", help="Put everything on this branch.")
@click.option("--private", is_flag=True, help="Keep it on this machine only.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@click.option(
    "--allow-secret", is_flag=True, help="Store what looks like a credential; at a terminal."
)
@door.command
def command(door_: Door, file: str, system: str, **given: Any) -> int:
    """Import memories: JSON lines (`-`: standard input), markdown, or another system's store.

    Other systems are an Autology folder, basic-memory notes, the MCP memory server's JSONL,
    decision records (docs/adr), the sections of an AGENTS.md or CLAUDE.md, and git notes (FILE is
    the notes ref, or nothing for all of them). What was imported before is skipped, and where each
    memory came from is kept in its details.
    """
    if not file and system != GIT_NOTES:
        raise click.UsageError("Missing argument 'FILE'.")
    given["allow_secret"] = door.secret_allowed(given["allow_secret"])
    workspace = door_.open()
    with progress_bar("importing", quiet=door_.as_json) as progress:
        if file == "-":
            lines = from_lines(sys.stdin.buffer.read())
            answer = import_records(workspace, lines, progress=progress, **given)
        else:
            answer = import_path(workspace, file, system=system, progress=progress, **given)
    door_.answer(answer, _text)
    return 1 if answer.errors and not answer.imported and not answer.skipped else 0


def _text(answer: Imported) -> str:
    verb = "would import" if answer.dry_run else "imported"
    source = f" from {answer.source}" if answer.source in _OTHERS else ""
    lines = [f"{verb} {answer.imported}{source}, skipped {answer.skipped} that were there already"]
    rows = [(p.type, safe(p.branch), safe(p.title)) for p in answer.preview or ()]
    lines.append(table(rows, indent="  "))
    if (more := answer.imported - len(rows)) and rows:
        lines.append(f"  and {more} more")
    lines += [f"  {safe(e.where)}: {safe(e.message)}" for e in answer.errors]
    return "\n".join(line for line in lines if line)
