"""The index on disk: a folder that may vanish, break, be read-only or change under us at any time.

    CURRENT                     which data folder counts, and the version that wrote it
    data-<random>/              CONTENTS, and for each segment its terms, postings and entries
    vectors-<model>             see meaning/vectors.py

A rebuild fills a new data folder and then replaces CURRENT, which is atomic: readers see the old
index or the new one. Nothing is synced to disk: what a power cut leaves is caught by checksums and
rebuilt. Errors of any kind leave this module as they are; the caller's answer to all of them is a
rebuild. Only real folders and files of this user's are opened, and nothing that is read can run.
"""

import json
import os
import re
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from treering.git.files import check_folder, make_folder, open_file, read_file, replace_file
from treering.search.analysis import ANALYSIS
from treering.search.contents import Contents, Listed, read_contents, write_contents
from treering.search.corpus import Batch, Segment, StoredSegment
from treering.search.entry import Entry
from treering.search.entry_table import open_entries, pack

VERSION = 7
# 1: one text field, our own posting lists, entries beside each segment
# 2: entries with their place among memories of one moment
# 3: entries with everything a link says
# 4: a table of contents, a term table and entries that are no pickles; what was seen in memories;
#    dates that are credible
# 5: entries with their outcome
# 6: entries with when their content was said, and the keys by which what outdates it is found
# 7: entries that are read one by one

MANY_SEGMENTS = 8
_STAMP = {"version": VERSION, "analysis": ANALYSIS, "order": sys.byteorder}
_ENTRIES = ".entries"
_CRC = 4
_TRIES = 5
_DATA = "data-[0-9a-f]{12}"
LEVELS = 2  # our folder under the common dir, and the index in it
_ABANDONED = 3600.0  # seconds after which a data folder nobody points to is no build under way


class LockedError(Exception):
    """Another process is writing to the index; this one goes on without."""


class AbsentError(Exception):
    """There is no index here that this version may read."""


class IndexFolder:
    """One index folder. Holds no state but its path, so any process may do anything beside it.

    `detectors` is the version of the rules by which memories were looked at; with others, what was
    found does not count. `levels` are the folders that must be ours, this one included. With
    `is_lazy`, for a process that answers one question, entries are read as they are asked for.
    """

    def __init__(
        self, path: Path, detectors: int = 0, levels: int = LEVELS, *, is_lazy: bool = False
    ) -> None:
        self.path = path
        self._is_lazy = is_lazy
        self._levels = levels
        self._stamp = _STAMP | {"detectors": detectors}

    def state(self) -> str:
        """A word that changes whenever the index does; empty where there is none."""
        data = self._try_data()
        try:
            return f"{data.name}/{read_contents(data).generation}" if data else ""
        except FileNotFoundError:
            return ""
        except (OSError, ValueError):
            return f"{data}/damaged"  # to be found out, and built anew, by whoever opens it

    def segments(self, known_segments: Iterable[Segment] = ()) -> list[Segment]:
        """Open the index, taking over segments that are open already."""
        by_name = {s.name: s for s in known_segments if s.name}
        for attempt in range(_TRIES):
            data = self._data()
            try:
                contents = read_contents(data).segments
                return [
                    by_name.get(_full(data, s)) or _open(data, s, self._is_lazy) for s in contents
                ]
            except FileNotFoundError:
                # A writer merged segments between our look at the list and at the files.
                if attempt == _TRIES - 1:
                    raise
                time.sleep(0.01)
        raise AbsentError(self.path)

    def append(self, batch: Segment) -> str:
        """Add a batch as a segment of its own, and return its name; LockedError when another
        process is writing."""
        data = self._data()
        return _write(data, batch, lambda segments: segments)

    def merge(self) -> bool:
        """Make few segments of many; True when something was merged.

        Segments smaller than all smaller ones together are rewritten, so a large one is left alone
        until as much has come in after it.
        """
        data = self._data()
        segments = read_contents(data).segments
        if len(segments) <= MANY_SEGMENTS:
            return False
        small = _small(segments)
        _join(data, [segment for segment in segments if segment in small], lambda entry: entry)
        return True

    def rewrite(self, names: Collection[str], change: Callable[[Entry], Entry]) -> None:
        """Put one segment in the place of these, with entries that know more."""
        data = self._data()
        segments = read_contents(data).segments
        _join(data, [segment for segment in segments if _full(data, segment) in names], change)

    @property
    def is_writable(self) -> bool:
        return os.access(self.path, os.W_OK)

    def replace(self, batches: Iterable[Segment]) -> None:
        """Build anew beside what is there, then let it count."""
        for level in range(LEVELS, self._levels + 1):  # from the index on for this user alone
            folder = (self.path, *self.path.parents)[self._levels - level]
            make_folder(folder, levels=level)
        data = self.path / f"data-{os.urandom(6).hex()}"
        data.mkdir(mode=0o700)
        try:
            write_contents(data, Contents())
            for batch in batches:
                if batch.entries:
                    _write(data, batch, lambda segments: segments)
            before = self._try_data()
            self._point_to(data)
        except BaseException:
            shutil.rmtree(data, ignore_errors=True)
            raise
        self._remove_abandoned(data, before)

    def drop(self) -> None:
        """Let nothing count; what cannot be removed is overwritten by the next rebuild."""
        with suppress(OSError):
            check_folder(self.path, levels=self._levels)
            (self.path / "CURRENT").unlink(missing_ok=True)

    def _data(self) -> Path:
        check_folder(self.path, levels=self._levels)
        stamp = json.loads(read_file(self.path / "CURRENT"))
        if not isinstance(stamp, dict):
            raise AbsentError(self.path)
        name = stamp.pop("data", "")
        if stamp != self._stamp or not isinstance(name, str) or not re.fullmatch(_DATA, name):
            raise AbsentError(self.path)
        check_folder(self.path / name)
        return self.path / name

    def _point_to(self, data: Path) -> None:
        stamp = json.dumps(self._stamp | {"data": data.name})
        replace_file(self.path / "CURRENT", stamp.encode())

    def _try_data(self) -> Path | None:
        try:
            return self._data()
        except (OSError, ValueError, AbsentError):
            return None

    def _remove_abandoned(self, current: Path, before: Path | None) -> None:
        """Delete what no longer counts, but not what another process may be filling just now."""
        for path in self.path.glob("data-*"):
            with suppress(OSError):
                is_left = time.time() - path.lstat().st_mtime > _ABANDONED
                if path != current and (path == before or is_left):
                    shutil.rmtree(path, ignore_errors=True)


