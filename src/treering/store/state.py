"""Small state that git does not hold and that cannot be derived: `<common dir>/treering/state/`.

Kept outputs, pages, turns and open sessions, what agents were told, what remotes answered, and
which commits this clone made. Every file belongs to this user alone, is opened without following
links, replaced as a whole or appended to in one write, and never grows beyond a bound.
"""

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path

from treering.git.files import check_folder, is_usable, make_folder, open_file, replace_file

MAX_BYTES = 64 * 1024 * 1024


class StateFolder:
    """The state of one repository, by names such as `redacted.json` and `outputs/1a2b`.

    `fallback` is used where the repository cannot be written.
    """

    def __init__(self, folder: Path, fallback: Path | None = None) -> None:
        self.folder = folder / "state"
        if not is_usable(self.folder, levels=2):
            # Each member of a group that shares a repository has a folder of their own.
            own = folder / f"state-{os.geteuid()}" if hasattr(os, "geteuid") else self.folder
            if fallback is None or is_usable(own, levels=2):
                self.folder = own
            else:
                self.folder = fallback / "state"

    def read(self, name: str) -> bytes | None:
        """Return what a file holds; None where there is none, or it is not ours or too large."""
        return self.read_from(name, 0)

    def read_from(self, name: str, start: int) -> bytes | None:
        """Return what a file holds from a byte on."""
        try:
            path = self._path(name)
            check_folder(path.parent, levels=self._levels(name))
            with os.fdopen(open_file(path), "rb") as file:
                if os.fstat(file.fileno()).st_size > MAX_BYTES:
                    return None
                file.seek(start)
                return file.read()
        except OSError:
            return None

    def read_json(self, name: str) -> object:
        """Return a value written by `write_json`, or None."""
        try:
            return json.loads(self.read(name) or b"null")
        except (ValueError, RecursionError):
            return None

    def write(self, name: str, data: bytes) -> bool:
        """Put bytes in the place of a file; False where that cannot be done."""
        try:
            path = self._path(name)
            make_folder(path.parent, levels=self._levels(name))
            replace_file(path, data, mode=0o600)
        except OSError:
            return False
        return True

    def write_json(self, name: str, value: object) -> bool:
        return self.write(name, json.dumps(value).encode())

    def append(self, name: str, data: bytes, limit: int = MAX_BYTES) -> bool:
        """Add whole lines to a file; of one beyond `limit` bytes the newer half is kept."""
        try:
            path = self._path(name)
            make_folder(path.parent, levels=self._levels(name))
            descriptor = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(descriptor, "ab", buffering=0) as file:
                if file.write(data) != len(data):
                    return False  # a full disk; half a line is passed over
                size = file.tell()
        except OSError:
            return False
        if size > limit and (whole := self.read(name)):
            self.write(name, whole[-limit // 2 :].partition(b"\n")[2])
        return True

    def remove(self, *names: str) -> None:
        """Remove files, and folders with what is in them."""
        for name in names:
            for file, _ in self.list_files(name):
                self._unlink(file)
            self._unlink(name)

    def list_files(self, folder: str) -> list[tuple[str, os.stat_result]]:
        """List the plain files in a folder by name, the oldest first."""
        path, files = self._path(folder), []
        with contextlib.suppress(OSError):
            check_folder(path, levels=self._levels(f"{folder}/"))
            for entry in os.scandir(path):
                with contextlib.suppress(OSError):
                    info = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(info.st_mode):
                        files.append((f"{folder}/{entry.name}", info))
        return sorted(files, key=lambda pair: pair[1].st_mtime)

    def trim(self, folder: str, *, count: int = 0, size: int = 0, keeping: str = "") -> None:
        """Remove the oldest files of a folder, until so many, or so many bytes, are left."""
        files = self.list_files(folder)
        total = sum(info.st_size for _, info in files)
        for at, (name, info) in enumerate(files):
            is_beyond = len(files) - at > count if count else total > size
            if is_beyond and name != keeping:
                self._unlink(name)
                total -= info.st_size

    def _unlink(self, name: str) -> None:
        path = self._path(name)
        with contextlib.suppress(OSError):
            check_folder(path.parent, levels=self._levels(name))
            path.rmdir() if stat.S_ISDIR(os.lstat(path).st_mode) else path.unlink()

    def _path(self, name: str) -> Path:
        return self.folder / name

    def _levels(self, name: str) -> int:
        """Return how many folders are ours, from the one with the file up."""
        return name.count("/") + 2


def hash_name(name: str) -> str:
    """Return what stands for a branch or a ref in a file: a name may be a credential."""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:32]
