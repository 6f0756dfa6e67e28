"""The screen: whether there is one, how large it is, and the parts answers are made of.

Piped output stays plain and whole. On a terminal ids are short, words have colour (NO_COLOR and
TERM=dumb turn it off), and what does not fit goes through a pager.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago

#: Hears how many steps are done, and of how many.
Progress = Callable[[int, int], None]

SHORT_ID = 8
_NO_TERMINAL = os.terminal_size((80, 24))

_KINDS = {
    "decision": "cyan",
    "convention": "cyan",
    "pattern": "blue",
    "insight": "yellow",
    "issue": "red",
    "debt": "red",
    "security": "red",
    "checkpoint": "green",
    "progress": "green",
}


class Screen(NamedTuple):
    is_terminal: bool
    has_color: bool
    width: int
    height: int


@cache
def screen() -> Screen:
    """Standard output as it is for this process."""
    is_terminal = sys.stdout.isatty()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    size = _terminal_size() if is_terminal else _NO_TERMINAL
    return Screen(is_terminal, is_terminal and not plain, size.columns, size.lines)


def _terminal_size() -> os.terminal_size:
    import shutil  # which loads three compressions; whoever pipes our output need not wait for them

    return shutil.get_terminal_size()


def echo(text: str, *, is_error: bool = False) -> None:
    """A line, at once."""
    print(text, file=sys.stderr if is_error else sys.stdout, flush=True)


def show(text: str) -> None:
    """Print an answer; what is taller than the screen goes through the pager."""
    if screen().is_terminal and text.count("\n") >= screen().height - 1:
        import click

        click.echo_via_pager(text + "\n", color=screen().has_color)
    else:
        echo(text)


def ask(question: str) -> str:
    """What somebody types; who has had enough interrupts."""
    import click

    try:
        reply: str = click.prompt(question, default="", show_default=False)
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return reply


def _style(text: str, **style: Any) -> str:
    """Coloured where there are colours: only then is click needed for it."""
    if not screen().has_color or not text:
        return text
    import click

    return click.style(text, **style)


def dim(text: str) -> str:
    return _style(text, dim=True)


def bold(text: str) -> str:
    return _style(text, bold=True)


def kind(name: str, width: int = 10) -> str:
    """The type of a memory, in its colour."""
    padded = f"{name:<{width}}"
    color = _KINDS.get(name)
    return _style(padded, fg=color) if color else padded


def short(memory_id: str) -> str:
    """An id as people copy it; programs get it whole."""
    return memory_id[:SHORT_ID] if screen().is_terminal else memory_id


def cut(text: str, taken: int) -> str:
    """The text cut to what is left of a line of the screen; whole where there is no screen."""
    room = screen().width - taken
    if not screen().is_terminal or room < 10 or len(text) <= room:
        return text
    return text[: room - 1] + "…"


def rule(title: str = "") -> str:
    """A line across the screen; where there is none, the title alone."""
    if not screen().is_terminal:
        return title
    head = f"── {title} " if title else ""
    return dim(head + "─" * max(0, min(screen().width, 100) - len(head)))


def headline(item: Any) -> str:
    return f"{short(item.id)}  {kind(item.type)}  {titled(item)}"


def titled(item: Any) -> str:
    """A title, after the word for what did not work: nobody must take it for advice."""
    outcome = getattr(item, "outcome", None)
    return f"{outcome}: {item.title}" if outcome in UNSUCCESSFUL else str(item.title)


def mark_words(item: Any) -> list[str]:
    """What replaces a memory, may replace it, or took it back, in a few words each."""
    from treering.actions.marks import marks_of

    return list(marks_of(item).words)


def marked(item: Any) -> str:
    """The same in brackets; nothing where there is none."""
    words = "; ".join(mark_words(item))
    return "  " + dim(f"({words})") if words else ""


def count(number: int, noun: str = "memory") -> str:
    """A number with its noun, as in "1 commit" and "3 memories"."""
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    several = f"{noun}es" if noun.endswith("ch") else several
    return f"{number} {noun if number == 1 else several}"


def table(rows: Sequence[tuple[str, ...]], indent: str = "") -> str:
    """Columns aligned by their widest cell; the last one runs free."""
    if not rows:
        return ""
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        pairs = zip(row, widths, strict=False)
        cells = [cell + " " * (width - _width(cell)) for cell, width in pairs]
        lines.append((indent + "  ".join([*cells, row[-1]])).rstrip())
    return "\n".join(lines)


def _width(cell: str) -> int:
    """How much room a cell takes: colours take none."""
    if "\x1b" not in cell:
        return len(cell)
    import click

    return len(click.unstyle(cell))


def format_date(written: str) -> str:
    """A date as it is kept; for people at a terminal also how long ago that was."""
    return f"{written} ({ago(written, time.time())})" if screen().is_terminal else written


@contextmanager
def progress_bar(label: str, *, quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error for people who wait. The total is known with the first step.

    How far it is, and not how long it will take: steps are not alike, and a guess is wrong.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    import click

    bar = click.progressbar(
        length=0, label=label, file=sys.stderr, show_eta=False, show_percent=True
    )

    def step(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    with bar:
        yield step
