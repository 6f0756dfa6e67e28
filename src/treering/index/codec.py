"""How Whoosh writes and reads our postings.

A codec is Whoosh's own extension point: the table of contents, the segments, the term table and the
lock stay Whoosh's, only the posting lists are laid out here. Whoosh's default keeps blocks of 128
pickled, compressed tuples and calls methods for every posting; ours writes a term's documents and
counts as two arrays at once. That builds and reads an order of magnitude faster, and stock Whoosh
searchers still work on it.

A posting list is: crc32 of the rest, document numbers (4 bytes each), counts (1 byte each).
"""

import os
import secrets
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from treering.index.quiet import whoosh_modules
from treering.index.segment import Posting, Segment

with whoosh_modules():
    from whoosh.codec.whoosh3 import W3Codec, W3FieldWriter, W3TermInfo, W3TermsReader
    from whoosh.fields import FieldType, Schema
    from whoosh.filedb.filestore import FileStorage
    from whoosh.filedb.structfile import BufferFile
    from whoosh.formats import Frequency
    from whoosh.matching import ListMatcher
    from whoosh.reading import TermNotFound
    from whoosh.system import pack_ushort
    from whoosh.writing import SegmentWriter

FIELD = "text"
_NUMBER = 4
_CRC = 4


class Terms(FieldType):  # type: ignore[misc]
    """The catch-all text field; its terms come from our own analysis."""

    def __init__(self) -> None:
        self.format = Frequency()
        self.scorable = True
        self.stored = False
        self.unique = False

    def process_text(self, qstring: str, **kwargs: Any) -> list[str]:  # noqa: ARG002
        from treering.index.analysis import question_terms

        return question_terms(qstring)


class Codec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with another layout of posting lists."""

    length_stats = False

    def new_segment(self, storage: Any, indexname: str) -> Any:
        """Whoosh draws names from `random`, which any program may seed: the same name again would
        overwrite a segment in use."""
        segment = super().new_segment(storage, indexname)
        segment.segid = secrets.token_hex(8)
        return segment

    def field_writer(self, storage: Any, segment: Any) -> "ListWriter":
        return ListWriter(self, storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> "ListReader":
        name = segment.make_filename(self.TERMS_EXT)
        return ListReader(
            self,
            storage.open_file(name),
            storage.file_length(name),
            segment.open_file(storage, self.POSTS_EXT),
        )

    def postings_reader(
        self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None
    ) -> Any:
        """What a stock Whoosh searcher walks over; our own scorer reads the arrays."""
        documents, counts = _unpacked(dbfile, terminfo)
        weights = [float(count) for count in counts]
        return ListMatcher(
            documents, weights, format=format_, scorer=scorer, term=term, terminfo=terminfo
        )


class ListReader(W3TermsReader):  # type: ignore[misc]
    """Reads whole posting lists by term."""

    def posting(self, term: bytes) -> Posting | None:
        try:
            return _unpacked(self._postfile, self.term_info(FIELD, term))
        except TermNotFound:
            return None

    def terms_starting(self, prefix: bytes) -> Iterator[bytes]:
        for _, term in self.terms_from(FIELD, prefix):
            if not term.startswith(prefix):
                return
            yield term


class Files(FileStorage):  # type: ignore[misc]
    """Whoosh's folder, with files read whole: no handle or map stays behind when one is broken."""

    def open_file(self, name: str, **kwargs: Any) -> BufferFile:  # noqa: ARG002
        return BufferFile((Path(self.folder) / name).read_bytes(), name=name)


class PostingsFile:
    """Whoosh's view of a file that may change under us.

    Whoosh maps its files, and a mapped file that someone cuts short kills the process that looks at
    it. Reading at an offset gives too few bytes instead, which the checksum notices.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY)
        # Segments go out of use quietly, when the last snapshot that holds them does.
        self.close = weakref.finalize(self, os.close, self._file)

    def get(self, position: int, length: int) -> bytes:
        return os.pread(self._file, length, position)


def open_lists(terms: bytes, postings: Path) -> ListReader:
    """A reader over a term table in memory and a file of posting lists."""
    return ListReader(Codec(), BufferFile(terms), len(terms), PostingsFile(postings))


class ListWriter(W3FieldWriter):  # type: ignore[misc]
    """Writes whole posting lists where Whoosh would add one posting at a time."""

    def add_postings(self, schema: Any, lengths: Any, items: Iterable[Any]) -> None:  # noqa: ARG002
        self.start_field(FIELD, schema[FIELD])
        prefix = pack_ushort(self._fieldid)
        write, add = self._postfile.write, self._tindex.add
        offset = self._postfile.tell()
        for term, (documents, counts) in items:
            data = documents.tobytes() + bytes(counts)
            write(zlib.crc32(data).to_bytes(_CRC, "little") + data)
            length = _CRC + len(data)
            add(prefix + term, _term_info(documents, counts, offset, length))
            offset += length
        self.finish_field()


class BatchWriter(SegmentWriter):  # type: ignore[misc]
    """A segment writer that takes a whole batch, already counted.

    `finished` is called with the finished segment's name before the segment begins to count.
    """

    def __init__(self, index: Any, codec: Codec, finished: Callable[[str], None]) -> None:
        super().__init__(index, codec=codec, compound=False)
        self._finished = finished

    def add_batch(self, batch: Segment) -> None:
        field = self.schema[FIELD]
        for entry in batch.entries:
            self.perdocwriter.start_doc(self.docnum)
            self.perdocwriter.add_field(FIELD, field, None, entry.length)
            self.perdocwriter.finish_doc()
            self.docnum += 1
        self.pool.cleanup()
        self.pool: Any = _Gathered(batch)
        self._added = True

    def _finalize_segment(self) -> Any:
        segment = super()._finalize_segment()
        self._finished(segment.segment_id())
        return segment


class _Gathered:
    """Stands where Whoosh's sorting pool stands, with lists that only need their terms sorted."""

    def __init__(self, batch: Segment) -> None:
        self._batch = batch

    def iter_postings(self) -> Iterable[tuple[bytes, Posting]]:
        return sorted((term.encode(), posting) for term, posting in self._batch.postings())

    def cleanup(self) -> None:
        """Whoosh deletes its temporary runs here; there are none."""


def schema() -> Any:
    return Schema(**{FIELD: Terms()})


def _unpacked(dbfile: Any, terminfo: Any) -> Posting:
    """A term's documents and counts; ValueError when the bytes are not what was written."""
    offset, length = terminfo.extent()
    length = length[0] if isinstance(length, tuple) else length  # 2.7.4 forgets to unpack it
    data = dbfile.get(offset, length)
    crc = int.from_bytes(data[:_CRC], "little")
    if len(data) != length or zlib.crc32(memoryview(data)[_CRC:]) != crc:
        raise ValueError("a posting list is damaged")
    split = _CRC + (length - _CRC) // (_NUMBER + 1) * _NUMBER
    documents = array("I")
    documents.frombytes(data[_CRC:split])
    return documents, data[split:]


def _term_info(
    documents: "array[int]", counts: bytes | bytearray, offset: int, length: int
) -> bytes:
    info = W3TermInfo()
    info._weight = float(sum(counts))
    info._df = len(documents)
    info._minlength = info._maxlength = 1
    info._maxweight = float(max(counts))
    info._minid, info._maxid = documents[0], documents[-1]
    info.set_extent(offset, length)
    return bytes(info.to_bytes())
