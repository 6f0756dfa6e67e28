"""One writer at a time per repository, through a lock the kernel drops when its holder dies; and in
the same way one driver, which lets memories follow their branches.

The files lie beside the folder `treering`, not in it: people may delete that folder, and two
processes holding two different files of one name would both believe they are alone.
"""

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from treering.errors import Busy, StorageFailed
from treering.git.files import check_folder, open_plain, read_plain

LOCK_TIMEOUT = 10.0
_NO_FLOCK = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}


class Held(NamedTuple):
    """Proof that the lock is held; whoever writes asks for it."""

    path: Path


@contextlib.contextmanager
def hold(path: Path, *, timeout: float = LOCK_TIMEOUT, group: bool = False) -> Iterator[Held]:
    """Hold the repository's lock; Busy when others keep it for longer than `timeout` seconds."""
    until = time.monotonic() + timeout
    while (release := _try(path, 0o660 if group else 0o600)) is None:
        if time.monotonic() >= until:
            raise Busy(f"Another process has been writing for more than {timeout:g} seconds.")
        time.sleep(0.001 + os.getpid() % 10 / 1000)  # apart, so that waiters do not march in step
    try:
        yield Held(path)
    finally:
        release()


@contextlib.contextmanager
def sign(path: Path) -> Iterator[None]:
    """Say in a lock we hold whose it is, for those who wait; nothing is decided by it."""
    _write_into(path, f"{os.getpid()}\n")
    try:
        yield
    finally:
        _write_into(path, "")


def _write_into(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = open_plain(path, os.O_WRONLY | os.O_TRUNC)  # made by nobody here
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)


def describe_holder(path: Path) -> str:
    """Return who holds a signed lock, as far as can be known: `process 4711, which is stopped`."""
    try:
        pid = int(read_plain(path))
        os.kill(pid, 0)
    except PermissionError:
        return f"process {pid}"  # another user's
    except (OSError, ValueError):
        return "another process"
    return f"process {pid}, which is stopped" if _is_stopped(pid) else f"process {pid}"


def _is_stopped(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[:1] in (["T"], ["t"])


def is_held(path: Path) -> bool:
    """Return whether someone has the lock now. Whoever asks has it for a moment itself."""
    try:
        descriptor = open_plain(path)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _NO_FLOCK or path.with_suffix(".pid").exists()
    finally:
        os.close(descriptor)
    return False


def adopt(path: Path, descriptor: int) -> bool:
    """Return whether a descriptor holds the lock: whoever started us took it for us. No child gets
    it."""
    try:
        if not _is_still(path, descriptor):
            return False
        os.set_inheritable(descriptor, False)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_flock_supported(folder: Path) -> bool:
    """Return whether the file system knows flock; doctor says when it does not."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder) as probe:
        try:
            fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _NO_FLOCK
    return True


def _try(path: Path, mode: int) -> Callable[[], None] | None:
    """Take the lock and say how to release it; None when someone else has it."""
    try:
        check_folder(path.parent, is_own=False)
        descriptor = open_plain(path, os.O_RDWR | os.O_CREAT, mode)
    except OSError as error:
        why = f"{path} is not a plain file" if _is_planted(path) else error.strerror
        raise StorageFailed(f"The repository cannot be written: {why}.") from error
    if os.fstat(descriptor).st_nlink > 1:  # somebody's file, to be emptied and opened to a group
        os.close(descriptor)
        raise StorageFailed(f"The repository cannot be written: {path} has a second name.")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return None
        if error.errno in _NO_FLOCK:
            return _try_pid_file(path.with_suffix(".pid"), mode)
        raise StorageFailed(f"The repository cannot be locked: {error.strerror}.") from error
    if _is_still(path, descriptor):
        _open_to_group(descriptor, mode)
        return lambda: os.close(descriptor)
    os.close(descriptor)  # someone removed the file while we waited: lock the new one
    return None


def _is_planted(path: Path) -> bool:
    try:
        info = os.lstat(path)
    except OSError:
        return False
    return not stat.S_ISREG(info.st_mode)


def _open_to_group(descriptor: int, mode: int) -> None:
    """The umask may have closed what the group of a shared repository has to lock, too."""
    if mode & 0o070 and os.fstat(descriptor).st_mode & mode != mode:
        with contextlib.suppress(OSError):  # another member's: theirs to open
            os.fchmod(descriptor, mode)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    mine = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)


def _try_pid_file(path: Path, mode: int) -> Callable[[], None] | None:
    """The way without flock: a file only one can create, which names its maker."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError:
        if _is_abandoned(path):
            path.unlink(missing_ok=True)
        return None
    except OSError as error:
        raise StorageFailed(f"The repository cannot be locked: {error.strerror}.") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {_host()}")
    return lambda: path.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Return whether the maker is a process of this host that no longer runs."""
    try:
        pid, _, host = read_plain(path).decode().partition(" ")
        if host != _host():
            return False
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False


def _host() -> str:
    import socket  # only where flock is missing; every command would pay for the import

    return socket.gethostname()
