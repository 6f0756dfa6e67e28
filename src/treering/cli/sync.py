"""treering sync"""

import sys
from typing import Any

import click

from treering.actions.sync import Synced, sync
from treering.cli.render import safe, table
from treering.cli.shared import Door


def run(door_: Door, direction: str, **given: Any) -> Synced:
    is_attended = sys.stderr.isatty()
    progress = show_stage if is_attended and not door_.as_json else None
    return sync(door_.open(), direction, is_attended=is_attended, progress=progress, **given)


def show_stage(stage: str) -> None:
    click.echo(f"{stage} ...", err=True)


def text(answer: Synced) -> str:
    rows = [
        (
            safe(line.branch),
            line.status,
            safe("; ".join(line.notes or ())) or safe(line.reason or ""),
        )
        for line in answer.scopes
        if line.status != "unchanged"
    ]
    said = [table(rows)] if rows else []
    said += [safe(note) for note in answer.notes or ()]
    said.append(
        f"{answer.remote}: {answer.fetched} fetched, {answer.pushed} pushed, {answer.merged} merged"
        if rows
        else f"{answer.remote}: nothing new"
    )
    return "\n".join(said)
