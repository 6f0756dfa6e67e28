"""One writer at a time."""

import errno
import fcntl
import threading
import time
from pathlib import Path

import pytest

from treering.errors import Busy, StorageFailed
from treering.git import lock


def test_a_second_writer_waits_then_gives_up(tmp_path: Path) -> None:
    """Bounded waiting, with a code the caller can act on."""
    path = tmp_path / "treering.lock"

    with lock.hold(path), pytest.raises(Busy), lock.hold(path, timeout=0.05):
        pass


def test_threads_exclude_each_other_too(tmp_path: Path) -> None:
    """A server's handlers run on threads of one process."""
    path, inside, most = tmp_path / "treering.lock", [], []

    def work() -> None:
        with lock.hold(path):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.005)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert max(most) == 1
    assert len(most) == 6


def test_a_lock_file_deleted_by_someone_is_made_anew(tmp_path: Path) -> None:
    """Two processes holding two files of one name would both believe they are alone."""
    path = tmp_path / "treering.lock"
    with lock.hold(path):
        path.unlink()

        with lock.hold(path, timeout=0.2):  # the name is a new file: nobody holds it
            assert path.exists()


def test_a_lock_file_replaced_before_it_is_locked_is_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening the file and locking it someone deletes it, and another writer makes it anew:
    each would lock a file of its own, and both would write."""
    path = tmp_path / "treering.lock"
    lock_file = fcntl.flock
    others = []

    def replace_then_lock(descriptor: int, how: int) -> None:
        if not others:
            path.unlink()
            others.append(path.open("w"))
            lock_file(others[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock_file(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", replace_then_lock)

    with pytest.raises(Busy), lock.hold(path, timeout=0.05):
        pass

    others[0].close()
    with lock.hold(path, timeout=0):  # the other one is done
        pass


def test_a_lock_file_deleted_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same without another writer: what is held in the end has the name others look for."""
    path = tmp_path / "treering.lock"
    lock_file = fcntl.flock
    gone = []

    def delete_then_lock(descriptor: int, how: int) -> None:
        if not gone:
            path.unlink()
            gone.append(path)
        lock_file(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", delete_then_lock)

    with lock.hold(path), pytest.raises(Busy), lock.hold(path, timeout=0.05):
        pass


def test_the_lock_file_is_for_its_owner(tmp_path: Path) -> None:
    """Another user who may open it could block us."""
    with lock.hold(tmp_path / "treering.lock"):
        assert (tmp_path / "treering.lock").stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """Not Busy: waiting would not help."""
    with (
        pytest.raises(StorageFailed, match="cannot be written"),
        lock.hold(tmp_path / "no" / "lock"),
    ):
        pass


def test_without_flock_a_pid_file_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems have no flock."""

    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    path = tmp_path / "treering.lock"

    with lock.hold(path):
        assert path.with_suffix(".pid").exists()
        with pytest.raises(Busy), lock.hold(path, timeout=0.05):
            pass
    assert not path.with_suffix(".pid").exists()
    assert not lock.is_flock_supported(tmp_path)


def test_a_pid_file_of_a_dead_process_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a crash would lock the repository for ever."""

    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    path = tmp_path / "treering.lock"
    path.with_suffix(".pid").write_text(f"999999999 {lock._host()}", encoding="utf-8")

    with lock.hold(path, timeout=1):
        assert path.exists()
