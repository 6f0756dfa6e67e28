"""All documents of some Whoosh indexes at one moment, numbered through, and their terms weighted by
BM25.

A corpus never changes, so any number of threads may search it while the next one is made. What it
looks up (a term's weights, entries) is kept for its life and only ever added.
"""

import math
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, Protocol

from treering.search.entry import Entry, mark_entry
from treering.search.index import LENGTHS, MultiReader, TermNotFound, make_schema, read_lengths

K1 = 1.2
B = 0.6
MOST = 255  # of one term in one document; scores have long stopped growing there
_MAX_POSTINGS = 1_000_000  # kept; about 100 MB

#: How much each document that holds a term speaks for it.
Weights = Mapping[int, float]


class EntrySource(Protocol):
    """Where the entries of documents come from."""

    def entries(self, blobs: Iterable[str]) -> dict[str, Entry]: ...

    def list_sharing(self, keys: Sequence[str], limit: int) -> dict[str, list[str]]: ...


class CorpusPart(NamedTuple):
    """Segments of one repository, and its rows. Where several repositories are searched as one,
    each has a mark, which ids and blobs then carry."""

    knowledge: tuple[Any, ...]
    records: tuple[Any, ...]
    rows: EntrySource
    mark: str = ""


def rarity(count: int, frequency: int) -> float:
    """Return the inverse document frequency of a term that `frequency` of `count` memories hold."""
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


class Corpus:
    """Every document of some indexes by number, knowledge first, and every term's weight in it."""

    def __init__(self, parts: Sequence[CorpusPart]) -> None:
        self.parts = parts
        leaves = [(reader, part) for part in parts for reader in part.knowledge]
        self.first_record: int = sum(reader.doc_count_all() for reader, _ in leaves)
        leaves += [(reader, part) for part in parts for reader in part.records]
        reader = MultiReader([leaf for leaf, _ in leaves])
        reader.schema = reader.schema or make_schema()  # without any segment it has none
        self._reader = reader
        self._leaves = [(leaf, offset) for leaf, offset in reader.leaf_readers()]
        self.count: int = reader.doc_count_all()
        #: The blob and the memory's id of each document, with the mark of its repository.
        self.blobs: list[str] = []
        self.ids: list[str] = []
        for leaf, part in leaves:
            for name, texts in (("blob", self.blobs), ("id", self.ids)):
                values = leaf.column_reader(name, translate=False).load()
                texts += [part.mark + value for value in values] if part.mark else values
        self.entries = EntryList(self)
        self._by_mark = {part.mark: part.rows for part in parts}
        self._weights: dict[str, Weights] = {}
        self._room = _MAX_POSTINGS
        self._sharing: dict[str, dict[str, list[int]]] = {}
        # Whoosh's readers share a position in their files.
        self._lock = threading.Lock()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The document of each blob; of one that was added twice, the first."""
        return dict(zip(reversed(self.blobs), range(self.count - 1, -1, -1), strict=True))

    def is_record(self, number: int) -> bool:
        return number >= self.first_record

    def read_entries(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Return the entries of some documents."""
        by_mark: dict[str, list[int]] = {}
        for number in numbers:
            by_mark.setdefault(self.blobs[number][:-40], []).append(number)
        entries: dict[int, Entry] = {}
        for mark, some in by_mark.items():
            rows = self._by_mark[mark].entries(self.blobs[n][len(mark) :] for n in some)
            for number in some:
                if entry := rows.get(self.blobs[number][len(mark) :]):
                    entries[number] = mark_entry(entry, mark) if mark else entry
        return entries

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
        text = term.encode(errors="surrogatepass")
        factor = rarity(self.count, self._reader.doc_frequency("text", text)) * (K1 + 1)
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
        return weights

    @cached_property
    def _lengths(self) -> list[bytes]:
        return [read_lengths(reader) for reader, _ in self._leaves]

    @cached_property
    def _saturation(self) -> list[float]:
        """How slowly the score of a term grows with its count, by the coded length of the text."""
        mean = self._reader.field_length("text") / (self.count or 1) or 1
        return [K1 * (1 - B + B * length / mean) for length in LENGTHS]

    def rarity(self, frequency: int) -> float:
        """Return how telling a term is that so many documents hold."""
        return rarity(self.count, frequency)

    def frequency(self, term: str) -> int:
        """Return in how many documents a term occurs."""
        if (weights := self._weights.get(term)) is not None:
            return len(weights)
        with self._lock:
            return int(self._reader.doc_frequency("text", term.encode(errors="surrogatepass")))

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        """Return the first terms that begin with a prefix."""
        with self._lock:
            terms = self._reader.expand_prefix("text", prefix.encode(errors="surrogatepass"))
            return [term.decode() for term in islice(terms, limit)]

    def sharing(self, keys: Sequence[str], limit: int, mark: str = "") -> dict[str, list[int]]:
        """Return the documents of a repository that have each of some keys; none for a key that
        more than `limit` have."""
        known, numbers = self._sharing.setdefault(mark, {}), self.numbers
        if missing := [key for key in keys if key not in known]:
            found = self._by_mark[mark].list_sharing(missing, limit + 1)
            for key in missing:
                blobs = [mark + blob for blob in found.get(key, ())]
                known[key] = [numbers[blob] for blob in blobs if blob in numbers]
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
        return self._corpus.count

    def __iter__(self) -> Iterator[Entry]:
        self.load(range(len(self)))
        return (self._known[n] for n in range(len(self)) if n in self._known)
