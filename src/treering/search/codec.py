"""How Whoosh writes our postings.

A codec is Whoosh's own extension point: the writer, its lock and the layout of the term table stay
Whoosh's, the posting lists are laid out here. Whoosh's default keeps blocks of 128 pickled,
compressed tuples and calls methods for every posting; ours writes a term's documents and counts as
two arrays at once, which builds and reads an order of magnitude faster.

Nothing here loads a pickle. Whoosh keeps some in its list of segments, at the end of a term table,
beside rare terms and in columns; `contents.py`, `TermTable` and `TERM` of `postings.py` stand in
their places, and columns are not written.

Whoosh 2.7.4 was written for older Pythons: compiled for the first time it warns of invalid escapes,
and a program run with warnings as errors could not import it. So its warnings stay out of sight.
"""

import os
import warnings
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from treering.git.files import open_file
from treering.search.contents import (
    NAME,
    Contents,
    Listed,
    read_contents,
    remove_rest,
    write_contents,
)
from treering.search.corpus import Posting, Segment
from treering.search.postings import CRC, TAIL, TERM

with warnings.catch_warnings():
    for kind in (SyntaxWarning, DeprecationWarning):
        warnings.simplefilter("ignore", kind)
    from whoosh.codec.whoosh3 import W3Codec, W3Segment
    from whoosh.fields import Schema
    from whoosh.filedb.filestore import FileStorage, RamStorage
    from whoosh.filedb.filetables import OrderedHashWriter
    from whoosh.index import TOC
    from whoosh.index import LockError as LockError  # for whoever writes
    from whoosh.writing import SegmentWriter


class TermTableWriter(OrderedHashWriter):  # type: ignore[misc]
    """Writes what TermTable reads."""

    def _write_extras(self) -> None:
        self.dbfile.write(TAIL.pack(self.index.typecode.encode(), len(self.index)))
        self.index.to_file(self.dbfile)


class Codec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with another layout of posting lists."""

    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        """Whoosh draws names from `random`, which any program may seed: the same name again would
        overwrite a segment in use."""
        return W3Segment(self, indexname, segid=os.urandom(8).hex())

    def per_document_writer(self, storage: Any, segment: Any) -> "NoColumns":  # noqa: ARG002
        return NoColumns()

    def field_writer(self, storage: Any, segment: Any) -> "ListWriter":
        return ListWriter(storage, segment)


class NoColumns:
    """Stands where Whoosh would write columns of each document: ours are in the entries."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


class ListWriter:
    """Writes whole posting lists where Whoosh would add one posting at a time."""

    is_closed = False

    def __init__(self, storage: Any, segment: Any) -> None:
        self._table = TermTableWriter(segment.create_file(storage, Codec.TERMS_EXT))
        self._postings = segment.create_file(storage, Codec.POSTS_EXT)

    def add_postings(self, schema: Any, lengths: Any, items: Iterable[Any]) -> None:  # noqa: ARG002
        write, add = self._postings.write, self._table.add
        offset = self._postings.tell()
        for term, (documents, counts) in items:
            data = documents.tobytes() + bytes(counts)
            write(zlib.crc32(data).to_bytes(CRC, "little") + data)
            length = CRC + len(data)
            add(term, TERM.pack(offset, length))
            offset += length

    def close(self) -> None:
        self._table.close()
        self._postings.close()
        self.is_closed = True


class Files(FileStorage):  # type: ignore[misc]
    """Whoosh's folder; what it keeps for a moment only stays in memory."""

    def lock(self, name: str) -> Any:
        os.close(open_file(Path(self.folder) / name, os.O_WRONLY | os.O_CREAT))
        return super().lock(name)

    def temp_storage(self, name: str | None = None) -> Any:  # noqa: ARG002
        # Whoosh would use a folder of a fixed name, and in the end delete all that is in it.
        return RamStorage()


class DataFolder:
    """What a Whoosh writer asks of an index, answered from our own table of contents."""

    indexname = NAME

    def __init__(self, path: Path) -> None:
        self.path = path
        self.storage = Files(str(path))

    def lock(self, name: str) -> Any:
        return self.storage.lock(f"{NAME}_{name}")

    def _read_toc(self) -> Any:
        contents = read_contents(self.path)
        return TOC(Schema(), list(contents.segments), contents.generation)


class BatchWriter(SegmentWriter):  # type: ignore[misc]
    """A segment writer that takes a whole batch, already counted.

    `finish` is called with the finished segment's name before the segment begins to count.
    """

    def __init__(self, folder: DataFolder, finish: Callable[[str], None]) -> None:
        super().__init__(folder, codec=Codec(), compound=False)
        self._path = folder.path
        self._finish_segment = finish

    def _setup_doc_offsets(self) -> None:
        """Whoosh finds documents to delete by these; ours are never deleted."""

    def add_batch(self, batch: Segment) -> None:
        self.docnum += len(batch.entries)
        self.pool.cleanup()
        self.pool: Any = _Gathered(batch)
        self._added = True

    def _finalize_segment(self) -> Listed:
        segment = super()._finalize_segment()
        self._finish_segment(segment.segment_id())
        return Listed(segment.segment_id(), segment.doc_count_all())

    def _commit_toc(self, segments: Iterable[Listed]) -> None:
        contents = Contents(self.generation, tuple(segments))
        write_contents(self._path, contents)
        remove_rest(self._path, contents)


class _Gathered:
    """Stands where Whoosh's sorting pool stands, with lists that only need their terms sorted."""

    def __init__(self, batch: Segment) -> None:
        self._batch = batch

    def iter_postings(self) -> Iterable[tuple[bytes, Posting]]:
        return sorted((term.encode(), posting) for term, posting in self._batch.postings())

    def cleanup(self) -> None:
        """Whoosh deletes its temporary runs here; there are none."""
