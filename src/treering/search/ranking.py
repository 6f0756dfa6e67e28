"""The second look at the best candidates: how much they cover, what stands beside them, how they
fare.

Every rule here is modest: words decide, and age, confidence, status or branch only settle what
words leave open. The pool is of fixed size, so a longer answer never changes the order of a shorter
one.
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from treering.model.pattern import lazy_pattern
from treering.model.taxonomy import CAPTURED_TYPES
from treering.search.analysis import chunks
from treering.search.entry import Entry
from treering.search.matching import Clause
from treering.search.visible import VisibleEntries
from treering.text.words import STOP_WORDS

POOL = 100
_SORTED = 4000
COVERED = 0.25  # the power coverage is raised to
NAMED = 0.3  # for a name in any case, and again for the very case
_FEW_WORDS = 4
_STEPS = lazy_pattern(r"[./\\:@]+")
#: What a memory lends to those around it in its session, by how far behind it they stand.
SHARES = {1: 0.3, -1: 0.2, 2: 0.15, -2: 0.15}
_SOURCES = 20  # this many of the best lift their neighbours
_BELOW = 0.95  # no neighbour gets more than this of what lifts it
_LIFTED = 4  # in one session
_RECENT = 14 * 86400.0
_FADING = 90 * 86400.0
_RARE, _FEW = 0.01, 3  # a word that so large a share of memories holds, or so few, is rare
CAPTURED = 0.7  # what hooks wrote down yields to what somebody found worth saying


def best(scores: Mapping[int, float], count: int) -> dict[int, float]:
    """The `count` best documents, and those level with the last of them."""
    if len(scores) <= count:
        return dict(scores)
    # Sorting is one call into C and wins until the list is long.
    if len(scores) < _SORTED:
        least = sorted(scores.values(), reverse=True)[count - 1]
    else:
        least = heapq.nlargest(count, scores.values())[-1]
    return {number: score for number, score in scores.items() if score >= least}


def covering(scores: Mapping[int, float], clauses: Sequence[Clause]) -> dict[int, float]:
    """Scores that also count how much of the question is answered."""
    if len(clauses) < 2:
        return dict(scores)
    shares = coverage(scores, clauses)
    return {n: score * shares[n] ** COVERED for n, score in scores.items()}


def coverage(numbers: Iterable[int], clauses: Sequence[Clause]) -> dict[int, float]:
    """Return how much of the question each document answers: the rarity of what it holds, as a
    share."""
    rarities = dict.fromkeys(numbers, 0.0)
    for clause in clauses:
        for number in rarities.keys() & clause.weights.keys():
            rarities[number] += clause.rarity
    total = sum(clause.rarity for clause in clauses if clause.kind != "synonym") or 1.0
    return {number: rarity / total for number, rarity in rarities.items()}


def find_holders_of_rare(
    numbers: Iterable[int], clauses: Sequence[Clause], view: VisibleEntries
) -> set[int]:
    """Return the documents that hold every rare word of a question that has several."""
    least = view.snapshot.rarity(max(_FEW, int(_RARE * view.snapshot.count)))
    rare = [
        clause.weights
        for clause in clauses
        if clause.kind == "text" and not clause.is_pair and clause.weights
        and clause.rarity >= least
    ]  # fmt: skip
    if len(rare) < 2:
        return set()
    return {number for number in numbers if all(number in weights for weights in rare)}


def lift_named(scores: Mapping[int, float], words: str, view: VisibleEntries) -> dict[int, float]:
    """Scores of the best, raised where the title holds the very name that was typed.

    Stems and parts find `FileCookieJar` for `CookieJar` and `matches` for `Match`; who types a name
    as it is written means that name. Sentences are left alone.
    """
    names = _names(words)
    if not 0 < len(names) <= 2 * _FEW_WORDS:
        return {}
    higher = {}
    for number in _first(scores, view):
        title = _names(view.entry(number).title)
        higher[number] = scores[number] * (1 + NAMED * len(names & title) / len(names) * 2)
    return higher


def is_named(scores: Mapping[int, float], words: str, view: VisibleEntries) -> bool:
    """Return whether the question is one name, and a title holds it just as it is written."""
    if len(words.split()) != 1:
        return False
    names = _names(words)
    return any(names <= _names(view.entry(number).title) for number in _first(scores, view))


def _first(scores: Mapping[int, float], view: VisibleEntries) -> list[int]:
    """The best few; of equals always the same ones, in whatever order they were indexed."""
    return sorted(scores, key=lambda n: (-scores[n], view.entry(n).blob))[:_SOURCES]


@lru_cache(4096)
def _names(text: str) -> frozenset[str]:
    """The names in a text, in lower case and, behind a mark, as written."""
    pieces = {piece for chunk in chunks(text) for piece in _STEPS.split(chunk) if piece}
    names = {piece for piece in pieces if piece.lower() not in STOP_WORDS}
    return frozenset({piece.lower() for piece in names} | {f"={piece}" for piece in names})


def lifts(scores: Mapping[int, float], view: VisibleEntries) -> dict[int, float]:
    """Return what the neighbours in their sessions lend to documents.

    A conversation answers in the turn after the question, a session explains before it decides.
    Only the best lend, nobody is lifted above them, and only a few documents of a session are
    lifted, so that one talkative session does not fill the answer.
    """
    lent: dict[int, float] = {}
    most: dict[int, float] = {}
    counts: Counter[str] = Counter()
    for number in _first(scores, view):
        members = view.list_session(number)
        if len(members) < 2 or number not in members:
            continue
        session = view.entry(number).session
        for neighbour, share in _around(members, members.index(number)):
            if neighbour not in scores and neighbour not in lent:
                if counts[session] >= _LIFTED:
                    continue
                counts[session] += 1
            lent[neighbour] = lent.get(neighbour, 0.0) + share * scores[number]
            most.setdefault(neighbour, _BELOW * scores[number])  # the best lend first
    room = {number: most[number] - scores.get(number, 0.0) for number in lent}
    return {number: min(lent[number], room[number]) for number in lent if room[number] > 0}


def _around(members: Sequence[int], place: int) -> Iterator[tuple[int, float]]:
    """The neighbours of a place, the nearest first, and what they are lent."""
    for step, share in SHARES.items():
        if 0 <= place + step < len(members):
            yield members[place + step], share


def prior(entry: Entry, layer: int, now: float) -> float:
    """A factor of at most 1 for how a memory fares apart from its words."""
    age = max(0.0, now - max(entry.created, entry.modified))
    return (
        (0.95 + 0.05 * math.exp(-age / _FADING))
        * (0.93 + 0.07 * entry.confidence)
        * (1.0 if entry.status == "active" else 0.95)
        * (CAPTURED if entry.type in CAPTURED_TYPES else 1.0)
        * (1.0 - 0.01 * min(layer, 4))
    )


def is_recent(entry: Entry, now: float) -> bool:
    return now - max(entry.created, entry.modified) < _RECENT


# --- words and meaning as one score ---------------------------------------------------------------

# Words are exact and often miss; meaning always has something to say. How far words are to be
# trusted is told by how much of the question their best match holds: all of it, and they decide; a
# word or two of ten, and it may be there by chance.
_MANY_WORDS = 8  # of a question: who holds as much as the rarest of so many holds enough
_LITTLE = 0.3  # of a question: who holds less is there by chance more often than not


def fuse(
    words: Mapping[int, float],
    cosines: Mapping[int, float],
    *,
    trust: float,
    weight: float,
    floor: float,
) -> dict[int, float]:
    """The scores of all documents that have a cosine.

    The best of `words` counts `trust`, from 0 to 1, and the others in proportion; of a cosine what
    is above the floor counts, `weight` times.
    """
    highest = max(words.values(), default=0.0) or 1.0
    share = trust / highest
    return {
        number: words.get(number, 0.0) * share + weight * max(cosine - floor, 0.0)
        for number, cosine in cosines.items()
    }


def trust_in_words(scores: Mapping[int, float], clauses: Sequence[Clause]) -> float:
    """Return how far to trust words, from 0 to 1: what the best match holds of the question, by the
    rarity of its words, squared, and even less where that is little."""
    if not scores:
        return 1.0
    highest = max(scores.values())
    first = [number for number, score in scores.items() if score == highest]
    words = [clause for clause in clauses if not clause.is_pair]
    rarities = [clause.rarity for clause in words if clause.kind != "synonym"]
    telling = sum(sorted(rarities, reverse=True)[:_MANY_WORDS]) or 1.0
    share = min(1.0, max(coverage(first, words).values()) * (sum(rarities) or 1.0) / telling)
    if not share:
        return 1.0  # a pair of words found as one is no word of the question
    return share**2 * min(1.0, share / _LITTLE)
