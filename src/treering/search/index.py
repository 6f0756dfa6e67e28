"""The two Whoosh indexes of a folder: `knowledge` and `records`, disjoint, one document per blob.

Both are ordinary: `whoosh.index.open_dir(folder, indexname="knowledge")` opens them without
treering. Documents are only ever added. A rebuild fills a new segment and then lets it replace the
others, so readers see the old index until the new one is whole.

Whoosh keeps pickles in its files. Here they are read by an unpickler that can build nothing but the
five types an index holds; whoever plants another one gets an error, which counts as damage.
"""

import contextlib
import io
import marshal
import mmap
import os
import pickle
import shutil
import struct
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from treering.git.files import check_folder, make_folder, open_file, read_file, replace_file
from treering.model.memory import Memory
from treering.search.analysis import terms
from treering.search.entry import searchable_text

# Compiled for the first time, Whoosh 2.7.4 warns of invalid escapes, and a program run with
# warnings as errors could not import it.
with warnings.catch_warnings():
    for kind in (SyntaxWarning, DeprecationWarning):
        warnings.simplefilter("ignore", kind)
    from whoosh import columns, externalsort, fields, formats, index, legacy, writing
    from whoosh.analysis import LowercaseFilter, RegexTokenizer, StemFilter, StopFilter
    from whoosh.codec import whoosh3
    from whoosh.filedb import structfile
    from whoosh.filedb.filestore import FileStorage, RamStorage
    from whoosh.reading import MultiReader, SegmentReader, TermNotFound
    from whoosh.util.numeric import byte_to_length

__all__ = ["MultiReader", "TermNotFound"]  # imported here, quietly, for others
NAMES = ("knowledge", "records")
#: The layout of the documents and the terms in them; another one is built anew.
FORMAT = 1
LEVELS = 2  # our folder under the common dir, and the index in it
MAX_SEGMENTS = 8
_VERSION_FILE = "VERSION"
SORTING = "sorting-"
_MEMORY_LIMIT = 64  # megabytes of postings, from which on they are sorted on disk
_TRIES = 10
_PURGE_TRIES, _PURGE_PAUSE = 300, 0.1  # of a writer to end, and seconds between them
_LARGE = 1 << 20  # bytes, from which on a file is mapped, not read
_BLOB_LENGTH, _ID_LENGTH = 40, 12
_pack_count = struct.Struct("!I").pack


class LockedError(Exception):
    """Another process is writing to the index."""


class UnusableIndex(Exception):
    """The folder is not ours to use, or belongs to a newer treering."""


# --- reading pickles ------------------------------------------------------------------------------


def _encode_latin1(text: str, encoding: str) -> bytes:
    """Return what pickles of protocol 2 write bytes with."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"{encoding} in an index")
    return text.encode("latin1")


_ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("builtins", "int"): int,
    ("__builtin__", "int"): int,
    ("collections", "defaultdict"): defaultdict,
    ("_codecs", "encode"): _encode_latin1,
    ("whoosh.codec.whoosh3", "W3Segment"): whoosh3.W3Segment,
    ("whoosh.codec.whoosh3", "W3Codec"): whoosh3.W3Codec,
}


class _IndexUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} in an index")
        return _ALLOWED[module, name]


def load_pickle(file: Any) -> Any:
    """Read a pickle from a file of an index."""
    return _IndexUnpickler(file).load()


def loads_pickle(data: Any) -> Any:
    """Read a pickle from bytes of an index."""
    return _IndexUnpickler(io.BytesIO(data)).load()


structfile.load_pickle = externalsort.load = load_pickle
whoosh3.loads = columns.loads = formats.loads = loads_pickle
legacy.toc_loaders.clear()


# --- the schema -----------------------------------------------------------------------------------


class TermField(fields.TEXT):  # type: ignore[misc]
    """The one scored field. Our terms are not Whoosh's; to stock Whoosh it is a TEXT."""

    def __init__(self) -> None:
        analyzer = RegexTokenizer() | LowercaseFilter() | StopFilter() | StemFilter()
        super().__init__(analyzer, phrase=False)

    def index(self, value: str, **_: Any) -> list[tuple[bytes, int, float, bytes]]:
        """Return each term with how often it occurs, as Whoosh's format Frequency writes it."""
        counts = Counter(terms(value)).items()
        return [(t.encode(), count, float(count), _pack_count(count)) for t, count in counts]

    def __reduce__(self) -> tuple[Any, ...]:
        return fields.TEXT, (self.analyzer, False)


