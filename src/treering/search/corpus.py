"""Segments, and all of them together at one moment: documents numbered through, terms weighted.

A segment is a batch of indexed memories that never changes: on disk, or in memory where the disk is
not ours. Both kinds answer the same questions, so a search does not know whether a memory was
indexed last year or could not be written because another process held the lock.

A corpus never changes either, so any number of threads may search it while the next one is made.
What it works out lazily (a term's weights by BM25) is kept for its life and only ever added.
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice, takewhile
from typing import Any, NamedTuple, Protocol

from treering.model.memory import Memory
from treering.search.entry import Entry, count_terms, entry_of
from treering.search.entry_table import EntryList, EntryTable
from treering.search.keys import keys_of

MOST = 255  # of one term in one document; scores have long stopped growing there

K1 = 1.2
B = 0.6
_KEPT_POSTINGS = 1_000_000  # about 100 MB at most; ten thousand memories have about half of that
_STEP = math.log(1.02)
_MOST_KEYS = 20_000  # of a segment that are kept in memory
_RARITY_STEP = math.log(1.01)
_LEAST = 1e-3

#: A term's documents, ascending, and how often it occurs in each.
Posting = tuple["array[int]", bytes | bytearray]


Weights = Mapping[int, float]
_NOTHING: Weights = {}


class Segment(Protocol):
    """What a search needs of a batch; documents are numbered from 0 in the order of `entries`."""

    @property
    def name(self) -> str: ...

    @property
    def entries(self) -> Sequence[Entry]: ...

    def posting(self, term: str) -> Posting | None: ...

    def terms_from(self, prefix: str, limit: int) -> list[str]: ...

    def postings(self) -> Iterator[tuple[str, Posting]]: ...


class Batch:
    """Memories being gathered for a segment; itself a segment that lives in memory, also after it
    was written, when it has the name it has on disk."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.entries: list[Entry] = []
        self._postings: dict[str, tuple[array[int], bytearray]] = {}

    def add(
        self,
        blob: str,
        memory: Memory,
        flags: tuple[str, ...] | None = None,
        said: float | None = None,
    ) -> None:
        counts = count_terms(memory)
        entry = entry_of(blob, memory, counts, flags, said)
        self.entries.append(entry)
        number = len(self.entries) - 1
        postings = self._postings
        counts.update(dict.fromkeys(keys_of(entry), 1))
        for term, count in counts.items():
            posting = postings.get(term)
            if posting is None:
                posting = postings[term] = (array("I"), bytearray())
            posting[0].append(number)
            posting[1].append(count if count < MOST else MOST)

    def add_segment(self, segment: Segment, blobs: set[str]) -> None:
        """Take over a segment's documents, leaving out those of `blobs`, which grow by them."""
        numbers = []
        for entry in segment.entries:
            fresh = entry.blob not in blobs
            numbers.append(len(self.entries) if fresh else -1)
            if fresh:
                blobs.add(entry.blob)
                self.entries.append(entry)
        for term, (documents, counts) in segment.postings():
            posting = self._postings.setdefault(term, (array("I"), bytearray()))
            for document, count in zip(documents, counts, strict=True):
                if numbers[document] >= 0:
                    posting[0].append(numbers[document])
                    posting[1].append(count)

    def posting(self, term: str) -> Posting | None:
        return self._postings.get(term)

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        return sorted(term for term in self._postings if term.startswith(prefix))[:limit]

    def postings(self) -> Iterator[tuple[str, Posting]]:
        return ((term, posting) for term, posting in self._postings.items() if posting[0])


class StoredSegment:
    """A segment in Whoosh's files."""

    def __init__(self, name: str, entries: Sequence[Entry], reader: Any) -> None:
        self.name = name
        self.entries = entries
        self._reader = reader

    def posting(self, term: str) -> Posting | None:
        posting: Posting | None = self._reader.posting(term.encode())
        return posting

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        terms = self._reader.terms_starting(prefix.encode())
        return [term.decode() for term in islice(terms, limit)]

    def postings(self) -> Iterator[tuple[str, Posting]]:
        for term in self._reader.terms_starting(b""):
            posting: Posting = self._reader.posting(term)
            yield term.decode(), posting


