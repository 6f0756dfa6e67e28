"""treering sync"""

import sys

import click

from treering.actions.sync import DIRECTIONS, Synced, sync
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table


@click.command("sync", epilog="Example: treering sync --remote origin")
@click.argument(
    "direction",
    required=False,
    default="full",
    type=click.Choice(DIRECTIONS, case_sensitive=False),
)
@click.option("--remote", default="", help="Which remote (default: treering.remote, or origin).")
@click.option("--dry-run", is_flag=True, help="Ask the remote, and change nothing.")
@click.option("--allow-secret", is_flag=True, help="Push what looks like a credential, too.")
@door.command
def command(door_: Door, direction: str, remote: str, dry_run: bool, allow_secret: bool) -> None:
    """Share memories through a git remote: fetch, merge, push.

    DIRECTION is full (the default), push or fetch. Private memories never leave.
    """
    answer = sync(
        door_.open(),
        direction,
        remote=remote,
        dry_run=dry_run,
        allow_secret=allow_secret,
        is_attended=sys.stderr.isatty(),
        progress=_say if sys.stderr.isatty() and not door_.as_json else None,
    )
    door_.answer(answer, text)


def _say(stage: str) -> None:
    click.echo(f"{stage} ...", err=True)


def text(answer: Synced) -> str:
    rows = [
        (
            safe(line.branch),
            line.status,
            safe("; ".join(line.notes or ())) or safe(line.reason or ""),
        )
        for line in answer.scopes
        if line.status != "unchanged"
    ]
    said = [table(rows)] if rows else []
    said += [safe(note) for note in answer.notes or ()]
    said.append(
        f"{answer.remote}: {answer.fetched} fetched, {answer.pushed} pushed, {answer.merged} merged"
        if rows
        else f"{answer.remote}: nothing new"
    )
    return "\n".join(said)
