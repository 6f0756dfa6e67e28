"""Search over the memories of one repository, as the rest of the program sees it.

Rows of memories come first, the indexes follow: each knows the highest row it holds and adds what
is above it. What cannot be written, because another process is writing or the disk is full or not
ours, is indexed in memory instead. A damaged index is dropped and built again once; where that
fails, too, the answer comes from memory.

Threads may share an Index: changes take one lock, searches run on corpora that never change.
"""

import heapq
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from treering.derived.content import MemoryRows
from treering.model.memory import Memory
from treering.model.query import Filters, Query
from treering.search.corpus import Corpus
from treering.search.entry import Entry
from treering.search.hits import SearchResult
from treering.search.index import (
    NAMES,
    IndexFolder,
    LockedError,
    MemoryIndex,
    OpenIndex,
    UnusableIndex,
    add_documents,
)
from treering.search.lookup import check, search
from treering.search.matching import Request, holding
from treering.search.succession import Successors, find_predecessors, find_successors
from treering.search.understanding import SemanticMatch, SemanticSearch
from treering.search.visible import VisibleEntries
from treering.text.flags import DetectorRules

Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]
Progress = Callable[[int, int], None]
Answer = TypeVar("Answer")

_MAX_VIEWS = 8
_STEP = 100  # memories between two calls of `progress`
_BATCH_SIZE = 500


class ReadError(Exception):
    """The caller's `read` raised: its error is the caller's to see, not a reason to rebuild."""


