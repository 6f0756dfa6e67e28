"""A batch of indexed memories that never changes: on disk, or in memory where the disk is not ours.

Both kinds answer the same questions, so a search does not know whether a memory was indexed last
year or could not be written because another process held the lock.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

from treering.model.memory import Memory
from treering.search.analysis import terms
from treering.search.entry import Entry, entry_of, searchable_text

MOST = 255  # of one term in one document; scores have long stopped growing there

#: A term's documents, ascending, and how often it occurs in each.
Posting = tuple["array[int]", bytes | bytearray]


class Segment(Protocol):
    """What a search needs of a batch; documents are numbered from 0 in the order of `entries`."""

    @property
    def name(self) -> str: ...

    @property
    def entries(self) -> list[Entry]: ...

    def posting(self, term: str) -> Posting | None: ...

    def terms_from(self, prefix: str, limit: int) -> list[str]: ...

    def postings(self) -> Iterator[tuple[str, Posting]]: ...


class Batch:
    """Memories being gathered for a segment; itself a segment that lives in memory."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.entries: list[Entry] = []
        self._postings: dict[str, tuple[array[int], bytearray]] = {}

    def add(self, blob: str, memory: Memory, flags: tuple[str, ...] | None = None) -> None:
        counts = Counter(terms(searchable_text(memory)))
        self.entries.append(entry_of(blob, memory, counts, flags))
        number = len(self.entries) - 1
        gathered = self._postings
        for term, count in counts.items():
            kept = gathered.get(term)
            if kept is None:
                kept = gathered[term] = (array("I"), bytearray())
            kept[0].append(number)
            kept[1].append(count if count < MOST else MOST)

    def add_segment(self, segment: Segment, known: set[str]) -> None:
        """Take over a segment's documents, leaving out blobs that are `known` already."""
        renumbered = []
        for entry in segment.entries:
            fresh = entry.blob not in known
            renumbered.append(len(self.entries) if fresh else -1)
            if fresh:
                known.add(entry.blob)
                self.entries.append(entry)
        for term, (documents, counts) in segment.postings():
            kept = self._postings.setdefault(term, (array("I"), bytearray()))
            for document, count in zip(documents, counts, strict=True):
                if renumbered[document] >= 0:
                    kept[0].append(renumbered[document])
                    kept[1].append(count)

    def posting(self, term: str) -> Posting | None:
        return self._postings.get(term)

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        return sorted(term for term in self._postings if term.startswith(prefix))[:limit]

    def postings(self) -> Iterator[tuple[str, Posting]]:
        return ((term, posting) for term, posting in self._postings.items() if posting[0])


class StoredSegment:
    """A segment in Whoosh's files."""

    def __init__(self, name: str, entries: list[Entry], reader: Any) -> None:
        self.name = name
        self.entries = entries
        self._reader = reader

    def posting(self, term: str) -> Posting | None:
        found: Posting | None = self._reader.posting(term.encode())
        return found

    def terms_from(self, prefix: str, limit: int) -> list[str]:
        found: list[str] = []
        for term in self._reader.terms_starting(prefix.encode()):
            if len(found) >= limit:
                break
            found.append(term.decode())
        return found

    def postings(self) -> Iterator[tuple[str, Posting]]:
        for term in self._reader.terms_starting(b""):
            posting: Posting = self._reader.posting(term)
            yield term.decode(), posting
