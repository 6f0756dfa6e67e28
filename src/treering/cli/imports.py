"""treering import"""

import sys
from pathlib import Path

import click

from treering.actions import records
from treering.actions.imports import Imported, import_path, import_records
from treering.cli import door
from treering.cli.door import Door
from treering.cli.progress import progress_bar
from treering.cli.render import safe


@click.command("import", epilog="Example: treering import memories.jsonl --dry-run")
@click.argument("file")
@click.option("-b", "--branch", default="", help="Put everything on this branch.")
@click.option("--private", is_flag=True, help="Keep it on this machine only.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@click.option(
    "--allow-secret", is_flag=True, help="Store what looks like a credential; at a terminal."
)
@door.command
def command(
    door_: Door, file: str, branch: str, private: bool, dry_run: bool, allow_secret: bool
) -> int:
    """Import memories: JSON lines (`-`: standard input), a markdown file, or a folder of them."""
    allowed = door.secret_allowed(allow_secret)
    workspace = door_.open()
    given = {"branch": branch, "dry_run": dry_run, "allow_secret": allowed, "private": private}
    with progress_bar("importing", quiet=door_.as_json) as progress:
        if file == "-":
            lines = records.from_lines(sys.stdin.buffer.read())
            answer = import_records(workspace, lines, progress=progress, **given)  # type: ignore[arg-type]
        else:
            answer = import_path(workspace, Path(file), progress=progress, **given)  # type: ignore[arg-type]
    door_.answer(answer, _text)
    return 1 if answer.errors and not answer.imported and not answer.skipped else 0


def _text(answer: Imported) -> str:
    verb = "would import" if answer.dry_run else "imported"
    lines = [f"{verb} {answer.imported}, skipped {answer.skipped} that were there already"]
    lines += [f"  {safe(e.where)}: {safe(e.message)}" for e in answer.errors]
    return "\n".join(lines)
