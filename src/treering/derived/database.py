"""One SQLite file for everything derived from git: `<common dir>/treering/treering.db`.

Several processes of several versions use it at once. Each thread has a connection of its own (WAL:
readers never wait, writers wait for moments). Each table has its own version: an older one is
dropped and filled again, and a file with a newer one is left alone and not used.

Whatever goes wrong, the answer is "nothing known": a damaged file is removed and begun again. One
that cannot be used (read-only, another user's, newer, on a network) is replaced by one in the
user's cache folder, else by memory.
"""

import contextlib
import json
import os
import stat
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from treering.derived.schema import TABLES
from treering.git.files import ForeignFile, check_folder, is_for_group, is_usable, open_file
from treering.store.store import Store

if TYPE_CHECKING:
    import sqlite3

FILE = "treering.db"
#: "trng", in the header of every file of ours.
APPLICATION = 0x74726E67
#: The layout of the file itself; tables have versions of their own.
FORMAT = 1
#: What SQLite puts beside the file.
BESIDE = ("-wal", "-shm", "-journal")
_TIMEOUT = 0.1  # seconds to wait for a writer: captures and hooks never wait longer
_BUSY_TIMEOUT = 2.0  # the same for a redaction
_MEMORY_SECONDS = 60.0
_CHUNK = 500  # SQLite takes 999 parameters at most, in old versions
_VERSIONS = "CREATE TABLE versions (name TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID"
_NETWORKS = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs", "lustre")
#: Primary result codes of SQLite, and one extended code: the file was cut short.
_CORRUPT, _NOT_A_DATABASE, _SHORT_READ = 11, 26, 522
_MOUNTS = "/proc/self/mountinfo"

Answer = TypeVar("Answer")
Row = tuple[Any, ...]


class UnusableFile(Exception):
    """The file cannot be used here, and must not be touched; the message says why."""


class DamagedFile(Exception):
    """The file is not what we wrote: it may be removed."""


class _OpenFile:
    """A connection, the file it has open, and the schema it was checked against."""

    def __init__(self, db: "sqlite3.Connection", path: Path, identity: tuple[int, ...]) -> None:
        self.db = db
        self.path = path
        self.identity = identity
        self.schema = -1
        self.thread = threading.current_thread()
        self.close = weakref.finalize(self, _release, db, path, identity)
        _OPEN.add(self)

    @property
    def is_current(self) -> bool:
        return _identity(self.path) == self.identity


_OPEN: "weakref.WeakSet[_OpenFile]" = weakref.WeakSet()


