"""treering recall"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from treering.actions.recall import Recalled, RecallHit, recall
from treering.actions.workspace import Workspace
from treering.cli import shared
from treering.cli.render import headline, safe, table
from treering.cli.screen import dim, screen
from treering.cli.shared import Door
from treering.model.dates import ago


def run(door_: Door, query: str, pick: bool, **given: Any) -> None:
    workspace = door_.open()
    answer = recall(workspace, query, **given)
    # Who did not ask for a mode need not hear at every search that there is no model.
    is_told_all = door_.as_json or shared.is_typed("mode")
    told = answer if is_told_all else replace(answer, notes=_notes(answer))
    if pick and answer.results and not door_.as_json:
        _pick(door_, workspace, told, given)
    else:
        door_.answer(told, text)
    door_.tidy_later(workspace)


def _pick(door_: Door, workspace: Workspace, answer: Recalled, given: dict[str, Any]) -> None:
    """Ask which of the hits to read; an empty answer ends it."""
    from treering.actions.read import read
    from treering.cli.read import text as tell

    rows = [(str(n), headline(result)) for n, result in enumerate(answer.results, 1)]
    click.echo(table(rows, indent="  "), color=screen().has_color)
    while said := click.prompt("Read which?", default="", show_default=False):
        if said.isdecimal() and 1 <= int(said) <= len(rows):
            chosen = answer.results[int(said) - 1].id
            door_.answer(read(workspace, chosen, branch=given["branch"], at=given["at"]), tell)
            return
        click.echo(f"A number from 1 to {len(rows)}, or nothing.", err=True)


def _notes(answer: Recalled) -> tuple[str, ...]:
    return tuple(note for note in answer.notes or () if "embedding" not in note)


def text(answer: Recalled) -> str:
    now = time.time()
    lines = [_result(result, now) for result in answer.results]
    if not lines:
        lines = [f"Nothing found on {safe(answer.branch)}."]
    lines.append(_summary(answer))
    lines += [f"note: {note}" for note in answer.notes or ()]
    return "\n".join(line for line in lines if line)


def _result(result: RecallHit, now: float) -> str:
    marks = [safe(result.branch), ago(result.created, now)]
    marks += [result.status] if result.status != "active" else []
    marks += (
        [f"files {result.stale.state}"] if result.stale and result.stale.state != "fresh" else []
    )
    marks += ["private"] if result.private else []
    marks += [f"edited by {safe(_names(result.edited_by))}"] if result.edited_by else []
    marks += [f"flagged: {', '.join(result.flags)}"] if result.flags else []
    head = f"{headline(result)}  " + dim(f"({', '.join(marks)})")
    text = result.content if result.content is not None else result.snippet
    if not text or text == result.title:
        return head
    return head + "\n" + "\n".join(dim(f"    {safe(line)}") for line in text.splitlines())


def _names(people: Sequence[str]) -> str:
    return ", ".join(person.partition(" <")[0] for person in people)


def _summary(answer: Recalled) -> str:
    hidden = [f"{n} {word.replace('_', ' ')}" for word, n in answer.withheld.items() if n]
    parts = []
    if answer.cursor:
        parts.append(f"{len(answer.results)} of {answer.total}, next: --cursor {answer.cursor}")
    if hidden:
        parts.append(f"withheld: {', '.join(hidden)}")
    return "\n".join(parts)
