"""The index on disk: a folder that may vanish, break, be read-only or change under us at any time.

    CURRENT                     which data folder counts, and the version that wrote it
    data-<random>/              a Whoosh index, and beside each segment its entries
    vectors-<model>             see vectors.py

A rebuild fills a new data folder and then replaces CURRENT, which is atomic: readers see the old
index or the new one. Nothing is synced to disk: what a power cut leaves is caught by checksums and
rebuilt. Errors of any kind leave this module as they are; the caller's answer to all of them is a
rebuild.
"""

import json
import os
import secrets
import shutil
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from treering.index.analysis import ANALYSIS
from treering.index.entry import packed, unpacked
from treering.index.quiet import whoosh_modules
from treering.index.segment import Batch, Segment, StoredSegment

VERSION = 4
# 1: one text field, our own posting lists, entries beside each segment
# 2: entries with their place among memories of one moment
# 3: entries with everything a link says
# 4: entries with dates that are credible

MANY_SEGMENTS = 8
_STAMP = {"version": VERSION, "analysis": ANALYSIS, "order": sys.byteorder}
_NAME = "MAIN"
_ENTRIES = ".entries"
_CRC = 4
_TRIES = 5
_TRUSTED = (0,)  # users whose files may be read besides our own
_ABANDONED = 3600.0  # seconds after which a data folder nobody points to is no build under way


class LockedError(Exception):
    """Another process is writing to the index; this one goes on without."""


class AbsentError(Exception):
    """There is no index here that this version may read."""


class Folder:
    """One index folder. Holds no state but its path, so any process may do anything beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> str:
        """A word that changes whenever the index does; empty where there is none."""
        data = self._pointed_to()
        try:
            return f"{data.name}/{max(_generations(data), default='')}" if data else ""
        except OSError:
            return ""

    def segments(self, known: Iterable[Segment] = ()) -> list[StoredSegment]:
        """Open the index, taking over segments that are open already."""
        opened = {s.name: s for s in known if isinstance(s, StoredSegment)}
        for attempt in range(_TRIES):
            data = self._data()
            try:
                return [opened.get(_full(data, s)) or _opened(data, s) for s in _read_toc(data)]
            except FileNotFoundError:
                # A writer merged segments between our look at the list and at the files.
                if attempt == _TRIES - 1:
                    raise
                time.sleep(0.01)
        raise AbsentError(self.path)

    def append(self, batch: Segment) -> None:
        """Add a batch as a segment of its own; LockedError when another process is writing."""
        _write(self._data(), batch, lambda segments: segments)

    def merge(self) -> bool:
        """Make few segments of many; True when something was merged.

        Segments smaller than all smaller ones together are rewritten, so a large one is left alone
        until as much has come in after it.
        """
        data = self._data()
        segments = _read_toc(data)
        if len(segments) <= MANY_SEGMENTS:
            return False
        chosen = _small(segments)
        batch, known = Batch(), set[str]()
        for segment in (s for s in segments if s.segment_id() in chosen):
            batch.add_segment(_opened(data, segment), known)
        _write(data, batch, lambda now: [s for s in now if s.segment_id() not in chosen])
        return True

    def replace(self, batches: Iterable[Segment]) -> None:
        """Build anew beside what is there, then let it count."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        data = self.path / f"data-{secrets.token_hex(6)}"
        data.mkdir(mode=0o700)
        try:
            _create(data)
            for batch in batches:
                if batch.entries:
                    _write(data, batch, lambda segments: segments)
            before = self._pointed_to()
            self._point_to(data)
        except BaseException:
            shutil.rmtree(data, ignore_errors=True)
            raise
        self._remove_abandoned(data, before)

    def drop(self) -> None:
        """Let nothing count; what cannot be removed is overwritten by the next rebuild."""
        with suppress(OSError):
            (self.path / "CURRENT").unlink(missing_ok=True)

    def _data(self) -> Path:
        text = (self.path / "CURRENT").read_text(encoding="utf-8")
        stamp = json.loads(text)
        if not isinstance(stamp, dict):
            raise AbsentError(self.path)
        data = self.path / str(stamp.pop("data", ""))
        if stamp != _STAMP or data.parent != self.path or not data.name.startswith("data-"):
            raise AbsentError(self.path)
        _check_owner(data)
        return data

    def _point_to(self, data: Path) -> None:
        beside = self.path / f"CURRENT.{data.name}"
        beside.write_text(json.dumps(_STAMP | {"data": data.name}), encoding="utf-8")
        beside.replace(self.path / "CURRENT")

    def _pointed_to(self) -> Path | None:
        try:
            return self._data()
        except (OSError, ValueError, AbsentError):
            return None

    def _remove_abandoned(self, current: Path, before: Path | None) -> None:
        """Delete what no longer counts, but not what another process may be filling just now."""
        for path in self.path.glob("data-*"):
            with suppress(OSError):
                is_left = time.time() - path.stat().st_mtime > _ABANDONED
                if path != current and (path == before or is_left):
                    shutil.rmtree(path, ignore_errors=True)


