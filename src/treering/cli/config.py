"""treering config"""

import click

from treering.actions.config import Settings, config
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table


@click.command("config", epilog="Example: treering config trunk develop")
@click.argument("key", required=False, default="")
@click.argument("value", required=False, default="")
@click.option("--unset", is_flag=True, help="Go back to the default.")
@door.command
def command(door_: Door, key: str, value: str, unset: bool) -> None:
    """Show or change settings; they live in git's configuration as treering.KEY."""
    door_.answer(config(door_.open(), key, value, unset=unset), _text)


def _text(answer: Settings) -> str:
    return table([(s.key, safe(s.value) or "-", s.meaning) for s in answer.settings])
