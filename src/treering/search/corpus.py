"""All documents of some Whoosh indexes at one moment, numbered through, and their terms weighted by
BM25.

A corpus never changes, so any number of threads may search it while the next one is made. What it
looks up (a term's weights, entries) is kept for its life and only ever added.
"""

import copy
import math
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

from treering.search.entry import Entry
from treering.search.index import LENGTHS, MultiReader, TermNotFound, make_schema, read_lengths
from treering.store.view import View

K1 = 1.2
B = 0.6
MOST = 255  # of one term in one document; scores have long stopped growing there
_MAX_POSTINGS = 1_000_000  # kept; about 100 MB
_WIDELY = 8  # times as many terms are tried where most may be of documents that do not count

#: How much each document that holds a term speaks for it.
Weights = Mapping[int, float]


class EntrySource(Protocol):
    """The source of entries of documents: the rows of a repository, or of a hub."""

    def catch_up(self, view: View, limit: int | None = None) -> bool:
        """Read what has no row yet of a view; False if that is more than `limit` memories."""
        ...

    def entry(self, blob: str) -> Entry | None: ...

    def entries(self, blobs: Iterable[str]) -> dict[str, Entry]: ...

    def linking_to(self, memory_id: str) -> list[str]:
        """Return the ids of memories that may link to one."""
        ...

    def count_records(self) -> int:
        """Return how many records there are to be looked through."""
        ...


class KeyedRows(EntrySource, Protocol):
    """The same, found by the keys they share."""

    def list_sharing(self, keys: Sequence[str], limit: int) -> dict[str, list[str]]: ...


def rarity(count: int, frequency: int) -> float:
    """Return the inverse document frequency of a term that `frequency` of `count` memories hold."""
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


