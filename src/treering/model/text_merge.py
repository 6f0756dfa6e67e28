"""Two changes of one text put together; where both changed the same words, the second one wins.

Words are compared where there are few of them, lines where there are many, and above that whole
texts: the comparison is quadratic at worst, and a text may come from a stranger.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_MOST_PARTS = 1_500


class Woven(NamedTuple):
    """The text of both changes, and whether words of the first one were lost."""

    text: str
    has_loser: bool


class _Hunk(NamedTuple):
    start: int
    end: int
    new: tuple[str, ...]


def merge_texts(base: str, first: str, second: str) -> Woven:
    """What `first` and `second` each made of `base`, together."""
    if second in (base, first):
        return Woven(first, has_loser=False)
    if first == base:
        return Woven(second, has_loser=False)
    for split in (split_words, _lines):
        parts = [split(text) for text in (base, first, second)]
        if max(map(len, parts)) <= _MOST_PARTS:
            return _put_together(*parts)
    return Woven(second, has_loser=True)


def split_words(text: str) -> list[str]:
    """Words, signs and the spaces between them: joined again they are the text."""
    return re.findall(r"\w+|\s+|[^\w\s]+", text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _put_together(base: list[str], first: list[str], second: list[str]) -> Woven:
    ours, theirs = _hunks(base, first), _hunks(base, second)
    survivors = [hunk for hunk in ours if not any(_meet(hunk, other) for other in theirs)]
    has_loser = any(hunk not in survivors and hunk not in theirs for hunk in ours)
    text, at = [], 0
    for hunk in sorted([*survivors, *theirs], key=lambda hunk: hunk[:2]):  # ours first where equal
        text += [*base[at : hunk.start], *hunk.new]
        at = hunk.end
    return Woven("".join([*text, *base[at:]]), has_loser)


def _hunks(base: Sequence[str], after: Sequence[str]) -> list[_Hunk]:
    matcher = SequenceMatcher(None, base, after, autojunk=False)
    return [
        _Hunk(start, end, tuple(after[new_start:new_end]))
        for kind, start, end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]


def _meet(one: _Hunk, other: _Hunk) -> bool:
    """Whether two changes touch the same words; what both add at one place can stay, both of it."""
    if one == other:
        return True
    if one.start == other.start:
        return one.end > one.start or other.end > other.start
    return one.start < other.end and other.start < one.end
