"""Keys by which memories are found that may have to do with another: files, tags, title, links.

Every capture looks here, also in a process that lives for nothing else: opening the search index
takes as long as the whole capture, a few look-ups in a table take milliseconds.

    clues_memories  blob, and what inference knows of the memory in it; blobs that hold none, too
    clues           key -> memories
    clues_trees     git trees whose memories are all in here

It only ever suggests: whoever asks looks in git whether the blob is still to be seen. Reading a
memory asks it for the links that lead there.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from treering.derived.database import Database, chunks, select
from treering.graph.subject import Subject
from treering.text import likeness

if TYPE_CHECKING:
    import sqlite3

_PER_KEY = 40
_CANDIDATES = 50
_NEWEST = f"SELECT * FROM (SELECT * FROM clues WHERE key = ? ORDER BY number DESC LIMIT {_PER_KEY})"  # noqa: S608
#: Keys by which memories meet that have nothing to do with each other, too.
_WEAK = ("word ", "tag ", "text ")
#: So many of the smallest hashes of two sketches tell, from such a likeness on, that the texts may
#: be alike enough for a rule.
_PROBES, _MAYBE = 16, 0.25
#: A file that more memories name than this says nothing about any two of them.
CROWD = 12


class ClueTable:
    """The clues of one repository."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unknown_trees(self, oids: Iterable[str]) -> list[str]:
        """Those of these trees that may hold memories not in here."""
        return self._unknown("clues_trees", "oid", list(oids))

    def unknown_blobs(self, blobs: Iterable[str]) -> list[str]:
        return self._unknown("clues_memories", "blob", list(blobs))

    def blobs(self) -> set[str]:
        """All memories in here; of blobs that hold none nothing is said."""
        question = "SELECT blob FROM clues_memories WHERE said IS NOT NULL"
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
            for subject in subjects:
                _insert(db, subject)
            db.executemany(
                "INSERT OR IGNORE INTO clues_memories (blob) VALUES (?)", ((b,) for b in blank)
            )
            db.executemany("INSERT OR IGNORE INTO clues_trees VALUES (?)", ((t,) for t in trees))

        self._database.change(change)

    def candidates(
        self, subject: Subject, keys: Sequence[str], names: Sequence[str]
    ) -> list[Subject]:
        """Memories that may have to do with one, those that share rare keys with it.

        `keys` are what a memory has, `names` what its text may be naming: many, mostly nobody's.
        """
        return self._database.ask(lambda db: _candidates(db, subject, keys, names), [])

    def linking_to(self, memory_id: str) -> list[str]:
        """The ids of memories of which some version links to this one."""
        query = (
            "SELECT said FROM clues JOIN clues_memories USING (number) "
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


def _insert(db: "sqlite3.Connection", subject: Subject) -> None:
    cursor = db.execute(
        "INSERT OR IGNORE INTO clues_memories VALUES (NULL, ?, ?, ?, ?, ?)", _pack(subject)
    )
    if cursor.rowcount > 0:
        keys = {_number_of(key) for key in subject.clues()}
        db.executemany(
            "INSERT OR IGNORE INTO clues VALUES (?, ?)", ((k, cursor.lastrowid) for k in keys)
        )


def _candidates(
    db: "sqlite3.Connection", subject: Subject, keys: Sequence[str], names: Sequence[str]
) -> list[Subject]:
    weights: dict[int, float] = {}
    sure: set[int] = set()
    for key, numbers in _sharers(db, keys).items():
        if len(numbers) == _PER_KEY:
            continue  # what so many share says nothing about any two of them
        for number in numbers:
            weights[number] = weights.get(number, 0.0) + 1 / len(numbers)
        is_crowded_file = key.startswith("file ") and len(numbers) > CROWD
        if not key.startswith(_WEAK) and not is_crowded_file:
            sure.update(numbers)
    for part in chunks([_number_of(name) for name in names]):
        marks = ",".join("?" * len(part))
        rows = db.execute(
            f"SELECT number FROM clues WHERE key IN ({marks}) LIMIT {_CANDIDATES}",  # noqa: S608
            part,
        )
        for (number,) in rows:
            weights[number] = weights.get(number, 0.0) + 1.0
            sure.add(number)
    best = sorted(weights, key=lambda n: (-weights[n], -n))[:_CANDIDATES]
    sure.update(_glance(db, subject, [number for number in best if number not in sure]))
    columns = "blob, said, words, tags, sample"
    near = select(db, columns, "clues_memories", "number", [n for n in best if n in sure])
    return [_unpack(*row) for row in near if row[1] is not None]


def _glance(db: "sqlite3.Connection", subject: Subject, numbers: list[int]) -> Iterator[int]:
    """Those of some memories that share more with one than a word of the title or a tag: enough for
    a rule to say something, or as much of their texts as those that are alike do."""
    columns = f"number, words, tags, substr(sample, 1, {4 * _PROBES})"
    mine = frozenset(likeness.smallest(subject.sample, _PROBES))
    for number, words, tags, start in select(db, columns, "clues_memories", "number", numbers):
        if start is None:
            continue  # no memory
        theirs = _split(words, " ")
        common = len(subject.about.intersection(theirs))
        if (
            common > 1
            or (common and len(subject.about.union(theirs)) <= 2)
            or (len(subject.tags) > 1 and len(subject.tags.intersection(_split(tags))) > 1)
            or likeness.likeness(mine, likeness.unpack(start)) >= _MAYBE
        ):
            yield number


def _sharers(db: "sqlite3.Connection", keys: Sequence[str]) -> dict[str, list[int]]:
    """The newest memories under each key, in one go: a question each would take four times as
    long."""
    sharers: dict[str, list[int]] = {key: [] for key in keys}
    names = {_number_of(key): key for key in keys}
    for part in chunks(list(names)):
        query = " UNION ALL ".join([_NEWEST] * len(part))
        for key, number in db.execute(query, part):
            sharers[names[key]].append(number)
    return sharers


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


def _pack(subject: Subject) -> tuple[str, str, str, str, bytes]:
    facts = json.dumps([*subject[:9], sorted(subject.files)])
    words, tags = " ".join(subject.words), "\n".join(sorted(subject.tags))
    return subject.blob, facts, words, tags, likeness.pack(subject.sample)


def _unpack(blob: str, facts: str, words: str, tags: str, sample: bytes) -> Subject:
    *plain, files = json.loads(facts)
    in_order = tuple(_split(words, " "))
    sets = (frozenset(_split(tags)), frozenset(files), in_order, frozenset(in_order))
    subject = Subject._make([*plain, *sets, likeness.unpack(sample), frozenset()])
    return subject._replace(blob=blob)


def _split(text: str, at: str = "\n") -> list[str]:
    return text.split(at) if text else []
