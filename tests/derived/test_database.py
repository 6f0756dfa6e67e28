"""The derived database: shared by processes and versions, worth nothing when it is damaged."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from treering.derived import database as module
from treering.derived.database import FILE, Database, remove_files, select, transaction
from treering.derived.schema import TABLES, Table

Change = Callable[[sqlite3.Connection], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "treering"


def put(name: str, value: str = "1") -> Change:
    def change(db: sqlite3.Connection) -> None:
        db.execute("INSERT OR REPLACE INTO kv VALUES (?, ?)", (name, value))

    return change


def names(database: Database) -> list[str]:
    query = "SELECT name FROM kv ORDER BY name"
    return database.ask(lambda db: [row[0] for row in db.execute(query)], ["nothing"])


def fill(folder: Path) -> Database:
    database = Database(folder)
    for number in range(50):
        assert database.change(put(f"{number:03}", "x" * 500))
    return database


def test_what_one_writes_another_one_reads(folder: Path) -> None:
    Database(folder).write_value("authors", ["ada", 1])

    assert Database(folder).read_value("authors") == ["ada", 1]
    assert Database(folder).read_value("nobody") is None


def test_nothing_but_the_file_is_left_when_all_is_closed(folder: Path) -> None:
    database = fill(folder)
    assert (folder / f"{FILE}-wal").exists()

    database.close()

    assert [path.name for path in folder.iterdir()] == [FILE]
    assert (folder / FILE).stat().st_mode & 0o777 == 0o600


def test_threads_have_connections_of_their_own(folder: Path) -> None:
    """One that reads does not wait for one that writes."""
    database = Database(folder)
    database.change(put("before"))
    is_inside, may_go, seen = threading.Event(), threading.Event(), []

    def write_slowly(db: sqlite3.Connection) -> None:
        put("after")(db)
        is_inside.set()
        may_go.wait(10)

    writer = threading.Thread(target=database.change, args=(write_slowly,))
    writer.start()
    is_inside.wait(10)
    seen = names(database)
    may_go.set()
    writer.join()

    assert seen == ["before"]
    assert names(database) == ["after", "before"]


def test_connections_of_threads_that_ended_are_closed(folder: Path) -> None:
    database = Database(folder)
    names(database)
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())

    for _ in range(20):
        thread = threading.Thread(target=names, args=(database,))
        thread.start()
        thread.join()

    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) <= before + 2


# --- damage ---------------------------------------------------------------------------------------


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(4096 + 8, len(data), 64):
        data[at] ^= 255
    path.write_bytes(data)


def _plant_another(path: Path) -> None:
    """A database of another program, with what runs when rows are written."""
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE kv (name TEXT, value TEXT)")
        db.execute("CREATE TABLE loot (name TEXT)")
        db.execute("CREATE TRIGGER t AFTER INSERT ON kv BEGIN INSERT INTO loot VALUES (1); END")
    db.close()


def _plant_triggers(path: Path) -> None:
    """Our own file, with more in it."""
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON kv BEGIN DELETE FROM kv; END")
    db.close()


def _plant_a_view(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE kv")
        db.execute("CREATE VIEW kv AS SELECT 'planted' AS name, '1' AS value")
    db.close()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:6000]),
    "cut in a page": lambda path: os.truncate(path, path.stat().st_size - 100),
    "text": lambda path: path.write_bytes(b"hello\n" * 1000),
    "zeros": lambda path: path.write_bytes(bytes(9000)),
    "junk behind a header": lambda path: path.write_bytes(path.read_bytes()[:100] + b"j" * 9000),
    "flipped": _flip,
    "another program": _plant_another,
    "a trigger": _plant_triggers,
    "a view": _plant_a_view,
}


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_begun_again(folder: Path, damage: str, is_open: bool) -> None:
    """Also by whoever has it open."""
    database = fill(folder)
    if not is_open:
        database.close()
    DAMAGES[damage](folder / FILE)

    for each in (database, Database(folder)):
        names(each)
        assert each.change(put("new"))
        assert "new" in names(each)
        assert "planted" not in names(each)
    assert Database(folder).check() == ""
    assert not Database(folder).is_in_memory


def test_a_log_without_its_file_is_not_taken_for_the_log_of_the_next(folder: Path) -> None:
    database = fill(folder)
    (folder / FILE).unlink()

    assert names(Database(folder)) == []
    assert names(database) == []


def test_whoever_had_a_removed_file_open_spoils_nothing(folder: Path) -> None:
    """SQLite removes the log by its name when the last connection is closed."""
    old = fill(folder)
    remove_files(folder / FILE)
    new = Database(folder)
    new.change(put("new"))

    old.close()
    del old

    assert (folder / f"{FILE}-wal").exists()
    assert names(Database(folder)) == names(new) == ["new"]


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder"])
def test_what_is_planted_in_its_place_is_neither_followed_nor_waited_for(
    folder: Path, tmp_path: Path, end: str, kind: str
) -> None:
    fill(folder).close()
    letter, place = tmp_path / "letter", folder / f"{FILE}{end}"
    letter.write_text("Dear Ada", encoding="utf-8")
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(letter if kind == "link" else tmp_path / "not-there")
    database = Database(folder)

    assert database.change(put("new"))

    assert "new" in names(database)
    assert database.is_in_memory
    assert str(place) in database.problem
    assert letter.read_text(encoding="utf-8") == "Dear Ada"
    assert not (tmp_path / "not-there").exists()


def test_a_folder_behind_a_link_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "treering").symlink_to(tmp_path / "elsewhere")
    database = Database(tmp_path / "treering")

    assert database.change(put("new"))

    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_a_file_of_another_user_is_left_alone(folder: Path, tmp_path: Path) -> None:
    fill(folder).close()
    os.chown(folder / FILE, 4711, -1)
    data = (folder / FILE).read_bytes()
    database = Database(folder, tmp_path / "cache")

    assert database.change(put("mine"))

    assert names(database) == ["mine"]
    assert (tmp_path / "cache" / FILE).exists()
    assert (folder / FILE).read_bytes() == data


# --- versions -------------------------------------------------------------------------------------


def test_a_table_of_an_older_version_is_made_again_and_others_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TABLES, "old", Table(1, "CREATE TABLE old (a); CREATE TABLE old_b (b)"))
    database = fill(folder)
    database.change(lambda db: db.execute("INSERT INTO old VALUES (1)"))

    monkeypatch.setitem(TABLES, "old", Table(2, "CREATE TABLE old (a, c)"))
    later = Database(folder)

    assert later.ask(lambda db: db.execute("SELECT a, c FROM old").fetchall(), None) == []
    assert len(names(later)) == 50
    query = "SELECT name FROM sqlite_master WHERE name LIKE 'old%'"
    assert later.ask(lambda db: db.execute(query).fetchall(), []) == [("old",)]


def _raise_table(db: sqlite3.Connection) -> None:
    db.execute("UPDATE versions SET version = 99 WHERE name = 'kv'")
    db.execute("ALTER TABLE kv ADD COLUMN more")


def _raise_file(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("raise_version", [_raise_table, _raise_file])
def test_an_older_program_leaves_a_newer_file_alone_and_says_so(
    folder: Path, raise_version: Change, is_open: bool
) -> None:
    """It works in memory. One that has it open notices when a table changes."""
    if is_open and raise_version is _raise_file:
        pytest.skip("a file gets another layout by being made anew")
    database = fill(folder)
    if not is_open:
        database.close()
    with sqlite3.connect(folder / FILE) as db:
        raise_version(db)
    db.close()
    database.close() if not is_open else None

    assert database.change(put("mine"))

    assert "mine" in names(database)
    assert database.is_in_memory
    assert "newer" in database.problem
    with sqlite3.connect(folder / FILE) as db:
        assert db.execute("SELECT count(*) FROM kv").fetchone() == (50,)
    db.close()


def test_tables_that_a_newer_program_added_are_left_alone(folder: Path) -> None:
    fill(folder).close()
    with sqlite3.connect(folder / FILE) as db:
        db.execute("CREATE TABLE later (path TEXT)")
        db.execute("INSERT INTO versions VALUES ('later', 7)")
        db.execute("INSERT INTO later VALUES ('a.py')")
    db.close()
    database = Database(folder)

    assert len(names(database)) == 50
    assert database.ask(lambda db: db.execute("SELECT path FROM later").fetchall(), []) == [
        ("a.py",)
    ]


# --- where it cannot be written -------------------------------------------------------------------


def test_a_busy_file_is_not_waited_for_and_what_is_needed_is_kept_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a while: then the file is used again."""
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    database = fill(folder)
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    assert not database.change(put("not now"))
    database.ensure(put("needed"))

    assert {"000", "needed"} <= set(names(database))
    other.execute("ROLLBACK")
    other.close()
    now[0] += module._MEMORY_SECONDS + 1
    assert "needed" not in names(database)
    assert database.change(put("again"))
    assert "again" in names(Database(folder))


