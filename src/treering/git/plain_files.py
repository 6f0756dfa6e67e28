"""A folder somebody named, and the plain files in it: no link inside is followed.

Whoever made the folder may have put links to files elsewhere into it. Read, they would become
memories and be shared; written through, they would be overwritten. The folder itself may be a link,
since it was named.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from treering.git.files import replace_file

_HERE = os.O_RDONLY | os.O_DIRECTORY


def list_files(folder: Path, suffix: str) -> list[Path]:
    """The plain files below a folder whose names end so."""
    entries = _walk(folder, {})
    return sorted(Path(e.path) for e in entries if e.name.endswith(suffix) and _is_plain(e))


def list_passed_over(folder: Path, suffix: str) -> dict[str, str]:
    """Return what of a folder is not read, and why: links to files of that ending and to folders,
    and folders that cannot be opened."""
    reasons: dict[str, str] = {}
    for entry in _walk(folder, reasons):
        if entry.is_symlink() and (entry.name.endswith(suffix) or _leads_to_a_folder(entry)):
            reasons[entry.path] = "It is a link, which is not followed. Name it to import it."
    return {os.path.relpath(path, folder): why for path, why in sorted(reasons.items())}


def _walk(folder: Path, unreadable: dict[str, str]) -> Iterator["os.DirEntry[str]"]:
    """Every entry below a folder; a stack of our own, for it may be deeper than Python calls."""
    todo = [os.fspath(folder)]
    while todo:
        path = todo.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        except OSError as error:
            unreadable[path] = f"It cannot be opened: {error.strerror}."


def _is_plain(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _leads_to_a_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link to itself, say


def write(folder: Path, name: str, data: bytes) -> None:
    """Write a file below a folder, beside its place and then into it.

    Raises OSError. Each folder on the way is opened in the one before, so that none of them can
    turn into a link meanwhile.
    """
    *folders, last = PurePosixPath(name).parts
    folder.mkdir(parents=True, exist_ok=True)
    at = os.open(folder, _HERE)
    try:
        for part in folders:
            inner = _enter(at, part)
            os.close(at)
            at = inner
        replace_file(Path(last), data, folder=at)
    finally:
        os.close(at)


def _enter(at: int, name: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=at)
    try:
        return os.open(name, _HERE | os.O_NOFOLLOW, dir_fd=at)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(error.errno, f"{name} is a link or a file, not a folder") from error
        raise
