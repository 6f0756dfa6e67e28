"""treering redact"""

import sys

import click

from treering.actions.redact import Redacted, redact
from treering.cli.render import safe
from treering.cli.shared import Door


def run(door_: Door, id: str, dry_run: bool, yes: bool) -> Redacted:
    workspace = door_.open()
    if not dry_run and not yes and sys.stdin.isatty():
        door_.answer(redact(workspace, id, dry_run=True), text)
        click.confirm("Rewrite history without it?", abort=True, err=True)
    return redact(workspace, id, dry_run=dry_run)


def text(answer: Redacted) -> str:
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
