"""git's one file of refs: where thousands of them are put at once.

A file and a folder for each take longer than all else a fetch of them does, here and at every look
from then on. `git clone` writes this file itself, `git fetch` only ever single ones.
"""

import contextlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

_NAME = "packed-refs"
#: What git has written at the top for years: sorted, with what tags point at below them.
_HEADER = b"# pack-refs with: peeled fully-peeled sorted \n"
_SLASH = ord("/")


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
        if not line.startswith(b"^"):
            name = line[41:].rstrip(b"\n")
        lines[name] = lines.get(name, b"") + line
    lines |= {name: b"%s %s\n" % (oid, name) for name, oid in news.items()}
    folders = {name[:at] for name in lines for at, byte in enumerate(name) if byte == _SLASH}
    if not folders.isdisjoint(lines):
        return None
    return _HEADER + b"".join(lines[name] for name in sorted(lines))