class Corpus:
    """Every document of some segments by number, knowledge first, and every term's weight in it."""

    def __init__(self, knowledge: Sequence[Any], records: Sequence[Any], rows: KeyedRows) -> None:
        self.first_record: int = sum(reader.doc_count_all() for reader in knowledge)
        self._rows = rows
        reader = MultiReader([*knowledge, *records])
        reader.schema = reader.schema or make_schema()  # without any segment it has none
        self.reader = reader
        self._leaves = [(leaf, offset) for leaf, offset in reader.leaf_readers()]
        self._size: int = reader.doc_count_all()
        #: The number of documents by which terms are weighted.
        self.count = self._size
        #: The blob and the memory's id of each document.
        self.blobs: list[str] = []
        self.ids: list[str] = []
        for leaf in (*knowledge, *records):
            for name, texts in (("blob", self.blobs), ("id", self.ids)):
                texts += leaf.column_reader(name, translate=False).load()
        self.entries = EntryList(self)
        #: The documents that count, where these are not all.
        self._among: frozenset[int] | None = None
        self._weights: dict[str, Weights] = {}
        self._room = _MAX_POSTINGS
        self._sharing: dict[str, list[int]] = {}
        # Whoosh's readers share a position in their files.
        self._lock = threading.Lock()

    def restrict(self, numbers: Collection[int]) -> "Corpus":
        """Return the same documents, of which only some count: how rare a word is, is counted over
        these, so that nothing in an answer depends on the others."""
        if len(numbers) == self._size:
            return self
        other = copy.copy(self)
        other._among, other.count = frozenset(numbers), len(numbers)
        other._weights, other._room = {}, _MAX_POSTINGS
        vars(other).pop("_saturation", None)
        return other

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The document of each blob; of one that was added twice, the first."""
        return dict(zip(reversed(self.blobs), range(self._size - 1, -1, -1), strict=True))

    def is_record(self, number: int) -> bool:
        return number >= self.first_record

    def read_entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Return the entries of some documents."""
        some = list(numbers)
        rows = self._rows.entries(self.blobs[number] for number in some)
        return {n: entry for n in some if (entry := rows.get(self.blobs[n]))}

    def find(self, field: str, value: str) -> set[int]:
        """Return the documents whose field has a value."""
        found: set[int] = set()
        with self._lock:
            term = value.encode(errors="surrogatepass")
            for reader, offset in self._leaves:
                if (field, term) in reader:
                    found.update(offset + n for n in reader.postings(field, term).all_ids())
        return found

    def weights(self, term: str) -> Weights:
        """Return how much each document that holds the term speaks for it."""
        weights = self._weights.get(term)
        if weights is None:
            with self._lock:
                weights = self._weigh(term)
            self._room -= len(weights) + 1
            if self._room < 0:
                self._weights, self._room = {}, _MAX_POSTINGS
            self._weights[term] = weights
        return weights

    def _weigh(self, term: str) -> Weights:
        """Score each posting by BM25, with an inverse document frequency that is never negative.
        Whoosh's own scorer looks up the length of every document by itself, which takes three times
        as long as all the rest."""
        weights: dict[int, float] = {}
        text, among = term.encode(errors="surrogatepass"), self._among
        factor = K1 + 1
        if among is None:
            factor *= rarity(self.count, self.reader.doc_frequency("text", text))
        for (reader, offset), lengths in zip(self._leaves, self._lengths, strict=True):
            try:
                matcher = reader.postings("text", text)
            except TermNotFound:
                continue
            is_active, number, weight, step = (
                matcher.is_active, matcher.id, matcher.weight, matcher.next,
            )  # fmt: skip
            while is_active():
                count, at = weight(), number()
                weights[offset + at] = factor * count / (count + self._saturation[lengths[at]])
                step()
        if among is None:
            return weights
        some = {number: weight for number, weight in weights.items() if number in among}
        factor = rarity(self.count, len(some))
        return {number: weight * factor for number, weight in some.items()}

    @cached_property
    def _lengths(self) -> list[bytes]:
        return [read_lengths(reader) for reader, _ in self._leaves]

    @cached_property
    def _saturation(self) -> list[float]:
        """Return how slowly the score of a term grows with its count, by the coded length of the
        text."""
        if self._among is None:
            total = self.reader.field_length("text")
        else:
            lengths = b"".join(self._lengths)
            total = sum(LENGTHS[lengths[number]] for number in self._among)
        mean = total / (self.count or 1) or 1
        return [K1 * (1 - B + B * length / mean) for length in LENGTHS]

    def rarity(self, frequency: int) -> float:
        """Return how telling a term is that so many documents hold."""
        return rarity(self.count, frequency)

    def frequency(self, term: str) -> int:
        """Return in how many documents a term occurs."""
        if (weights := self._weights.get(term)) is not None:
            return len(weights)
        if self._among is not None:
            return len(self.weights(term))
        with self._lock:
            return int(self.reader.doc_frequency("text", term.encode(errors="surrogatepass")))

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        """Return the first terms that begin with a prefix."""
        count = limit if self._among is None else _WIDELY * limit
        with self._lock:
            found = self.reader.expand_prefix("text", prefix.encode(errors="surrogatepass"))
            terms = [term.decode() for term in islice(found, count)]
        if self._among is not None:
            terms = [term for term in terms if self.weights(term)]
        return terms[:limit]

    def sharing(self, keys: Sequence[str], limit: int) -> dict[str, list[int]]:
        """Return the documents that have each of some keys; none for a key that more than `limit`
        have."""
        known, numbers = self._sharing, self.numbers
        if missing := [key for key in keys if key not in known]:
            found = self._rows.list_sharing(missing, limit + 1)
            for key in missing:
                known[key] = [numbers[blob] for blob in found.get(key, ()) if blob in numbers]
        return {key: known[key] if len(known[key]) <= limit else [] for key in keys}


class EntryList(Sequence[Entry]):
    """The entries of a corpus by number, read as they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._known: dict[int, Entry] = {}

    def load(self, numbers: Collection[int]) -> None:
        """Read many at once: who is about to ask for each saves a query per entry."""
        if missing := [n for n in numbers if n not in self._known]:
            self._known.update(self._corpus.read_entries(missing))

    def __getitem__(self, number: int) -> Entry:  # type: ignore[override]
        if number not in self._known:
            self.load([number])
        return self._known[number]

    def __len__(self) -> int:
        return len(self._corpus.blobs)

    def __iter__(self) -> Iterator[Entry]:
        self.load(range(len(self)))
        return (self._known[n] for n in range(len(self)) if n in self._known)
