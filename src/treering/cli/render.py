"""Answers as people read them."""

import re
from collections.abc import Sequence
from typing import Any

_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"


def safe(text: str) -> str:
    """Text from a memory, branch or author, without what could steer a terminal."""
    return re.sub(_CONTROLS, "", text)


def headline(item: Any) -> str:
    return f"{item.id}  {item.type:<10}  {safe(item.title)}"


def memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def table(rows: Sequence[tuple[str, ...]], indent: str = "") -> str:
    """Columns aligned by their widest cell; the last one runs free."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append((indent + "  ".join([*cells, row[-1]])).rstrip())
    return "\n".join(lines)
