"""treering restore"""

import click

from treering.actions.restore import Restored, restore
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import memories, safe


@click.command("restore", epilog="Example: treering restore feature/x")
@click.argument("branch")
@click.option("--before-sync", is_flag=True, help="What the last sync hid or changed, instead.")
@door.command
def command(door_: Door, branch: str, before_sync: bool) -> None:
    """Bring the dropped memories of a branch back, whether the branch is back or not.

    With --before-sync what the last sync hid or changed is made what it was; each call goes one
    sync further back.
    """
    door_.answer(restore(door_.open(), branch, before_sync=before_sync), text)


def text(answer: Restored) -> str:
    return f"restored {memories(answer.memories)} of {safe(answer.branch)}"
