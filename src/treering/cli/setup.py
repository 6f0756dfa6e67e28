"""The commands init, uninstall and config."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treering.actions.workspace import Workspace
from treering.cli.invocation import Invocation, name_invocation
from treering.cli.screen import Verbatim, bold, dim, screen, table

if TYPE_CHECKING:
    from treering.answers import SettingValues, Setup, Tryout


def run_init(call: Invocation, print: bool, **options: Any) -> Any:
    if not print:
        is_interactive = sys.stderr.isatty()
        progress = (lambda stage: call.say(f"{stage} ...")) if is_interactive else None
        answer = call.act(
            "init",
            program=_find_program(),
            is_interactive=is_interactive,
            progress=progress,
            **options,
        )
        if call.as_json or answer.dry_run:
            return answer

        steps = render_steps(call.workspace, call.act("status"))
        call.answer(answer, lambda done: "\n\n".join(filter(None, [render_init(done), steps])))
        return None
    pieces = _list_pieces(options["clients"], options["agents_md"])
    call.answer(
        {"files": pieces}, lambda answer: Verbatim("\n".join(map(_render_piece, answer["files"])))
    )
    return None


def _find_program() -> str:
    """Return what hooks start: this very program, wherever it is installed."""
    beside = Path(sys.executable).with_name("treering")
    return str(beside) if beside.exists() else ""


def _list_pieces(clients: tuple[str, ...], agents_md: bool) -> list[dict[str, str]]:
    from treering.actions.setup.clients import AGENTS, CLIENTS, client_named, whole

    names = clients or (() if agents_md else tuple(CLIENTS))
    additions = [addition for name in names for addition in client_named(name).additions]
    if agents_md:
        additions.append(AGENTS)
    return [{"path": addition.path, "content": whole(addition)} for addition in additions]


def _render_piece(piece: dict[str, str]) -> str:
    return f"# {piece['path']}\n{piece['content']}"


def render_init(answer: "Setup") -> str:
    """Return what was done, or would be, a line each."""
    hooks = [", ".join(answer.hooks)] if answer.hooks else []
    parts = (
        ("hooks", hooks), ("config", answer.config), ("file", answer.clients),
        ("memory", answer.purged or ()),
    )  # fmt: skip
    lines = [f"{kind:<7} {name}" for kind, names in parts for name in names]
    lines = lines or ["Nothing to do."]
    lines += list(answer.notes)
    if answer.dry_run:
        lines.append("Nothing was changed.")
    return "\n".join(lines)


def run_uninstall(call: Invocation, yes: bool, **options: Any) -> Any:
    if options["purge"] and not (options["dry_run"] or yes) and sys.stdin.isatty():
        import click

        call.answer(call.act("uninstall", **options | {"dry_run": True}), render_init)
        click.confirm("Delete all of this?", abort=True, err=True)
    return call.act("uninstall", **options)


render_uninstall = render_init


def render_config(answer: "SettingValues") -> str:
    return table([(s.key, s.value or "-", s.meaning) for s in answer.settings])


def run_try(call: Invocation, path: str | None) -> Any:
    if path:
        call = name_invocation(path, call.as_json)
    return call.act("try")


def render_try(answer: "Tryout") -> str:
    share = f"{answer.with_reason:,} of {answer.commits:,} commits give a reason"
    lines = [f"{share} ({answer.seconds:g} s, nothing was written)."]
    for finding in answer.findings:
        where = f"{finding.path}:{finding.first}-{finding.last}" if finding.first else finding.path
        who = finding.author.partition(" <")[0]
        lines += [
            "",
            bold(where),
            f"  {finding.subject}  {dim(f'{finding.commit[:12]}, {who}, {finding.when}')}",
            *(f"  {line}" for line in textwrap.wrap(finding.reason, min(screen().width - 2, 96))),
            *([f"  overruled by {finding.overruled_by[:12]}"] if finding.overruled_by else []),
        ]
    if not answer.findings:
        lines.append("No commit gives a reason below its subject.")
    return "\n".join([*lines, "", f"next: {answer.next}"])


#: Programs that show that a client is on this machine.
_PROGRAMS = {
    "claude": "claude", "codex": "codex", "gemini": "gemini", "cursor-agent": "cursor",
    "cursor": "cursor", "code": "vscode", "opencode": "opencode",
}  # fmt: skip


def render_steps(workspace: Workspace, status: Mapping[str, Any]) -> str:
    """Return what is not set up yet, a line per command; nothing where all of it is."""
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
        yield "backfill", f"go through {commits} of history, about {backfill['seconds']} s"
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
