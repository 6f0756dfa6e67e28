"""The memories worth a second look, as the ranking of `search/` sees a corpus.

The database finds them by their words; from here on they are ranked by the very same rules as the
memories of one repository. How rare a word is, is counted over all that were asked, and only of
what the caller may see: how often a word occurs elsewhere is nobody's business.
"""

import math
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import K1, B
from treering.search.entry import Entry, mark_of
from treering.search.keys import keys_of
from treering.search.matching import list_similar_terms


@lru_cache(1_000_000)
def number_of(term: str) -> int:
    """A word as a number that fits an integer of the database."""
    return zlib.crc32(term.encode(errors="surrogatepass")) - (1 << 31)


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


class Candidate(NamedTuple):
    """A memory, how near its layer is, and how often it holds each term of the question."""

    entry: Entry
    rank: int
    counts: Mapping[str, int]


class CountedWeights(dict[int, float]):
    """A term's weights in the candidates; its length is in how many memories the term occurs."""

    def __init__(self, weights: Mapping[int, float], frequency: int) -> None:
        super().__init__(weights)
        self._frequency = frequency

    def __len__(self) -> int:
        return self._frequency


class _ReadEntries(list[Entry]):
    """Entries that are all here."""

    def load(self, numbers: Collection[int]) -> None:
        pass


class CandidateCorpus:
    """Looks like a `Corpus` that holds the candidates alone, and knows the counts of all."""

    def __init__(self, candidates: Sequence[Candidate], counts: WordCounts) -> None:
        self._candidates = candidates
        self._counts = counts
        self.entries = _ReadEntries(candidate.entry for candidate in candidates)
        self.numbers = {entry.blob: number for number, entry in enumerate(self.entries)}
        self.blobs = [entry.blob for entry in self.entries]
        self.ids = [entry.id for entry in self.entries]
        #: Of all memories that were asked: how common a word is depends on it.
        self.count = max(counts.documents, len(self.entries))

    def rarity(self, frequency: int) -> float:
        documents = max(self._counts.documents, frequency)
        return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))

    def frequency(self, term: str) -> int:
        return self._counts.frequency(term)

    def is_record(self, number: int) -> bool:
        return self.entries[number].type in RECORD_TYPES

    def find(self, field: str, value: str) -> set[int]:
        """Return the candidates whose field has a value."""
        entries = enumerate(self.entries)
        if field == "session":
            return {n for n, e in entries if e.session.removeprefix(mark_of(e)) == value}
        return {number for number, entry in entries if getattr(entry, field) == value}

    def sharing(self, keys: Sequence[str], limit: int, mark: str = "") -> dict[str, list[int]]:
        """Return the candidates of a repository that have each of some keys; none for a key that
        more than `limit` have."""
        numbers = {key: self._by_key.get((mark, key), []) for key in keys}
        return {key: some if len(some) <= limit else [] for key, some in numbers.items()}

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], list[int]]:
        numbers: dict[tuple[str, str], list[int]] = {}
        for number, entry in enumerate(self.entries):
            for key in keys_of(entry):
                numbers.setdefault((mark_of(entry), key), []).append(number)
        return numbers

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        return self._counts.expansions.get(prefix, [])[:limit]

    def weights(self, term: str) -> CountedWeights:
        """How much each candidate that holds the term speaks for it, by BM25."""
        frequency = self.frequency(term)
        most = self.rarity(frequency) * (K1 + 1)
        low, share = K1 * (1 - B), K1 * B / self._counts.mean
        weights = {}
        for number, candidate in enumerate(self._candidates):
            if count := candidate.counts.get(term, 0):
                weights[number] = most * count / (count + low + share * candidate.entry.length)
        return CountedWeights(weights, max(frequency, len(weights)))
