"""A small SQLite file for what is derived from memories: it may vanish, break or be in use.

Whatever goes wrong with it, the answer is "nothing known": a broken file is dropped and begun anew,
one that another process is writing is left alone.
"""

import contextlib
import os
import struct
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treering.git.files import check_folder, make_folder, open_file

if TYPE_CHECKING:
    import sqlite3

_CHUNK = 500  # SQLite takes 999 parameters at most, in old versions

Answer = TypeVar("Answer")


class Database:
    """One file with tables of one version, opened when it is first asked; threads may share it."""

    def __init__(self, path: Path, schema: str, version: int, *, patience: float) -> None:
        self.path = path
        self._schema = schema
        self._version = version
        self._patience = patience  # seconds to wait for another process
        self._open: sqlite3.Connection | None = None
        self._lock = threading.RLock()
        self.is_in_memory = False

    def ask(self, question: "Callable[[sqlite3.Connection], Answer]", nothing: Answer) -> Answer:
        """Ask or change something; `nothing` where that cannot be done now."""
        try:
            import sqlite3
        except ImportError:
            return nothing  # a Python without it
        try:
            with self._lock:
                return question(self._connection())
        except sqlite3.OperationalError:
            return nothing
        except (sqlite3.Error, ValueError, TypeError, KeyError, struct.error):
            self.drop()
            return nothing
        except OSError:
            return nothing

    def leave_disk(self) -> None:
        """Go on in memory, with a copy of what the file holds: it cannot be written."""
        try:
            import sqlite3
        except ImportError:
            return
        with self._lock:
            self._close()
            copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            with contextlib.suppress(sqlite3.Error, OSError):
                os.close(open_file(self.path))  # not by a link
                address = f"{self.path.absolute().as_uri()}?mode=ro"
                source = sqlite3.connect(address, uri=True, timeout=0, isolation_level=None)
                with contextlib.closing(source):
                    # A copy would wait for a writer for ever; a reader that has begun does not.
                    source.execute("BEGIN")
                    source.execute("SELECT count(*) FROM sqlite_master")
                    source.backup(copy)
            if not self._prepare(copy):
                copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
                self._prepare(copy)
            self._open, self.is_in_memory = copy, True

    def drop(self) -> None:
        """Start anew."""
        self._close()
        self.is_in_memory = False
        for name in (self.path, self.path.with_name(f"{self.path.name}-journal")):
            with contextlib.suppress(OSError):
                check_folder(self.path.parent, levels=2)
                name.unlink(missing_ok=True)

    def __del__(self) -> None:
        self._close()  # nobody says when they are done with a workspace

    def _close(self) -> None:
        if self._open is not None:
            with contextlib.suppress(Exception):
                self._open.close()
        self._open = None

    def _connection(self) -> "sqlite3.Connection":
        if self._open is None:
            self._open = self._connect() or self._connect(anew=True)
        assert self._open is not None  # noqa: S101  a new file has our version
        return self._open

    def _connect(self, *, anew: bool = False) -> "sqlite3.Connection | None":
        """The file, made where there is none; None where it is of another version."""
        import sqlite3

        if anew:
            self.drop()
        make_folder(self.path.parent, levels=2)
        # SQLite follows links, and would make its tables in whatever database they lead to.
        os.close(open_file(self.path, os.O_RDWR | os.O_CREAT))
        db = sqlite3.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            if self._prepare(db):
                return db
        except BaseException:
            db.close()
            raise
        db.close()
        return None

    def _prepare(self, db: "sqlite3.Connection") -> bool:
        """Set it up, and make tables where there are none; whether they are of our version."""
        db.execute("PRAGMA trusted_schema = OFF")  # views and triggers of a planted table are data
        # Nothing here is worth waiting for the disk: what a power cut spoils is made again.
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = TRUNCATE")
        db.execute("PRAGMA secure_delete = ON")  # what a redaction takes out is gone
        db.execute("PRAGMA cache_size = -20000")  # a rebuild writes all over its keys
        if _version_of(db) == 0:
            with transaction(db):
                if _version_of(db) == 0:
                    for statement in self._schema.split(";"):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {self._version}")
        return _version_of(db) == self._version


def _version_of(db: "sqlite3.Connection") -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def transaction(db: "sqlite3.Connection") -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def chunks(items: list[Any]) -> Iterator[list[Any]]:
    """As many at a time as one statement takes."""
    stream = iter(items)
    while part := list(islice(stream, _CHUNK)):
        yield part


def select(
    db: "sqlite3.Connection", columns: str, table: str, key: str, wanted: list[Any]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a table whose key is one of some values."""
    for part in chunks(wanted):
        marks = ",".join("?" * len(part))
        query = f"SELECT {columns} FROM {table} WHERE {key} IN ({marks})"  # noqa: S608  our own words
        yield from db.execute(query, part)