class Database:
    """The database of one repository; the first of some folders that can be used holds it."""

    def __init__(self, *folders: Path | None) -> None:
        self._folders = [folder for folder in folders if folder]
        self._local = threading.local()
        self._lock = threading.RLock()
        self._memory: sqlite3.Connection | None = None
        self._memory_until = float("inf")
        #: The reason why the file in the first folder is not used; empty where it is.
        self.problem = ""

    @classmethod
    def of(cls, store: Store, cache: Path | None = None) -> "Database":
        """Return the database of a repository; `cache` is the user's cache folder.

        Where a group writes to the repository, nobody's file is safe in a folder of all.
        """
        folder: Path | None = store.folder
        if is_for_group(store.repository.config("core.sharedRepository") or "umask"):
            folder = None
        return cls(folder, private_folder(store, cache) if cache else None)

    @property
    def is_in_memory(self) -> bool:
        """Return whether what is found out today is lost tomorrow."""
        self.ask(lambda _: None, None)
        return self._memory is not None

    @property
    def folder(self) -> Path | None:
        """Return the folder of the file in use; None where it is in memory, of which a first folder
        that can be read but not written still counts."""
        self.ask(lambda _: None, None)
        path = self._path
        return path.parent if path else next(iter(self._folders), None)

    # --- asking and changing ----------------------------------------------------------------------

    def ask(self, question: "Callable[[sqlite3.Connection], Answer]", nothing: Answer) -> Answer:
        """Ask something; `nothing` where that cannot be answered now."""
        try:
            import sqlite3
        except ImportError:
            return nothing  # a Python without it
        for _ in range(2):
            try:
                with self._use() as db:
                    return question(db)
            except (sqlite3.Error, ValueError, TypeError, KeyError, struct.error) as error:
                if not _is_damage(error):
                    return nothing
                self._remove()
            except OSError:
                return nothing
        return nothing

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Return the rows that a query finds; none where it cannot be asked now."""
        nothing: list[Row] = []
        return self.ask(lambda db: db.execute(query, values).fetchall(), nothing)

    def select(self, columns: str, table: str, key: str, wanted: Iterable[Any]) -> list[Row]:
        """Return the rows of a table whose key is one of some values."""
        items, nothing = list(wanted), list[Row]()
        return self.ask(lambda db: list(select(db, columns, table, key, items)), nothing)

    def change(self, change: "Callable[[sqlite3.Connection], object]") -> bool:
        """Change something in one transaction; False where that cannot be done now."""

        def run(db: "sqlite3.Connection") -> bool:
            with transaction(db):
                change(db)
            return True

        return self.ask(run, False)

    def ensure(self, change: "Callable[[sqlite3.Connection], object]") -> None:
        """Change something that the next question needs: where the file cannot be written now, in
        a copy in memory that is used for a while."""
        if not self.change(change):
            self._go_to_memory(_MEMORY_SECONDS)
            self.change(change)

    def read_value(self, name: str) -> object:
        """Return a value kept by `write_value`, or None."""
        query = "SELECT value FROM kv WHERE name = ?"
        row = self.ask(lambda db: db.execute(query, (name,)).fetchone(), None)
        try:
            return json.loads(row[0]) if row else None
        except (ValueError, RecursionError):
            return None

    def write_value(self, name: str, value: object) -> None:
        """Keep a value that JSON can hold."""
        row = (name, json.dumps(value))
        self.change(lambda db: db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?)", row))

    @contextlib.contextmanager
    def _use(self) -> "Iterator[sqlite3.Connection]":
        """Hand out this thread's connection, or the one in memory to one thread at a time."""
        if self._memory is not None and time.monotonic() > self._memory_until:
            with self._lock:
                self._memory, self._memory_until = None, float("inf")
        if self._memory is None and (connection := self._connection()):
            yield connection.db
            return
        with self._lock:
            if self._memory is None:
                self._memory = _open_memory()
            yield self._memory

    def _connection(self) -> _OpenFile | None:
        """Return a connection to the file as it is now; None where there is only memory."""
        mine: _OpenFile | None = getattr(self._local, "connection", None)
        # Another program may have changed a table since, or the file may be another one.
        if mine and mine.is_current and _read_number(mine.db, "schema_version") == mine.schema:
            return mine
        self._local.connection = mine = None
        with self._lock:  # threads of one process do not race to make the file
            self._local.connection = self._open()
        return self._local.connection  # type: ignore[no-any-return]

    def _open(self) -> _OpenFile | None:
        import sqlite3

        problems: list[str] = []
        for folder in self._folders:
            for attempt in range(2):
                try:
                    connection = _open_file(folder / FILE)
                    self.problem = problems[0] if problems else ""
                    return connection
                except DamagedFile:
                    if attempt == 0:
                        remove_files(folder / FILE)
                    continue
                except (UnusableFile, OSError, sqlite3.Error) as error:
                    if _is_damage(error) and attempt == 0:
                        remove_files(folder / FILE)
                        continue
                    problems.append(str(error) or type(error).__name__)
                    break
        self.problem = problems[0] if problems else ""
        self._go_to_memory(float("inf"))
        return None

    def _go_to_memory(self, seconds: float) -> None:
        """Go on in memory, with a copy of what the file holds."""
        with self._lock:
            if self._memory is None:
                self._memory = _open_memory(self._folders[0] / FILE if self._folders else None)
                self._memory_until = time.monotonic() + seconds

    # --- starting over ----------------------------------------------------------------------------

    def clear(self, *keeping: str) -> None:
        """Empty all tables but some, and leave nothing of their text on disk."""
        tables = [name for name in TABLES if name not in keeping]

        def empty(db: "sqlite3.Connection") -> bool:
            db.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT * 1000)}")
            try:
                with transaction(db):
                    for name in _list_tables(db, tables):
                        db.execute(f"DELETE FROM {name}")  # noqa: S608  our own words
                busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                return not busy
            finally:
                db.execute(f"PRAGMA busy_timeout = {int(_TIMEOUT * 1000)}")

        if not self.ask(empty, False) and not keeping:
            self._remove()
        for folder in self._folders[1:]:  # a copy from a time when the first could not be used
            if not keeping and (folder / FILE) != self._path:
                remove_files(folder / FILE)

    @property
    def _path(self) -> Path | None:
        mine: _OpenFile | None = getattr(self._local, "connection", None)
        return mine.path if mine else None

    def _remove(self) -> None:
        """Remove the file this thread has open, unless another one is in its place by now."""
        mine: _OpenFile | None = getattr(self._local, "connection", None)
        self._local.connection = None
        with self._lock:
            if self._memory is not None:
                self._memory = _open_memory()
            elif mine and mine.is_current:
                remove_files(mine.path)

    def check(self) -> str:
        """Look through the whole file; return what is wrong with it, or nothing."""
        import sqlite3

        try:
            with self._use() as db:
                rows = [str(row[0]) for row in db.execute("PRAGMA quick_check(1)")]
        except (sqlite3.Error, OSError) as error:
            return str(error)
        return "" if rows == ["ok"] else rows[0]

    def retry(self) -> None:
        """Use the file again: what kept it from being used is gone."""
        self.close()
        with self._lock:
            self._memory, self._memory_until = None, float("inf")

    def close(self) -> None:
        """Close this thread's connection; the next question opens another one."""
        self._local.connection = None


