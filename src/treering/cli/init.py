"""treering init"""

import sys
from pathlib import Path
from typing import Any

from treering.actions.setup.clients import AGENTS, CLIENTS, client_named, whole
from treering.actions.setup.init import Setup, init
from treering.cli.render import safe
from treering.cli.shared import Door
from treering.cli.sync import show_stage


def run(door_: Door, print: bool, **given: Any) -> Setup | None:
    if not print:
        is_attended = sys.stderr.isatty()
        progress = show_stage if is_attended and not door_.as_json else None
        return init(
            door_.open(), program=_program(), is_attended=is_attended, progress=progress, **given
        )
    pieces = _pieces(given["clients"], given["agents_md"])
    door_.answer({"files": pieces}, lambda answer: "\n".join(map(_piece, answer["files"])))
    return None


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


def text(answer: Setup) -> str:
    """What was done, or would be, a line each."""
    parts = (("hook", answer.hooks), ("config", answer.config), ("file", answer.clients))
    lines = [f"{kind:<7} {safe(what)}" for kind, found in parts for what in found]
    lines = lines or ["Nothing to do."]
    lines += [safe(note) for note in answer.notes]
    if answer.dry_run:
        lines.append("Nothing was changed.")
    return "\n".join(lines)
