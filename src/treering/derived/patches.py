"""Changes of commits against their first parent, found by path, and their patch ids.

None of it ever changes, and a trunk only grows. So it is read once, and the next run reads what is
new.

    patches         commit -> the files it changes, with modes and blobs; once they were asked for,
                    a hash of the lines it adds and removes (empty: they say too little), and the
                    patch id, with context
    patches_paths   path -> the commits that change it
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from treering.derived.database import Database, Row, select
from treering.git.diff import FileChange

if TYPE_CHECKING:
    import sqlite3

Files = tuple[FileChange, ...]
Hash = Literal["lines", "patch_id"]


class PatchTable:
    """The patches of one repository that were read so far."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self, commits: Iterable[str]) -> list[str]:
        """List those of some commits of which nothing is known."""
        wanted = list(dict.fromkeys(commits))
        there = {oid.hex() for (oid,) in self._select("oid", wanted)}
        return [commit for commit in wanted if commit not in there]

    def add(self, files: Mapping[str, Files]) -> None:
        """Write down what commits change."""

        def change(db: "sqlite3.Connection") -> None:
            for commit, changes in files.items():
                row = (bytes.fromhex(commit), b"\0".join(p for file in changes for p in file))
                cursor = db.execute(
                    "INSERT OR IGNORE INTO patches VALUES (NULL, ?, ?, NULL, NULL)", row
                )
                if cursor.rowcount:
                    paths = [(key_of(file.path), cursor.lastrowid) for file in changes]
                    db.executemany("INSERT OR IGNORE INTO patches_paths VALUES (?, ?)", paths)

        if files:
            self._database.ensure(change)

    def touching(self, path: int) -> list[str]:
        """List the commits known to change a file, given the key of its path."""
        query = "SELECT oid FROM patches JOIN patches_paths USING (number) WHERE path = ?"
        return [oid.hex() for (oid,) in self._database.rows(query, (path,))]

    def files(self, commits: Sequence[str]) -> dict[str, Files]:
        """Return what some commits change, as far as it is known."""
        oids, nothing = list(map(bytes.fromhex, commits)), dict[str, Files]()
        return self._database.ask(
            lambda db: {
                oid.hex(): _split(text)
                for oid, text in select(db, "oid, files", "patches", "oid", oids)
            },
            nothing,
        )

    def hashes(self, column: Hash, commits: Sequence[str]) -> dict[str, bytes]:
        """Return one of the two hashes of some commits, as far as it is known."""
        rows = self._select(f"oid, {column}", commits)
        return {oid.hex(): found for oid, found in rows if found is not None}

    def add_hashes(self, column: Hash, hashes: Mapping[str, bytes]) -> None:
        """Write down one of the two hashes of commits whose files are known."""
        statement = f"UPDATE patches SET {column} = ? WHERE oid = ?"  # noqa: S608  our own word
        rows = [(found, bytes.fromhex(commit)) for commit, found in hashes.items()]
        if rows:
            self._database.ensure(lambda db: db.executemany(statement, rows) and None)

    def _select(self, columns: str, commits: Iterable[str]) -> list[Row]:
        return self._database.select(columns, "patches", "oid", map(bytes.fromhex, commits))


def key_of(path: bytes) -> int:
    """Return a path as a number that SQLite can hold."""
    digest = hashlib.blake2b(path, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _split(text: bytes) -> Files:
    fields = text.split(b"\0") if text else []
    return tuple(FileChange(*fields[at : at + 3]) for at in range(0, len(fields), 3))
