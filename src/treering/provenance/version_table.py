"""The ledger on disk: what was found out about commits and versions so far.

versions    blob -> whose words it holds, and since when (see model/provenance.py)
commits     commit -> when it was made, as far as that is credible
tips        commits whose whole history is in here
written     commits that this clone's ref logs say were made here, and why the ref moved
logs        how far each ref log has been read, by the hash of the ref's name
people      the addresses of those who made commits
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from treering.model.provenance import Contributor, Version
from treering.store.database import Database, select, transaction

if TYPE_CHECKING:
    import sqlite3

VERSION = 1
# 1: versions, commits, tips, written, logs, people

_SCHEMA = """
    CREATE TABLE versions (blob TEXT PRIMARY KEY, id TEXT, people TEXT, born REAL, changed REAL,
        said REAL, seen REAL, words TEXT) WITHOUT ROWID;
    CREATE INDEX versions_of ON versions (id);
    CREATE TABLE commits (oid TEXT PRIMARY KEY, made REAL, is_odd INTEGER) WITHOUT ROWID;
    CREATE INDEX odd ON commits (is_odd) WHERE is_odd;
    CREATE TABLE tips (oid TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE written (oid TEXT PRIMARY KEY, why TEXT) WITHOUT ROWID;
    CREATE TABLE logs (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID;
    CREATE TABLE people (address TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_COLUMNS = "blob, id, people, born, changed, said, seen, words"
_PATIENCE = 1.0  # seconds; another process writes for moments
_MANY = 200  # findings that may wait


class Moment(NamedTuple):
    """When a commit was made; odd where that is not what it says itself."""

    made: float
    is_odd: bool


class Findings(NamedTuple):
    """What a walk through new commits found out."""

    versions: Collection[Version]
    moments: Mapping[str, Moment]
    tips: Collection[str]  # whose history is in the table now
    passed: Collection[str]  # former tips that others reach by now
    people: Collection[str]


class VersionTable:
    """The tables of one repository; where they cannot be kept, they are in memory."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA, VERSION, patience=_PATIENCE)
        self._waiting: list[Findings] = []
        self._new_versions: dict[str, Version] = {}
        self._new_moments: dict[str, float] = {}

    @property
    def is_kept(self) -> bool:
        """Whether what is found out today is known tomorrow."""
        return not self._database.is_in_memory

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        asked = list(blobs)
        new = {blob: self._new_versions[blob] for blob in asked if blob in self._new_versions}
        rest = [blob for blob in asked if blob not in new]
        return new | {version.blob: version for version in self._versions("blob", rest)}

    def versions_of(self, ids: Iterable[str]) -> list[Version]:
        """Every version of some memories."""
        asked = set(ids)
        by_blob = {version.blob: version for version in self._versions("id", list(asked))}
        by_blob |= {v.blob: v for v in list(self._new_versions.values()) if v.id in asked}
        return list(by_blob.values())

    def _versions(self, key: str, values: list[str]) -> list[Version]:
        return self._database.ask(
            lambda db: [_version(*row) for row in select(db, _COLUMNS, "versions", key, values)],
            [],
        )

    def moments(self, commits: Iterable[str]) -> dict[str, float]:
        oids = list(commits)
        new = {oid: self._new_moments[oid] for oid in oids if oid in self._new_moments}
        if len(new) == len(oids):
            return new
        known: dict[str, float] = self._database.ask(
            lambda db: dict(select(db, "oid, made", "commits", "oid", oids)), {}
        )
        return known | new

    def has_odd_moments(self) -> bool:
        """Whether any commit claims a date that is not credible."""
        query = "SELECT 1 FROM commits WHERE is_odd LIMIT 1"
        return self._database.ask(lambda db: db.execute(query).fetchone() is not None, False)

    def tips(self) -> set[str]:
        return self._database.ask(
            lambda db: {row[0] for row in db.execute("SELECT oid FROM tips")}, set()
        )

    def people(self) -> set[str]:
        query = "SELECT address FROM people"
        return self._database.ask(lambda db: {row[0] for row in db.execute(query)}, set())

    def list_written(self, commits: Iterable[str]) -> dict[str, str]:
        """Of some commits those that were made here, and what the ref's log says of each."""
        oids = list(commits)
        return self._database.ask(
            lambda db: dict(select(db, "oid, why", "written", "oid", oids)), {}
        )

    def log_sizes(self) -> dict[str, int]:
        query = "SELECT name, size FROM logs"
        return self._database.ask(lambda db: dict(db.execute(query).fetchall()), {})

    def note_written(self, reasons: Mapping[str, str], sizes: Mapping[str, int]) -> None:
        def change(db: "sqlite3.Connection") -> None:
            db.executemany("INSERT OR IGNORE INTO written VALUES (?, ?)", reasons.items())
            db.executemany("INSERT OR REPLACE INTO logs VALUES (?, ?)", sizes.items())

        self._change(change)

    def note(self, findings: Findings) -> None:
        self._change(lambda db: _insert(db, findings))

    def note_later(self, findings: Findings) -> None:
        """Note what is found again where it is lost: in memory, until somebody calls `keep`."""
        self._new_versions |= {version.blob: version for version in findings.versions}
        self._new_moments |= {oid: moment.made for oid, moment in findings.moments.items()}
        self._waiting.append(findings)
        if len(self._waiting) >= _MANY:
            self.keep()

    @property
    def is_unwritten(self) -> bool:
        return bool(self._waiting)

    def keep(self) -> None:
        """Write what is noted in memory alone."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return

        def change(db: "sqlite3.Connection") -> None:
            for findings in waiting:
                _insert(db, findings)

        self._change(change)
        for findings in waiting:  # not before it is there: other threads go on asking
            for version in findings.versions:
                self._new_versions.pop(version.blob, None)
            for oid in findings.moments:
                self._new_moments.pop(oid, None)

    def forget_versions_of(self, memory_id: str) -> None:
        def change(db: "sqlite3.Connection") -> None:
            db.execute("DELETE FROM versions WHERE id = ?", (memory_id,))

        self._change(change)

    def _change(self, change: "Callable[[sqlite3.Connection], None]") -> None:
        def inside(db: "sqlite3.Connection") -> bool:
            with transaction(db):
                change(db)
            return True

        if not self._database.ask(inside, False):
            self._database.leave_disk()
            self._database.ask(inside, False)


def _insert(db: "sqlite3.Connection", findings: Findings) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        map(_row, findings.versions),
    )
    db.executemany(
        "INSERT OR IGNORE INTO commits VALUES (?, ?, ?)",
        ((oid, moment, is_odd) for oid, (moment, is_odd) in findings.moments.items()),
    )
    db.executemany("INSERT OR IGNORE INTO people VALUES (?)", ((p,) for p in findings.people))
    db.executemany("DELETE FROM tips WHERE oid = ?", ((oid,) for oid in findings.passed))
    db.executemany("INSERT OR IGNORE INTO tips VALUES (?)", ((oid,) for oid in findings.tips))


def _row(version: Version) -> tuple[object, ...]:
    return (*version[:2], json.dumps(version.people), *version[3:])


def _version(blob: str, key: str, people: str, *rest: object) -> Version:
    contributors = tuple(
        Contributor(str(name), bool(is_here)) for name, is_here in json.loads(people)
    )
    return Version._make((blob, key, contributors, *rest))
