"""One writer at a time per repository, through a lock the kernel drops when its holder dies.

The file lies beside the folder `treering`, not in it: people may delete that folder, and two
processes holding two different files of one name would both believe they are alone.
"""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from treering.errors import Busy, StorageFailed

PATIENCE = 10.0
_NO_FLOCK = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}


class Held(NamedTuple):
    """Proof that the lock is held; whoever writes asks for it."""

    path: Path


@contextlib.contextmanager
def hold(path: Path, *, patience: float = PATIENCE, group: bool = False) -> Iterator[Held]:
    """Hold the repository's lock; Busy when others keep it for longer than `patience` seconds."""
    until = time.monotonic() + patience
    while (release := _try(path, 0o660 if group else 0o600)) is None:
        if time.monotonic() >= until:
            raise Busy(f"Another process has been writing for more than {patience:g} seconds.")
        time.sleep(0.001 + os.getpid() % 10 / 1000)  # apart, so that waiters do not march in step
    try:
        yield Held(path)
    finally:
        release()


def is_flock_supported(folder: Path) -> bool:
    """Whether the file system knows flock; doctor says when it does not."""
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
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
    except OSError as error:
        raise StorageFailed(f"The repository cannot be written: {error.strerror}.") from error
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
        return lambda: os.close(descriptor)
    os.close(descriptor)  # someone removed the file while we waited: lock the new one
    return None


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        there = path.stat()
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
    """Whether the maker is a process of this host that no longer runs."""
    try:
        pid, _, host = path.read_text(encoding="utf-8").partition(" ")
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
