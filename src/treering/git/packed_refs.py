"""git's one file of refs: where many of them are put at once.

A file and a folder for each take longer than all else a fetch of them does, here and at every look
from then on. `git clone` writes this file itself, `git fetch` only ever single ones.
"""

import contextlib
import os
import stat
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path

from treering.git import process

_NAME = "packed-refs"
#: What git has written at the top for years: sorted, with what tags point at below them.
_HEADER = b"# pack-refs with: peeled fully-peeled sorted \n"
#: The file is written again as a whole: so many bytes of it for each ref cost less than files do.
_BYTES_A_REF = 10_000
#: Files of single refs below a prefix, from which on they are put together.
_MANY = 200


def is_cheap(common_dir: Path, count: int) -> bool:
    """Whether so many refs are better put into the file than each into its own."""
    try:
        return (common_dir / _NAME).stat().st_size <= count * _BYTES_A_REF
    except OSError:
        return True


def pack_if_many(common_dir: Path, prefix: str) -> None:
    """Let git put all refs into the file, once many below a prefix have files of their own: every
    look at them reads them all. Where that cannot be they stay as they are."""
    with contextlib.suppress(OSError):
        if len(os.listdir(common_dir / prefix)) > _MANY:
            process.ask(common_dir, "pack-refs", "--all")


def add(common_dir: Path, refs: Mapping[str, str]) -> bool:
    """Put refs that have no file of their own into the file of all, under git's own lock; whether
    it was possible. Values are commits, so there is nothing to peel."""
    path, lock = common_dir / _NAME, common_dir / f"{_NAME}.lock"
    try:
        descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except OSError:
        return False  # git is at it, or nothing can be written here
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, stat.S_IMODE((common_dir / "HEAD").stat().st_mode))
            lines = _merge(_read(path), {os.fsencode(n): oid.encode() for n, oid in refs.items()})
            if lines is None:
                return False
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        lock.replace(path)
    except OSError:
        return False
    finally:
        with contextlib.suppress(FileNotFoundError):
            lock.unlink()
    return True


def can_remove(common_dir: Path, refs: Mapping[str, str]) -> bool:
    """Remove refs that have these values, all of them or none; whether that was possible. One by
    one the file would be written again for each."""
    lines = (b"delete %b\0%b\0" % (os.fsencode(n), oid.encode()) for n, oid in refs.items())
    answer = process.ask(
        common_dir,
        *("update-ref", "--stdin", "-z", "--no-deref"),
        feed=b"".join(lines),
        env=process.without_hooks(common_dir),
    )
    return answer.code == 0


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return _HEADER


def _merge(text: bytes, news: Mapping[bytes, bytes]) -> bytes | None:
    """The file with more refs in it; None where it is not as git writes it, or a name is in the way
    of another."""
    if not text.startswith(_HEADER):
        return None
    lines: dict[bytes, bytes] = {}
    name = b""
    for line in text[len(_HEADER) :].splitlines(keepends=True):
        if line.startswith(b"^"):
            lines[name] += line
        else:
            name = line[41:-1]
            lines[name] = line
    lines |= {name: b"%s %s\n" % (oid, name) for name, oid in news.items()}
    names = sorted(lines)
    if any(_is_in_the_way(name, lines, names) for name in news):
        return None
    return _HEADER + b"".join(lines[name] for name in names)


def _is_in_the_way(name: bytes, lines: Mapping[bytes, bytes], names: Sequence[bytes]) -> bool:
    """Whether a name is a folder for another one, or the other way round."""
    folder = b"%s/" % name
    at = bisect_left(names, folder)
    if at < len(names) and names[at].startswith(folder):
        return True
    parts = name.split(b"/")
    return any(b"/".join(parts[:count]) in lines for count in range(1, len(parts)))
