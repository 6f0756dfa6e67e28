"""One sketch and one measure, for captures and for the index."""

import random

import pytest

from treering.text.likeness import likeness, pack, sketch, smallest, unpack

WORDS = [f"word{n}" for n in range(2000)]


def test_few_words_are_compared_exactly() -> None:
    one, other = sketch(["use", "wal", "mode"]), sketch(["use", "wal", "always"])

    assert likeness(one, other, cut=128) == likeness({1, 2, 3}, {1, 2, 4}) == 0.5


def test_what_has_nothing_is_like_nothing() -> None:
    assert likeness(frozenset[str](), frozenset[str]()) == 0
    assert likeness(sketch([]), sketch(["wal"]), cut=128) == 0


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_sketches_tell_about_how_much_long_texts_share(share: float) -> None:
    """The whole texts are not looked at: a sample of 128 words errs by a few hundredths."""
    chance = random.Random(7)
    common = round(1000 * share)
    chosen = chance.sample(WORDS, 1000)
    one, other = chosen[: (1000 + common) // 2], chosen[(1000 - common) // 2 :]

    assert likeness(sketch(one), sketch(other), cut=128) == pytest.approx(share, abs=0.12)


def test_a_sketch_is_the_same_after_it_was_kept() -> None:
    original = sketch(WORDS, 24)

    assert unpack(pack(original)) == original
    assert smallest(original, 24) == sorted(original)
