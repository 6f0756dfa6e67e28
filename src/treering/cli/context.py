"""treering context"""

from typing import Any

import click

from treering.actions.context import context
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command(
    "context",
    epilog="Example: treering context --task 'fix the login' --file src/auth/login.py",
)
@click.option("--task", default="", help="What is about to be done.")
@door.listed("--file", "--files", "files", help="A file being worked on; may be repeated.")
@door.listed("--recent-file", "--recent-files", "recent_files", help="May be repeated.")
@click.option("--budget", type=int, default=2000, show_default=True, help="Characters at most.")
@click.option("--template", default="", help="A saved template to render it with.")
@click.option("-b", "--branch", default="", help="As seen from another branch.")
@door.command
def command(
    door_: Door, files: tuple[str, ...], recent_files: tuple[str, ...], **given: Any
) -> None:
    """Show what matters now for these files and this task, within a budget."""
    workspace = door_.open()
    answer = context(
        workspace,
        files=door.relative_to_root(workspace, files),
        recent_files=door.relative_to_root(workspace, recent_files),
        **given,
    )
    door_.answer(answer, _text)
    door_.tidy_later(workspace)


def _text(answer: dict[str, Any]) -> str:
    lines = [safe(answer["text"]) or "Nothing is remembered that matters here."]
    if answer["left_out"]:
        lines.append(f"{answer['left_out']} more did not fit; --budget makes room.")
    if answer["flagged"]:
        lines.append(f"left out as suspicious: {', '.join(answer['flagged'])}")
    return "\n".join(lines)