class WeightedSegment:
    """A segment and the length norms of its documents, shared by the snapshots it is part of."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.entries = entries = segment.entries
        #: Entries that are read as they are asked for; what all of them have is in columns.
        self.table = entries if isinstance(entries, EntryTable) else None
        if self.table is not None:
            self.lengths: Sequence[int] = self.table.lengths
            self.uninspected = self.table.uninspected
        else:
            self.lengths = [entry.length for entry in entries]
            self.uninspected = [entry.blob for entry in entries if entry.flags is None]
        self.length = sum(self.lengths)
        self._norms: tuple[float, list[float]] = (0.0, [])
        self._sharing: dict[str, Sequence[int]] = {}

    def sharing(self, key: str) -> Sequence[int]:
        """The documents that have a key; kept, as what is asked about next is near, or the same."""
        documents = self._sharing.get(key)
        if documents is None:
            posting = self.segment.posting(key)
            if len(self._sharing) >= _MOST_KEYS:
                self._sharing = {}
            documents = self._sharing[key] = posting[0] if posting else ()
        return documents

    def norms(self, mean: float) -> list[float]:
        norms = self._norms
        if norms[0] != mean:
            low, share = K1 * (1 - B), K1 * B / mean
            norms = self._norms = (mean, [low + share * length for length in self.lengths])
        return norms[1]


class TermWeights(NamedTuple):
    """A term's weights in the first documents, `upto` a number, by the rarity it then had."""

    upto: int
    rarity: float
    weights: Weights


