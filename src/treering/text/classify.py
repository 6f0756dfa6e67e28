"""The type of a text by its words and by its shape; both stand in data/classification.txt."""

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from treering.model.tables import read_items, read_rules
from treering.model.taxonomy import TYPES
from treering.text.words import holds_any

CONFIDENT = 0.6
_FALLBACK = "insight"
_LOOKED_AT = 8_000
_HINT = 0.5
_IN_HEAD = 0.25
_MOST_HINTS = 3.0
_PUNCTUATION = str.maketrans(dict.fromkeys("\n\r\t,;!?\"'`()[]{}<>*_#", " "))


#: Whether the caller named the type, or the text suggested it.
ChosenBy = Literal["given", "heuristic"]


class Alternative(NamedTuple):
    type: str
    score: float


class Classification(NamedTuple):
    """The type chosen, how sure we are of it, and what else it might have been."""

    type: str
    by: ChosenBy
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
    shape = _weigh_shape(content[:_LOOKED_AT])
    points = {
        name: _points(list_phrases("signals").get(name, ()), text, head)
        + _HINT * min(_MOST_HINTS, _points(list_phrases("hints").get(name, ()), text, head))
        + shape.get(name, 0.0)
        for name in TYPES
    }
    order = sorted((name for name in points if points[name]), key=lambda name: -points[name])
    if not order:
        return Classification(_FALLBACK, "heuristic", 0.0, False, ())
    best, *others = order
    doubt = 0.5 * points[others[0]] if others else 0.0
    score = _score(points[best] - doubt)
    # One that lost, sure as it may be of itself, is less sure than the one that won.
    losers = (Alternative(name, _score(0.5 * points[name])) for name in others[:2])
    alternatives = (Alternative(best, score), *losers)
    return Classification(best, "heuristic", score, score >= CONFIDENT, alternatives)


def _score(points: float) -> float:
    return round(1 - math.pow(0.5, points), 2)


def _points(phrases: Sequence[str], text: str, head: str) -> float:
    return sum((phrase in text) + _IN_HEAD * (phrase in head) for phrase in map(_pad, phrases))


@cache
def list_phrases(section: str) -> dict[str, list[str]]:
    """Return the phrases that speak for each type: `signals`, or `hints`, which count half."""
    phrases: dict[str, list[str]] = {}
    for name, value in read_items("classification", section):
        phrases.setdefault(name, []).extend(value.split(", "))
    return phrases


def _words(text: str) -> str:
    """Lower case, words apart by single spaces, padded so that ` word ` finds whole words only."""
    words = (
        text.lower()
        .replace("’", "'")
        .translate(_PUNCTUATION)
        .replace(". ", " ")
        .replace(": ", " : ")
    )
    return f" {' '.join(words.split())} ".replace(". ", " ")


def _pad(signal: str) -> str:
    if signal.endswith("*"):
        return f" {signal[:-1]}"
    return f" {signal} ".replace("'", " ")  # as the text has it


# --- what the shape of a text tells: headings, traces, signatures, first words --------------------

_CODE = r"(?s)```.{0,4000}?```"


def _weigh_shape(content: str) -> dict[str, float]:
    """Return how much the shape of a text speaks for each type; code samples are not looked
    into."""
    text = re.sub(_CODE, " ", content) if "```" in content else content
    lower = text.lower()
    points: dict[str, float] = {}
    for rule in read_rules("classification", "shapes"):
        if holds_any(lower, rule.gates) and re.search(rule.pattern, text):
            kind, _, weight = rule.name.partition(" ")
            points[kind] = points.get(kind, 0.0) + float(weight)
    return points
