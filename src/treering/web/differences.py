"""Two texts side by side or in one, with what differs marked.

Long texts are compared line by line, short ones word by word: so they can be read.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from treering.model.text_merge import find_gaps

_MOST_WORDS = 1500
_AROUND = 3


class DiffPart(NamedTuple):
    """A piece of text, and whether both have it, only the old one, or only the new one."""

    kind: Literal["same", "old", "new", "gap"]
    text: str


def compare_words(old: str, new: str) -> list[DiffPart]:
    """The new text, with what went and what came; by lines where there is too much of it."""
    one, two = (re.findall(r"\s+|\w+|[^\w\s]", text) for text in (old, new))
    if max(len(one), len(two)) > _MOST_WORDS:
        return compare_lines(old, new)
    return _compare(one, two)


def compare_lines(old: str, new: str, *, is_brief: bool = False) -> list[DiffPart]:
    """The same by lines. `is_brief` leaves out what is far from any difference."""
    one, two = (text.splitlines(keepends=True) for text in (old, new))
    parts = _compare(one, two)
    return [brief for part in parts for brief in _shorten(part)] if is_brief else parts


def _compare(one: Sequence[str], two: Sequence[str]) -> list[DiffPart]:
    parts: list[DiffPart] = []
    at = 0
    for was, now in [*find_gaps(one, two), (slice(len(one), len(one)), slice(0, 0))]:
        same, old, new = one[at : was.start], one[was], two[now]
        parts += [DiffPart("same", "".join(same))] if same else []
        parts += [DiffPart("old", "".join(old))] if old else []
        parts += [DiffPart("new", "".join(new))] if new else []
        at = was.stop
    return parts


def _shorten(part: DiffPart) -> list[DiffPart]:
    lines = part.text.splitlines(keepends=True)
    if part.kind != "same" or len(lines) <= 2 * _AROUND + 1:
        return [part]
    return [
        DiffPart("same", "".join(lines[:_AROUND])),
        DiffPart("gap", f"{len(lines) - 2 * _AROUND} lines are the same"),
        DiffPart("same", "".join(lines[-_AROUND:])),
    ]
