"""treering status"""

from typing import Any

import click

from treering.actions.status import VIEWS, status
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import memories as counted
from treering.cli.render import safe, table


@click.command("status", epilog="Example: treering status --view topics")
@click.option("--view", default="summary", show_default=True, help=", ".join(VIEWS))
@click.option("-b", "--branch", default="", help="As seen from another branch.")
@door.command
def command(door_: Door, view: str, branch: str) -> None:
    """Show what is remembered here and how the store is doing."""
    door_.answer(status(door_.open(), view=view, branch=branch), _text)


def _text(answer: dict[str, Any]) -> str:
    return _summary(answer) if "memories" in answer else _plain(answer)


def _summary(answer: dict[str, Any]) -> str:
    here, memories = answer["repository"], answer["memories"]
    lines = [
        f"On {safe(here['branch'])} (trunk: {safe(here['trunk'])}): "
        f"{counted(memories['visible'])} visible, {memories['total']} copies in all branches"
    ]
    if memories["by_type"]:
        lines.append("  " + ", ".join(f"{n} {kind}" for kind, n in memories["by_type"].items()))
    if answer["top_tags"]:
        tags = ", ".join(f"{safe(t['tag'])} ({t['count']})" for t in answer["top_tags"])
        lines.append(f"  tags: {tags}")
    rows = [(safe(b["branch"]), str(b["memories"]), b["state"]) for b in answer["branches"]]
    lines.append(table(rows, indent="  "))
    return "\n".join(line for line in lines if line)


def _plain(answer: dict[str, Any]) -> str:
    """A view that is one list of alike rows, or a few named values."""
    lines = []
    for name, value in answer.items():
        if isinstance(value, list):
            lines.append(table([tuple(safe(str(v)) for v in row.values()) for row in value]))
        else:
            lines.append(f"{name}: " + ", ".join(f"{k} {v}" for k, v in value.items()))
    return "\n".join(line for line in lines if line) or "Nothing yet."
