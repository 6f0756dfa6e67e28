"""Where two rows of words differ: patience diff.

What both begin and end with is the same. Short rows are aligned in full, which takes time that
grows with the square of their length. Long ones are cut at the words that both have exactly once
and in the same order, and each piece is looked at again; where no such word is left, a long piece
counts as different from end to end. So the work grows with the length, whatever is in a text: the
same word a thousand times costs no more than a thousand words.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

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
