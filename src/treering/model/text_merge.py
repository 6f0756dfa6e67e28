"""Two changes of one text put together; where both changed the same words, the second one wins.

Words are compared as far as that takes work that grows with the text (see alignment.py), since a
text may come from a stranger: what is left between counts as changed.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from treering.model.alignment import find_gaps


class MergedText(NamedTuple):
    """The text of both changes, and whether words of the first one were lost."""

    text: str
    has_loser: bool


class _Hunk(NamedTuple):
    start: int
    end: int
    new: tuple[str, ...]


def merge_texts(base: str, first: str, second: str) -> MergedText:
    """What `first` and `second` each made of `base`, together."""
    if second in (base, first):
        return MergedText(first, has_loser=False)
    if first == base:
        return MergedText(second, has_loser=False)
    return _put_together(*map(split_words, (base, first, second)))


def split_words(text: str) -> list[str]:
    """Words, signs and the spaces between them: joined again they are the text."""
    return re.findall(r"\w+|\s+|[^\w\s]+", text)


def _put_together(base: list[str], first: list[str], second: list[str]) -> MergedText:
    ours, theirs = _hunks(base, first), _hunks(base, second)
    starts = [hunk.start for hunk in theirs]
    survivors, has_loser = [], False
    for hunk in ours:
        near = theirs[max(0, bisect_left(starts, hunk.start) - 1) : bisect_right(starts, hunk.end)]
        if any(_meet(hunk, other) for other in near):
            has_loser = has_loser or hunk not in near
        else:
            survivors.append(hunk)
    text, at = [], 0
    for hunk in sorted([*survivors, *theirs], key=lambda hunk: hunk[:2]):  # ours first where equal
        text += [*base[at : hunk.start], *hunk.new]
        at = hunk.end
    return MergedText("".join([*text, *base[at:]]), has_loser)


def _hunks(base: Sequence[str], after: Sequence[str]) -> list[_Hunk]:
    gaps = find_gaps(base, after)
    return [_Hunk(was.start, was.stop, tuple(after[now])) for was, now in gaps]


def _meet(one: _Hunk, other: _Hunk) -> bool:
    """Return whether two changes touch the same words; what both add at one place can stay, both of
    it."""
    if one == other:
        return True
    if one.start == other.start:
        return one.end > one.start or other.end > other.start
    return one.start < other.end and other.start < one.end
