"""Where two rows of words differ: what is left of both is the same, in the same order."""

import random
import sys
from collections.abc import Callable

import pytest

from treering.model.text_merge import Gap, find_gaps, merge_texts
from treering.web.memory import compare_words


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


# --- what a text costs: counted, not timed --------------------------------------------------------


def _count_calls(work: Callable[[], object]) -> int:
    count = 0

    def watch(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


HOSTILE = {
    "one word": ("no ", "no yes "),
    "two words in turn": ("yes no ", "no yes yes "),
    "each word its own": ("{0}a ", "{0}a {0}b "),
    "signs": ("- ", "-- - "),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_merging_twice_the_text_is_twice_the_work(name: str) -> None:
    """A text of 1.5 KB of one word took five seconds."""
    old, new = HOSTILE[name]

    def merge(size: int) -> None:
        base, first = ("".join(text.format(n) for n in range(size)) for text in (old, new))
        merge_texts(base, f"{first} mine", f"theirs {first[::-1]}")

    merge(10)
    once, twice = _count_calls(lambda: merge(3000)), _count_calls(lambda: merge(6000))

    assert twice <= 2.5 * once + 1000


def test_showing_a_difference_costs_what_the_texts_are_long() -> None:
    compare_words("no " * 10, "no yes " * 10)

    once, twice = (
        _count_calls(lambda size=size: compare_words("no " * size, "no yes " * size))
        for size in (350, 700)
    )

    assert twice <= 2.5 * once + 1000


def test_an_edit_of_a_text_of_one_word_is_merged_all_the_same() -> None:
    base = "no " * 2000

    merged = merge_texts(base, f"{base}first", f"second {base}")

    assert (merged.text, merged.has_loser) == (f"second {base}first", False)
