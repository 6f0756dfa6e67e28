"""Alike without comparing each with each: what is found must not depend on the short cut."""

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from treering.model.memory import Memory
from treering.search.entry import Entry, entry_of
from treering.search.similarity import families, share_of_terms

WORDS = [f"word{n}" for n in range(40)]


def _entry(number: int, words: list[str]) -> Entry:
    text = " ".join(words)
    memory = Memory(
        f"{number:012d}", "insight", f"title {number}", text, *["2026-02-02T00:00:00Z"] * 2
    )
    return entry_of(f"{number:040d}", memory, dict.fromkeys(words, 1))


def _alike(one: Entry, other: Entry) -> float:
    first, second = (set(_texts[entry.blob].split()) for entry in (one, other))
    return 2 * len(first & second) / (len(first) + len(second))


_texts: dict[str, str] = {}


def _entries(texts: list[list[str]]) -> list[Entry]:
    entries = [_entry(number, words) for number, words in enumerate(texts)]
    _texts.update(
        {entry.blob: " ".join(words) for entry, words in zip(entries, texts, strict=True)}
    )
    return entries


@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=12, unique=True),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from([0.5, 0.7, 0.8, 0.95]),
)
def test_nothing_alike_is_missed(texts: list[list[str]], share: float) -> None:
    """Against the slow way: whoever is like nobody before it stands alone, everyone else joins."""
    entries = _entries(texts)
    first: list[Entry] = []
    joins = set()
    for entry in entries:
        if any(_alike(other, entry) >= share for other in first):
            joins.add(entry.id)
        else:
            first.append(entry)

    found = families(entries, share, _alike)

    assert {member.id for family in found for member in family.members[1:]} == joins
    assert all(
        _alike(family.members[0], member) >= family.score >= share
        for family in found
        for member in family.members[1:]
    )


def test_few_pairs_are_compared() -> None:
    """A thousand memories that share common words and differ in rare ones."""
    chance = random.Random(7)
    texts = [
        [*chance.sample(WORDS, 6), *(f"rare{number}x{n}" for n in range(6))]
        for number in range(1000)
    ]
    texts[500] = [*texts[10][:-1], "other"]
    compared = 0

    def counted(one: Entry, other: Entry) -> float:
        nonlocal compared
        compared += 1
        return _alike(one, other)

    (family,) = families(_entries(texts), 0.8, counted)

    assert [member.id for member in family.members] == ["000000000010", "000000000500"]
    assert compared < len(list(combinations(range(1000), 2))) / 100


def test_texts_are_compared_by_their_terms() -> None:
    """Order, case, endings and filler words do not count; numbers do."""
    assert share_of_terms("Use the WAL mode", "WAL mode is used") == 1
    assert share_of_terms("one", "two") == 0
    assert share_of_terms("", "") == 1
    assert 0.5 < share_of_terms("a timeout of 30 seconds", "a timeout of 60 seconds") < 0.8
