"""treering diff"""

import click

from treering.actions.diff import Diff, diff, markdown
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command("diff", epilog="Example: treering diff main..feature --markdown")
@click.argument("range", metavar="A..B")
@click.option("--markdown", "as_markdown", is_flag=True, help="As a section for a pull request.")
@door.command
def command(door_: Door, range: str, as_markdown: bool) -> None:
    """Show what branch B knows that branch A does not."""
    door_.answer(diff(door_.open(), range), markdown if as_markdown else _text)


def _text(answer: Diff) -> str:
    lines = [f"+ {item.id}  {item.type:<10}  {safe(item.title)}" for item in answer.added]
    lines += [f"~ {item.id}  {item.type:<10}  {safe(item.title)}" for item in answer.changed]
    lines += [f"- {item.id}  {item.type:<10}  {safe(item.title)}" for item in answer.forgotten]
    return "\n".join(lines) or f"{answer.branch} knows nothing that {answer.base} does not."
