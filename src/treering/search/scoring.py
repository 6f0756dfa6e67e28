"""From the parts of a question to a score per document: term-at-a-time BM25 over cached weights."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from treering.search.corpus import Corpus, Weights

_MOST_EXPANSIONS = 64
_SORTED = 4000
_SPELLED = 0.7  # a word we guessed counts less than one that was typed


@dataclass(frozen=True, slots=True)
class Clause:
    """One part of a question: a term, the terms of a prefix, or a guess at a misspelt word."""

    word: str
    weights: Weights
    rarity: float
    kind: str = "text"


def term_clauses(snapshot: Corpus, terms: Iterable[str]) -> list[Clause]:
    """A clause for each term, also for those that occur nowhere."""
    found = []
    for term in terms:
        weights = snapshot.weights(term)
        found.append(Clause(term, weights, snapshot.rarity(len(weights))))
    return found


def prefix_clause(snapshot: Corpus, prefix: str) -> Clause:
    """The best of all terms that start like this."""
    expansions = snapshot.terms_from(prefix, _MOST_EXPANSIONS)
    weights = _best_of([snapshot.weights(term) for term in expansions])
    return Clause(prefix, weights, snapshot.rarity(len(weights)), "prefix")


def spelling_clause(snapshot: Corpus, word: str, meant: Sequence[str]) -> Clause:
    """The words that may have been meant, at a discount."""
    best = _best_of([snapshot.weights(term) for term in meant])
    weights = {number: weight * _SPELLED for number, weight in best.items()}
    return Clause(word, weights, snapshot.rarity(len(weights)), "spelling")


def sum_up(clauses: Iterable[Clause]) -> dict[int, float]:
    """The sum of all weights, by document.

    The longest list is copied whole and the others are laid over it; only documents that are in
    both are visited one by one, which is what plain Python is slow at.
    """
    longest, *others = sorted((c.weights for c in clauses), key=len, reverse=True)
    total = dict(longest)
    for weights in others:
        both = [(n, total[n] + weights[n]) for n in total.keys() & weights.keys()]
        total.update(weights)
        total.update(both)
    return total


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


def coverage(numbers: Iterable[int], clauses: Sequence[Clause]) -> dict[int, float]:
    """How much of the question each document answers: the rarity of what it holds, as a share."""
    held = dict.fromkeys(numbers, 0.0)
    for clause in clauses:
        for number in held.keys() & clause.weights.keys():
            held[number] += clause.rarity
    wanted = sum(clause.rarity for clause in clauses) or 1.0
    return {number: rarity / wanted for number, rarity in held.items()}


def _best_of(alternatives: Sequence[Weights]) -> dict[int, float]:
    found: dict[int, float] = {}
    for weights in alternatives:
        for number, weight in weights.items():
            if weight > found.get(number, 0.0):
                found[number] = weight
    return found
