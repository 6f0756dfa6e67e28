"""treering restore"""

import click

from treering.actions.gc import Restored, restore
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import memories, safe


@click.command("restore", epilog="Example: treering restore feature/x")
@click.argument("branch")
@door.command
def command(door_: Door, branch: str) -> None:
    """Bring the dropped memories of a branch back, whether the branch is back or not."""
    door_.answer(restore(door_.open(), branch), text)


def text(answer: Restored) -> str:
    return f"restored {memories(answer.memories)} of {safe(answer.branch)}"
