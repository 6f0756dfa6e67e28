"""Makes docs/reference/coming-from.md from the rows that the tests run."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from e2e.coming_from.rows import Call, Row, System
from e2e.coming_from.table import DIFFERENCES, ROWS, SYSTEMS

PAGE = Path(__file__).parent / "reference" / "coming-from.md"
_LONGEST = 24

TOP = """\
# Coming from another system

The {count} tools of {systems}, and what to call here instead.
In the command line the same words are commands and options.
This page is made by `python docs/generate.py`.
Every call on it is made by the project's tests through the MCP server, and its answer checked.

To bring your memories along, see [bring in what you have](../howto/migrate.md).

## What is another way here, on purpose

| what | there | here | why |
| --- | --- | --- | --- |
{differences}
"""


def page() -> str:
    """The whole page."""
    names = [system.name for system in SYSTEMS]
    rows = [f"| {' | '.join(cells)} |" for cells in DIFFERENCES]
    listed = f"{', '.join(names[:-1])} and the {names[-1].lower()}"
    top = TOP.format(count=len(ROWS), systems=listed, differences="\n".join(rows))
    return "\n".join([top, *map(_section, SYSTEMS)])


def _section(system: System) -> str:
    rows = "\n".join(_row(row) for row in system.rows)
    head = "| there | here | mind |\n| --- | --- | --- |"
    return f"## {system.name}\n\n{system.about}\n\n{head}\n{rows}\n"


def _row(row: Row) -> str:
    calls = "<br>".join(
        f"`{text}`" for text in dict.fromkeys(_call(call) for call in row.calls if call.is_job)
    )
    return f"| `{row.example}` | {calls} | {row.mind} |"


def _call(call: Call) -> str:
    given = ", ".join(f"{name}={_value(value)}" for name, value in call.given.items())
    return f"{call.tool}({given})"


def _value(value: Any) -> str:
    """Short words as they are; texts and ids as what they stand for."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if value == "$out":
            return '"out:..."'
        if "$" in value:
            return f'"{value.partition("$")[0]}..."'
        return f'"{value}"' if len(value) <= _LONGEST and "\n" not in value else '"..."'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return "{...}"
    return str(value)
