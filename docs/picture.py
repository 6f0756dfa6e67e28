"""Draws docs/terminal.svg from a real run of `treering demo`: `python docs/picture.py`.

The program is run in a terminal of its own; what it printed there, colours and all, becomes text in
the picture. Only the scenes named below are shown, so that it fits on one screen.
"""

import os
import pty
import re
import subprocess
from collections.abc import Sequence
from html import escape
from pathlib import Path

from treering.cli.caller import own_command

FOLDER = Path(__file__).parent
#: The scenes that are shown, and what the picture shows to those who do not see it.
SCENES = (1, 2, 3)
LABEL = (
    "A terminal session: a branch is squashed into main and deleted, an agent is told why a line is"
    " there before it edits it, and guard names the decision that the edit overrules"
)
COLUMNS = 112
LINE, CHARACTER, EDGE = 18, 7.8, 16
COLORS = {"31": "#f7768e", "32": "#9ece6a", "33": "#e0af68", "34": "#7aa2f7", "36": "#7dcfff"}


def recorded() -> str:
    """Everything the demo prints at a terminal."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"TERM": "xterm", "COLUMNS": str(COLUMNS), "LINES": "500"}
    start = own_command("demo")
    with subprocess.Popen(start, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


def shown(text: str, numbers: Sequence[int]) -> list[str]:
    """The lines of the chosen scenes, each cut to the width of the screen."""
    scenes = re.split(r"(?m)^\n(?=\x1b\[1m)", text)[1:]
    lines = "\n\n".join(scenes[number].rstrip() for number in numbers).split("\n")
    return [part for line in lines for part in _wrapped(line)]


def _wrapped(line: str) -> list[str]:
    """A line in pieces no wider than the screen; only plain and one-colour lines are that long."""
    codes = re.findall(r"\x1b\[[0-9;]*m", line)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", line)
    if len(bare) <= COLUMNS:
        return [line]
    start = codes[0] if codes else ""
    pieces = [bare[at : at + COLUMNS] for at in range(0, len(bare), COLUMNS)]
    return [f"{start}{piece}" for piece in pieces]


def svg(lines: list[str], label: str) -> str:
    """The lines as one picture."""
    width, height = COLUMNS * CHARACTER + 2 * EDGE, len(lines) * LINE + 3.5 * EDGE
    rows = [_row(line, EDGE * 2.6 + number * LINE) for number, line in enumerate(lines)]
    dots = "".join(
        f'<circle cx="{20 + 18 * n}" cy="16" r="5" fill="{fill}"/>'
        for n, fill in enumerate(("#f7768e", "#e0af68", "#9ece6a"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="{label}">\n'
        '<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>\n'
        f"{dots}\n"
        '<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="13" '
        'fill="#c0caf5" xml:space="preserve">\n' + "\n".join(rows) + "\n</g>\n</svg>\n"
    )


def _row(line: str, y: float) -> str:
    """One line; each run of one style is a piece with its own place, so that columns stay."""
    style: dict[str, str] = {}
    pieces, column = [], 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            style = _styled(style, part[2:-1].split(";"))
        elif part:
            marks = "".join(f' {name}="{value}"' for name, value in style.items())
            x = EDGE + column * CHARACTER
            length = len(part) * CHARACTER
            pieces.append(
                f'<tspan x="{x:.1f}" textLength="{length:.1f}"{marks}>{escape(part)}</tspan>'
            )
            column += len(part)
    return f'<text y="{y:.1f}">{"".join(pieces)}</text>'


def _styled(style: dict[str, str], codes: list[str]) -> dict[str, str]:
    for code in codes:
        if code in ("", "0"):
            style = {}
        elif code == "1":
            style = style | {"font-weight": "bold", "fill": "#ffffff"}
        elif code == "2":
            style = style | {"fill-opacity": "0.6"}
        elif code in COLORS:
            style = style | {"fill": COLORS[code]}
    return style


if __name__ == "__main__":
    (FOLDER / "terminal.svg").write_text(svg(shown(recorded(), SCENES), LABEL), encoding="utf-8")
