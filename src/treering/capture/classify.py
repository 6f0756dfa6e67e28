"""Which type a text is, by the signal words of the taxonomy."""

from typing import NamedTuple

from treering.model.taxonomy import TYPES

CONFIDENT = 0.6
_FALLBACK = "insight"
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


def given(kind: str) -> Classification:
    """A type the caller named always wins."""
    return Classification(kind, "given", 1.0, True, ())


def classify(content: str) -> Classification:
    """Weigh the signals found: one gives 0.5, two 0.75; in the first line they count more."""
    first_line, _, _ = content.partition("\n")
    text, head = _words(content[:20_000]), _words(first_line[:400])
    found = []
    for kind in TYPES.values():
        points = sum((signal in text) + 0.5 * (signal in head) for signal in _padded(kind.signals))
        if points:
            found.append(Alternative(kind.name, round(1 - 0.5**points, 2)))
    found.sort(key=lambda alternative: -alternative.score)
    if not found:
        return Classification(_FALLBACK, "heuristic", 0.0, False, ())
    best = found[0]
    return Classification(
        best.type, "heuristic", best.score, best.score >= CONFIDENT, tuple(found[:3])
    )


def _words(text: str) -> str:
    """Lower case, words apart by single spaces, padded so that ` word ` finds whole words only."""
    spaced = text.lower().translate(_PUNCTUATION).replace(". ", " ").replace(": ", " : ")
    return f" {' '.join(spaced.split())} ".replace(". ", " ")


def _padded(signals: tuple[str, ...]) -> list[str]:
    return [f" {signal} " for signal in signals]
