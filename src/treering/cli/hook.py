"""treering hook"""

import click

from treering.cli import door
from treering.cli.door import Door
from treering.cli.hook_agent import agent_command


@click.group("hook", epilog="Example: treering hook drain")
@click.option("-C", "--repo", metavar="PATH", help="The repository (default: here).")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@click.pass_context
def command(ctx: click.Context, repo: str | None, as_json: bool) -> None:
    """What git hooks noted: look at it now. The hooks themselves call `work`."""
    outer = ctx.obj or {}  # a place nobody named stays unnamed: an agent's client may name it
    ctx.obj = {
        "repo": repo or outer.get("repo"),
        "as_json": as_json or outer.get("as_json", False),
    }


@command.command("drain", epilog="Example: treering hook drain")
@door.command
def drain_command(door_: Door) -> None:
    """Capture what is pending; `treering status` says how much that is."""
    from treering.actions.drain import Drained, drain

    def text(answer: Drained) -> str:
        lines = [f"captured {answer.captured} commits, {answer.pending} events pending"]
        return "\n".join([*lines, *answer.errors])

    door_.answer(drain(door_.open()), text)


@command.command("work", hidden=True)
@click.argument("event", default="")
@door.command
def work_command(door_: Door, event: str) -> None:
    """Drain, let memories follow their branches, and end; what a shim starts in the background."""
    from treering.hooks.worker import work

    work(door_.repo, event)


command.add_command(agent_command)
