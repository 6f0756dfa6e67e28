"""Files of ours beside git's own, opened only where they are real and belong to this user.

A repository may come from anyone and be shared with many. Where a file of ours should be there may
be a link to the user's own, a pipe that never ends, or something of another user's: none of it is
read, written or tidied up. Root is another user like any.

In a repository that a group shares (core.sharedRepository) what one member writes, the others must
be able to add to. git widens the mode of each file it makes. libgit2 makes refs, logs and object
folders by the umask alone, so while we write there the umask is the one git's rule amounts to.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_GROUP = {"group", "true", "yes", "on", "1"}
_ALL = {"all", "world", "everybody", "2"}


class ForeignFile(OSError):
    """A file that is not ours; to callers it is like a disk that cannot be used."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EPERM, "Not a plain file or folder of this user's", str(path))


def check_folder(path: Path, *, levels: int = 1, is_own: bool = True) -> None:
    """ForeignFile unless this is a real folder, with `is_own` one of ours, and real are the
    `levels` - 1 above it.

    Those above may belong to others who share the repository; a link would lead out of it.
    """
    for folder in (path, *path.parents)[:levels]:
        info = os.lstat(folder)
        if not stat.S_ISDIR(info.st_mode) or (is_own and folder is path and not _is_own(info)):
            raise ForeignFile(folder)


def find_files(folder: Path, pattern: str) -> list[Path]:
    """Return what is below a folder and matches a pattern; nothing behind a link, which leads out
    of it to files of the user's own."""
    top = folder.resolve()
    return sorted(path for path in top.glob(pattern) if path.parent.resolve() == path.parent)


def is_usable(path: Path, *, levels: int = 1) -> bool:
    """Return whether there is such a folder of ours, or one could be made."""
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
    if levels > 1:
        make_shared_folder(path.parent, levels=levels - 1)
    _make(path, 0o700)
    check_folder(path)


def make_shared_folder(path: Path, *, levels: int = 1) -> None:
    """A folder as open as the umask says, which may be another member's; it is no link, nor are the
    `levels` - 1 above it."""
    for folder in reversed((path, *path.parents)[:levels]):
        _make(folder, 0o777)


def _make(folder: Path, mode: int) -> None:
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise ForeignFile(folder)


def open_file(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a plain file of ours; with O_CREAT it is made for this user alone."""
    return open_plain(path, flags, is_own=True)


def open_plain(
    path: str | Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, is_own: bool = False
) -> int:
    """Open a file that is no link and no pipe; with `is_own` it has to be this user's. Others may
    have put anything there who share the repository."""
    # Opening a pipe would wait for its other end. What is emptied is looked at first.
    safe = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags & ~os.O_TRUNC | safe, mode)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or (is_own and not _is_own(info)):
            raise ForeignFile(Path(path))
        if flags & os.O_TRUNC:
            if info.st_nlink > 1:  # it has another name, and may be anything there
                raise ForeignFile(Path(path))
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_file(path: Path) -> bytes:
    """The bytes of a plain file of ours."""
    with os.fdopen(open_file(path), "rb") as file:
        return file.read()


def read_plain(path: str | Path) -> bytes:
    """The bytes of a file that `open_plain` opens."""
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read()


def state_of(path: str) -> tuple[int, ...]:
    """A value that changes whenever a file is written or replaced, or a folder's entries are; ()
    where there is none. A plain path: this is asked at every call."""
    try:
        info = os.lstat(path)
    except OSError:
        return ()
    return (info.st_mtime_ns, info.st_size, info.st_ino)


@contextlib.contextmanager
def replacement(
    path: Path, *, mode: int | None = None, is_synced: bool = False, folder: int | None = None
) -> Iterator[IO[bytes]]:
    """A new file that takes the place of another when the block ends well.

    A reader finds the old one or the new one, and a failure leaves the old one. It is as open as
    the umask says, unless a mode is given. `folder` is a descriptor the path is relative to.
    """
    beside = os.fspath(path.with_name(f"{path.name}.{os.urandom(8).hex()}"))
    # Never through what someone put there: O_EXCL follows no link.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            if is_synced:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside, dir_fd=folder)
        raise


def replace_file(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    is_synced: bool = False,
    folder: int | None = None,
) -> None:
    """Put bytes in the place of a file, as `replacement` does."""
    with replacement(path, mode=mode, is_synced=is_synced, folder=folder) as file:
        file.write(data)


def mark_file(path: Path) -> None:
    """Make an empty file, in a folder as `make_folder` makes it."""
    make_folder(path.parent)
    replace_file(path, b"")


def _is_own(info: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or info.st_uid == os.geteuid()


# --- shared by a group ----------------------------------------------------------------------------


@contextlib.contextmanager
def share(word: str) -> Iterator[None]:
    """Write with the modes that `core.sharedRepository=word` asks for."""
    # There is no way to ask for the umask without setting it; 077 is what a moment may do no harm.
    before = os.umask(0o077)
    os.umask(umask_for(word, before))
    try:
        yield
    finally:
        os.umask(before)


def umask_for(word: str, umask: int) -> int:
    """The umask that makes files as open as git would make them."""
    level = word.lower()
    if level in _GROUP:
        return umask & ~0o070
    if level in _ALL:
        return umask & ~0o075
    if re.fullmatch("0[0-7]{3}", level):
        return ~(int(level, 8) | int(level, 8) >> 2 & 0o111) & 0o777
    return umask


def is_for_group(word: str) -> bool:
    return umask_for(word, 0o777) != 0o777
