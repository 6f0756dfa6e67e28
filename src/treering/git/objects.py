"""Objects: blobs, trees and commits, read as plain values and written so that they are there.

Ids are 40 hex digits everywhere above this module.
"""

import errno
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from treering.errors import StorageFailed, StoreDamaged
from treering.git.binding import (
    GIT_OBJECT_BLOB,
    GIT_OBJECT_COMMIT,
    GIT_OBJECT_TREE,
    GitError,
    Handle,
    Oid,
    Signature,
    is_synced,
    without_fsync,
)

BLOB, TREE = 0o100644, 0o040000
#: No document is larger: 256 KB of content and 64 KB of front matter, and some air.
MOST = 1024 * 1024
_ATTEMPTS = 5
_TEMPORARY = getattr(os, "O_TMPFILE", 0)  # Linux: a file without a name
_NO_PROBE = {errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL}
_KINDS = {GIT_OBJECT_BLOB: "blob", GIT_OBJECT_COMMIT: "commit", GIT_OBJECT_TREE: "tree"}


class TreeEntry(NamedTuple):
    """A line of a tree."""

    name: str
    mode: int
    oid: str


class CommitInfo(NamedTuple):
    """The fields of a commit; times in seconds since the epoch."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: str
    time: int
    message: str


class Person(NamedTuple):
    """A committer or author."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


