"""The commands log, why, diff and revert."""

import time
from typing import TYPE_CHECKING, Any

from treering.cli.invocation import Invocation
from treering.cli.screen import (
    SHORT_ID,
    Verbatim,
    bold,
    count,
    cut,
    dim,
    headline,
    marked,
    screen,
    short,
    shorten,
    table,
    titled,
)
from treering.errors import Invalid
from treering.model.dates import ago

if TYPE_CHECKING:
    from treering.actions.history import LogDrawing
    from treering.answers import Card, Diff, Log, ReviewQueue, Revised
    from treering.derived.history import DrawnLine


_STROKES = str.maketrans({"*": "●", "|": "│", "_": "─"})


def run_log(
    call: Invocation, id: str, limit: int, branch: str, all: bool, graph: bool
) -> "Log | LogDrawing":
    from treering.actions.history import drawing, log

    if not graph:
        return log(call.workspace, id, limit=limit, branch=branch, all=all)
    if id:
        raise Invalid("--graph draws branches, not a single memory.", hint="Leave out the id.")
    return drawing(call.workspace, limit=limit, branch=branch, all=all or not branch)


def render_log(answer: "Log | LogDrawing") -> str:
    from treering.actions.history import LogDrawing

    text = _draw(answer) if isinstance(answer, LogDrawing) else _list_events(answer)
    return text or "There are no memories here yet."


def _list_events(answer: "Log") -> str:
    now = time.time()
    is_terminal = screen().is_terminal
    rows: list[tuple[str, ...]] = []
    for e in answer.entries:
        title = titled(e) + (f"  (flagged: {', '.join(e.flags)})" if e.flags else "") + marked(e)
        if is_terminal:  # the branch behind the title: names are long, and mostly the same
            last = f"{title}  {dim(f'({shorten(e.branch)})')}"
            rows.append((ago(e.when, now), dim(e.commit[:SHORT_ID]), e.op, short(e.id), last))
        else:
            rows.append((e.when, e.commit[:12], e.op, short(e.id), e.branch, title))
    return table(rows)


def _draw(answer: "LogDrawing") -> str:
    now = time.time()
    lines = [_draw_line(line, now) for line in answer.lines]
    return "\n".join(lines).rstrip("\n")


def _draw_line(line: "DrawnLine", now: float) -> str:
    strokes = line.strokes.translate(_STROKES) if screen().is_terminal else line.strokes
    if not line.commit:
        return strokes
    age = f"{ago(line.when, now):>10}"
    label = f"[{line.tip_of}] " if line.tip_of else ""
    subject = cut(line.subject, len(strokes) + len(age) + len(label) + 3)
    # git draws the end of one history right above the next: a gap keeps them apart.
    gap = "\n" if line.is_first and line.strokes == "*" else ""
    return f"{strokes} {dim(age)}  {bold(label)}{subject}{gap}"


def run_diff(call: Invocation, range: str, markdown: bool, **options: Any) -> None:
    call.answer(call.act("diff", range, **options), _render_markdown if markdown else render_diff)


def _render_markdown(answer: "Diff") -> Verbatim:
    from treering.actions.history import markdown

    return Verbatim(markdown(answer))


def render_diff(answer: "Diff") -> str:
    lines = [
        headline(item, f"{sign} ", marked(item) + (dim("  (private)") if item.private else ""))
        for sign, items in (("+", answer.added), ("~", answer.changed), ("-", answer.forgotten))
        for item in items
    ]
    nothing = f"{answer.branch} has no memories that {answer.base} lacks."
    return "\n".join(lines) or nothing


def render_revert(answer: "Revised") -> str:
    what = f"reverted {', '.join(answer.changed)}" if answer.changed else "unchanged"
    if answer.reverted:
        what = f"reverted {count(len(answer.reverted))}"
    return f"{answer.id}  {what}  ({answer.branch})"


def render_review(queue: "ReviewQueue") -> str:
    lines = [f"kept  {' '.join(queue.kept)}"] if queue.kept else []
    lines += [_render_item(item) for item in queue.items]
    if not queue.items:
        lines.append(f"Nothing to review on {queue.branch}.")
    elif queue.total > len(queue.items):
        lines.append(f"{len(queue.items)} of {count(queue.total)}: use --limit to see more")
    return "\n".join(lines)


def _render_item(item: "Card") -> str:
    lines = [headline(item)]
    for doubt in item.reasons or ():
        other = f"  {short(doubt.other)}" if doubt.other else ""
        lines.append(dim(f"    {doubt.reason}: {doubt.detail}{other}"))
    lines.append(dim(f"    next: {item.next}"))
    return "\n".join(lines)