def _check_owner(data: Path) -> None:
    # Whoosh's table of contents is a pickle: reading another user's would run another user's code.
    if hasattr(os, "geteuid") and data.stat().st_uid not in (os.geteuid(), *_TRUSTED):
        raise AbsentError(data)


def _generations(data: Path) -> list[int]:
    marks = (path.stem[len(_NAME) + 2 :] for path in data.glob("*.toc"))
    return [int(mark) for mark in marks if mark.isdigit()]


def _storage(data: Path) -> Any:
    from treering.index.codec import Files

    return Files(str(data))


def _create(data: Path) -> None:
    with whoosh_modules():
        from whoosh.index import FileIndex

        from treering.index.codec import schema
    FileIndex.create(_storage(data), schema(), _NAME)


def _read_toc(data: Path) -> list[Any]:
    with whoosh_modules():
        from whoosh.index import TOC
    return list(TOC.read(_storage(data), _NAME).segments)


def _full(data: Path, segment: Any) -> str:
    return f"{data.name}/{segment.segment_id()}"


def _opened(data: Path, segment: Any) -> StoredSegment:
    from treering.index.codec import open_lists

    stored = (data / f"{segment.segment_id()}{_ENTRIES}").read_bytes()
    terms = (data / f"{segment.segment_id()}.trm").read_bytes()
    entries = unpacked(stored[_CRC:])
    if zlib.crc32(terms).to_bytes(_CRC, "little") != stored[:_CRC]:
        raise ValueError("the term table is damaged")
    if len(entries) != segment.doc_count_all():
        raise ValueError("entries and documents do not agree")
    lists = open_lists(terms, data / f"{segment.segment_id()}.pst")
    return StoredSegment(_full(data, segment), entries, lists)


def _write(data: Path, batch: Segment, kept: Callable[[list[Any]], list[Any]]) -> None:
    with whoosh_modules():
        from whoosh.index import FileIndex, LockError

        from treering.index.codec import BatchWriter, Codec
    try:
        writer = BatchWriter(
            FileIndex(_storage(data), indexname=_NAME),
            Codec(),
            finished=lambda name: _write_entries(data, name, batch),
        )
    except LockError as error:
        raise LockedError(str(data)) from error
    try:
        writer.add_batch(batch)
        writer.commit(mergetype=lambda _, segments: kept(segments))
    except BaseException:
        # Never leave the lock behind in a process that lives on.
        with suppress(Exception):
            writer.cancel()
        raise


def _write_entries(data: Path, name: str, batch: Segment) -> None:
    """Entries go to disk before the table of contents names their segment."""
    terms = (data / f"{name}.trm").read_bytes()
    crc = zlib.crc32(terms).to_bytes(_CRC, "little")
    (data / f"{name}{_ENTRIES}").write_bytes(crc + packed(batch.entries))


def _small(segments: Sequence[Any]) -> set[str]:
    by_size = sorted(segments, key=lambda s: s.doc_count_all())
    total, chosen = 0, list[str]()
    for segment in by_size:
        if len(chosen) >= 2 and segment.doc_count_all() > total:
            break
        total += segment.doc_count_all()
        chosen.append(segment.segment_id())
    return set(chosen)
