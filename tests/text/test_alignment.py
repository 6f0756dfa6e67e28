"""Where two rows of words differ: what is left of both is the same, in the same order."""

import random

import pytest

from treering.text.alignment import Gap, find_gaps


def _without(row: list[str], gaps: list[slice]) -> list[str]:
    places = {at for gap in gaps for at in range(gap.start, gap.stop)}
    return [word for at, word in enumerate(row) if at not in places]


def _changed(words: list[str], count: int, dice: random.Random) -> list[str]:
    other = list(words)
    for _ in range(count):
        at = dice.randrange(len(other))
        other[at : at + dice.randrange(3)] = [f"new{dice.randrange(99)}"] * dice.randrange(3)
    return other


@pytest.mark.parametrize("size", [5, 60, 300])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_outside_the_gaps_is_the_same(size: int, seed: int) -> None:
    """However long both are."""
    dice = random.Random(seed)
    one = [f"w{dice.randrange(2 * size)}" for _ in range(size)]
    other = _changed(one, 4, dice)

    gaps = find_gaps(one, other)

    mine, theirs = [gap[0] for gap in gaps], [gap[1] for gap in gaps]
    assert _without(one, mine) == _without(other, theirs)
    assert sum(gap.stop - gap.start for gap in (*mine, *theirs)) < 60


def test_one_word_in_a_long_text_is_found() -> None:
    """With nothing else beside it."""
    one = [f"w{number}" for number in range(200)]
    other = [*one[:150], "another", *one[151:]]

    gaps: list[Gap] = find_gaps(one, other)

    assert gaps == [(slice(150, 151), slice(150, 151))]
    assert find_gaps(one, one) == []


def test_texts_that_share_nothing_are_one_gap() -> None:
    """Nobody reads two hundred words that differ."""
    one, other = ["a", "b"] * 100, ["b", "c"] * 100

    assert find_gaps(one, other) == [(slice(0, 200), slice(0, 200))]
