"""Words and meaning as one score: numbers in, numbers out.

Words are exact and often miss; meaning always has something to say. How far words are to be trusted
is told by how much of the question their best match holds: all of it, and they decide; a word or
two of ten, and it may be there by chance. Whoever has both kinds of scores, from whatever index,
calls `fuse`.
"""

from collections.abc import Mapping, Sequence

from treering.search.matching import Clause
from treering.search.ranking import coverage

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
    """How far to trust words, from 0 to 1: what the best match holds of the question, by the rarity
    of its words, squared, and even less where that is little."""
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
