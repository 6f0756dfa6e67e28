"""treering backfill"""

import click

from treering.actions.backfill import Backfilled, backfill
from treering.cli import door
from treering.cli.door import Door
from treering.cli.progress import progress_bar
from treering.cli.render import safe, table


@click.command("backfill", epilog="Example: treering backfill --since 90d")
@click.option("--since", default="", metavar="WHEN", help="Only commits since a date, or 90d.")
@click.option("-b", "--branch", default="", help="Only this branch (default: all of them).")
@door.command
def command(door_: Door, since: str, branch: str) -> None:
    """Capture commits made before there were hooks; those captured already are left alone."""
    with progress_bar("reading commits", quiet=door_.as_json) as progress:
        answer = backfill(door_.open(), since=since, branch=branch, progress=progress)
    door_.answer(answer, _text)


def _text(answer: Backfilled) -> str:
    rows = [(safe(branch), str(count)) for branch, count in answer.branches.items()]
    said = f"captured {answer.captured} commits, passed over {answer.skipped}"
    return "\n".join([said, table(rows, indent="  ")]).rstrip()
