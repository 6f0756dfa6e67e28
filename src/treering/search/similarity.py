"""Which memories are alike, found without comparing each with each.

Two memories that share most of their terms share one of their rarest, so only memories that meet
on the shelf of a rare term are compared. A memory joins the first one it is like and is compared
with nothing more: each family is alike to one of its own, not along a chain of neighbours.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from treering.search.analysis import terms
from treering.search.entry import Entry

_WORD = 4
_SAMPLE = 0.6  # a sketch is a small sample, tags count in it and texts decide: ask it for less
_CROWD = 50  # memories looked at on one shelf: hundreds of the same title stay affordable

Likeness = Callable[[Entry, Entry], float]


class Family(NamedTuple):
    """Entries that are alike, the one the others were compared with first."""

    members: tuple[Entry, ...]
    score: float  # of the least alike


def share_of_terms(one: str, other: str) -> float:
    """How many of their terms two texts share, from 0 to 1 (Dice)."""
    first, second = _terms_of(one), _terms_of(other)
    if not first or not second:
        return float(one == other)
    return 2 * len(first & second) / (len(first) + len(second))


@lru_cache(4096)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def families(entries: Sequence[Entry], share: float, likeness: Likeness) -> list[Family]:
    """Groups of two and more whose `likeness` is at least `share`; nearest to each other first."""
    sketches = [_sketch(entry) for entry in entries]
    rarity = Counter(term for sketch in sketches for term in sketch)
    shelves: dict[bytes | str, list[int]] = {}
    joined: dict[int, list[tuple[int, float]]] = {}

    for place, entry in enumerate(entries):
        labels: list[bytes | str] = [
            *_rarest(sketches[place], rarity, share * _SAMPLE),
            entry.title,
        ]
        met = {other for label in labels for other in shelves.get(label, ())[-_CROWD:]}
        scores = (
            (likeness(entries[other], entry), -other)
            for other in met
            if entries[other].title == entry.title
            or _may_be_alike(sketches[other], sketches[place], share * _SAMPLE)
        )
        score, first = max(scores, default=(0.0, 0))
        if score and score >= share:
            joined.setdefault(-first, []).append((place, score))
            continue
        for label in labels:
            shelves.setdefault(label, []).append(place)

    found = [_family(entries, first, others) for first, others in joined.items()]
    return sorted(found, key=lambda family: -family.score)


def _family(entries: Sequence[Entry], first: int, others: Iterable[tuple[int, float]]) -> Family:
    places, scores = zip(*others, strict=True)
    return Family((entries[first], *(entries[place] for place in places)), min(scores))


def _rarest(sketch: frozenset[bytes], rarity: Counter[bytes], share: float) -> list[bytes]:
    """So many of the rarest that two sketches with `share` in common have one of these in common:
    whoever misses all of them misses more than is allowed."""
    ordered = sorted(sketch, key=lambda term: (rarity[term], term))
    return ordered[: len(ordered) - ceil(share * len(ordered)) + 1]


def _may_be_alike(one: frozenset[bytes], other: frozenset[bytes], share: float) -> bool:
    return len(one & other) >= share * max(len(one), len(other))


def _sketch(entry: Entry) -> frozenset[bytes]:
    sketch = entry.sketch
    return frozenset(sketch[at : at + _WORD] for at in range(0, len(sketch), _WORD))
