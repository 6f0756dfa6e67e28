"""The index as the rest of the program sees it.

`Index` adds memories by blob id, answers questions over the blobs a caller may see, and does not
fail: whatever goes wrong with its files, it drops them, builds them again once and answers; where
the folder cannot be written, or another process is writing, it goes on in memory.

Threads may share an Index: changes take one lock, searches run on snapshots that never change.
"""

import heapq
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from treering.model.query import Filters, Query
from treering.search.catalogue import (
    Catalogue,
    Dates,
    Detectors,
    Known,
    Progress,
    Read,
    ReadError,
    guard,
)
from treering.search.corpus import Corpus
from treering.search.entry import Entry
from treering.search.hits import SearchResult
from treering.search.lookup import check, search
from treering.search.matching import Request, holding
from treering.search.storage import LEVELS, MANY_SEGMENTS
from treering.search.succession import Successors, find_predecessors, find_successors
from treering.search.understanding import QuestionSense, Understanding
from treering.search.view_change import ViewChange, follow
from treering.search.visible import VisibleEntries

_VIEWS, _FEW = 8, 32  # views that are kept, new memories
Answer = TypeVar("Answer")


class Index:
    """Search over memories, derived from git blobs and rebuildable at any time.

    `read` yields (blob, memory) for the blobs it is given and skips what it cannot read; what it
    raises reaches the caller as it is. `detectors` say what looks wrong with a memory: each is
    looked at once, and what was found is kept with its entry. `levels` are the folders that must be
    ours for anything to be kept: this one, and those above it. `known` is asked for the entry that
    another index has of a blob: what that one looked at is not looked at again. `dates` says when a
    memory got the content it has; else that is when it was changed last. `texts` reads like `read`,
    without dates. `may_wait` new memories need not be written at once: somebody calls `tidy`, or
    indexes them again; with none, entries are read one by one. `understanding` knows of meaning.
    """

    def __init__(
        self,
        folder: Path,
        *,
        read: Read,
        understanding: Understanding | None = None,
        detectors: Detectors | None = None,
        levels: int = LEVELS,
        known: Known | None = None,
        dates: Dates | None = None,
        texts: Read | None = None,
        may_wait: int = 0,
    ) -> None:
        self._lock = threading.RLock()
        self._reading = guard(read)
        self._reading_texts = guard(texts or read)
        self.understanding = understanding or Understanding()
        self._catalogue = Catalogue(
            folder, read, detectors, levels, known, dates, self.understanding.note, not may_wait
        )
        self._settled: tuple[Collection[str], int] | None = None
        self._may_wait = may_wait
        self._running = 0  # answers under way, which may look at the views
        # Keyed by identity; the values keep the keys' objects alive, so no id is used twice.
        self._views: OrderedDict[tuple[int, int], VisibleEntries] = OrderedDict()
        self._changes: OrderedDict[int, tuple[Mapping[str, int], ViewChange]] = OrderedDict()

    def catch_up(self, blobs: Iterable[str], progress: Progress | None = None) -> int:
        """Index what is not indexed yet; returns how many were added.

        The same object as last time costs nothing, so pass the same one while nothing changed; a
        caller that knows what is new passes only that. Waits for no other process.
        """
        if self._settled is not None and _is_same(blobs, self._settled):
            return 0
        with self._lock:
            missing = self._catalogue.missing(blobs)
            is_later = self._catalogue.unwritten + len(missing) <= self._may_wait
            # A few are indexed in the time it takes to see whether another process has been at it.
            is_few = is_later and len(missing) <= _FEW
            if missing and not is_few and self._catalogue.refresh():
                missing = self._catalogue.missing(missing)
            add = partial(self._catalogue.add, missing, progress, is_later=is_later)
            count = self._change(add) if missing else 0
            self._settled = (blobs, len(blobs)) if isinstance(blobs, Collection) else None
            if count and not is_later:
                self.understanding.library.keep()
            return count

    def lacks_any(self, blobs: Iterable[str]) -> bool:
        """Whether something is not indexed yet."""
        with self._lock:
            return bool(self._catalogue.missing(blobs))

    def follow(self, visible: Mapping[str, int], change: ViewChange) -> None:
        """Note that a mapping of visible blobs was made from another, which may be known here, and
        index what is new in it."""
        with self._lock:
            self._changes[id(visible)] = (visible, change)
            while len(self._changes) > _VIEWS:
                self._changes.popitem(last=False)
            state = self._settled
            is_settled = state is not None and _is_same(change.before, state)
            self.catch_up([blob for blob in change.changed if blob in visible])
            self._settled = (visible, len(visible)) if is_settled else state

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
        has_records: bool = False,
    ) -> SearchResult:
        """Answer a question over the `visible` blobs (blob -> rank of its layer, 0 is nearest).

        Filters in the query text and in `filters` both hold. Pass the same `visible` object while
        nothing changed: what is derived from it is kept. `elsewhere` are blobs that are not
        seen, by the word under which those that would have matched are counted in `withheld`.
        `has_records` says that there are records beyond them, which knowledge comes before.
        """
        choice = check(order, mode)
        request = Request(query, filters or Filters(), *choice, now, limit, has_records)
        return self._safely(lambda: self._search(request, visible, elsewhere), visible)

    def holding(self, text: str, visible: Mapping[str, int]) -> list[Entry]:
        """The visible memories in force that hold every word of a text, in no order."""

        def answer() -> list[Entry]:
            view = self._view(self._snapshot(), visible)
            matches = holding(text, view)
            return [view.entry(number) for number in matches if number in view.in_force]

        return self._safely(answer, visible)

    def newest(
        self, visible: Mapping[str, int], limit: int, types: Collection[str] = ()
    ) -> list[Entry]:
        """The visible memories in force that were changed last, of some types or of any."""

        def answer() -> list[Entry]:
            view = self._view(self._snapshot(), visible)
            matches = map(view.entry, view.in_force)
            entries = (entry for entry in matches if not types or entry.type in types)
            return heapq.nlargest(limit, entries, key=lambda entry: (entry.modified, entry.id))

        return self._safely(answer, visible)

    def find_successors(
        self, blobs: Collection[str], visible: Mapping[str, int]
    ) -> dict[str, Successors]:
        """Of some visible blobs those that something visible replaces, or may."""

        def answer() -> dict[str, Successors]:
            view = self._view(self._snapshot(), visible)
            numbers = {n: b for b in blobs if (n := view.snapshot.numbers.get(b)) in view.all}
            found = find_successors(numbers, view, self._reading_texts)
            return {numbers[number]: successors for number, successors in found.items()}

        return self._safely(answer, visible)

    def find_predecessors(
        self, blob: str, visible: Mapping[str, int]
    ) -> list[tuple[Entry, Successors]]:
        """The visible memories that one of them replaces, or may."""

        def answer() -> list[tuple[Entry, Successors]]:
            view = self._view(self._snapshot(), visible)
            number = view.snapshot.numbers.get(blob)
            return [] if number is None else find_predecessors(number, view, self._reading_texts)

        return self._safely(answer, visible)

    def entry(self, blob: str) -> Entry | None:
        snapshot = self._snapshot()
        number = snapshot.numbers.get(blob)
        return None if number is None else snapshot.entries[number]

    def known_entry(self, blob: str) -> Entry | None:
        """The entry of a blob, if the index was opened already: who wants one does not wait."""
        return self.entry(blob) if self._catalogue.is_open else None

    def entries(self) -> Mapping[str, Entry]:
        """Every indexed memory's entry, by blob."""
        return self._snapshot().by_blob

    def corpus(self) -> Corpus:
        """All documents as they are now, for whoever searches several indexes as one."""
        return self._snapshot()

    def documents(self) -> int:
        """How many different blobs are indexed."""
        return len(self._snapshot().numbers)

    def rebuild(self, blobs: Iterable[str], progress: Progress | None = None) -> int:
        """Index exactly these blobs anew; the old index serves until the new one is whole."""
        with self._lock:
            self._settled = None
            blobs = list(blobs)
            self.understanding.library.start_over(blobs)
            count = self._change(lambda: self._catalogue.rebuild(blobs, progress))
            self.understanding.library.keep()
            return count

    def make_vectors(self) -> None:
        """Make every vector that is missing, however long it takes."""
        with self._lock:
            complete = self.understanding.library.complete
            self._change(lambda: complete(self._snapshot().numbers, self._reading))

    @property
    def is_untidy(self) -> bool:
        """Whether many small additions have piled up, each of which every search looks into; one
        that nobody opened is not opened for it."""
        return self._catalogue.is_open and len(self._snapshot().shelves) > MANY_SEGMENTS

    @property
    def is_unwritten(self) -> bool:
        """Whether memories are indexed in memory alone."""
        return self._catalogue.unwritten > 0

    @property
    def is_unfinished(self) -> bool:
        """Whether there are memories that there was no time to look at."""
        with self._lock:
            if self.understanding.library.behind:
                return True
            return self._catalogue.is_open and bool(self._catalogue.uninspected)

    def inspect_rest(self) -> None:
        """Look at them, and keep what is found: for a process that nobody waits for.

        Not beside answers: they would wait for the lock, and git handles are not for two threads.
        """
        with self._lock:
            self._change(self._catalogue.inspect_rest)
            complete = self.understanding.complete
            self._change(lambda: complete(self._snapshot().numbers, self._reading))

    def keep(self) -> None:
        """Write what is indexed in memory alone."""
        with self._lock:
            self._change(self._catalogue.keep)
            self.understanding.library.keep()

    def tidy(self) -> None:
        """Write what could not be written before, and merge segments when there are many.

        For quiet moments outside recall and hooks: after a sync, in an idle server. Never needed.
        """
        with self._lock:
            self._change(self._catalogue.tidy)
            self.understanding.library.keep()

    def _snapshot(self) -> Corpus:
        with self._lock:
            return self._catalogue.snapshot

    def _search(
        self,
        request: Request,
        visible: Mapping[str, int],
        elsewhere: Mapping[str, Mapping[str, int]],
    ) -> SearchResult:
        snapshot = self._snapshot()
        view = self._view(snapshot, visible)
        if len(view.all) < len(visible) and not view.is_checked:
            view.is_checked = True  # what is missing even then cannot be read
            if self.catch_up(visible):
                snapshot = self._snapshot()
                view = self._view(snapshot, visible)
        others = {word: self._view(snapshot, blobs) for word, blobs in elsewhere.items()}
        sense = self._sense(request, view)
        return search(request, view, self._reading_texts, sense, others)

    def _view(self, snapshot: Corpus, visible: Mapping[str, int]) -> VisibleEntries:
        key = (id(snapshot), id(visible))
        with self._lock:
            view = self._views.pop(key, None) or self._follow(snapshot, visible)
            self._views[key] = view
            while len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        return view

    def _follow(self, snapshot: Corpus, visible: Mapping[str, int]) -> VisibleEntries:
        """A view made from the one it follows, if that is known and has the same numbers."""
        step = self._changes.get(id(visible))
        for key, old in reversed(self._views.items()):
            if not snapshot.goes_on(old.snapshot):
                continue
            is_same = old.visible is visible
            if is_same or (step and old.visible is step[1].before):
                blobs = () if is_same or not step else step[1].changed
                is_free = self._running == 1
                if view := follow(old, snapshot, visible, blobs, is_free=is_free):
                    if is_free:
                        del self._views[key]
                    return view
        return VisibleEntries(snapshot, visible)

    def _sense(self, request: Request, view: VisibleEntries) -> QuestionSense:
        with self._lock:
            return self.understanding.sense(request, view, self._reading)

    def _change(self, change: Callable[[], Answer]) -> Answer:
        """Run a change; the reader's own error comes out as it went in."""
        try:
            return change()
        except ReadError as failure:
            raise _cause(failure) from None

    def _safely(self, answer: Callable[[], Answer], visible: Mapping[str, int]) -> Answer:
        """Answer; if the index is broken build it again, and if that breaks too do so in memory."""
        with self._lock:
            self._running += 1
        try:
            return self._answer_safely(answer, visible)
        finally:
            with self._lock:
                self._running -= 1

    def _answer_safely(self, answer: Callable[[], Answer], visible: Mapping[str, int]) -> Answer:
        for on_disk in (True, False):
            snapshot = self._snapshot()
            try:
                return answer()
            except ReadError as failure:
                raise _cause(failure) from None
            except Exception:
                self._start_over(snapshot, visible, on_disk=on_disk)
        return answer()

    def _start_over(self, snapshot: Corpus, visible: Mapping[str, int], *, on_disk: bool) -> None:
        with self._lock:
            if self._catalogue.snapshot is not snapshot:
                return  # another thread has been here
            self._settled = None
            self._views.clear()
            self._changes.clear()
            blobs = list(snapshot.numbers.keys() | visible.keys())
            self._change(lambda: self._catalogue.rebuild(blobs, on_disk=on_disk, is_brief=True))


def _is_same(blobs: Iterable[str], last: tuple[Collection[str], int]) -> bool:
    """The very object that was caught up with, and not grown since."""
    return blobs is last[0] and len(last[0]) == last[1]


def _cause(failure: ReadError) -> BaseException:
    return failure.__cause__ or failure
