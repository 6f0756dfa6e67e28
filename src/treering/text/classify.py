"""Which type a text is, by the signal words of the taxonomy and by its shape."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from treering.model.taxonomy import TYPES
from treering.text.structure import shapes

CONFIDENT = 0.6
_FALLBACK = "insight"
_LOOKED_AT = 8_000
_HINT = 0.5
_IN_HEAD = 0.25
_MOST_HINTS = 3.0
_PUNCTUATION = str.maketrans(dict.fromkeys("\n\r\t,;!?\"'`()[]{}<>*_#", " "))


class Alternative(NamedTuple):
    type: str
    score: float


class Classification(NamedTuple):
    """The type chosen, how sure we are of it, and what else it might have been."""

    type: str
    by: str
    score: float
    confident: bool
    alternatives: tuple[Alternative, ...]


def as_given(kind: str) -> Classification:
    """A type the caller named always wins."""
    return Classification(kind, "given", 1.0, True, ())


def classify(content: str) -> Classification:
    """Weigh signal words, hints and the shape of the text.

    A signal is one point, a quarter more in the first line; a hint counts half of that. One point
    gives a score of 0.5, two 0.75, and so on; what speaks for the second best is doubt about the
    best, and takes half of its points away from it.
    """
    first_line, _, _ = content.partition("\n")
    text, head = _words(content[:_LOOKED_AT]), _words(first_line[:400])
    shaped = shapes(content[:_LOOKED_AT])
    points = {
        kind.name: _points(kind.signals, text, head)
        + _HINT * min(_MOST_HINTS, _points(kind.hints, text, head))
        + shaped.get(kind.name, 0.0)
        for kind in TYPES.values()
    }
    ranked = sorted((name for name in points if points[name]), key=lambda name: -points[name])
    if not ranked:
        return Classification(_FALLBACK, "heuristic", 0.0, False, ())
    best, *others = ranked
    doubt = 0.5 * points[others[0]] if others else 0.0
    score = _score(points[best] - doubt)
    alternatives = (Alternative(best, score), *(_alternative(n, points) for n in others[:2]))
    return Classification(best, "heuristic", score, score >= CONFIDENT, alternatives)


def _alternative(name: str, points: Mapping[str, float]) -> Alternative:
    """One that lost: sure as it may be of itself, it is less sure than the one that won."""
    return Alternative(name, _score(0.5 * points[name]))


def _score(points: float) -> float:
    return round(1 - math.pow(0.5, points), 2)


def _points(signals: tuple[str, ...], text: str, head: str) -> float:
    return sum((word in text) + _IN_HEAD * (word in head) for word in map(_pad, signals))


def _words(text: str) -> str:
    """Lower case, words apart by single spaces, padded so that ` word ` finds whole words only."""
    spaced = text.lower().translate(_PUNCTUATION).replace(". ", " ").replace(": ", " : ")
    return f" {' '.join(spaced.split())} ".replace(". ", " ")


def _pad(signal: str) -> str:
    return f" {signal[:-1]}" if signal.endswith("*") else f" {signal} "
