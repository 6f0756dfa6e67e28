"""treering uninstall"""

import click

from treering.actions.init import uninstall
from treering.cli import door
from treering.cli.door import Door
from treering.cli.init import said


@click.command("uninstall", epilog="Example: treering uninstall --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")
@door.command
def command(door_: Door, dry_run: bool) -> None:
    """Take back what `treering init` added; memories and other settings stay."""
    door_.answer(uninstall(door_.open(), dry_run=dry_run), said)
