"""treering diff"""

from treering.actions.diff import Diff, diff
from treering.actions.diff import markdown as as_markdown
from treering.cli.render import headline, safe
from treering.cli.shared import Door


def run(door_: Door, range: str, markdown: bool) -> None:
    door_.answer(diff(door_.open(), range), as_markdown if markdown else text)


def text(answer: Diff) -> str:
    lines = [f"+ {headline(item)}" for item in answer.added]
    lines += [f"~ {headline(item)}" for item in answer.changed]
    lines += [f"- {headline(item)}" for item in answer.forgotten]
    nothing = f"{safe(answer.branch)} knows nothing that {safe(answer.base)} does not."
    return "\n".join(lines) or nothing
