"""The files that commits of targets change, found by path, and kept between runs.

A trunk only grows, and what a commit changes against its first parent never changes. So it is read
once, and the next run reads what is new. The file is derived like the index: it may be deleted at
any time, and whatever goes wrong with it, what it held is read from git again. Each row is sealed
by a hash over all that it says, since a wrong one would be taken for evidence.

    steps     commit -> the files it changes, with modes and blobs, sealed
    touched   path -> the commits that change it
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treering.git.diff import FileChange
from treering.store.database import Database, chunks, select, transaction

if TYPE_CHECKING:
    import sqlite3

VERSION = 1
# 1: steps, touched

_SCHEMA = """
    CREATE TABLE steps (number INTEGER PRIMARY KEY, oid BLOB UNIQUE, files BLOB, seal BLOB);
    CREATE TABLE touched (path INTEGER, number INTEGER, PRIMARY KEY (path, number)) WITHOUT ROWID
"""
_PATIENCE = 0.05  # seconds to wait for another process

Files = tuple[FileChange, ...]


class StepsLost(Exception):
    """What the file was seen to hold cannot be had from it: ask again, it is read from git then."""


class StepTable:
    """What is known of one repository; without a path, for this run alone."""

    def __init__(self, path: Path | None = None) -> None:
        self._database = Database(path, _SCHEMA, VERSION, patience=_PATIENCE) if path else None
        self._files: dict[str, Files] = {}
        self._touched: dict[int, list[str]] = {}
        self._kept: set[str] = set()  # commits seen in the file
        self._found: dict[int, list[str]] = {}  # what the file said of paths

    def missing(self, commits: Iterable[str]) -> list[str]:
        """Those of some commits of which nothing is known."""
        new = [c for c in dict.fromkeys(commits) if c not in self._files and c not in self._kept]
        if new and self._database:
            ids = [bytes.fromhex(commit) for commit in new]
            nothing: list[str] = []
            self._kept |= set(
                self._database.ask(
                    lambda db: [row[0].hex() for row in select(db, "oid", "steps", "oid", ids)],
                    nothing,
                )
            )
        return [commit for commit in new if commit not in self._kept]

    def add(self, files: Mapping[str, Files]) -> None:
        """Write down what commits change."""
        for commit, changes in files.items():
            self._files[commit] = changes
            for file in changes:
                self._touched.setdefault(key_of(file.path), []).append(commit)
        if self._database and files:
            self._database.ask(lambda db: _write(db, files), None)

    def touching(self, path: int) -> list[str]:
        """The commits known to change a file, given the key of its path."""
        commits = self._touched.get(path, [])
        if not self._kept or not self._database:
            return commits
        if path not in self._found:
            question = "SELECT oid FROM steps JOIN touched USING (number) WHERE path = ?"
            kept: list[str] | None = self._database.ask(
                lambda db: [row[0].hex() for row in db.execute(question, (path,))], None
            )
            if kept is None:
                self._lose()
            self._found[path] = kept or []
        return list(dict.fromkeys([*commits, *self._found[path]]))

    def files(self, commits: Sequence[str]) -> dict[str, Files]:
        """What some commits change, as far as it is known."""
        new = [commit for commit in commits if commit not in self._files]
        if new and self._database:
            rows: dict[str, Files] = {}
            self._files |= self._database.ask(lambda db: _read(db, new), rows)
            if any(commit not in self._files for commit in new if commit in self._kept):
                self._lose()
        return {commit: self._files[commit] for commit in commits if commit in self._files}

    def _lose(self) -> None:
        """Never ask the file again, for it is damaged or another process is at it."""
        self._kept.clear()
        self._files.clear()
        self._touched.clear()
        self._database = None
        raise StepsLost


def key_of(path: bytes) -> int:
    """A path as a number that SQLite can hold."""
    digest = hashlib.blake2b(path, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _read(db: "sqlite3.Connection", commits: list[str]) -> dict[str, Files]:
    """ValueError, on which the file is dropped, when a row is not what was written."""
    ids = [bytes.fromhex(commit) for commit in commits]
    found: dict[str, Files] = {}
    for oid, text, seal in select(db, "oid, files, seal", "steps", "oid", ids):
        if seal != _seal(oid, text):
            raise ValueError("A row was changed.")
        fields = text.split(b"\0") if text else []
        found[oid.hex()] = tuple(
            FileChange(*fields[at : at + 3]) for at in range(0, len(fields), 3)
        )
    return found


def _write(db: "sqlite3.Connection", files: Mapping[str, Files]) -> None:
    with transaction(db):
        first = int(db.execute("SELECT coalesce(max(number), 0) FROM steps").fetchone()[0]) + 1
        for some in chunks(list(enumerate(files.items(), first))):
            for number, (commit, changes) in some:
                oid, text = bytes.fromhex(commit), b"\0".join(p for file in changes for p in file)
                row = (number, oid, text, _seal(oid, text))
                if db.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?, ?)", row).rowcount:
                    db.executemany(
                        "INSERT OR IGNORE INTO touched VALUES (?, ?)",
                        [(key_of(file.path), number) for file in changes],
                    )


def _seal(oid: bytes, text: bytes) -> bytes:
    return hashlib.blake2b(text, key=oid, digest_size=16).digest()