def test_what_cannot_be_opened_is_replaced_by_a_copy_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder that cannot be written."""
    fill(folder).close()
    before = (folder / FILE).read_bytes()

    def refuse(path: Path, flags: int = os.O_RDONLY) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied", str(path))
        return os.open(path, flags)

    monkeypatch.setattr(module, "open_file", refuse)
    database = Database(folder)

    assert len(names(database)) == 50
    assert database.change(put("new"))
    assert database.is_in_memory
    assert (folder / FILE).read_bytes() == before


def test_a_folder_on_a_network_is_not_used(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/root rw\n"
        f"2 1 0:5 / {folder} rw,relatime shared:1 - nfs4 server:/export rw\n"
        f"3 1 0:6 / {tmp_path}/treering2 rw - ext4 /dev/b rw\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(module, "_MOUNTS", str(mounts))
    database = Database(folder, tmp_path / "cache")

    assert database.change(put("new"))

    assert not database.is_in_memory
    assert "network" in database.problem
    assert list(folder.iterdir()) == []
    assert not Database(tmp_path / "treering2").is_in_memory


def test_without_a_folder_it_is_in_memory() -> None:
    database = Database(None)

    assert database.change(put("new"))
    assert names(database) == ["new"]


# --- several processes ----------------------------------------------------------------------------

_WRITER = """
import sys
from pathlib import Path
from treering.derived.database import Database
database, name = Database(Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    row = (f"{name}-{number:05}", "x" * 300)
    while not database.change(lambda db: db.execute("INSERT INTO kv VALUES (?, ?)", row)):
        pass
"""


def start(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), name, str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_several_writers_lose_nothing(folder: Path) -> None:
    """They even make the file together."""
    writers = [start(folder, f"w{number}", 100) for number in range(4)]
    for writer in writers:
        assert writer.wait(60) == 0
        assert writer.stdout is not None
        writer.stdout.close()

    assert len(names(Database(folder))) == 400
    assert Database(folder).check() == ""


def test_a_process_killed_while_it_writes_leaves_a_file_that_can_be_used(folder: Path) -> None:
    for number in range(8):
        with start(folder, f"k{number}", 100_000) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.01 * number)
            writer.send_signal(signal.SIGKILL)

        database = Database(folder)
        assert database.check() == ""
        assert database.change(put(f"after-{number}"))
        assert not database.is_in_memory
    assert len([name for name in names(Database(folder)) if name.startswith("after")]) == 8


def test_a_forked_process_opens_the_file_for_itself(folder: Path) -> None:
    database = fill(folder)
    child = os.fork()
    if child == 0:
        database.change(put("child"))
        os._exit(0)
    os.waitpid(child, 0)

    assert database.change(put("parent"))
    assert {"child", "parent"} <= set(names(database))
    assert database.check() == ""


# --- starting over --------------------------------------------------------------------------------


@pytest.mark.parametrize("is_read", [False, True])
def test_what_is_cleared_is_gone_from_the_disk(folder: Path, is_read: bool) -> None:
    """Also while another process reads."""
    database = Database(folder)
    database.change(put("name", "SECRET" * 1000))
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    if is_read:
        other.execute("BEGIN")
        other.execute("SELECT * FROM kv").fetchall()

    database.clear()

    assert names(database) == []
    assert all(b"SECRET" not in path.read_bytes() for path in folder.iterdir())
    other.close()
    assert names(database) == []


def test_select_takes_more_values_than_a_statement(folder: Path) -> None:
    database = Database(folder)

    def change(db: sqlite3.Connection) -> None:
        db.executemany("INSERT INTO kv VALUES (?, '')", ((str(n),) for n in range(2_000)))

    database.change(change)

    wanted = [str(n) for n in range(0, 4_000, 2)]
    rows = database.ask(lambda db: list(select(db, "name", "kv", "name", wanted)), [])
    assert len(rows) == 1_000


def test_a_change_that_fails_leaves_nothing_behind(folder: Path) -> None:
    database = Database(folder)

    def fail(db: sqlite3.Connection) -> None:
        put("half")(db)
        db.execute("INSERT INTO nowhere VALUES (1)")

    assert not database.change(fail)
    assert names(database) == []

    with pytest.raises(ZeroDivisionError):
        database.ask(lambda db: _divide(db), None)
    assert names(database) == []


def _divide(db: sqlite3.Connection) -> None:
    with transaction(db):
        put("half")(db)
        raise ZeroDivisionError
