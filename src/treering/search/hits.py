"""Answers of a search: hits, why each is there, and the part of a memory that shows it."""

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from treering.model.choices import Match, Mode
from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.search.matching import ClauseKind, Matches, Request
from treering.search.ranking import is_recent
from treering.search.visible import VisibleEntries
from treering.text.likeness import NEAR_IN_MEANING

#: From where on a memory is close to a question: by the share of its words, or by their weight.
_ENOUGH_SHARE, _ENOUGH_WORDS, _SOME_WEIGHT = 0.4, 1.8, 2.2
_ENOUGH_WEIGHT, _WEIGHT_PER_TERM, _MOST_TERMS = 2.8, 0.05, 50
_UNSEEN = 200
#: From where on an answer is close to a question, by the words of its best hit and by its meaning,
#: a standard deviation of which counts so much; by words alone; and whatever it means.
_CLOSE, _PER_DEVIATION = -0.2, 0.26
_CLOSE_BY_WORDS, _MOST_OF_IT, _ALL_OF_IT = 0.0, 0.5, 0.99
_NEAREST, _EACH = 3, 10  # hits whose meaning is looked at, one for so many memories
_DEVIATION = 0.1  # of the cosines of a question and all texts, more or less everywhere
_FEW_MORE = 30  # memories that are not there, without any likeness: a store may be tiny


#: What speaks for a hit: where its words stand, how they were matched, its meaning, a neighbour in
#: its session, its age.
Reason = ClauseKind | Literal["title", "tag", "phrase", "semantic", "session", "recent"]


class Closeness(NamedTuple):
    """The share of a question that a memory holds, whatever else there is to find.

    All of it in units of the rarest word, so that it means the same in small stores and in large.
    """

    #: The part of the question's words that it holds, rare words counting more.
    share: float = 0.0
    #: How many of its words those are.
    words: float = 0.0
    #: The same by BM25: a word that a short text repeats counts more.
    weight: float = 0.0
    #: How many words the question has.
    terms: int = 0

    @property
    def is_whole(self) -> bool:
        """Return whether it has every word of the question."""
        return self.share > _ALL_OF_IT

    @property
    def holds_most(self) -> bool:
        """Return whether it has most words of the question, wherever they stand in it."""
        return self.share >= _ENOUGH_SHARE and self.words >= _ENOUGH_WORDS

    @property
    def is_close(self) -> bool:
        """Return whether it is worth an interruption. A long question shares a few words with
        anything, and a long text has any few words."""
        if self.holds_most and self.weight >= _SOME_WEIGHT:
            return True
        return self.weight >= _ENOUGH_WEIGHT + _WEIGHT_PER_TERM * min(self.terms, _MOST_TERMS)


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
    closeness: Closeness = Closeness()
    #: None in a listing.
    match: Match | None = None
    #: What was searched for in place of words nobody wrote.
    spelled: str = ""


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
    #: Whether the best hit is close to the question: a search always finds the best there is.
    is_close: bool = True


NOT_CLOSE = "Nothing is close to this question. `--weak` lists the weak matches."


def withhold_weak(result: SearchResult) -> SearchResult:
    """Return the result, without hits where none is close to the question."""
    if result.is_close or not result.total:
        return result
    withheld = {**result.withheld, "weak": result.total}
    return result._replace(
        hits=(), total=0, rest=(), withheld=withheld, notes=(*result.notes, NOT_CLOSE)
    )


def count_weak(withheld: Mapping[str, int]) -> dict[str, int]:
    """Return the count of weak matches that were withheld, if any were."""
    return {"weak": withheld["weak"]} if "weak" in withheld else {}


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
            self._closeness(number),
            *self._match(number),
        )

    def is_close(self, first: Sequence[int], sample: Callable[[], Collection[float]]) -> bool:
        """Tell whether any of the first hits is close to the question.

        By words it is what one holds of the question, less the one word in common that any text may
        have. By meaning it is how much nearer the nearest are than those of as many random texts,
        of which the nearest is sqrt(2 ln n) standard deviations from the mean. `sample` gives
        the cosines of a sample of all texts.
        """
        if self.matches.has_phrase or self.request.query.prefixes:
            return bool(first)
        kinds: tuple[ClauseKind, ...] = ("text", "spelling", "synonym")
        closest = max((self._closeness(number, kinds) for number in first), default=Closeness())
        words = closest.share - 1 / closest.terms if closest.terms else 0.0
        if closest.is_whole or words >= _MOST_OF_IT:
            return True
        if not self.semantic:
            return words >= _CLOSE_BY_WORDS
        count = self.view.snapshot.count
        nearest = heapq.nlargest(min(_NEAREST, 1 + count // _EACH), self.semantic.values())
        usual = sample()
        mean = sum(usual) / (len(usual) + _FEW_MORE)
        chance = math.sqrt(2 * math.log(count + _FEW_MORE))
        beyond = (sum(nearest) / len(nearest) - mean) / _DEVIATION - chance
        return words + _PER_DEVIATION * beyond >= _CLOSE

    def _match(self, number: int) -> tuple[Match, str]:
        """Return what of the question a document matches, and what was searched instead."""
        held = [clause for clause in self.matches.clauses if number in clause.weights]
        if spelled := " ".join(clause.spelled for clause in held if clause.spelled):
            return "spelling", spelled
        return ("words" if any(c.kind in ("text", "prefix") for c in held) else "meaning"), ""

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

    def _closeness(
        self, number: int, kinds: tuple[ClauseKind, ...] = ("text", "spelling")
    ) -> Closeness:
        """In a small store any word is rare, so all count as if there were some hundred memories
        more. Of `kinds` are the clauses that count as holding a word."""
        every = [c for c in self.matches.clauses if c.kind in kinds and not c.is_pair]
        clauses = [clause for clause in every if clause.kind != "synonym"]
        others = {c.word for c in every if c.kind == "synonym" and number in c.weights}
        count = self.view.snapshot.count + _UNSEEN
        rarities = {
            clause.word: math.log(1 + (count + 0.5) / (len(clause.weights) + 0.5))
            for clause in clauses
        }
        rarest = math.log(1 + (count + 0.5) / 1.5)
        held = [clause for clause in clauses if number in clause.weights]
        words = {clause.word for clause in held} | (others & rarities.keys())
        rarity = sum(rarities[word] for word in words)
        weight = sum(
            rarities[clause.word] * clause.weights[number] / clause.rarity for clause in held
        )
        total = sum(rarities.values()) or 1.0
        return Closeness(rarity / total, rarity / rarest, weight / rarest, len(clauses))

    def _parts(self, number: int) -> dict[str, float]:
        parts = {
            "text": self.matches.scores.get(number, 0.0),
            "semantic": self.semantic.get(number, 0.0),
            "session": self.lent.get(number, 0.0),
        }
        return {name: round(value, 4) for name, value in parts.items() if value}