def _full(data: Path, segment: Listed) -> str:
    return f"{data.name}/{segment.name}"


def _open(data: Path, segment: Listed, is_lazy: bool = False) -> StoredSegment:
    from treering.search.postings import ListReader

    file = data / f"{segment.name}{_ENTRIES}"
    terms = read_file(data / f"{segment.name}.trm")
    with os.fdopen(open_file(file), "rb") as opened:
        crc = opened.read(_CRC)
    if zlib.crc32(terms).to_bytes(_CRC, "little") != crc:
        raise ValueError("the term table is damaged")
    table = open_entries(file, _CRC)
    if len(table) != segment.documents:
        raise ValueError("entries and documents do not agree")
    lists = ListReader(terms, data / f"{segment.name}.pst")
    return StoredSegment(_full(data, segment), table if is_lazy else table.read_all(), lists)


def _write(data: Path, batch: Segment, choose: Callable[[list[Listed]], list[Listed]]) -> str:
    """Write a segment and let it count; its name."""
    from treering.search.codec import BatchWriter, DataFolder, LockError

    names: list[str] = []

    def finish(name: str) -> None:
        _write_entries(data, name, batch)
        names.append(name)

    try:
        writer = BatchWriter(DataFolder(data), finish=finish)
    except LockError as error:
        raise LockedError(str(data)) from error
    try:
        writer.add_batch(batch)
        writer.commit(mergetype=lambda _, segments: choose(segments))
    except BaseException:
        # Never leave the lock behind in a process that lives on.
        with suppress(Exception):
            writer.cancel()
        raise
    return f"{data.name}/{names[-1]}"


def _join(data: Path, segments: Sequence[Listed], change: Callable[[Entry], Entry]) -> None:
    """One segment in the place of several, its entries changed."""
    batch, blobs = Batch(), set[str]()
    for segment in segments:
        batch.add_segment(_open(data, segment), blobs)
    batch.entries = list(map(change, batch.entries))
    _write(data, batch, lambda now: [segment for segment in now if segment not in segments])


def _write_entries(data: Path, name: str, batch: Segment) -> None:
    """Entries go to disk before the table of contents names their segment."""
    terms = (data / f"{name}.trm").read_bytes()
    crc = zlib.crc32(terms).to_bytes(_CRC, "little")
    (data / f"{name}{_ENTRIES}").write_bytes(crc + pack(batch.entries))


def _small(segments: Sequence[Listed]) -> list[Listed]:
    by_size = sorted(segments, key=lambda segment: segment.documents)
    total, small = 0, list[Listed]()
    for segment in by_size:
        if len(small) >= 2 and segment.documents > total:
            break
        total += segment.documents
        small.append(segment)
    return small
