"""treering forget"""

from typing import Any

import click

from treering.actions.forget import Forgotten, forget
from treering.cli import door
from treering.cli.door import Door


@click.command("forget", epilog="Example: treering forget 7k2m --reason 'no longer true'")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="", help="Why.")
@click.option("--restore", is_flag=True, help="Bring forgotten memories back.")
@click.option("-b", "--branch", default="", help="On another branch.")
@door.command
def command(door_: Door, ids: tuple[str, ...], **given: Any) -> None:
    """Hide memories on this branch, or bring them back; history keeps them."""
    door_.answer(forget(door_.open(), ids, **given), _text)


def _text(answer: Forgotten) -> str:
    if answer.restored is not None:
        return f"restored  {' '.join(answer.restored)}"
    hidden = f"  ({answer.links_hidden} links hidden)" if answer.links_hidden else ""
    return f"forgotten  {' '.join(answer.forgotten or ())}{hidden}"
