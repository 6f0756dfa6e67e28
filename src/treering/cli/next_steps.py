"""The first minute: what to do next in a repository, each step with its command."""

import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from treering.actions.workspace import Workspace
from treering.cli.screen import dim, table

#: Programs that show that a client is on this machine.
_PROGRAMS = {
    "claude": "claude", "codex": "codex", "gemini": "gemini", "cursor-agent": "cursor",
    "cursor": "cursor", "code": "vscode", "opencode": "opencode",
}  # fmt: skip


def render_steps(workspace: Workspace, status: Mapping[str, Any]) -> str:
    """What is not set up yet, a line per command; nothing where all of it is."""
    rows = [(f"treering {words}", dim(why)) for words, why in _list_steps(workspace, status)]
    return "Next:\n" + table(rows, indent="  ") if rows else ""


def _list_steps(workspace: Workspace, status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from treering.actions.setup.clients import CLIENTS
    from treering.actions.setup.init import list_unconnected

    repository = workspace.repository
    if not status["hooks"]["installed"]:
        yield "init", "capture commits as you make them"
    if backfill := status.get("backfill"):
        commits = f"{backfill['commits']:,} {'commit' if backfill['commits'] == 1 else 'commits'}"
        yield "backfill", f"capture {commits} of history, about {backfill['seconds']} s"
    installed = {name for program, name in _PROGRAMS.items() if shutil.which(program)}
    if names := list_unconnected(repository, installed):
        titles = ", ".join(CLIENTS[name].title for name in names)
        yield "init " + " ".join(f"--client {name}" for name in names), f"connect {titles}"
    remotes = [remote["name"] for remote in status["remotes"]]
    if remotes and (repository.config("treering.sync") or "false").lower() == "false":
        yield "init --sync", f"share memories with {remotes[0]} when you push and pull"


def is_new(status: Mapping[str, Any]) -> bool:
    """Say whether this repository is in its first minute: no hooks, or history not captured."""
    return not status["hooks"]["installed"] or "backfill" in status
