"""treering hook: what git hooks and the hooks of agents' clients call."""

import os
from typing import Any

import click

from treering.cli.group import join_outer, options
from treering.cli.run import stop_collecting_imports


@click.group("hook", params=options(), epilog="Example: treering hook drain")
@click.pass_context
def command(ctx: click.Context, repo: str | None, as_json: bool) -> None:
    """Take in what git hooks noted. The hooks themselves call `work`."""
    outer = ctx.obj or {}  # a place nobody named stays unnamed: an agent's client may name it
    ctx.obj = {
        "repo": repo or outer.get("repo"),
        "as_json": as_json or outer.get("as_json", False),
    }


@command.command("drain", params=options(), epilog="Example: treering hook drain")
def drain_command(**shared: Any) -> None:
    """Take in what is pending, as the worker does. `treering status` says how much that is."""
    from treering.actions.drain import Drained
    from treering.actions.driver import drain
    from treering.cli.invocation import name_invocation

    stop_collecting_imports()

    def render(answer: Drained) -> str:
        lines = [f"captured {answer.captured} commits, {answer.pending} events pending"]
        return "\n".join([*lines, *answer.errors])

    call = name_invocation(*join_outer(**shared))
    call.answer(drain(call.workspace), render)


@command.command("work", hidden=True, params=options())
@click.argument("event", default="")
def work_command(event: str, **shared: Any) -> None:
    """Drain, let memories follow their branches, and end. A hook starts it in the background."""
    from treering.cli.invocation import name_invocation
    from treering.git.objects import Person
    from treering.hooks.worker import work

    stop_collecting_imports()
    # Not the author: for its hooks git sets that to whoever wrote the commit.
    name, email = os.environ.get("GIT_COMMITTER_NAME"), os.environ.get("GIT_COMMITTER_EMAIL")
    person = Person(name, email) if name and email else None
    work(name_invocation(*join_outer(**shared)).repo, event, _inherited_lock(), person=person)


@command.command("push", hidden=True, params=options())
def push_command(**shared: Any) -> None:
    """Say what the push of this branch overrules. The hook of a push calls it, if asked to."""
    from treering.cli.guard import notice_push
    from treering.cli.invocation import name_invocation

    stop_collecting_imports()
    click.get_current_context().exit(notice_push(name_invocation(*join_outer(**shared))))


def _inherited_lock() -> int | None:
    """The descriptor by which a shim holds the worker's lock for us, if it does."""
    text = os.environ.pop("TREERING_LOCK", "")
    return int(text) if text.isdecimal() else None


@command.command(
    "agent",
    epilog="Example: treering hook agent claude SessionStart < event.json",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option("-C", "--repo", metavar="PATH", default="", help="The repository (default: here).")
@click.argument("client", default="")
@click.argument("event", default="")
def agent_command(repo: str, client: str, event: str) -> None:
    """Tell an agent what is remembered. Its client's own hooks call this.

    Reads the client's JSON from standard input, answers in the client's form, or not at all, within
    the time the client waits. It never fails: to a client, an exit code can mean to stop the agent.
    """
    from treering.cli.agent import answer_client

    outer: dict[str, Any] = click.get_current_context().obj or {}
    answer_client(repo or outer.get("repo") or "", client, event)
