"""What a search answers: hits, why each is there, and the part of a memory that shows it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from treering.model.choices import Mode
from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.search.matching import ClauseKind, Matches, Request
from treering.search.ranking import is_recent
from treering.search.visible import VisibleEntries
from treering.text.likeness import NEAR_IN_MEANING
from treering.text.words import one_line

_LENGTH = 240
_BEFORE = 40
_STEM = 5
_MOST_PLACES = 40


#: What speaks for a hit: where its words stand, how they were matched, its meaning, a neighbour in
#: its session, its age.
Reason = ClauseKind | Literal["title", "tag", "phrase", "semantic", "session", "recent"]


class Hit(NamedTuple):
    """One memory that answers, and why it is there.

    `why` is made of reasons. Whoever adds hits of its own says so there, too.
    `parts` are the numbers behind the score; `folded` are blobs of near-duplicates, best first.
    """

    blob: str
    id: str
    score: float
    why: tuple[str, ...] = ()
    parts: Mapping[str, float] = {}
    folded: tuple[str, ...] = ()


class SearchResult(NamedTuple):
    """An answer: the hits in order, and what the caller should say about the rest.

    `total` counts every memory that matches; `rest` are the blobs of those beyond the limit, in
    order. Near-duplicates come last, so that all are there once. `withheld` counts what would
    have matched, by status, and as `other_branches` what only other branches hold. `mode` is the
    mode that was really used; `notes` are sentences for the reader.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    rest: tuple[str, ...] = ()
    withheld: Mapping[str, int] = {}
    mode: Mode = "text"
    notes: tuple[str, ...] = ()
    #: How many of the first hits are knowledge that answers, as far as they are before records.
    answering: int = 0


class Explanation(NamedTuple):
    """Everything known about a ranking, to say of each hit why it is there."""

    request: Request
    view: VisibleEntries
    matches: Matches
    scored: dict[int, float]
    semantic: dict[int, float]
    lent: dict[int, float]

    def hit(self, number: int, folded: Sequence[int]) -> Hit:
        entry = self.view.entry(number)
        return Hit(
            entry.blob,
            entry.id,
            round(self._score(number), 4),
            tuple(self._why(number, entry)),
            self._parts(number),
            tuple(self.view.entry(other).blob for other in folded),
        )

    def _score(self, number: int) -> float:
        """The score; in the tail a share of the pool's lowest, so that order and score agree."""
        if number in self.scored:
            return self.scored[number]
        strongest = max(self.matches.scores.values())
        return min(self.scored.values(), default=1.0) * self.matches.scores[number] / strongest

    def _why(self, number: int, entry: Entry) -> Iterator[Reason]:
        clauses = [clause for clause in self.matches.clauses if number in clause.weights]
        words = {clause.word for clause in clauses}
        yield from dict.fromkeys(clause.kind for clause in clauses)
        if words & terms_in(entry.title):
            yield "title"
        if words & terms_in(" ".join(entry.tags)):
            yield "tag"
        if self.matches.has_phrase:
            yield "phrase"
        cosine = self.semantic.get(number, 0.0)
        if cosine >= NEAR_IN_MEANING or (cosine > 0 and not clauses and number not in self.lent):
            yield "semantic"
        if number in self.lent:
            yield "session"
        if is_recent(entry, self.request.now):
            yield "recent"

    def _parts(self, number: int) -> dict[str, float]:
        parts = {
            "text": self.matches.scores.get(number, 0.0),
            "semantic": self.semantic.get(number, 0.0),
            "session": self.lent.get(number, 0.0),
        }
        return {name: round(value, 4) for name, value in parts.items() if value}


def snippet(content: str, words: str) -> str:
    """About two lines of the content around the words asked for, else its beginning."""
    text = one_line(content)
    if len(text) <= _LENGTH:
        return text
    at = _densest(text.lower(), {word[:_STEM] for word in re.findall(r"\w{3,}", words.lower())})
    start = text.rfind(" ", 0, at) + 1 if at else 0
    cut = text[start : start + _LENGTH].rsplit(" ", 1)[0]
    return f"{'… ' if start else ''}{cut}{' …' if start + len(cut) < len(text) else ''}"


def _densest(text: str, stems: set[str]) -> int:
    """Where a window of the snippet's length holds most different words asked for."""
    occurrences = sorted((at, stem) for stem in stems for at in _places(text, stem))
    best, place = 0, 0
    for i, (start, _) in enumerate(occurrences):
        inside = {stem for at, stem in occurrences[i:] if at < start + _LENGTH - _BEFORE}
        if len(inside) > best:
            best, place = len(inside), start
        if best == len(stems):
            break
    return max(0, place - _BEFORE)


def _places(text: str, stem: str) -> list[int]:
    """Where a word beginning with the stem stands, the first few times."""
    places: list[int] = []
    at = text.find(stem)
    while at >= 0 and len(places) < _MOST_PLACES:
        if at == 0 or not text[at - 1].isalnum():
            places.append(at)
        at = text.find(stem, at + 1)
    return places
