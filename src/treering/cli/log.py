"""treering log"""

import time

from treering.actions.log import Log, LogDrawing, drawing, log
from treering.cli.render import safe, table
from treering.cli.screen import bold, cut, dim, screen, short
from treering.cli.shared import Door
from treering.errors import Invalid
from treering.model.dates import ago
from treering.store.history import DrawnLine

_STROKES = str.maketrans({"*": "●", "|": "│", "_": "─"})


def run(door_: Door, id: str, limit: int, branch: str, all: bool, graph: bool) -> Log | LogDrawing:
    if not graph:
        return log(door_.open(), id, limit=limit, branch=branch, all=all)
    if id:
        raise Invalid("--graph draws branches, not one memory.", hint="Leave out the id.")
    return drawing(door_.open(), limit=limit, branch=branch, all=all or not branch)


def text(answer: Log | LogDrawing) -> str:
    said = _draw(answer) if isinstance(answer, LogDrawing) else _list_events(answer)
    return said or "Nothing has been remembered here yet."


def _list_events(answer: Log) -> str:
    now = time.time()
    rows = [
        (
            ago(e.when, now) if screen().is_terminal else e.when,
            dim(e.commit[:12]),
            e.op,
            short(e.id),
            safe(e.branch),
            safe(e.title) + (f"  (flagged: {', '.join(e.flags)})" if e.flags else ""),
        )
        for e in answer.entries
    ]
    return table(rows)


def _draw(answer: LogDrawing) -> str:
    now = time.time()
    lines = [_line(line, now) for line in answer.lines]
    return "\n".join(lines).rstrip("\n")


def _line(line: DrawnLine, now: float) -> str:
    strokes = line.strokes.translate(_STROKES) if screen().is_terminal else line.strokes
    if not line.commit:
        return strokes
    age = f"{ago(line.when, now):>10}"
    label = f"[{safe(line.tip_of)}] " if line.tip_of else ""
    said = cut(safe(line.subject), len(strokes) + len(age) + len(label) + 3)
    # git draws the end of one history right above the next; a gap tells them apart.
    gap = "\n" if line.is_first and line.strokes == "*" else ""
    return f"{strokes} {dim(age)}  {bold(label)}{said}{gap}"
