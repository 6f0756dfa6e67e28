"""The command review: a queue for a person at a terminal, a list for everybody else."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from treering.cli.invocation import Invocation
from treering.cli.screen import count, dim, headline, safe, screen, short
from treering.errors import TreeringError

if TYPE_CHECKING:
    from treering.answers import DoubtfulMemory, ReviewQueue

_KEYS = "[k]eep [r]evise [s]upersede [m]erge [f]orget [n]ext [q]uit"
_MORE = 1000


def run_review(call: Invocation, **options: Any) -> "ReviewQueue | None":
    is_asked = not (options["keep"] or call.as_json or os.environ.get("TREERING_AGENT"))
    if not (is_asked and sys.stdin.isatty() and screen().is_terminal):
        queue: ReviewQueue = call.act("review", **options)
        return queue
    queue = call.act("review", **options | {"limit": _MORE})
    if not queue.items:
        return queue
    for number, item in enumerate(queue.items, 1):
        click.echo(f"\n{number} of {queue.total}  {_render_item(item)}", color=screen().has_color)
        if not _Decision(call, item, options["branch"]).ask():
            break
    return None


def render_review(queue: "ReviewQueue") -> str:
    lines = [f"kept  {' '.join(queue.kept)}"] if queue.kept else []
    lines += [_render_item(item) for item in queue.items]
    if not queue.items:
        lines.append(f"Nothing doubtful on {safe(queue.branch)}.")
    elif queue.total > len(queue.items):
        lines.append(f"{len(queue.items)} of {count(queue.total)}: --limit shows more")
    return "\n".join(lines)


def _render_item(item: "DoubtfulMemory") -> str:
    lines = [headline(item)]
    for doubt in item.reasons:
        other = f"  {short(doubt.other)}" if doubt.other else ""
        lines.append(dim(f"    {doubt.reason}: {safe(doubt.detail)}{other}"))
    return "\n".join(lines)


class _Decision:
    """What a person decides about one memory, by one key."""

    def __init__(self, call: Invocation, item: "DoubtfulMemory", branch: str) -> None:
        self._call = call
        self._item = item
        self._branch = branch
        self._other = next((doubt.other for doubt in item.reasons if doubt.other), "")

    def ask(self) -> bool:
        """Ask until something is decided; whether to go on with the next one."""
        deeds: dict[str, Callable[[], str]] = {
            "k": self._keep,
            "r": self._revise,
            "s": self._supersede,
            "m": self._merge,
            "f": self._forget,
        }
        while True:
            key = _read_key(f"{_KEYS}? ")
            if key in ("q", "\x04", ""):
                return False
            if key == "n":
                return True
            if key not in deeds:
                continue
            try:
                if said := deeds[key]():
                    click.echo(said)
                    return True
            except TreeringError as error:
                click.echo(f"error: {safe(error.message)}")

    def _keep(self) -> str:
        self._call.act("review", keep=[self._item.id], branch=self._branch)
        return "kept"

    def _revise(self) -> str:
        text = _edit(self._text(self._item.id))
        if not text:
            return ""
        self._call.act("revise", self._item.id, content=text, branch=self._branch)
        return f"revised, and {self._keep()}"

    def _supersede(self) -> str:
        newer = click.prompt("By which memory", default=self._other or None)
        options = {"supersede_with": newer, "branch": self._branch}
        self._call.act("revise", self._item.id, **options)
        return f"superseded by {safe(newer)}"

    def _merge(self) -> str:
        other = click.prompt("With which memory", default=self._other or None)
        text = _edit(f"{self._text(self._item.id)}\n\n{self._text(other)}", is_as_it_is=True)
        if not text:
            return ""
        ids = [self._item.id, other]
        self._call.act(
            "maintain", "merge", ids=ids, content=text, dry_run=False, branch=self._branch
        )
        return f"merged with {safe(other)}"

    def _forget(self) -> str:
        self._call.act("forget", [self._item.id], reason="review", branch=self._branch)
        return f"forgotten: `treering forget --restore {short(self._item.id)}` brings it back"

    def _text(self, memory_id: str) -> str:
        memory = self._call.act("read", memory_id, branch=self._branch)
        return str(memory.content)


def _read_key(question: str) -> str:
    """One key, without Enter. click's own way throws away what was typed ahead."""
    import termios  # only a terminal has them
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        click.echo(question, nl=False)
        key = os.read(terminal, 1).decode(errors="replace").lower()
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    click.echo(key if key.isprintable() else "")
    return key


def _edit(text: str, *, is_as_it_is: bool = False) -> str:
    """A text as somebody leaves it in their editor; "" where it was left alone."""
    edited = click.edit(text, extension=".md")
    if edited is None:  # closed without saving
        return text if is_as_it_is else ""
    return "" if edited.strip() == text.strip() and not is_as_it_is else edited.strip()