class _TextColumnReader(columns.FixedBytesColumn.Reader):  # type: ignore[misc]
    def load(self) -> list[str]:
        size = self._fixedlen
        text = bytes(self._dbfile.get(self._basepos, size * self._count)).decode()
        return [text[at : at + size] for at in range(0, size * self._count, size)]


class TextColumn(columns.FixedBytesColumn):  # type: ignore[misc]
    """A column of texts of one length that is read at once; to stock Whoosh a FixedBytesColumn."""

    Reader = _TextColumnReader

    def __reduce__(self) -> tuple[Any, ...]:
        return columns.FixedBytesColumn, (self._fixedlen,)


class _Codec(whoosh3.W3Codec):  # type: ignore[misc]
    """Whoosh draws names of segments from `random`, which any program may seed: the same name again
    would overwrite a segment in use."""

    def new_segment(self, storage: Any, indexname: str) -> Any:  # noqa: ARG002
        return whoosh3.W3Segment(self, indexname, segid=os.urandom(8).hex())

    def __reduce__(self) -> tuple[Any, ...]:
        return whoosh3.W3Codec, ()


#: The length of a text by the byte that Whoosh keeps of it.
LENGTHS = [byte_to_length(byte) or 1 for byte in range(256)]


def read_lengths(reader: Any) -> bytes:
    """Return the coded length of the text of each document of a segment."""
    name, count = whoosh3._lenfield("text"), reader.doc_count_all()
    if not reader._perdoc.has_column(name):
        return bytes(count)
    column = reader._perdoc.column_reader(name, whoosh3.LENGTHS_COLUMN)
    return bytes(column._dbfile.get(column._basepos, column._count)).ljust(count, b"\0")


def make_schema(mark: int = 0) -> Any:
    """Return the schema of both indexes; `mark` is the length of marks, which a hub's ids have."""
    words = fields.KEYWORD(commas=True, lowercase=True)
    return fields.Schema(
        blob=fields.ID(stored=True, unique=True, sortable=TextColumn(mark + _BLOB_LENGTH)),
        id=fields.ID(sortable=TextColumn(mark + _ID_LENGTH)),
        title=fields.STORED,
        created=fields.STORED,
        type=fields.ID,
        status=fields.ID,
        session=fields.ID,
        topic=fields.ID,
        author=fields.ID,
        tags=words,
        files=words,
        text=TermField(),
    )


def document_of(blob: str, memory: Memory) -> dict[str, str]:
    """Return the document of a memory."""
    memory = memory.as_indexed
    return {
        "blob": blob,
        "id": memory.id,
        "title": memory.title,
        "created": memory.created,
        "type": memory.type,
        "status": memory.status,
        "session": memory.session,
        "topic": memory.topic,
        "author": memory.author,
        "tags": ",".join(memory.tags),
        "files": ",".join(file.path for file in memory.files),
        "text": searchable_text(memory),
    }


# --- folders --------------------------------------------------------------------------------------


class _LoadedFile(structfile.BufferFile):  # type: ignore[misc]
    """A file in memory whose parts share its bytes; Whoosh's own copies each of them."""

    def __init__(self, data: memoryview, name: str | None = None) -> None:
        self._buf = data
        self._name = name
        self.onclose = None
        self.is_real = self.is_closed = False

    @cached_property
    def file(self) -> io.BytesIO:
        return io.BytesIO(self._buf)

    def subset(self, position: int, length: int, name: str | None = None) -> "_LoadedFile":
        return _LoadedFile(self._buf[position : position + length], name)


