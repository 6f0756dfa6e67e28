"""treering link"""

from typing import Any

import click

from treering.actions.link import MadeLink, RemovedLink, link
from treering.cli import shared
from treering.cli.render import safe
from treering.cli.shared import Door


def run(
    door_: Door, source: str, rest: tuple[str, ...], relation: str, **given: Any
) -> MadeLink | RemovedLink:
    """The relation stands between the two memories, or is an option."""
    if len(rest) > 2 or (len(rest) == 2 and shared.is_typed("relation")):
        raise click.UsageError("Give a source, a relation or none, and a target.")
    word = rest[0] if len(rest) == 2 else relation
    return link(door_.open(), source, rest[-1], relation=word, **given)


def text(answer: MadeLink | RemovedLink) -> str:
    if isinstance(answer, RemovedLink):
        if answer.removed:
            return "removed"
        others = f", but there is {safe(', '.join(answer.relations))}" if answer.relations else ""
        return f"no such link{others}"
    verb = "linked" if answer.created else "kept"
    return (
        f"{verb}  {answer.source} {safe(answer.relation)} {answer.target}  ({answer.confidence:g})"
    )