class Objects:
    """The object database of one repository, for one thread."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._database = handle.odb
        self._together: list[str] | None = None

    def _look_up(self, oid: str, kind: int) -> Any:
        """The object, its hash checked by libgit2 on the way."""
        try:
            entry = self._handle.look_up(oid)
        except (KeyError, ValueError, GitError, OSError) as error:
            raise StoreDamaged(f"The {_KINDS[kind]} {oid} cannot be read: {error}") from error
        if entry.type != kind:
            raise StoreDamaged(f"The object {oid} is not a {_KINDS[kind]}.")
        return entry

    def exists(self, oid: str) -> bool:
        return oid in self._database

    def is_commit(self, oid: str) -> bool:
        """Return whether an object is here, and a commit: a ref of strangers may hold anything."""
        return self._read_header(oid)[0] == GIT_OBJECT_COMMIT

    def size(self, oid: str) -> int:
        """Return how large an object is, without loading it; 0 when it is not here."""
        return self._read_header(oid)[1]

    def _read_header(self, oid: str) -> tuple[int, int]:
        """Return kind and size of an object; whoever looks it up says what is wrong."""
        try:
            kind, size = self._database.read_header(oid)
        except (KeyError, ValueError, GitError, OSError):
            return 0, 0
        return int(kind), int(size)

    def blob(self, oid: str, *, most: int = MOST) -> bytes:
        """The bytes of a blob; one that is larger than anything of ours is not even loaded."""
        if (size := self.size(oid)) > most:
            raise StoreDamaged(f"The blob {oid} is too large: {size} bytes.")
        return bytes(self._look_up(oid, GIT_OBJECT_BLOB).data)

    def tree(self, oid: str) -> list[TreeEntry]:
        """The lines of a tree, parsed from its raw bytes: several times faster than by object."""
        raw = self.raw_tree(oid)
        entries, at = [], 0
        try:
            while at < len(raw):
                space, end = raw.index(b" ", at), raw.index(b"\0", at)
                name = raw[space + 1 : end].decode(errors="surrogateescape")
                entries.append(TreeEntry(name, _mode(raw[at:space]), raw[end + 1 : end + 21].hex()))
                at = end + 21
        except ValueError as error:
            raise StoreDamaged(f"The tree {oid} is malformed: {error}") from error
        if at > len(raw):
            raise StoreDamaged(f"The tree {oid} is cut short.")
        return entries

    def raw_tree(self, oid: str) -> bytes:
        return self._read(oid, GIT_OBJECT_TREE)

    def raw_commit(self, oid: str) -> bytes:
        return self._read(oid, GIT_OBJECT_COMMIT)

    def _read(self, oid: str, kind: int) -> bytes:
        try:
            found, data = self._database.read(oid)
        except (KeyError, ValueError, GitError, OSError) as error:
            raise StoreDamaged(f"The {_KINDS[kind]} {oid} cannot be read: {error}") from error
        if found != kind:
            raise StoreDamaged(f"The object {oid} is not a {_KINDS[kind]}.")
        return bytes(data)

    def child(self, tree: str, name: str, kind: int) -> str | None:
        """The id of one line of a tree, or None when it is not there or of another kind."""
        try:
            entry = self._look_up(tree, GIT_OBJECT_TREE)[name]
        except KeyError:
            return None
        return str(entry.id) if entry.type == kind else None

    def file(self, tree: str, name: str) -> str | None:
        """The id of a plain file in a tree: not a link, not a program, not a folder."""
        return next((e.oid for e in self.tree(tree) if e.name == name and e.mode == BLOB), None)

    def commit(self, oid: str) -> CommitInfo:
        commit = self._look_up(oid, GIT_OBJECT_COMMIT)
        return CommitInfo(
            oid=oid,
            tree=str(commit.tree_id),
            parents=tuple(str(parent) for parent in commit.parent_ids),
            author=f"{commit.author.name} <{commit.author.email}>",
            time=commit.commit_time,
            message=commit.raw_message.decode(errors="replace"),
        )

    def authorship(self, oid: str) -> tuple[str, int]:
        """Return who wrote a commit and when: an amend and a rebase keep both."""
        author = self._look_up(oid, GIT_OBJECT_COMMIT).author
        return f"{author.name} <{author.email}>", author.time

    # --- writing: a failure is StorageFailed, never silence ---------------------------------------

    @contextmanager
    def write_together(self, common_dir: Path) -> Iterator[None]:
        """Wait for the disk once for all that is written inside."""
        must_sync, oids = is_synced(), list[str]()
        with disk_turn, without_fsync():
            self._together = oids
            try:
                yield
            finally:
                self._together = None
        if must_sync:
            try:
                _sync(common_dir / "objects", oids)
            except OSError as error:
                raise StorageFailed(f"Memories could not be written: {error.strerror}.") from error

    def _note(self, oid: str) -> str:
        if self._together is not None:
            self._together.append(oid)
        return oid

    def write_blob(self, data: bytes) -> str:
        return self._write(GIT_OBJECT_BLOB, data)

    def write_tree(self, base: str | None, changes: Mapping[str, tuple[int, str] | None]) -> str:
        """The tree `base` with some lines set to (mode, id), or taken out where None."""
        old = [self._look_up(base, GIT_OBJECT_TREE)] if base else []
        try:
            builder = self._handle.TreeBuilder(*old)
            for name, line in changes.items():
                if line is not None:
                    builder.insert(name, Oid(hex=line[1]), line[0])
                elif builder.get(name) is not None:
                    builder.remove(name)
            return self._note(_put(builder.write))
        except (GitError, OSError, ValueError, KeyError) as error:
            raise StorageFailed(f"A tree could not be written: {self._why(error)}") from error

    def write_commit(
        self, tree: str, parents: tuple[str, ...], person: Person, seconds: int, message: str
    ) -> str:
        """A commit object, and no ref.

        Never libgit2's create_commit: on a full disk it returned an id and wrote nothing.
        """
        who = Signature(person.name, person.email, seconds, 0, "utf-8")
        try:
            text: Any = self._handle.create_commit_string(who, who, message, tree, list(parents))
        except (GitError, OSError, ValueError, KeyError) as error:
            raise StorageFailed(f"A commit could not be written: {self._why(error)}") from error
        return self._write(GIT_OBJECT_COMMIT, text)

    def write_raw_commit(self, data: bytes) -> str:
        return self._write(GIT_OBJECT_COMMIT, data)

    def _write(self, kind: int, data: bytes | str) -> str:
        try:
            return self._note(_put(lambda: self._database.write(kind, data)))
        except (GitError, OSError, ValueError, KeyError) as error:
            why = self._why(error, len(data))
            raise StorageFailed(f"A {_KINDS[kind]} could not be written: {why}") from error

    def _why(self, error: Exception, size: int = 4096) -> str:
        """Return what the disk itself says to as many bytes.

        libgit2's words can be those of an earlier failure: a write of more than its buffer, refused
        by a full disk, leaves the last message as it was.
        """
        try:
            probe = os.open(str(self._handle.path), _TEMPORARY | os.O_WRONLY)
        except OSError as found:
            return str(error) if found.errno in _NO_PROBE else str(found.strerror)
        try:
            while size > 0:  # a disk with some room takes a part without a word
                size -= os.write(probe, bytes(size))
            os.fsync(probe)
        except OSError as found:
            return str(found.strerror)
        finally:
            os.close(probe)
        return str(error)


def _put(write: Callable[[], Oid]) -> str:
    """Write an object, again where its folder vanished: `git gc` removes the empty ones, also those
    libgit2 has just made."""
    for _ in range(_ATTEMPTS):
        try:
            with disk_turn:
                return str(write())
        except (GitError, OSError, KeyError) as error:
            if "No such file" not in str(error):
                raise
    with disk_turn:
        return str(write())


def _mode(text: bytes) -> int:
    """A mode as git writes it; 0, which is none, for one with zeros in front."""
    return 0 if text.startswith(b"0") else int(text, 8)


def hash_blob(data: bytes) -> str:
    """Return the id these bytes get as a blob."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def hash_tree(lines: Iterable[TreeEntry]) -> str:
    """Return the id that a tree of these files alone, or of these folders alone, gets."""
    data = b"".join(
        b"%o %b\0%b" % (line.mode, line.name.encode(), bytes.fromhex(line.oid))
        for line in sorted(lines)
    )
    return hashlib.sha1(b"tree %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def read_blobs(git_dir: Path, oids: Iterable[str], *, largest: int) -> Iterator[tuple[str, bytes]]:
    """The bytes of many blobs, without those that are not here or larger than `largest`.

    In one go, by git: it keeps at hand what deltas are made against, libgit2 starts anew.
    """
    from treering.git import process

    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
    sizes = process.run(git_dir, "cat-file", "--batch-check", feed=asked)
    small = []
    for line in sizes.decode("ascii").splitlines():
        oid, kind, *rest = line.split(" ")  # or the id and "missing"
        if kind == "blob" and int(rest[0]) <= largest:
            small.append((oid, int(rest[0])))
    feed = "".join(f"{oid}\n" for oid, _ in small).encode()
    text = process.run(git_dir, "cat-file", "--batch", "--buffer", feed=feed) if small else b""
    at = 0
    for oid, size in small:
        start = text.index(b"\n", at) + 1
        yield oid, text[start : start + size]
        at = start + size + 1


disk_turn = threading.RLock()
_SYNC_THREADS = 8


def _sync(folder: Path, oids: Iterable[str]) -> None:
    """Sync objects and their folders side by side. One that is not there is in a pack, and
    synced."""
    files = [folder / oid[:2] / oid[2:] for oid in dict.fromkeys(oids)]
    paths = [*files, *{path.parent for path in files}, folder]
    errors: list[OSError] = []

    def sync_some(start: int) -> None:
        try:
            for path in paths[start::_SYNC_THREADS]:
                with suppress(FileNotFoundError):
                    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
                    try:
                        os.fsync(descriptor)
                    finally:
                        os.close(descriptor)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=sync_some, args=(n,)) for n in range(_SYNC_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
