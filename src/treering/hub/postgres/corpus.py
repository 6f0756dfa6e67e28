"""The memories worth a second look, as the ranking of `search/` sees a corpus.

The database finds them by their words; from here on they are ranked by the very same rules as the
memories of one repository, with counts over all that were asked.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from treering.hub.postgres.statistics import WordCounts
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import K1, B
from treering.search.entry import Entry, mark_of
from treering.search.keys import keys_of


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
