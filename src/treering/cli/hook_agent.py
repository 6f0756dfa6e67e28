"""treering hook agent"""

import os
from typing import Any

import click

#: Clients wait for their hooks; later than this many seconds we say nothing.
DEADLINE, _LONGEST = 1.0, 60.0


@click.command(
    "agent",
    epilog="Example: treering hook agent claude SessionStart < event.json",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option("-C", "--repo", metavar="PATH", default="", help="The repository (default: here).")
@click.argument("client", default="")
@click.argument("event", default="")
def agent_command(repo: str, client: str, event: str) -> None:
    """Tell an agent what is remembered; what its client's own hooks call.

    Reads the client's JSON from standard input, answers in the client's form, or not at all, within
    a second. It never fails: to a client, an exit code can mean to stop the agent.
    """
    from treering.cli.command import stop_collecting_imports
    from treering.cli.shared import (
        open_workspace,  # before the clock starts: it is most of what is loaded
    )
    from treering.hooks.deadline import Say, answer_within

    stop_collecting_imports()
    outer: dict[str, Any] = click.get_current_context().obj or {}
    place = repo or outer.get("repo") or ""

    def work(say: Say) -> None:
        from treering.hooks.agent import call_of, handle, read_input

        if call := call_of(client, event, read_input(0)):
            handle(call, place, open_workspace, say)

    try:
        said = answer_within(_deadline(), work)
    except OSError:
        return
    os.write(1, said)


def _deadline() -> float:
    """A second, unless a slow machine is given more."""
    try:
        return min(float(os.environ["TREERING_HOOK_SECONDS"]), _LONGEST)
    except (KeyError, ValueError):
        return DEADLINE
