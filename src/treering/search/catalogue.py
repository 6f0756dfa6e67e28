"""Everything indexed so far: what is on disk, plus what could not be written yet.

New memories become a batch in memory first and are searchable from then on. Then the batch is
written; when another process holds the writer's lock, the disk is full or the folder may not be
written, it stays in memory and the next change tries again. Whatever cannot be read counts as
absent and is built anew.

Not safe for threads: Index takes the lock.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from treering.model.memory import Memory
from treering.search.corpus import Batch, Corpus, Segment, WeightedSegment
from treering.search.entry import Entry
from treering.search.storage import LEVELS, IndexFolder, LockedError

Progress = Callable[[int, int], None]
Read = Callable[[Iterable[str]], Iterator[tuple[str, Memory]]]

Inspect = Callable[[Memory], tuple[str, ...] | None]
#: The entry another index has of a blob, which was looked at for it.
Known = Callable[[str], Entry | None]
#: Who else sees each memory as it is indexed.
Observe = Callable[[str, Memory], None]
#: When a blob's content was said, for one that was read just now.
Dates = Callable[[str, Memory], float | None]

_BATCH = 50_000  # memories in one segment; bounds what a rebuild holds at a time
_STEP = 100  # memories between two calls of `progress`
_MANY = 8


class Detectors(Protocol):
    """Who says what looks wrong with a memory; None where there was no time to look."""

    @property
    def version(self) -> int: ...

    def inspect(self, memory: Memory) -> tuple[str, ...] | None:
        """Look, however long it takes."""
        ...

    def inspect_briefly(self, count: int) -> Inspect:
        """A look for one call with this many memories, which takes only so long."""
        ...


class ReadError(Exception):
    """The caller's `read` raised: its error is the caller's to see, not a reason to rebuild."""


def guard(read: Read) -> Read:
    """The same reader, whose failures are told from those of the index."""

    def reading(blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        try:
            yield from read(blobs)
        except Exception as error:
            raise ReadError from error

    return reading


class Catalogue:
    """The stored segments of a folder and the overlays in memory, as one snapshot after another."""

    def __init__(
        self,
        folder: Path,
        read: Read,
        detectors: Detectors | None = None,
        levels: int = LEVELS,
        known: Known | None = None,
        dates: Dates | None = None,
        observe: Observe | None = None,
        is_lazy: bool = False,
    ) -> None:
        version = detectors.version if detectors else 0
        self._folder = IndexFolder(folder, version, levels, is_lazy=is_lazy)
        self._reading = guard(read)
        self._detectors = detectors
        self._known = known or (lambda blob: None)  # noqa: ARG005
        self._observe = observe
        self._dates = dates or (lambda blob, memory: None)  # noqa: ARG005
        self._state = ""
        self._overlays: list[Batch] = []
        self._unreadable: set[str] = set()
        self._snapshot: Corpus | None = None

    @property
    def snapshot(self) -> Corpus:
        if self._snapshot is None:
            self._load()
        assert self._snapshot is not None  # noqa: S101  _load always leaves one
        return self._snapshot

    @property
    def is_open(self) -> bool:
        return self._snapshot is not None

    def missing(self, blobs: Iterable[str]) -> list[str]:
        numbers = self.snapshot.numbers
        return [b for b in blobs if b not in numbers and b not in self._unreadable]

    def refresh(self) -> bool:
        """Take over what other processes wrote; True when there was something."""
        if self._snapshot is not None and self._folder.state() == self._state:
            return False
        self._load()
        return True

    def add(
        self, blobs: list[str], progress: Progress | None = None, *, is_later: bool = False
    ) -> int:
        """Read, gather and write these; returns how many could be read.

        With `is_later` they are written when somebody calls `tidy`.
        """
        count = self.snapshot.count
        batches = self._batches(blobs, progress, self._inspect_briefly(blobs))
        if is_later and self._state:
            for batch in batches:
                self._overlay(batch)
        elif self._folder.state():
            for batch in batches:
                self._overlay(batch)
                self.keep()
        else:
            overlays, self._overlays = self._overlays, []
            self._build(chain(overlays, batches))
        return self.snapshot.count - count

    def rebuild(
        self,
        blobs: list[str],
        progress: Progress | None = None,
        *,
        on_disk: bool = True,
        is_brief: bool = False,
    ) -> int:
        """Forget everything and index exactly these; readers see the old index until the end.

        `is_brief` says that someone waits for an answer: memories are looked at for only so long.
        """
        self._unreadable = set()
        whole = self._detectors.inspect if self._detectors else None
        inspect = self._inspect_briefly(blobs) if is_brief else whole
        if on_disk:
            self._overlays, self._snapshot = [], None
            self._build(self._batches(blobs, progress, inspect))
        else:
            self._overlays = list(self._batches(blobs, progress, inspect))
            self._snapshot = None
            self._folder.drop()
        return self.snapshot.count

    @property
    def unwritten(self) -> int:
        """How many memories are indexed in memory alone."""
        return sum(len(batch.entries) for batch in self._overlays)

    def tidy(self) -> None:
        """Write what could not be written before, and merge segments when there are many."""
        self.refresh()
        self.keep()
        try:
            if self._folder.merge():
                self._load()
        except LockedError:
            return
        except Exception:
            self._recover()

    @property
    def uninspected(self) -> set[str]:
        """The blobs on disk that there was no time to look at, if what is found could be kept."""
        if self._detectors is None:
            return set()
        blobs = {blob for shelf in self._unfinished() for blob in shelf.uninspected}
        return blobs - self._unreadable if blobs and self._folder.is_writable else set()

    def inspect_rest(self) -> None:
        """Look at what there was no time for, however long it takes, and keep what is found."""
        self.refresh()
        blobs = self.uninspected
        if not blobs or self._detectors is None:
            return
        inspect = self._detectors.inspect
        flags = {
            blob: entry.flags
            if (entry := self._known(blob)) and entry.flags is not None
            else inspect(memory)
            for blob, memory in self._reading(blobs)
        }
        self._unreadable |= blobs - flags.keys()
        segments = [shelf.segment.name for shelf in self._unfinished()]
        try:
            self._folder.rewrite(
                segments, lambda entry: entry._replace(flags=flags.get(entry.blob, entry.flags))
            )
            self._load()
        except LockedError:
            return
        except Exception:
            self._recover()

    def _unfinished(self) -> list[WeightedSegment]:
        shelves = (shelf for shelf in self.snapshot.shelves if shelf.uninspected)
        return [shelf for shelf in shelves if shelf.segment.name]

    def _inspect_briefly(self, blobs: list[str]) -> Inspect | None:
        return self._detectors.inspect_briefly(len(blobs)) if self._detectors else None

    # Reading the folder

    def _load(self) -> None:
        before = self._snapshot
        segments = [shelf.segment for shelf in before.shelves] if before else []
        self._state = self._folder.state()
        try:
            on_disk = self._folder.segments(segments) if self._state else []
        except Exception:
            self._folder.drop()
            self._state, on_disk = "", []
        self._install(on_disk)
        if before and before.numbers is not self.snapshot.numbers:
            self._rescue(before.numbers, [shelf.segment for shelf in before.shelves])

    def _rescue(self, blobs: Iterable[str], segments: Iterable[Segment]) -> None:
        """Keep in memory what was searchable and is not on disk any more.

        Another process may have put a smaller index in the place of ours. What we had open can
        still be read, unless it is broken: then the memories are read again.
        """
        numbers = self.snapshot.numbers
        missing = [blob for blob in blobs if blob not in numbers]
        if not missing:
            return
        try:
            self._overlay(_join(segments, set(numbers)))
        except Exception:
            for batch in self._batches(missing, None, self._inspect_briefly(missing)):
                self._overlay(batch)

    def _install(self, on_disk: Iterable[Segment]) -> None:
        before = self._snapshot
        shelves = {id(shelf.segment): shelf for shelf in before.shelves} if before else {}
        segments: list[Segment] = [*on_disk, *self._overlays]
        self._snapshot = Corpus(
            [shelves.get(id(s)) or WeightedSegment(s) for s in segments], before
        )

    def _open_stored(self) -> list[Segment]:
        segments = (shelf.segment for shelf in self.snapshot.shelves)
        return [segment for segment in segments if segment.name]

    # Writing it

    def _overlay(self, batch: Batch) -> None:
        """Make a batch searchable at once, in memory."""
        self._overlays.append(batch)
        if len(self._overlays) > _MANY:
            self._overlays = [_join(self._overlays, set())]
        self._install(self._open_stored())

    def keep(self) -> None:
        """Move what is only in memory to disk, if the disk lets us now."""
        if not self._overlays:
            return
        try:
            if not self._folder.state():
                self._folder.replace(self._overlays)
                self._overlays = []
            else:
                self.refresh()
                self._write_overlays()
            self._load()
        except LockedError:
            return
        except Exception:
            self._recover()

    def _write_overlays(self) -> None:
        """What is written is searched in memory as before: it need not be read back."""
        if (batch := self._unwritten()).entries:
            batch.name = self._folder.append(batch)
            self._overlays = []
            self._install([*self._open_stored(), batch])
        self._overlays = []

    def _unwritten(self) -> Batch:
        """The overlays as one batch, without what another process has written meanwhile."""
        numbers = self.snapshot.numbers
        count = sum(len(segment.entries) for segment in self._open_stored())
        blobs = (entry.blob for batch in self._overlays for entry in batch.entries)
        on_disk = {blob for blob in blobs if numbers[blob] < count}
        return (
            self._overlays[0]
            if len(self._overlays) == 1 and not on_disk
            else _join(self._overlays, on_disk)
        )

    def _recover(self) -> None:
        """A write failed. What can still be read stays, and what is lost is built again."""
        self._load()
        if not self._state:
            overlays, self._overlays = self._overlays, []
            self._build(overlays)

    def _build(self, batches: Iterable[Segment]) -> None:
        """Fill a new folder and let it count; without a disk, keep everything in memory."""
        source, segments = iter(batches), list[Segment]()

        def building() -> Iterator[Segment]:
            for batch in source:
                segments.append(batch)
                yield batch

        try:
            self._folder.replace(building())
        except ReadError:
            raise
        except Exception:
            segments += source
            self._folder.drop()
        self._load()
        self._rescue((entry.blob for segment in segments for entry in segment.entries), segments)

    def _batches(
        self, blobs: list[str], progress: Progress | None, inspect: Inspect | None
    ) -> Iterator[Batch]:
        total, count, remaining = len(blobs), 0, iter(blobs)
        while part := list(islice(remaining, _BATCH)):
            batch = Batch()
            for blob, memory in self._reading(part):
                entry = self._known(blob)  # if there was no time for it there, there is none here
                look = inspect(memory) if inspect and not entry else None
                flags, said = entry.flags if entry else look, self._dates(blob, memory)
                batch.add(blob, memory, flags, said)
                if self._observe:
                    self._observe(blob, memory)
                count += 1
                if progress and count % _STEP == 0:
                    progress(count, total)
            self._unreadable.update(set(part).difference(entry.blob for entry in batch.entries))
            if batch.entries:
                yield batch
        if progress:
            progress(total, total)


def _join(segments: Iterable[Segment], blobs: set[str]) -> Batch:
    batch = Batch()
    for segment in segments:
        batch.add_segment(segment, blobs)
    return batch