def close_all() -> None:
    """Close every connection of this process, which is about to end without a word: the last one to
    go puts SQLite's log into the file.

    One that another thread may be using stays open: to close it under a query is a crash.
    """
    for connection in list(_OPEN):
        if connection.thread is threading.current_thread() or not connection.thread.is_alive():
            connection.close()


def private_folder(store: Store, cache: Path) -> Path:
    """Return the folder of a repository in the user's cache."""
    import hashlib

    digest = hashlib.sha256(str(store.repository.common_dir).encode()).hexdigest()[:16]
    return cache.resolve() / digest


def remove_files(path: Path) -> None:
    """Remove a database with all that SQLite put beside it; nothing behind a link is touched."""
    with contextlib.suppress(OSError):
        check_folder(path.parent)
        # The file itself last: as long as it is there, nobody makes a new one.
        for name in (*(f"{path}{end}" for end in BESIDE), str(path)):
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(name)


# --- opening ------------------------------------------------------------------------------------


def _open_file(path: Path) -> _OpenFile:
    """Open a file of ours, made where there is none. SQLite follows links and waits for pipes, so
    everything it is going to open is looked at first."""
    import sqlite3

    if not is_usable(path.parent):
        raise UnusableFile(f"{path.parent} cannot be used")
    path.parent.mkdir(parents=True, exist_ok=True)
    check_folder(path.parent)
    for end in BESIDE:
        _refuse_foreign(Path(f"{path}{end}"))
    if not os.path.lexists(path) and _is_on_network(path.parent):
        raise UnusableFile(f"{path.parent} is on a network")
    os.close(open_file(path, os.O_RDWR | os.O_CREAT))
    identity = _identity(path)
    if not os.path.getsize(path) and os.path.lexists(f"{path}-wal"):
        raise DamagedFile  # emptied, and its log is not to be taken for the next one's
    db = sqlite3.connect(
        path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection = _OpenFile(db, path, identity)
    db.execute("PRAGMA trusted_schema = OFF")  # expressions in a planted schema are data
    db.execute("PRAGMA cell_size_check = ON")
    _refuse_others(db)
    if db.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise UnusableFile(f"{path.parent} has no shared memory for SQLite")
    # Nothing here is worth waiting for the disk: what a power cut spoils is derived again.
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA secure_delete = ON")  # the text of what is deleted is overwritten
    db.execute("PRAGMA cache_size = -20000")
    _prepare(db)
    connection.schema = _read_number(db, "schema_version")
    # Somebody may have replaced it while it was opened.
    return connection if connection.is_current else _open_file(path)


def _open_memory(source: Path | None = None) -> "sqlite3.Connection":
    """Open a database in memory, with a copy of what a file of ours holds."""
    import sqlite3

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)

    db = connect()
    try:
        if source:
            for end in ("", *BESIDE):
                _refuse_foreign(Path(f"{source}{end}"))
            # A folder that cannot be written has no room for SQLite's shared memory. Without a log
            # beside it the file is whole, and is read as it is.
            has_log = os.path.exists(f"{source}-wal") and os.path.getsize(f"{source}-wal")
            address = f"{source.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
            file = sqlite3.connect(address, uri=True, timeout=0, isolation_level=None)
            with contextlib.closing(file):
                _refuse_others(file)
                file.backup(db)
        _prepare(db)
    except (sqlite3.Error, OSError, UnusableFile, DamagedFile):
        db = connect()
        _prepare(db)
    return db


def _refuse_foreign(path: Path) -> None:
    """ForeignFile where something is in a place of ours that is not a plain file of this user."""
    with contextlib.suppress(FileNotFoundError):
        info = os.lstat(path)
        is_own = not hasattr(os, "geteuid") or info.st_uid == os.geteuid()
        if not stat.S_ISREG(info.st_mode) or not is_own:
            raise ForeignFile(path)


