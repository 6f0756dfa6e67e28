"""treering hook"""

import os
from typing import Any

import click

from treering.cli.command import options, stop_collecting_imports
from treering.cli.hook_agent import agent_command


@click.group("hook", params=options(), epilog="Example: treering hook drain")
@click.pass_context
def command(ctx: click.Context, repo: str | None, as_json: bool) -> None:
    """What git hooks noted: look at it now. The hooks themselves call `work`."""
    outer = ctx.obj or {}  # a place nobody named stays unnamed: an agent's client may name it
    ctx.obj = {
        "repo": repo or outer.get("repo"),
        "as_json": as_json or outer.get("as_json", False),
    }


@command.command("drain", params=options(), epilog="Example: treering hook drain")
def drain_command(**called: Any) -> None:
    """Take in what is pending, as the worker does; `treering status` says how much that is."""
    from treering.actions.drain import Drained
    from treering.actions.driver import drain
    from treering.cli.shared import door_of

    stop_collecting_imports()

    def text(answer: Drained) -> str:
        lines = [f"captured {answer.captured} commits, {answer.pending} events pending"]
        return "\n".join([*lines, *answer.errors])

    door_ = door_of(**called)
    door_.answer(drain(door_.open()), text)


@command.command("work", hidden=True, params=options())
@click.argument("event", default="")
def work_command(event: str, **called: Any) -> None:
    """Drain, let memories follow their branches, and end; what a shim starts in the background."""
    from treering.cli.shared import door_of
    from treering.hooks.worker import work

    stop_collecting_imports()
    work(door_of(**called).repo, event, _inherited_lock())


def _inherited_lock() -> int | None:
    """The descriptor by which a shim holds the worker's lock for us, if it does."""
    told = os.environ.pop("TREERING_LOCK", "")
    return int(told) if told.isdecimal() else None


command.add_command(agent_command)
