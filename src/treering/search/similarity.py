"""Which memories are alike, found without comparing each with each.

Two memories that share most of their terms share one of their rarest, so only memories that meet
on the shelf of a rare term are compared. A memory joins the first one it is like and is compared
with nothing more: each family is alike to one of its own, not along a chain of neighbours.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from typing import NamedTuple

from treering.search.analysis import terms_in
from treering.search.entry import Entry, share_repository
from treering.search.tiers import belong_together, labels_of
from treering.text.likeness import FOLDED, MAYBE_ALIKE, Sketch, likeness, smallest, unpack_cached

FOLDABLE = 50  # results looked at
_PROBES = 3  # alike sketches nearly always share one of their three smallest hashes
_CROWD = 50  # memories looked at on one shelf: hundreds of the same title stay affordable

Label = int | str  # a hash of a sketch, an id or a title
Compare = Callable[[Entry, Entry], float]


class Family(NamedTuple):
    """Entries that are alike, the one the others were compared with first."""

    members: tuple[Entry, ...]
    score: float  # of the least alike


def share_of_terms(one: str, other: str) -> float:
    """How many of their terms two texts share, from 0 to 1 (Dice)."""
    first, second = terms_in(one), terms_in(other)
    if not first or not second:
        return float(one == other)
    return 2 * len(first & second) / (len(first) + len(second))


def folds(entries: Sequence[Entry]) -> dict[int, int]:
    """Place -> the better place it is folded under, for the first results, best first.

    Copies of one memory (the same id on two branches) fold as well, and records that belong
    together.
    """
    shelves: dict[Label, list[int]] = {}
    under: dict[int, int] = {}
    for place, entry in enumerate(entries[:FOLDABLE]):
        labels: list[Label] = [entry.id, *smallest(unpack_cached(entry.sketch), _PROBES)]
        labels += labels_of(entry)
        others = {other for label in labels for other in shelves.get(label, ())}
        same = [other for other in others if _are_same(entries[other], entry)]
        if same:
            under[place] = min(same)
            continue
        for label in labels:
            shelves.setdefault(label, []).append(place)
    return under


def _are_same(one: Entry, other: Entry) -> bool:
    if not share_repository(one, other):
        return False
    if one.id == other.id or belong_together(one, other):
        return True
    if one.type != other.type:
        return False
    first, second = unpack_cached(one.sketch), unpack_cached(other.sketch)
    return likeness(first, second, cut=max(len(first), len(second))) >= FOLDED


def families(entries: Sequence[Entry], share: float, compare: Compare) -> list[Family]:
    """Groups of two and more that `compare` to at least `share`; nearest to each other first."""
    sketches = [unpack_cached(entry.sketch) for entry in entries]
    rarity = Counter(term for sketch in sketches for term in sketch)
    shelves: dict[Label, list[int]] = {}
    joiners: dict[int, list[tuple[int, float]]] = {}

    for place, entry in enumerate(entries):
        labels: list[Label] = [
            *_rarest(sketches[place], rarity, share * MAYBE_ALIKE),
            entry.title,
        ]
        others = {other for label in labels for other in shelves.get(label, ())[-_CROWD:]}
        scores = (
            (compare(entries[other], entry), -other)
            for other in others
            if entries[other].title == entry.title
            or _may_be_alike(sketches[other], sketches[place], share * MAYBE_ALIKE)
        )
        score, first = max(scores, default=(0.0, 0))
        if score and score >= share:
            joiners.setdefault(-first, []).append((place, score))
            continue
        for label in labels:
            shelves.setdefault(label, []).append(place)

    groups = [_family(entries, first, others) for first, others in joiners.items()]
    return sorted(groups, key=lambda family: -family.score)


def _family(entries: Sequence[Entry], first: int, others: Iterable[tuple[int, float]]) -> Family:
    places, scores = zip(*others, strict=True)
    return Family((entries[first], *(entries[place] for place in places)), min(scores))


def _rarest(sketch: Sketch, rarity: Counter[int], share: float) -> list[int]:
    """So many of the rarest that two sketches with `share` in common have one of these in common:
    whoever misses all of them misses more than is allowed."""
    terms = sorted(sketch, key=lambda term: (rarity[term], term))
    return terms[: len(terms) - ceil(share * len(terms)) + 1]


def _may_be_alike(one: Sketch, other: Sketch, share: float) -> bool:
    """Less than `likeness` asks for, and sure to hold for whatever is alike."""
    return len(one & other) >= share * max(len(one), len(other))
