"""treering init"""

import sys
from pathlib import Path
from typing import Any

import click

from treering.actions.init import Setup, init
from treering.actions.setup.clients import AGENTS, CLIENTS, client_named, whole
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe


@click.command("init", epilog="Example: treering init --client claude --dry-run")
@door.listed("--client", "--clients", "clients", help=f"Connect a client: {', '.join(CLIENTS)}.")
@click.option("--agents-md", is_flag=True, help="Add a short section for agents to AGENTS.md.")
@click.option("--sync", is_flag=True, help="Share memories whenever you push.")
@click.option("--no-hooks", is_flag=True, help="Leave git hooks alone.")
@click.option("--force", is_flag=True, help="Write hooks into a folder of the work tree, too.")
@click.option("--dry-run", is_flag=True, help="Show what would be done and change nothing.")
@click.option("--print", "shows", is_flag=True, help="Show what goes into the files of a client.")
@door.command
def command(door_: Door, no_hooks: bool, shows: bool, **given: Any) -> None:
    """Let git hooks, fetches and agents know of treering; what is there is kept.

    Memories need none of it. Run it again at any time: what is in place is left alone.
    """
    if shows:
        pieces = _pieces(given["clients"], given["agents_md"])
        door_.answer({"files": pieces}, lambda answer: "\n".join(map(_piece, answer["files"])))
        return
    done = init(door_.open(), program=_program(), hooks=not no_hooks, **given)
    door_.answer(done, said)


def _program() -> str:
    """What hooks start: this very program, wherever it is installed."""
    beside = Path(sys.executable).with_name("treering")
    return str(beside) if beside.exists() else ""


def _pieces(clients: tuple[str, ...], agents_md: bool) -> list[dict[str, str]]:
    names = clients or (() if agents_md else tuple(CLIENTS))
    additions = [addition for name in names for addition in client_named(name).additions]
    if agents_md:
        additions.append(AGENTS)
    return [{"path": addition.path, "content": whole(addition)} for addition in additions]


def _piece(piece: dict[str, str]) -> str:
    return f"# {piece['path']}\n{piece['content']}"


def said(answer: Setup) -> str:
    """What was done, or would be, a line each."""
    parts = (("hook", answer.hooks), ("config", answer.config), ("file", answer.clients))
    lines = [f"{kind:<7} {safe(what)}" for kind, found in parts for what in found]
    lines = lines or ["Nothing to do."]
    lines += [safe(note) for note in answer.notes]
    if answer.dry_run:
        lines.append("Nothing was changed.")
    return "\n".join(lines)
