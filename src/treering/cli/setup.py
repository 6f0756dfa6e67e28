"""The commands init, uninstall and config."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treering.cli.invocation import Invocation
from treering.cli.screen import table

if TYPE_CHECKING:
    from treering.answers import SettingValues, Setup


def run_init(call: Invocation, print: bool, **options: Any) -> Any:
    if not print:
        is_attended = sys.stderr.isatty()
        progress = (lambda stage: call.say(f"{stage} ...")) if is_attended else None
        return call.act(
            "init",
            program=_find_program(),
            is_attended=is_attended,
            progress=progress,
            **options,
        )
    pieces = _list_pieces(options["clients"], options["agents_md"])
    call.answer({"files": pieces}, lambda answer: "\n".join(map(_render_piece, answer["files"])))
    return None


def _find_program() -> str:
    """What hooks start: this very program, wherever it is installed."""
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
    """What was done, or would be, a line each."""
    parts = (
        ("hook", answer.hooks), ("config", answer.config), ("file", answer.clients),
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
        click.confirm("Take all of it away?", abort=True, err=True)
    return call.act("uninstall", **options)


render_uninstall = render_init


def render_config(answer: "SettingValues") -> str:
    return table([(s.key, s.value or "-", s.meaning) for s in answer.settings])
