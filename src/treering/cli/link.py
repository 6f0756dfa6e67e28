"""treering link"""

from typing import Any

import click

from treering.actions.link import Linked, Unlinked, link
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command("link", epilog="Example: treering link 7k2m depends_on 0c5x --note 'needs its keys'")
@click.argument("source")
@click.argument("rest", nargs=-1, required=True, metavar="[RELATION] TARGET")
@click.option("--relation", default="", help="The relation, if not given between the two.")
@click.option("--confidence", type=float, default=0.8, show_default=True, help="From 0 to 1.")
@click.option("--note", default="", help="Why; `-` clears it.")
@click.option("--remove", is_flag=True, help="Take the link away for good.")
@click.option("-b", "--branch", default="", help="On another branch.")
@door.command
def command(door_: Door, source: str, rest: tuple[str, ...], relation: str, **given: Any) -> None:
    """Link one memory to another, strengthen their link, or remove it.

    Relations: relates_to (default), depends_on, uses, implements, affects, references, follows,
    supersedes, derived_from, prerequisite_of, part_of, conflicts_with, or any other word.
    """
    if len(rest) > 2 or (len(rest) == 2 and relation):
        raise click.UsageError("Give a source, a relation or none, and a target.")
    word = rest[0] if len(rest) == 2 else relation
    door_.answer(link(door_.open(), source, rest[-1], relation=word, **given), _text)


def _text(answer: Linked | Unlinked) -> str:
    if isinstance(answer, Unlinked):
        if answer.removed:
            return "removed"
        others = f"; there is {safe(', '.join(answer.relations))}" if answer.relations else ""
        return f"no such link{others}"
    verb = "linked" if answer.created else "kept"
    return (
        f"{verb}  {answer.source} {safe(answer.relation)} {answer.target}  ({answer.confidence:g})"
    )
