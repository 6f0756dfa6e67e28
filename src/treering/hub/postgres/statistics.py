"""How rare words are over the repositories that are asked: counted by the database, kept a call.

Only of what the caller may see: how often a word occurs elsewhere is nobody's business.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from treering.hub.postgres.numbers import number_of
from treering.search.matching import list_similar_terms

_MOST_EXPANSIONS = 64


class WordCounts:
    """The counts of one question."""

    def __init__(self, connection: Any, repositories: Sequence[int]) -> None:
        self._connection = connection
        self._repositories = list(repositories)
        self._frequencies: dict[str, int] = {}
        self._missing: set[str] = set()
        self.expansions: dict[str, list[str]] = {}
        self.guesses: dict[str, list[str]] = {}
        query = (
            "SELECT coalesce(sum(memories), 0), coalesce(sum(length), 0) FROM treering.repository"
            " WHERE number = ANY(%s)"
        )
        row = connection.execute(query, (self._repositories,)).fetchone()
        self.documents, length = int(row[0]), int(row[1])
        self.mean = max(length / self.documents, 1.0) if self.documents else 1.0

    def frequency(self, term: str) -> int:
        """In how many memories a term occurs; one that was not counted is noted for the next
        time."""
        if term not in self._frequencies:
            self._missing.add(term)
        return self._frequencies.get(term, 0)

    def count(self, terms: Iterable[str]) -> None:
        """Count some terms, all in one go."""
        numbers = {number_of(term): term for term in terms if term not in self._frequencies}
        if not numbers:
            return
        query = (
            "SELECT number, sum(frequency) FROM treering.word"
            " WHERE number = ANY(%s) AND repository = ANY(%s) GROUP BY number"
        )
        rows = self._connection.execute(query, (list(numbers), self._repositories)).fetchall()
        self._frequencies |= dict.fromkeys(numbers.values(), 0)
        self._frequencies |= {numbers[number]: int(total) for number, total in rows}

    def expand(self, prefix: str) -> None:
        """Find the terms that start like this."""
        query = (
            "SELECT DISTINCT term FROM treering.word WHERE starts_with(term, %s)"
            " AND term >= %s AND repository = ANY(%s) ORDER BY term LIMIT %s"
        )
        values = (prefix, prefix, self._repositories, _MOST_EXPANSIONS)
        terms = [row[0] for row in self._connection.execute(query, values).fetchall()]
        self.expansions[prefix] = terms
        self.count(terms)

    def guess(self, word: str) -> None:
        """Find terms one slip away from a word. They are asked for once to see which are needed,
        and once more when these were counted."""
        list_similar_terms(word, self)  # type: ignore[arg-type]  # it asks for frequencies alone
        self.count(self._missing)
        self._missing.clear()
        self.guesses[word] = list_similar_terms(word, self)  # type: ignore[arg-type]