class Index:
    """The indexes of one repository, derived from its rows and rebuildable at any time.

    `read` yields (blob, memory) for the blobs it is given and skips what it cannot read; what it
    raises reaches the caller as it is. `folder` is where the indexes lie, or None for memory alone.
    `mark` is the length of a hub's marks: there words are counted over what is visible alone.
    """

    def __init__(
        self,
        folder: Path | None,
        rows: MemoryRows,
        read: Read,
        understanding: SemanticSearch | None = None,
        *,
        mark: int = 0,
    ) -> None:
        self.rows = rows
        self._mark = mark
        self.understanding = understanding or SemanticSearch()
        self._read = read
        self._folder = IndexFolder(folder, mark) if folder else None
        self._lock = threading.RLock()
        self._parts = [_IndexPart(name == "records", mark) for name in NAMES]
        self._corpora: dict[bool, Corpus] = {}
        self._views: list[tuple[Corpus, VisibleEntries]] = []

    # --- keeping up -------------------------------------------------------------------------------

    def catch_up(self, blobs: Iterable[str] = (), progress: Progress | None = None) -> int:
        """Index every row that is not indexed yet, and the memories of some blobs that may have no
        row; return how many were added. Waits for no other process."""
        if missing := self.rows.unknown_blobs(blobs):
            memories = dict(self._read(missing))
            others = (blob for blob in missing if blob not in memories)
            self.rows.add(memories, problems=dict.fromkeys(others))
        with self._lock:
            parts = self._parts
            return self._safely_read(lambda: sum(self._catch_up(p, progress) for p in parts))

    def _catch_up(self, part: "_IndexPart", progress: Progress | None = None) -> int:
        """Bring one index up to the last row of its kind."""
        last = self.rows.last(is_record=part.is_record)
        generation = self._folder.generation(part.name) if self._folder else -1
        if part.is_open and generation == part.opened.generation and last == part.upto:
            return 0
        self._open(part, generation)
        missing = [b for b in self._list_missing(part)[0] if b not in part.memory.blobs]
        if not missing:
            part.upto = last
            return 0
        self._corpora.clear()
        if not self._write(part, progress):
            part.memory.add(self._indexing(missing, progress))
        part.upto = last
        self.understanding.library.flush()
        return len(missing)

    def _open(self, part: "_IndexPart", generation: int) -> None:
        """Open the index on disk as it is now; one that cannot be read is dropped."""
        if part.is_open and generation == part.opened.generation:
            return
        before, part.is_open = part.opened, True
        part.opened = OpenIndex()
        if self._folder:
            try:
                part.opened = self._folder.open(part.name, before)
            except Exception:  # a damaged file fails in many ways, and each means the same
                self._folder.drop(part.name)
        self._corpora.clear()

    def _list_missing(self, part: "_IndexPart") -> tuple[list[str], int]:
        """List the blobs of rows that an index lacks, and return the last row that was looked at.
        Usually the database knows up to which row this very generation goes; else every blob is
        compared."""
        upto, blobs = 0, set[str]()
        match self.rows.database.read_value(f"index {part.name}"):
            case [int(generation), int(known)] if generation == part.opened.generation:
                upto = known
            case _:
                blobs = part.list_blobs()
        rows = self.rows.list_after(upto, is_record=part.is_record)
        last = rows[-1][0] if rows else upto
        return [blob for _, blob in rows if blob not in blobs], last

    def _write(self, part: "_IndexPart", progress: Progress | None, *, anew: bool = False) -> bool:
        """Write what an index lacks, or all of it; False where that cannot be done now."""
        if self._folder is None or self.rows.database.is_in_memory:
            return False
        try:
            with self._folder.writing(part.name) as writer:
                self._open(part, writer.generation - 1)  # another process may have been here
                if anew:
                    rows = self.rows.list_after(0, is_record=part.is_record)
                    blobs, last = [blob for _, blob in rows], rows[-1][0] if rows else 0
                else:
                    blobs, last = self._list_missing(part)
                if blobs or anew:
                    add_documents(writer, self._indexing(blobs, progress), anew=anew)
                    generation = writer.generation
                else:
                    generation = writer.generation - 1
            self.rows.database.write_value(f"index {part.name}", [generation, last])
            self._open(part, generation)
            part.memory, part.upto = MemoryIndex(self._mark), last
        except ReadError:
            raise
        except (LockedError, UnusableIndex, OSError):
            return False
        except Exception:
            if anew:
                raise
            self._folder.drop(part.name)  # it could be opened, and not be added to
            part.is_open = False
            return self._write(part, progress, anew=True)
        return True

    def _reading(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Read memories; failures of reading are told from those of the index."""
        try:
            yield from self._read(blobs)
        except Exception as error:
            raise ReadError from error

    def _indexing(
        self, blobs: Collection[str], progress: Progress | None = None
    ) -> Iterator[tuple[str, Memory]]:
        """Read memories that are being indexed: vectors are made on the way."""
        for count, (blob, memory) in enumerate(self._reading(blobs)):
            if progress and count % _STEP == 0:
                progress(count, len(blobs))
            self.understanding.note(blob, memory)
            yield blob, memory
        if progress:
            progress(len(blobs), len(blobs))

    def rebuild(self, progress: Progress | None = None) -> int:
        """Index all rows anew; the old indexes serve until the new ones are whole."""
        with self._lock:
            self.understanding.library.start_over(self.rows.blobs())
            for part in self._parts:
                if not self._safely_read(partial(self._write, part, progress, anew=True)):
                    self._index_in_memory(part)
            self._corpora.clear()
            self._views.clear()
            self.understanding.library.flush()
        return sum(part.count for part in self._parts)

    def make_vectors(self) -> None:
        """Make every vector that is missing, however long it takes."""
        with self._lock:
            complete = self.understanding.library.complete
            self._safely_read(lambda: complete(self.corpus().blobs, self._reading))

    def inspect_rest(self) -> None:
        """Look at memories that there was no time for, and make vectors that are missing: for a
        process that nobody waits for."""
        self.inspect_all()
        with self._lock:
            complete = self.understanding.complete
            self._safely_read(lambda: complete(self.corpus().blobs, self._reading))

    def inspect_all(self) -> None:
        """Look at every memory that nobody has looked at, however long it takes."""
        before: list[str] = []
        while (blobs := self.rows.list_uninspected(_BATCH_SIZE)) and blobs != before:
            before = blobs  # the same again means that nothing can be kept now
            inspect, memories = DetectorRules().inspect, dict(self._read(blobs))
            found = {blob: inspect(memory) for blob, memory in memories.items()}
            self.rows.add_flags({blob: found.get(blob) or () for blob in blobs})

    @property
    def is_unfinished(self) -> bool:
        """Return whether a quiet process should have a look: memories that nobody inspected, or
        vectors that are missing."""
        return bool(self.understanding.library.behind or self.rows.list_uninspected(1))

    def purge(self, start: str) -> None:
        """Remove what has a blob that starts so from the indexes; its rows go next."""
        with self._lock:
            for name in NAMES:
                if self._folder:
                    self._folder.purge(name, start)
                self.rows.database.write_value(f"index {name}", None)
            self._close()

    def drop(self) -> None:
        """Remove the indexes, with every trace of the words in them."""
        with self._lock:
            if self._folder:
                self._folder.remove()
            self._close()

    def _close(self) -> None:
        self._corpora.clear()
        self._views.clear()
        self._parts = [_IndexPart(part.is_record, self._mark) for part in self._parts]

    # --- asking -----------------------------------------------------------------------------------

    def list_indexed(self) -> set[str]:
        """Return the blobs on disk, as they are: nothing is added for it."""
        with self._lock:
            for part in self._parts:
                self._open(part, self._folder.generation(part.name) if self._folder else -1)
            return {blob for part in self._parts for blob in part.list_blobs()}

    def corpus(self, *, with_records: bool = True) -> Corpus:
        """Return all documents as they are now, or knowledge alone: then records are not opened."""
        with self._lock:
            for part in self._parts[: 1 + with_records]:
                self._catch_up(part)
            if with_records not in self._corpora:
                knowledge, records = (part.readers for part in self._parts)
                corpus = Corpus(knowledge, records if with_records else (), self.rows)
                self._corpora[with_records] = corpus
            return self._corpora[with_records]

    def search(
        self,
        query: Query,
        visible: Mapping[str, int],
        *,
        filters: Filters | None = None,
        order: str = "relevance",
        mode: str = "hybrid",
        now: float,
        limit: int | None = 10,
        elsewhere: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        with_records: bool = True,
    ) -> SearchResult:
        """Answer a question over the `visible` blobs (blob -> rank of its layer, 0 is nearest).

        Filters in the query text and in `filters` both hold. `elsewhere` are blobs that are not
        seen, by the word under which those that would have matched are counted in `withheld`.
        Without `with_records` knowledge alone is searched, as if there were records beyond it.
        """
        choice = check(order, mode)
        request = Request(query, filters or Filters(), *choice, now, limit, not with_records)

        def answer() -> SearchResult:
            view = self._view(visible, with_records=with_records)
            others = {
                word: self._view(blobs, with_records=with_records)
                for word, blobs in elsewhere.items()
            }
            return search(request, view, self._reading, self._sense(request, view), others)

        return self._safely(answer)

    def holding(self, text: str, visible: Mapping[str, int]) -> list[Entry]:
        """Return the visible memories in force that hold every word of a text, in no order."""

        def answer() -> list[Entry]:
            view = self._view(visible)
            matches = [number for number in holding(text, view) if number in view.in_force]
            return list(view.snapshot.read_entries(matches).values())

        return self._safely(answer)

    def newest(
        self, visible: Mapping[str, int], limit: int, types: Collection[str] = ()
    ) -> list[Entry]:
        """Return the visible memories in force that were changed last, of some types or of any."""

        def answer() -> list[Entry]:
            view = self._view(visible)
            numbers = view.in_force
            if types:
                numbers = numbers & set().union(*(view.snapshot.find("type", t) for t in types))
            entries = view.snapshot.read_entries(numbers).values()
            return heapq.nlargest(limit, entries, key=lambda entry: (entry.modified, entry.id))

        return self._safely(answer)

    def find_successors(
        self, blobs: Collection[str], visible: Mapping[str, int], *, with_records: bool = True
    ) -> dict[str, Successors]:
        """Return those of some visible blobs that something visible replaces, or may."""

        def answer() -> dict[str, Successors]:
            view = self._view(visible, with_records=with_records)
            numbers = {n: b for b in blobs if (n := view.snapshot.numbers.get(b)) in view.all}
            found = find_successors(numbers, view, self._reading)
            return {numbers[number]: successors for number, successors in found.items()}

        return self._safely(answer)

    def find_predecessors(
        self, blob: str, visible: Mapping[str, int]
    ) -> list[tuple[Entry, Successors]]:
        """Return the visible memories that one of them replaces, or may."""

        def answer() -> list[tuple[Entry, Successors]]:
            view = self._view(visible)
            number = view.snapshot.numbers.get(blob)
            return [] if number is None else find_predecessors(number, view, self._reading)

        return self._safely(answer)

    def entry(self, blob: str) -> Entry | None:
        return self.rows.entry(blob)

    def _view(self, visible: Mapping[str, int], *, with_records: bool = True) -> VisibleEntries:
        """Return what is visible of the documents there are now; the last few are kept."""
        corpus = self.corpus(with_records=with_records)
        with self._lock:
            for of, view in self._views:
                if of is corpus and view.visible is visible:
                    return view
            view = VisibleEntries(corpus, visible)
            if self._mark:
                view = VisibleEntries(corpus.restrict(view.all), visible)
            self._views = [(corpus, view), *self._views[: _MAX_VIEWS - 1]]
        return view

    def _sense(self, request: Request, view: VisibleEntries) -> SemanticMatch:
        with self._lock:
            return self.understanding.sense(request, view, self._reading)

    def _safely_read(self, answer: Callable[[], Answer]) -> Answer:
        """Run something; the reader's own error comes out as it went in."""
        try:
            return answer()
        except ReadError as failure:
            raise _cause(failure) from None

    def _safely(self, answer: Callable[[], Answer]) -> Answer:
        """Answer; if an index is broken build it again, and if that breaks too do so in memory."""
        for on_disk in (True, False):
            try:
                return answer()
            except ReadError as failure:
                raise _cause(failure) from None
            except Exception:
                with self._lock:
                    self._start_over(in_memory=not on_disk)
        return self._safely_read(answer)

    def _start_over(self, *, in_memory: bool) -> None:
        """Forget all that is open; the indexes on disk are dropped, or not used any more."""
        self._close()
        for part in self._parts:
            if in_memory:
                self._index_in_memory(part)
            elif self._folder:
                self._folder.drop(part.name)
        if in_memory:
            self._folder = None

    def _index_in_memory(self, part: "_IndexPart") -> None:
        part.opened, part.is_open, part.memory = OpenIndex(), True, MemoryIndex(self._mark)
        blobs = [blob for _, blob in self.rows.list_after(0, is_record=part.is_record)]
        part.memory.add(self._indexing(blobs))
        part.upto = self.rows.last(is_record=part.is_record)


class _IndexPart:
    """One of the indexes: what is open of it, and what is indexed in memory alone."""

    def __init__(self, is_record: bool, mark: int) -> None:
        self.is_record = is_record
        self.name = NAMES[is_record]
        self.opened = OpenIndex()
        self.is_open = False
        self.memory = MemoryIndex(mark)
        self.upto = 0

    @property
    def readers(self) -> tuple[object, ...]:
        return (*self.opened.readers, *self.memory.readers)

    @property
    def count(self) -> int:
        return sum(reader.doc_count_all() for reader in self.readers)  # type: ignore[attr-defined]

    def list_blobs(self) -> set[str]:
        """Return the blobs on disk."""
        columns = (r.column_reader("blob", translate=False) for r in self.opened.readers)
        return {blob for column in columns for blob in column.load()}


def _cause(failure: ReadError) -> BaseException:
    return failure.__cause__ or failure
