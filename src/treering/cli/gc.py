"""treering gc"""

from typing import Any

import click

from treering.actions.gc import Collected, Line, gc
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table


@click.command("gc", epilog="Example: treering gc --dry-run")
@click.option("-b", "--branch", default="", help="Only this branch.")
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option("--purge", is_flag=True, help="Delete old trash for good.")
@click.option("--older-than", default="30d", show_default=True, help="How old, with --purge.")
@click.option("--remote", default="", help="With --purge: remove it from this remote, too.")
@click.option("--force", is_flag=True, help="Put what cannot be judged into the trash, too.")
@click.option("--keep-lessons", is_flag=True, help="Keep failed outcomes of abandoned branches.")
@door.command
def command(door_: Door, **given: Any) -> None:
    """Let memories follow their branches: promote what landed, trash what was thrown away."""
    door_.answer(gc(door_.open(), **given), text)


def plan_row(line: Line) -> tuple[str, ...]:
    into = f"{line.action} into {safe(line.into)}" if line.into else line.action
    return (safe(line.branch), line.verdict, into, str(line.memories), safe(line.reason))


def text(answer: Collected) -> str:
    rows = [plan_row(line) for line in answer.plan]
    parts = [table(rows) or "No branch has memories."]
    if answer.purged:
        parts.append(
            f"{'would purge' if answer.dry_run else 'purged'} {len(answer.purged)} from trash"
        )
    if answer.dry_run:
        parts.append("Nothing was changed.")
    return "\n".join(parts)