class Corpus:
    """Every indexed document, by number, and every term's weight in it.

    One made after another whose documents it only adds to goes on with the same list of entries and
    the same numbers. The earlier one then knows entries of documents it does not have, which does
    no harm: it finds them by no term.
    """

    def __init__(self, shelves: Sequence[WeightedSegment], before: "Corpus | None" = None) -> None:
        self.shelves = tuple(shelves)
        sizes = [len(shelf.entries) for shelf in shelves]
        self._bases = [0, *accumulate(sizes)]
        self.count = self._bases.pop()
        self.entries, self.numbers = self._number(before)
        self._mean = _steady(sum(s.length for s in shelves) / self.count if self.count else 1.0)
        self._weights: dict[str, TermWeights] = {}
        self._room = _KEPT_POSTINGS
        if before is not None and self.goes_on(before) and self._mean == before._mean:
            self._weights, self._room = before._weights.copy(), before._room

    def goes_on(self, before: "Corpus") -> bool:
        """Whether documents have the numbers here that they had before."""
        return self.numbers is before.numbers and self.count >= before.count

    def _number(self, before: "Corpus | None") -> tuple[list[Entry], dict[str, int]]:
        """Entries and their numbers; what the snapshot before had at the same place is taken."""
        if before is None and any(shelf.table for shelf in self.shelves):
            return self._number_tables()
        same = _alike(self.shelves, before.shelves) if before else 0
        base = self._bases[same] if same < len(self._bases) else self.count
        rest = self._rest(same)
        entries, numbers = before.up_to(base, rest) if before else ([], {})
        start = len(entries)
        news = rest[start - base :]
        entries += news
        # Two processes may have added the same blob: its first document counts.
        fresh = {entry.blob: start + at for at, entry in reversed(list(enumerate(news)))}
        numbers.update(
            fresh if not numbers else {b: n for b, n in fresh.items() if b not in numbers}
        )
        return entries, numbers

    def _number_tables(self) -> tuple[list[Entry], dict[str, int]]:
        """The same where nothing came before, and no entry need be read for it."""
        entries = EntryList()
        for shelf in self.shelves:
            if shelf.table is not None:
                entries.add_table(shelf.table)
            else:
                entries.extend(shelf.entries)
        blobs = entries.column("blob")
        return entries, dict(zip(reversed(blobs), range(len(blobs) - 1, -1, -1), strict=True))

    def _rest(self, first: int) -> list[Entry]:
        return [entry for shelf in self.shelves[first:] for entry in shelf.entries]

    def up_to(self, base: int, rest: Sequence[Entry]) -> tuple[list[Entry], dict[str, int]]:
        """Entries and numbers to go on with after the first `base`: the very same where `rest`
        goes on like these, else copies of the first."""
        there = self.entries[base:]
        shorter = min(len(there), len(rest))
        if self.count <= base + len(rest) and _hold_same(there[:shorter], rest[:shorter]):
            return self.entries, self.numbers
        numbers = self.numbers.copy()
        for entry in there:
            if numbers.get(entry.blob, -1) >= base:
                del numbers[entry.blob]
        return self.entries[:base], numbers

    @cached_property
    def by_blob(self) -> "EntriesByBlob":
        return EntriesByBlob(self)

    def weights(self, term: str) -> Weights:
        """How much each document that holds the term speaks for it."""
        earlier = self._weights.get(term)
        if earlier is not None and earlier.upto == self.count:
            return earlier.weights
        weights = self._weigh(term, earlier)
        self._room -= len(weights) - (len(earlier.weights) if earlier else -1)
        if self._room < 0:
            self._weights, self._room = {}, _KEPT_POSTINGS
        self._weights[term] = TermWeights(self.count, self.rarity(len(weights)), weights)
        return weights

    def has(self, term: str) -> bool:
        return any(shelf.segment.posting(term) is not None for shelf in self.shelves)

    def sharing(self, key: str, most: int = 0) -> list[int]:
        """The documents that have a key, in the order they were indexed; none where that are more
        than `most`, if it is given."""
        lists = [shelf.sharing(key) for shelf in self.shelves]
        if most and sum(map(len, lists)) > most:
            return []
        pairs = zip(self._bases, lists, strict=True)
        return [base + document for base, documents in pairs for document in documents]

    def count_sharing(self, key: str) -> int:
        """How many documents have a key."""
        return sum(len(shelf.sharing(key)) for shelf in self.shelves)

    def frequency(self, term: str) -> int:
        """In how many documents a term occurs."""
        postings = (shelf.segment.posting(term) for shelf in self.shelves)
        return sum(len(posting[0]) for posting in postings if posting)

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        lists = (shelf.segment.terms_from(prefix, limit) for shelf in self.shelves)
        return sorted({term for terms in lists for term in terms})[:limit]

    def rarity(self, frequency: int) -> float:
        """How telling a term is, in steps of 1 %: one more memory leaves most as they were."""
        rarity = math.log(1 + (self.count - frequency + 0.5) / (frequency + 0.5))
        return math.exp(round(math.log(max(rarity, _LEAST)) / _RARITY_STEP) * _RARITY_STEP)

    def _weigh(self, term: str, earlier: TermWeights | None = None) -> Weights:
        """A term's weights; those of the documents there were before are taken where they hold."""
        postings = [
            (base, shelf, posting)
            for base, shelf in zip(self._bases, self.shelves, strict=True)
            if (earlier is None or base >= earlier.upto)
            and (posting := shelf.segment.posting(term)) is not None
        ]
        weights: dict[int, float] = dict(earlier.weights) if earlier else {}
        rarity = self.rarity(sum(len(posting[0]) for _, _, posting in postings) + len(weights))
        if earlier and (earlier.rarity != rarity or earlier.upto not in (*self._bases, self.count)):
            return self._weigh(term)
        if not postings:
            return weights or _NOTHING
        most = rarity * (K1 + 1)
        for base, shelf, (documents, counts) in postings:
            norms = shelf.norms(self._mean)
            pairs = zip(documents, counts, strict=True)
            weights.update({base + d: most * c / (c + norms[d]) for d, c in pairs})
        return weights


class EntriesByBlob(Mapping[str, Entry]):
    """The entries of a corpus by blob, looked up as they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._numbers, self._entries = corpus.numbers, corpus.entries

    def __getitem__(self, blob: str) -> Entry:
        return self._entries[self._numbers[blob]]

    def __contains__(self, blob: object) -> bool:
        return blob in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._numbers))  # which grow when another thread indexes

    def __len__(self) -> int:
        return len(self._numbers)


def _hold_same(some: Sequence[Entry], others: Sequence[Entry]) -> bool:
    """Whether two lists are of the same blobs, in one order."""
    return all(one is other or one == other for one, other in zip(some, others, strict=True))


def _alike(some: Sequence[WeightedSegment], others: Sequence[WeightedSegment]) -> int:
    """How many shelves both begin with."""
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))


def _steady(mean: float) -> float:
    """The mean length in steps of 2 %, so that one more memory leaves every norm as it was."""
    return math.exp(round(math.log(max(mean, 1.0)) / _STEP) * _STEP)
