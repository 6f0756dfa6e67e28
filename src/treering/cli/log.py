"""treering log"""

import click

from treering.actions.log import Log, log
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table


@click.command("log", epilog="Example: treering log 7k2m")
@click.argument("id", required=False, default="")
@click.option("-n", "--limit", type=int, default=50, show_default=True)
@click.option("-b", "--branch", default="", help="As seen from another branch.")
@click.option("--all", "all_", is_flag=True, help="Every branch.")
@door.command
def command(door_: Door, id: str, limit: int, branch: str, all_: bool) -> None:
    """Show what happened to memories, newest first, or to one of them."""
    door_.answer(log(door_.open(), id, limit=limit, branch=branch, all=all_), _text)


def _text(answer: Log) -> str:
    rows = [
        (e.when, e.commit[:12], e.op, e.id, safe(e.branch), safe(e.title)) for e in answer.entries
    ]
    return table(rows) or "Nothing has been remembered here yet."
