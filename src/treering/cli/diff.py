"""treering diff"""

import click

from treering.actions.diff import Diff, diff, markdown
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import headline, safe


@click.command("diff", epilog="Example: treering diff main..feature --markdown")
@click.argument("range", metavar="A..B")
@click.option("--markdown", "as_markdown", is_flag=True, help="As a section for a pull request.")
@door.command
def command(door_: Door, range: str, as_markdown: bool) -> None:
    """Show what branch B knows that branch A does not."""
    door_.answer(diff(door_.open(), range), markdown if as_markdown else _text)


def _text(answer: Diff) -> str:
    lines = [f"+ {headline(item)}" for item in answer.added]
    lines += [f"~ {headline(item)}" for item in answer.changed]
    lines += [f"- {headline(item)}" for item in answer.forgotten]
    nothing = f"{safe(answer.branch)} knows nothing that {safe(answer.base)} does not."
    return "\n".join(lines) or nothing
