"""Answers as people read them."""

import time
from collections.abc import Sequence
from typing import Any

import click

from treering.cli.screen import kind, screen, short
from treering.model.dates import ago
from treering.text.hygiene import clean


def safe(text: str) -> str:
    """Text from a memory, branch or author, without what could steer a terminal."""
    return clean(text).replace("\r", "")


def headline(item: Any) -> str:
    return f"{short(item.id)}  {kind(item.type)}  {safe(item.title)}"


def memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


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
    return len(click.unstyle(cell)) if "\x1b" in cell else len(cell)


def format_date(written: str) -> str:
    """A date as it is kept; for people at a terminal also how long ago that was."""
    return f"{written} ({ago(written, time.time())})" if screen().is_terminal else written
