"""Two changes of one text put together; where both changed the same words, the second one wins.

Words are compared as far as that takes work that grows with the text (see `find_gaps`), since a
text may come from a stranger: what is left between counts as changed.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class MergedText(NamedTuple):
    """The text of both changes, and whether words of the first one were lost."""

    text: str
    has_loser: bool


class _Hunk(NamedTuple):
    start: int
    end: int
    new: tuple[str, ...]


def merge_texts(base: str, first: str, second: str) -> MergedText:
    """Return what `first` and `second` each made of `base`, together."""
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


# --- where two rows of words differ: patience diff ------------------------------------------------


Words = Sequence[str]
#: Which words of the one stand in the place of which of the other.
Gap = tuple[slice, slice]

_SHORT = 64  # words
_DEEPEST = 8  # cuts within cuts


def find_gaps(one: Words, other: Words) -> list[Gap]:
    """The stretches in which two rows differ, in order."""
    return list(_find(one, other, slice(0, len(one)), slice(0, len(other)), _DEEPEST))


def _find(one: Words, other: Words, mine: slice, theirs: slice, depth: int) -> Iterator[Gap]:
    a, b, c, d = mine.start, mine.stop, theirs.start, theirs.stop
    while a < b and c < d and one[a] == other[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and one[b - 1] == other[d - 1]:
        b, d = b - 1, d - 1
    if a == b or c == d:
        if a < b or c < d:
            yield slice(a, b), slice(c, d)
        return
    left, right = one[a:b], other[c:d]
    if max(len(left), len(right)) <= _SHORT:
        from difflib import SequenceMatcher  # most captures have nothing to compare

        for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if tag != "equal":
                yield slice(a + i, a + j), slice(c + k, c + m)
        return
    anchors = _list_anchors(left, right) if depth else []
    if not anchors:
        yield slice(a, b), slice(c, d)
        return
    at, there = a, c
    for i, k in [*anchors, (len(left), len(right))]:
        yield from _find(one, other, slice(at, a + i), slice(there, c + k), depth - 1)
        at, there = a + i + 1, c + k + 1


def _list_anchors(one: Words, other: Words) -> list[tuple[int, int]]:
    """The places of words that both rows have once, as many as stand in the same order."""
    counts, others = Counter(one), Counter(other)
    places = {word: at for at, word in enumerate(other) if others[word] == 1 == counts[word]}
    pairs = [(at, places[word]) for at, word in enumerate(one) if word in places]
    return _longest_rise(pairs)


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs of which both numbers grow; the first ones do already."""
    ends: list[int] = []  # the smallest second number that a row of each length ends with
    last: list[int] = []  # and which pair that is
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        length = bisect_left(ends, there)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [there]
        last[length : length + 1] = [number]
    row, at = list[tuple[int, int]](), last[-1] if last else -1
    while at >= 0:
        row.append(pairs[at])
        at = before[at]
    return row[::-1]