def _refuse_others(db: "sqlite3.Connection") -> None:
    """Refuse a database of another program, and one of a layout that is not known yet."""
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        if _read_number(db, "application_id") != APPLICATION:
            raise DamagedFile
        if _read_number(db, "user_version") > FORMAT:
            raise UnusableFile("the file was written by a newer treering")


def _prepare(db: "sqlite3.Connection") -> None:
    """Make the tables that are missing, and make those again that are older or not ours."""
    if not _list_outdated(db):
        return
    with transaction(db):
        outdated = _list_outdated(db)  # another process may have been quicker
        if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {FORMAT}")
            db.execute(_VERSIONS)
        for name in outdated:
            for table in _list_tables(db, [name]):
                db.execute(f"DROP TABLE {table}")
            for statement in TABLES[name].statements():
                db.execute(statement)
            row = (name, TABLES[name].version)
            db.execute("INSERT OR REPLACE INTO versions VALUES (?, ?)", row)


def _list_outdated(db: "sqlite3.Connection") -> list[str]:
    """List the entries of the schema that have to be made; tables of others are not looked at."""
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    if not rows:
        return list(TABLES)
    if any(kind in ("trigger", "view") for kind, *_ in rows) or _VERSIONS not in [
        r[3] for r in rows
    ]:
        raise DamagedFile
    versions: dict[str, int] = dict(db.execute("SELECT name, version FROM versions").fetchall())
    outdated = []
    for name, entry in TABLES.items():
        there = versions.get(name, 0)
        if there > entry.version:
            raise UnusableFile(f"the table {name} was written by a newer treering")
        objects = {sql for _, _, table, sql in rows if sql and _belongs(table, name)}
        if there < entry.version or objects != set(entry.statements()):
            outdated.append(name)
    return outdated


def _list_tables(db: "sqlite3.Connection", names: list[str]) -> list[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return [table for (table,) in rows if any(_belongs(table, name) for name in names)]


def _belongs(table: str, name: str) -> bool:
    return table == name or table.startswith(f"{name}_")


def _is_damage(error: BaseException) -> bool:
    """Return whether an error says that what the file holds is not what was written."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return isinstance(error, ValueError | TypeError | KeyError | struct.error)
    return code & 0xFF in (_CORRUPT, _NOT_A_DATABASE) or code == _SHORT_READ


def _is_on_network(folder: Path) -> bool:
    """Return whether a folder is on a network: WAL needs memory that all processes share."""
    return _find_file_system(folder, _MOUNTS).startswith(_NETWORKS)


def _find_file_system(folder: Path, mounts: str) -> str:
    """Return the type of the file system a folder is on, or nothing where that is not known."""
    place, kind = "", ""
    with contextlib.suppress(OSError):
        at = f"{os.path.realpath(folder)}/"
        for line in Path(mounts).read_text(encoding="utf-8", errors="replace").splitlines():
            fields, _, rest = line.partition(" - ")
            point = fields.split()[4]
            if at.startswith(f"{point.rstrip('/')}/") and len(point) >= len(place):
                place, kind = point, rest.split()[0]
    return kind


def _identity(path: Path) -> tuple[int, ...]:
    """Return which file is at a path, for this process: a connection is not for a forked one."""
    try:
        info = os.lstat(path)
    except OSError:
        return ()
    return (os.getpid(), info.st_dev, info.st_ino)


def _release(db: "sqlite3.Connection", path: Path, identity: tuple[int, ...]) -> None:
    """Close a connection, unless its file was replaced or another process opened it: SQLite would
    remove the log of the new file, which it finds by its name."""
    with contextlib.suppress(Exception):
        if _identity(path) == identity:
            db.close()
        else:
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(db))  # stays open until the process ends


def _read_number(db: "sqlite3.Connection", pragma: str) -> int:
    return int(db.execute(f"PRAGMA {pragma}").fetchone()[0])


# --- in statements --------------------------------------------------------------------------------


@contextlib.contextmanager
def transaction(db: "sqlite3.Connection") -> Iterator[None]:
    """Run a block in one transaction that writes."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(Exception):  # a full disk may have ended it already
            db.execute("ROLLBACK")
        raise


def chunks(items: list[Any]) -> Iterator[list[Any]]:
    """Yield as many items at a time as one statement takes."""
    stream = iter(items)
    while part := list(islice(stream, _CHUNK)):
        yield part


def select(
    db: "sqlite3.Connection", columns: str, table: str, key: str, wanted: list[Any]
) -> Iterator[Row]:
    """Yield the rows of a table whose key is one of some values."""
    for part in chunks(wanted):
        marks = ",".join("?" * len(part))
        query = f"SELECT {columns} FROM {table} WHERE {key} IN ({marks})"  # noqa: S608  our own words
        yield from db.execute(query, part)
