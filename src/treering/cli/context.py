"""treering context"""

from typing import Any

from treering.actions.context.context import context
from treering.cli import shared
from treering.cli.render import safe
from treering.cli.shared import Door


def run(door_: Door, files: tuple[str, ...], recent_files: tuple[str, ...], **given: Any) -> None:
    workspace = door_.open()
    answer = context(
        workspace,
        files=shared.relative_to_root(workspace, files),
        recent_files=shared.relative_to_root(workspace, recent_files),
        **given,
    )
    door_.answer(answer, text)
    door_.tidy_later(workspace)


def text(answer: dict[str, Any]) -> str:
    lines = [safe(answer["text"]) or "Nothing is remembered that matters here."]
    if answer["left_out"]:
        lines.append(f"{answer['left_out']} more did not fit. --budget makes room.")
    if answer["flagged"]:
        lines.append(f"left out as suspicious: {', '.join(answer['flagged'])}")
    return "\n".join(lines)
