"""treering redact"""

import sys

import click

from treering.actions.redact import Redacted, redact
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command("redact", epilog="Example: treering redact 7k2m9qx4c0wd --dry-run")
@click.argument("id")
@click.option("--dry-run", is_flag=True, help="Show what holds it and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@door.command
def command(door_: Door, id: str, dry_run: bool, yes: bool) -> None:
    """Take a memory's text out of all history, for good.

    Every branch, the trash and private memories are rewritten; a tombstone stays. Other clones and
    remotes are told by the next sync; what others have read cannot be called back.
    """
    workspace = door_.open()
    if not dry_run and not yes and sys.stdin.isatty():
        door_.answer(redact(workspace, id, dry_run=True), _text)
        click.confirm("Rewrite history without it?", abort=True, err=True)
    door_.answer(redact(workspace, id, dry_run=dry_run), _text)


def _text(answer: Redacted) -> str:
    where = ", ".join(safe(name) for name in answer.refs)
    versions = _count(answer.versions, "version")
    if answer.dry_run:
        said = [f"{answer.id}: {versions} in {where}", "Nothing was changed."]
    else:
        said = [f"{answer.id}: {versions} taken out of {_count(answer.commits, 'commit')}"]
    said += map(safe, answer.left)
    if answer.commands:
        said += ["Commands:", *(f"  {safe(command)}" for command in answer.commands)]
    return "\n".join(said)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
