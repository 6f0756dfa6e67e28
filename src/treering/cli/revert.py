"""treering revert"""

import click

from treering.actions.revert import revert
from treering.actions.revise import Revised
from treering.cli import door
from treering.cli.door import Door


@click.command("revert", epilog="Example: treering revert 7k2m --to 9fceb02d0ae5")
@click.argument("id")
@click.option("--to", default="", metavar="COMMIT", help="A commit of `treering log ID`.")
@click.option("-b", "--branch", default="", help="On another branch.")
@door.command
def command(door_: Door, id: str, to: str, branch: str) -> None:
    """Make a memory what it was before its last change, or at one of its commits."""
    door_.answer(revert(door_.open(), id, to=to, branch=branch), _text)


def _text(answer: Revised) -> str:
    what = f"reverted {', '.join(answer.changed)}" if answer.changed else "unchanged"
    return f"{answer.id}  {what}  ({answer.branch})"
