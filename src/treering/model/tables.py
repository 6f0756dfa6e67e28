"""The tables the program works by: word lists, rules and types, as plain text in `data/`.

A line in square brackets begins a section, `#` a comment; what the other lines mean is for whoever
reads them. Many are `name: value`, and a rule has `gate|gate :: pattern` for a value: the pattern
is worth trying on a text that holds one of the gates. TOML would do, but every capture would wait
for its parser: 4 ms for the credentials alone, against 0.15 ms.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parents[1] / "data"


class TableRule(NamedTuple):
    """A pattern, and texts of which one is in everything it matches."""

    name: str
    gates: tuple[str, ...]
    pattern: str


@cache
def read_table(name: str) -> dict[str, list[str]]:
    """Return the lines of each section of a table."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line[1:].partition("]")[0], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


def read_items(name: str, section: str) -> list[tuple[str, str]]:
    """Return the names of a section with their values, in order; a name may come twice."""
    return [
        (key, value) for key, _, value in (ln.partition(": ") for ln in read_table(name)[section])
    ]


def read_word_list(name: str, section: str) -> frozenset[str]:
    """Return the words of a section."""
    return frozenset(word for line in read_table(name)[section] for word in line.split())


@cache
def read_rules(name: str, section: str) -> tuple[TableRule, ...]:
    """Return the rules of a section in order."""
    parts = [(key, *value.partition(" :: ")) for key, value in read_items(name, section)]
    return tuple(
        TableRule(key, tuple(gates.split("|")), pattern) for key, gates, _, pattern in parts
    )