class _Files(FileStorage):  # type: ignore[misc]
    """A folder whose files are opened without following links or waiting for pipes."""

    def open_file(self, name: str, **_: Any) -> Any:
        with os.fdopen(open_file(Path(self.folder) / name), "rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGE:
                return _LoadedFile(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
            return _LoadedFile(memoryview(file.read()))

    def lock(self, name: str) -> Any:
        os.close(open_file(Path(self.folder) / name, os.O_WRONLY | os.O_CREAT))
        return super().lock(name)

    def temp_storage(self, name: str | None = None) -> Any:  # noqa: ARG002
        # Whoosh would use a folder of a fixed name, and in the end delete all that is in it.
        return RamStorage()


class _TemporaryFiles(FileStorage):  # type: ignore[misc]
    """A folder of its own, made when the first postings are spilled."""

    folder: str

    def create_file(self, name: str, **options: Any) -> Any:
        if not Path(self.folder).name.startswith(SORTING):
            self.folder = tempfile.mkdtemp(prefix=SORTING, dir=self.folder)
        return super().create_file(name, **options)

    def destroy(self, *_: Any, **__: Any) -> None:
        if Path(self.folder).name.startswith(SORTING):
            shutil.rmtree(self.folder, ignore_errors=True)


class _SortingPool(writing.PostingPool):  # type: ignore[misc]
    """Whoosh's external sort of postings. Its own forgets to count anew after it has spilled, and
    then writes a file for every posting."""

    def save(self) -> None:
        super().save()
        self.currentsize = 0

    def _write_run(self, file: Any, items: Iterable[tuple[Any, ...]]) -> None:
        with file:
            for item in items:
                marshal.dump(item, file)

    def _read_run(self, path: str) -> Iterator[tuple[Any, ...]]:
        with self._open_run(path) as file, contextlib.suppress(EOFError):
            while True:
                yield marshal.load(file)  # noqa: S302  a file that this very object wrote


def _open_writer(whoosh: Any, spilled: Any) -> Any:
    """Return a Whoosh writer of an index whose lock is held; `spilled` is where it sorts postings
    that are too many for memory."""
    writer = whoosh.writer(_lk=False, codec=_Codec())
    writer.pool = _SortingPool(spilled, writer.newsegment, limitmb=_MEMORY_LIMIT)
    return writer


class OpenIndex(NamedTuple):
    """One of the indexes as it was at a generation: a reader per segment."""

    generation: int = -1
    readers: tuple[Any, ...] = ()


class IndexFolder:
    """The folder of both indexes. Holds no state but its path, so any process may do anything
    beside it."""

    def __init__(self, path: Path, mark: int = 0) -> None:
        self.path = path
        self._storage = _Files(str(path))
        self._schema = make_schema(mark)

    def generation(self, name: str) -> int:
        """Return a number that changes whenever an index does; -1 where there is none to use."""
        try:
            check_folder(self.path, levels=LEVELS)
            if self._read_version() != FORMAT:
                return -1
            return int(index.TOC._latest_generation(self._storage, name))
        except (OSError, ValueError):
            return -1

    def open(self, name: str, before: OpenIndex) -> OpenIndex:
        """Open an index as it is now; segments that are open already are taken over."""
        opened = {reader.segment().segment_id(): reader for reader in before.readers}
        for attempt in range(_TRIES):
            generation = self.generation(name)
            if generation < 0:
                return OpenIndex()
            try:
                segments = index.TOC.read(
                    self._storage, name, gen=generation, schema=self._schema
                ).segments
                readers = (
                    opened.get(segment.segment_id())
                    or SegmentReader(self._storage, self._schema, segment)
                    for segment in segments
                )
                return OpenIndex(generation, tuple(readers))
            except FileNotFoundError:
                # A writer replaced the table of contents, or merged segments, since we looked.
                if attempt == _TRIES - 1:
                    raise
                time.sleep(0.01)
        return OpenIndex()

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Any]:
        """Yield a Whoosh writer of an index, made where there is none; LockedError where another
        process has one. The block commits; what it leaves open is dropped."""
        make_folder(self.path, levels=LEVELS)
        version = self._read_version()
        if version > FORMAT:
            raise UnusableIndex("the index was written by a newer treering")
        lock = self._storage.lock(f"{name}_WRITELOCK")
        if not lock.acquire(blocking=False):
            raise LockedError(name)
        try:
            if version != FORMAT:
                self._remove_files(name)
                replace_file(self.path / _VERSION_FILE, str(FORMAT).encode())
            if index.TOC._latest_generation(self._storage, name) < 0:
                self._storage.create_index(self._schema, indexname=name)
            whoosh = self._storage.open_index(indexname=name, schema=self._schema)
            spilled = _TemporaryFiles(str(self.path))
            writer = _open_writer(whoosh, spilled)
            try:
                yield writer
            finally:
                if not writer.is_closed:
                    with contextlib.suppress(Exception):
                        writer.cancel()
                spilled.destroy()
        finally:
            lock.release()

    def drop(self, name: str) -> None:
        """Remove a damaged index, unless another process is writing it."""
        with contextlib.suppress(OSError):
            check_folder(self.path, levels=LEVELS)
            lock = self._storage.lock(f"{name}_WRITELOCK")
            if lock.acquire(blocking=False):
                try:
                    self._remove_files(name)
                finally:
                    lock.release()

    def purge(self, name: str, start: str) -> None:
        """Remove the documents whose blob starts so, with every trace of their words: what is left
        is merged into one segment."""
        if self.generation(name) < 0:
            return
        for attempt in range(_PURGE_TRIES):
            try:
                with self.writing(name) as writer:
                    for reader, offset in writer.reader().leaf_readers():
                        blobs = reader.column_reader("blob", translate=False).load()
                        for number, blob in enumerate(blobs):
                            if blob.startswith(start):
                                writer.delete_document(offset + number)
                    writer.commit(mergetype=writing.OPTIMIZE)
                return
            except LockedError:
                if attempt == _PURGE_TRIES - 1:
                    raise
                time.sleep(_PURGE_PAUSE)

    def remove(self) -> None:
        """Remove both indexes, with every trace of the words in them."""
        with contextlib.suppress(OSError):
            check_folder(self.path, levels=LEVELS)  # nothing behind a link is deleted
            shutil.rmtree(self.path, ignore_errors=True)

    def _remove_files(self, name: str) -> None:
        """Remove the files of an index; those of sorts that were killed go as well."""
        for file in self.path.iterdir():
            if file.name.startswith(f"_{name}_") or file.name.startswith(f"{name}_"):
                if not file.name.endswith("_WRITELOCK"):
                    with contextlib.suppress(OSError):
                        file.unlink()
            elif file.name.startswith(SORTING) and not file.is_symlink():
                shutil.rmtree(file, ignore_errors=True)

    def _read_version(self) -> int:
        """Return the format of the folder; 0 where it says none."""
        try:
            return int(read_file(self.path / _VERSION_FILE))
        except (FileNotFoundError, ValueError):
            return 0


def add_documents(
    writer: Any,
    memories: Iterable[tuple[str, Memory]],
    *,
    anew: bool = False,
) -> None:
    """Write documents and commit them as a segment; `anew` drops all that was there before."""
    for blob, memory in memories:
        writer.add_document(**document_of(blob, memory))
    if anew:
        writer.commit(mergetype=writing.CLEAR)
    else:
        writer.commit(merge=len(writer.segments) >= MAX_SEGMENTS)


class MemoryIndex:
    """An index in memory, for what cannot be written: another process is writing, the disk is full
    or not ours."""

    def __init__(self, mark: int = 0) -> None:
        self._index = RamStorage().create_index(make_schema(mark))
        self.blobs: set[str] = set()
        self.readers: tuple[Any, ...] = ()

    def add(self, memories: Iterable[tuple[str, Memory]]) -> None:
        noted: list[tuple[str, Memory]] = list(memories)
        if noted:
            add_documents(_open_writer(self._index, RamStorage()), noted)
            self.readers = tuple(reader for reader, _ in self._index.reader().leaf_readers())
        self.blobs.update(blob for blob, _ in noted)
