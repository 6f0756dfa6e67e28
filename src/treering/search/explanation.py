"""Why a memory is in an answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treering.search.analysis import terms_in
from treering.search.entry import Entry
from treering.search.hits import Hit
from treering.search.matching import Matches, Request
from treering.search.ranking import is_recent
from treering.search.visible import VisibleEntries
from treering.text.likeness import NEAR_IN_MEANING


@dataclass(frozen=True, slots=True)
class Explanation:
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
        return min(self.scored.values()) * self.matches.scores[number] / strongest

    def _why(self, number: int, entry: Entry) -> Iterator[str]:
        held = [clause for clause in self.matches.clauses if number in clause.weights]
        words = {clause.word for clause in held}
        yield from dict.fromkeys(clause.kind for clause in held)
        if words & terms_in(entry.title):
            yield "title"
        if words & terms_in(" ".join(entry.tags)):
            yield "tag"
        if self.matches.has_phrase:
            yield "phrase"
        if self.semantic.get(number, 0.0) >= NEAR_IN_MEANING:
            yield "semantic"
        if number in self.lent:
            yield "session"
        if is_recent(entry, self.request.now):
            yield "recent"

    def _parts(self, number: int) -> dict[str, float]:
        named = {
            "text": self.matches.scores.get(number, 0.0),
            "semantic": self.semantic.get(number, 0.0),
            "session": self.lent.get(number, 0.0),
        }
        return {name: round(value, 4) for name, value in named.items() if value}
