"""Files of ours beside git's own, opened only where they are real and belong to this user.

A repository may come from anyone and be shared with many. Where a file of ours should be there may
be a link to the user's own, a pipe that never ends, or something of another user's: none of it is
read, written or tidied up. Root is another user like any.
"""

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path


class ForeignFile(OSError):
    """What is there is not ours; to callers it is like a disk that cannot be used."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EPERM, "Not a file or folder of this user's", str(path))


def check_folder(path: Path, *, levels: int = 1) -> None:
    """ForeignFile unless this is a real folder of ours, and real are the `levels` - 1 above it.

    Those above may belong to others who share the repository; a link would lead out of it.
    """
    for folder in (path, *path.parents)[:levels]:
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or (folder is path and not _is_own(found)):
            raise ForeignFile(folder)


def is_usable(path: Path, *, levels: int = 1) -> bool:
    """Whether there is such a folder of ours, or one could be made."""
    try:
        check_folder(path, levels=levels)
    except FileNotFoundError:
        above = next(folder for folder in path.parents if os.path.lexists(folder))
        return not above.is_symlink() and os.access(above, os.W_OK)
    except OSError:
        return False
    return True


def make_folder(path: Path, *, levels: int = 1) -> None:
    """A folder for this user alone, if it is not there; those above are as open as the umask says.

    From the outside in, so that nothing is made behind a link.
    """
    for above in reversed(path.parents[: levels - 1]):
        _make(above, 0o777)
    _make(path, 0o700)
    check_folder(path)


def _make(folder: Path, mode: int) -> None:
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise ForeignFile(folder)


def open_file(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a plain file of ours; with O_CREAT it is made for this user alone."""
    # Opening a pipe would wait for its other end.
    safe = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags | safe, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _is_own(found):
            raise ForeignFile(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_file(path: Path) -> bytes:
    """The bytes of a plain file of ours."""
    with os.fdopen(open_file(path), "rb") as file:
        return file.read()


def state_of(path: str) -> tuple[int, ...]:
    """A value that changes whenever a file is written or replaced, or a folder's entries are; ()
    where there is none. A plain path: this is asked at every call."""
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def replace_file(path: Path, text: str, *, levels: int = 1) -> bool:
    """Write beside and move into place, so that a reader finds the old text or the new one; whether
    it could be written. The folder is made as `make_folder` does."""
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        make_folder(path.parent, levels=levels)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        return False
    return True


def _is_own(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
