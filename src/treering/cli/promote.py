"""treering promote"""

import click

from treering.actions.gc import Line, promote_by_hand
from treering.cli import door
from treering.cli.door import Door
from treering.cli.gc import plan_row
from treering.cli.render import table


@click.command("promote", epilog="Example: treering promote feature/x --into main")
@click.argument("branch")
@click.option("--into", default="", help="Default: the trunk.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@door.command
def command(door_: Door, branch: str, into: str, dry_run: bool) -> None:
    """Put a branch's memories into another branch's now, whatever its code did."""
    door_.answer(promote_by_hand(door_.open(), branch, into=into, dry_run=dry_run), text)


def text(answer: Line) -> str:
    return table([plan_row(answer)])
