"""By which keys memories are found that may have to do with another: files, tags, title, links.

Every capture looks here, also in a process that lives for nothing else. The search index would
answer as well, but opening it takes as long as the whole capture; a few look-ups in a table of
SQLite take a few milliseconds, however many memories there are.

    memories    blob, and what inference knows of the memory in it
    clues       key -> memories
    trees       git trees whose memories are all in here

Like the index it is derived, holds one row per blob, may be deleted at any time, and only ever
suggests: whoever asks looks in git whether the blob is still to be seen. Reading a memory asks it
for the links that lead there. Whatever goes wrong with
it, the answer is "nothing known".
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treering.graph.subject import Subject
from treering.store.database import Database, chunks, select, transaction
from treering.text import likeness

if TYPE_CHECKING:
    import sqlite3

VERSION = 2
# 1: memories, clues, trees
# 2: memories are found by those they link to, too

_SCHEMA = """
    CREATE TABLE memories (number INTEGER PRIMARY KEY, blob TEXT UNIQUE, said TEXT, sample BLOB);
    CREATE TABLE clues (key INTEGER, number INTEGER, PRIMARY KEY (key, number)) WITHOUT ROWID;
    CREATE TABLE trees (oid TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_PATIENCE = 0.05  # seconds to wait for another process
_PER_KEY = 40
_CANDIDATES = 50
#: A file that more memories name than this says nothing about any two of them.
CROWD = 12


class NeighbourTable:
    """The table of one repository, opened when it is first asked."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA, VERSION, patience=_PATIENCE)

    @property
    def folder(self) -> Path:
        return self._database.path.parent

    def unknown_trees(self, oids: Iterable[str]) -> list[str]:
        """Those of these trees that may hold memories not in here."""
        return self._unknown("trees", "oid", list(oids))

    def unknown_blobs(self, blobs: Iterable[str]) -> list[str]:
        return self._unknown("memories", "blob", list(blobs))

    def blobs(self) -> set[str]:
        """All memories in here; of blobs that hold none nothing is said."""
        question = "SELECT blob FROM memories WHERE said IS NOT NULL"
        nothing: set[str] = set()
        return self._database.ask(lambda db: {blob for (blob,) in db.execute(question)}, nothing)

    def _unknown(self, table: str, column: str, items: list[str]) -> list[str]:
        present: set[str] = self._database.ask(
            lambda db: {row[0] for row in select(db, column, table, column, items)}, set()
        )
        return [item for item in items if item not in present]

    def add(
        self, subjects: Iterable[Subject], *, blank: Iterable[str] = (), trees: Iterable[str] = ()
    ) -> None:
        """Note memories, blobs that hold none (`blank`), and trees that are complete by now."""

        def change(db: "sqlite3.Connection") -> None:
            with transaction(db):
                for subject in subjects:
                    _insert(db, subject)
                db.executemany(
                    "INSERT OR IGNORE INTO memories (blob) VALUES (?)", ((b,) for b in blank)
                )
                db.executemany("INSERT OR IGNORE INTO trees VALUES (?)", ((t,) for t in trees))

        self._database.ask(change, None)

    def candidates(self, keys: Sequence[str], names: Sequence[str]) -> list[Subject]:
        """Memories that share keys, those that share rare ones first.

        `keys` are what a memory has, `names` what its text may be naming: many, mostly nobody's.
        """
        return self._database.ask(lambda db: _candidates(db, keys, names), [])

    def linking_to(self, memory_id: str) -> list[str]:
        """The ids of memories of which some version links to this one."""
        query = (
            "SELECT said FROM clues JOIN memories USING (number) "
            "WHERE key = ? AND said NOT NULL ORDER BY number"
        )
        rows: list[str] = self._database.ask(
            lambda db: [row[0] for row in db.execute(query, (_number_of(f"link {memory_id}"),))],
            [],
        )
        return list(dict.fromkeys(json.loads(row)[0] for row in rows))

    def crowded_files(self, files: Iterable[str]) -> set[str]:
        """The files that many memories name."""

        def count(db: "sqlite3.Connection", path: str) -> int:
            return len(_numbers(db, f"file {path}", CROWD + 1))

        paths = list(files)
        return self._database.ask(
            lambda db: {path for path in paths if count(db, path) > CROWD}, set()
        )

    def drop(self) -> None:
        """Start anew."""
        self._database.drop()


def _insert(db: "sqlite3.Connection", subject: Subject) -> None:
    facts, sample = _pack(subject)
    cursor = db.execute(
        "INSERT OR IGNORE INTO memories (blob, said, sample) VALUES (?, ?, ?)",
        (subject.blob, facts, sample),
    )
    if cursor.rowcount > 0:
        keys = {_number_of(key) for key in subject.clues()}
        db.executemany(
            "INSERT OR IGNORE INTO clues VALUES (?, ?)", ((k, cursor.lastrowid) for k in keys)
        )


def _candidates(
    db: "sqlite3.Connection", keys: Sequence[str], names: Sequence[str]
) -> list[Subject]:
    weights: dict[int, float] = {}
    for key in keys:
        numbers = _numbers(db, key, _PER_KEY)
        if len(numbers) == _PER_KEY:
            continue  # what so many share says nothing about any two of them
        for number in numbers:
            weights[number] = weights.get(number, 0.0) + 1 / len(numbers)
    for part in chunks([_number_of(name) for name in names]):
        marks = ",".join("?" * len(part))
        rows = db.execute(
            f"SELECT number FROM clues WHERE key IN ({marks}) LIMIT {_CANDIDATES}",  # noqa: S608
            part,
        )
        for (number,) in rows:
            weights[number] = weights.get(number, 0.0) + 1.0
    best = sorted(weights, key=lambda n: (-weights[n], -n))[:_CANDIDATES]
    marks = ",".join("?" * len(best))
    rows = db.execute(
        f"SELECT blob, said, sample FROM memories WHERE said NOT NULL AND number IN ({marks})",  # noqa: S608
        best,
    )
    return [_unpack(*row) for row in rows]


def _numbers(db: "sqlite3.Connection", key: str, most: int) -> list[int]:
    """The newest memories under a key."""
    rows = db.execute(
        "SELECT number FROM clues WHERE key = ? ORDER BY number DESC LIMIT ?",
        (_number_of(key), most),
    )
    return [row[0] for row in rows]


def _number_of(key: str) -> int:
    digest = hashlib.blake2b(key.encode(errors="surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "big")


def _pack(subject: Subject) -> tuple[str, bytes]:
    facts = json.dumps([*subject[:9], sorted(subject.tags), sorted(subject.files), subject.words])
    return facts, likeness.pack(subject.sample)


def _unpack(blob: str, facts: str, sample: bytes) -> Subject:
    *plain, tags, files, words = json.loads(facts)
    fields = [*plain, frozenset(tags), frozenset(files), tuple(words), frozenset(words)]
    return Subject._make([*fields, likeness.unpack(sample), frozenset()])._replace(blob=blob)
