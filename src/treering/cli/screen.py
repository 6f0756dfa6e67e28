"""The screen: whether there is one, how large it is, and the parts answers are made of.

Piped output stays plain and whole. On a terminal ids are short, types and states have colours
(NO_COLOR and TERM=dumb turn them off), lines wrap at words, and tall answers go through a pager.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from treering.model.choices import UNSUCCESSFUL
from treering.model.dates import ago

#: Called with (done, total).
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
#: Words for the state of a branch, a memory or a sync, by the colour they are shown in.
_STATES = {
    "green": ("live", "merged", "accepted", "pushed", "new", "updated", "promote", "keep"),
    "yellow": ("unsure", "partly", "proposed", "private", "conflict", "newer", "superseded"),
    "red": ("failed", "abandoned", "trash", "gone", "damaged", "refused", "reverted", "outdated"),
}
_STATE_COLORS = {word: color for color, words in _STATES.items() for word in words}
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_BEGINNING = re.compile(r"((?:\x1b\[[0-9;]*m)*)( *)")
_PIECES = re.compile(r" +|[^ ]+")
#: A line that can be copied into a shell is left whole.
_COMMAND = re.compile(r"(treering|git) [a-z]")
#: The least room for the last column of a table, and how much of the screen one before it may take.
_LEAST_ROOM, _LARGEST_SHARE = 24, 3


class Verbatim(str):
    """Text for a file or another program (markdown, a drawing): never wrapped."""

    __slots__ = ()


_RESET = "\x1b[0m"


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
    if screen().is_terminal and not isinstance(text, Verbatim):
        text = "\n".join(_wrap_line(line) for line in text.split("\n"))
    if screen().is_terminal and text.count("\n") >= screen().height - 1:
        import click

        # click knows which pagers show colours, and asks less for it where LESS is not set.
        click.echo_via_pager(text + "\n", color=None if screen().has_color else False)
    else:
        echo(text)


def _wrap_line(line: str) -> str:
    """A line of an answer as it fits; what goes on below is indented by two more."""
    head = _BEGINNING.match(line)
    if head is None or width_of(line) <= screen().width or _COMMAND.match(line, head.end()):
        return line
    return wrap(head[1] + line[head.end() :], head[2], head[2] + "  ")


def wrap(text: str, first: str = "", rest: str | None = None) -> str:
    """Wrap at words on a terminal: `first` stands before the first line, `rest` before the others.

    Colours go on behind a break, and a word longer than a line is cut into pieces.
    """
    room = screen().width
    if not screen().is_terminal or width_of(first) + width_of(text) <= room:
        return first + text
    rest = " " * width_of(first) if rest is None else rest
    if room - width_of(rest) < _LEAST_ROOM:
        rest = "    "
    lines, line, taken, style, gap = [], first, width_of(first), "", ""
    is_empty = True
    for piece in _split_pieces(text, room - width_of(rest)):
        if piece[0] == " ":
            gap = piece
            continue
        if not is_empty and taken + len(gap) + width_of(piece) > room:
            lines.append(line + (_RESET if style else ""))
            line, taken, gap = rest + style, width_of(rest), ""
        line += gap + piece
        taken += len(gap) + width_of(piece)
        gap, is_empty = "", False
        for code in _STYLE.findall(piece):
            style = "" if code == _RESET else style + code
    return "\n".join([*lines, line])


def _split_pieces(text: str, room: int) -> Iterator[str]:
    """Words and the gaps between them; a word that no line can hold in several."""
    for piece in _PIECES.findall(text):
        if piece[0] == " " or width_of(piece) <= room:
            yield piece
            continue
        part = ""
        for character in re.findall(r"\x1b\[[0-9;]*m|.", piece, re.DOTALL):
            if width_of(part + character) > room:
                yield part
                part = ""
            part += character
        yield part


def ask(question: str) -> str:
    """Return what somebody types; who has had enough interrupts."""
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


def state(word: str) -> str:
    """A word for a state, in its colour: green is in order, yellow needs a look, red is over."""
    color = _STATE_COLORS.get(word.partition(" ")[0].rstrip(":"))
    return _style(word, fg=color) if color else word


def mark(words: str) -> str:
    """Something said of a memory: a state has its colour, all else is in the background."""
    colored = state(words)
    return colored if colored != words else dim(words)


def short(memory_id: str) -> str:
    """An id as people copy it; programs get it whole."""
    return memory_id[:SHORT_ID] if screen().is_terminal else memory_id


def cut(text: str, taken: int) -> str:
    """The text cut to what is left of a line of the screen; whole where there is no screen."""
    room = screen().width - taken
    if not screen().is_terminal or room < 10 or width_of(text) <= room:
        return text
    while width_of(text) > room - 1:
        text = text[:-1]
    return text + "…"


def rule(title: str = "") -> str:
    """A line across the screen; where there is none, the title alone."""
    if not screen().is_terminal:
        return title
    head = f"── {title} " if title else ""
    return dim(head + "─" * max(0, min(screen().width, 100) - len(head)))


def headline(item: Any, first: str = "", tail: str = "") -> str:
    """A memory in a line, or in a few of which the later ones stand below its title."""
    head = f"{first}{short(item.id)}  {kind(item.type)}  "
    return wrap(titled(item) + tail, head)


def titled(item: Any) -> str:
    """A title, after the word for what did not work: nobody must take it for advice."""
    outcome = getattr(item, "outcome", None)
    return f"{state(outcome)}: {item.title}" if outcome in UNSUCCESSFUL else str(item.title)


def mark_words(item: Any) -> list[str]:
    """Return what replaces a memory, may replace it, or took it back, in a few words each."""
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
    """Columns aligned by their widest cell. On a terminal long cells are cut, and the last column
    wraps, below the others where it has no room beside them."""
    if not rows:
        return ""
    columns = range(len(rows[0]) - 1)
    if screen().is_terminal:
        rows = [(*map(shorten, row[:-1]), row[-1]) for row in rows]
    widths = [max(width_of(row[i]) for row in rows) for i in columns]
    lines = []
    for row in rows:
        pairs = zip(row, widths, strict=False)
        cells = [cell + " " * (width - width_of(cell)) for cell, width in pairs]
        head = indent + "".join(f"{cell}  " for cell in cells)
        if screen().is_terminal and screen().width - width_of(head) < _LEAST_ROOM:
            below = indent + "    "
            fits = width_of(head) + width_of(row[-1]) <= screen().width
            last = row[-1] if fits else "\n" + wrap(row[-1], below, below)
            lines.append(f"{head.rstrip()}{last}" if not fits else f"{head}{last}".rstrip())
        else:
            lines.append(wrap(row[-1], head).rstrip())
    return "\n".join(lines)


def shorten(name: str) -> str:
    """A name that takes at most a part of the screen; one that is cut loses its colour."""
    most = screen().width // _LARGEST_SHARE
    if not screen().is_terminal or width_of(name) <= most:
        return name
    name = _STYLE.sub("", name)
    while width_of(name) > most - 1:
        name = name[:-1]
    return name + "…"


def width_of(text: str) -> int:
    """Return how many columns a text takes: colours take none, wide characters two."""
    if "\x1b" in text:
        text = _STYLE.sub("", text)
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


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
