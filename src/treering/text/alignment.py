"""Where two rows of words differ.

Short ones are aligned in full, which takes time that grows with the square of their length. Long
ones are first cut at the words that both have exactly once and in the same order; where so much is
left between two such words that nobody would read it, it counts as different from end to end.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Words = Sequence[str]
#: Which words of the one stand in the place of which of the other.
Gap = tuple[slice, slice]

_SHORT = 64  # words


def find_gaps(one: Words, other: Words) -> list[Gap]:
    """The stretches in which two rows differ, in order."""
    return [gap for piece in _cut(one, other) for gap in _align(one, other, *piece)]


def _align(one: Words, other: Words, mine: slice, theirs: slice) -> Iterator[Gap]:
    left, right = one[mine], other[theirs]
    if left == right:
        return
    if max(len(left), len(right)) > _SHORT:
        yield mine, theirs
        return
    from difflib import SequenceMatcher  # most captures have nothing to compare

    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            at, there = mine.start, theirs.start
            yield slice(at + a, at + b), slice(there + c, there + d)


def _cut(one: Words, other: Words) -> Iterator[Gap]:
    """Both rows in pieces, between the words that are the same in both."""
    at = there = 0
    for mine, theirs in _list_anchors(one, other):
        yield slice(at, mine), slice(there, theirs)
        at, there = mine + 1, theirs + 1
    yield slice(at, len(one)), slice(there, len(other))


def _list_anchors(one: Words, other: Words) -> list[tuple[int, int]]:
    """The places of words that both rows have once, as many as stand in the same order."""
    if max(len(one), len(other)) <= _SHORT:
        return []
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
