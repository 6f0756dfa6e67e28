"""Likeness of memories, found without comparing each with each.

Two memories that share most of their terms share some of their rarest, so only memories that meet
in the buckets of several rare terms are compared. A memory joins the first one it is like and is
compared with nothing more: each family is alike to one of its own, not along a chain of neighbours.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from math import ceil
from typing import NamedTuple

from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.search.tiers import belong_together, labels_of
from treering.text.likeness import (
    FOLDED,
    MAYBE_ALIKE,
    Sketch,
    likeness,
    smallest,
    unpack,
    unpack_cached,
)

FOLDABLE = 50  # results looked at
_PROBES = 3  # alike sketches nearly always share one of their three smallest hashes
_CROWD = 50  # memories looked at in one bucket: hundreds of the same title stay affordable
_SHARED = 3  # buckets that two memories must meet in
_MOST_COMPARED = 12  # memories that one is compared with
_STEP = 100  # memories between two calls of `progress`

Label = int | str  # a hash of a sketch, an id or a title
Compare = Callable[[Entry, Entry], float]
Progress = Callable[[int, int], None]


class Family(NamedTuple):
    """Entries that are alike, the one the others were compared with first."""

    members: tuple[Entry, ...]
    score: float  # of the least alike


def share_of_terms(one: str, other: str) -> float:
    """Return how many of their terms two texts share, from 0 to 1 (Dice)."""
    first, second = terms_in(one), terms_in(other)
    if not first or not second:
        return float(one == other)
    return 2 * len(first & second) / (len(first) + len(second))


def folds(entries: Sequence[Entry]) -> dict[int, int]:
    """Place -> the better place it is folded under, for the first results, best first.

    Copies of one memory (the same id on two branches) fold as well, and records that belong
    together.
    """
    buckets: dict[Label, list[int]] = {}
    under: dict[int, int] = {}
    for place, entry in enumerate(entries[:FOLDABLE]):
        labels: list[Label] = [entry.id, *smallest(unpack_cached(entry.sketch), _PROBES)]
        labels += labels_of(entry)
        others = {other for label in labels for other in buckets.get(label, ())}
        same = [other for other in others if _are_same(entries[other], entry)]
        if same:
            under[place] = min(same)
            continue
        for label in labels:
            buckets.setdefault(label, []).append(place)
    return under


def _are_same(one: Entry, other: Entry) -> bool:
    if one.mark != other.mark:
        return False
    if one.id == other.id or belong_together(one, other):
        return True
    if one.type != other.type:
        return False
    first, second = unpack_cached(one.sketch), unpack_cached(other.sketch)
    return likeness(first, second, cut=max(len(first), len(second))) >= FOLDED


def families(
    entries: Sequence[Entry], share: float, compare: Compare, progress: Progress | None = None
) -> list[Family]:
    """Groups of two and more that `compare` to at least `share`; nearest to each other first.

    `progress` is called between the steps, and may end them.
    """
    sketches = []
    for place, entry in enumerate(entries):
        if progress and place % _STEP == 0:
            progress(0, len(entries))
        sketches.append(unpack(entry.sketch))  # each is there once
    ranks = _rank_terms(sketches)
    buckets: dict[Label, list[int]] = {}
    joiners: dict[int, list[tuple[int, float]]] = {}

    for place, entry in enumerate(entries):
        if progress and place % _STEP == 0:
            progress(place, len(entries))
        labels, least = _label(sketches[place], ranks, share * MAYBE_ALIKE)
        others = _meet(buckets, labels, least)
        others += [n for n in buckets.get(entry.title, ())[-_CROWD:] if n not in others]
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
        own_labels: list[Label] = [*labels, entry.title]
        for label in own_labels:
            buckets.setdefault(label, []).append(place)

    groups = [_family(entries, first, others) for first, others in joiners.items()]
    return sorted(groups, key=lambda family: -family.score)


def _meet(buckets: Mapping[Label, list[int]], labels: Iterable[Label], least: int) -> list[int]:
    """The places that share enough labels, those with the most first."""
    crowds = (buckets[label][-_CROWD:] for label in labels if label in buckets)
    counts = Counter(chain.from_iterable(crowds))
    near = [place for place, count in counts.items() if count >= least]
    return nlargest(_MOST_COMPARED, near, key=counts.__getitem__)


def _family(entries: Sequence[Entry], first: int, others: Iterable[tuple[int, float]]) -> Family:
    places, scores = zip(*others, strict=True)
    return Family((entries[first], *(entries[place] for place in places)), min(scores))


def _rank_terms(sketches: Sequence[Sketch]) -> dict[int, int]:
    """The terms in one order for all, the rarest first."""
    counts = Counter(chain.from_iterable(sketches))
    return {term: rank for rank, term in enumerate(sorted(counts, key=lambda t: (counts[t], t)))}


def _label(sketch: Sketch, ranks: Mapping[int, int], share: float) -> tuple[list[int], int]:
    """So many of the rarest terms that two sketches with `share` in common have some of these in
    common, and how many: whoever misses more misses more than is allowed."""
    terms = sorted(sketch, key=ranks.__getitem__)
    common = ceil(share * len(terms))
    least = min(_SHARED, common)
    return terms[: len(terms) - common + least], least


def _may_be_alike(one: Sketch, other: Sketch, share: float) -> bool:
    """Less than `likeness` asks for, and sure to hold for whatever is alike."""
    return len(one & other) >= share * max(len(one), len(other))
