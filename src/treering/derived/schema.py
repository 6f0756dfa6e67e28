"""The tables of the derived database.

To add one, add a line to `TABLES`. To change one, raise its version: rows of an older version are
dropped and derived again. All objects of an entry bear its name, alone or with `_` and more behind
it, so that they can be dropped together. Triggers and views are never part of the schema.
"""

from typing import NamedTuple


class Table(NamedTuple):
    """One entry of the schema: its version, and the statements that make it."""

    version: int
    ddl: str

    def statements(self) -> list[str]:
        """Return the statements as SQLite keeps them."""
        return [" ".join(part.split()) for part in self.ddl.split(";") if part.strip()]


TABLES: dict[str, Table] = {
    # See ledger.py.
    "authorship": Table(
        1,
        """
        CREATE TABLE authorship (blob TEXT PRIMARY KEY, id TEXT, people TEXT, born REAL,
            changed REAL, said REAL, words TEXT) WITHOUT ROWID;
        CREATE INDEX authorship_by_id ON authorship (id);
        CREATE TABLE authorship_commits (oid TEXT PRIMARY KEY, made REAL, is_odd INTEGER)
            WITHOUT ROWID;
        CREATE INDEX authorship_odd ON authorship_commits (is_odd) WHERE is_odd;
        CREATE TABLE authorship_tips (oid TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE authorship_people (address TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE authorship_noted (oid TEXT, word TEXT, PRIMARY KEY (oid, word)) WITHOUT ROWID;
        CREATE TABLE authorship_logs (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID
        """,
    ),
    # See code_records.py.
    "code": Table(
        1,
        """
        CREATE TABLE code_records (oid TEXT PRIMARY KEY, op TEXT, time INTEGER, branch TEXT,
            head TEXT, base TEXT, is_dirty INTEGER, merged_as TEXT, taken_from TEXT, kind TEXT)
            WITHOUT ROWID;
        CREATE INDEX code_by_head ON code_records (head);
        CREATE INDEX code_by_landing ON code_records (merged_as);
        CREATE INDEX code_by_branch ON code_records (branch, time);
        CREATE TABLE code_ids (oid TEXT, id TEXT, PRIMARY KEY (oid, id)) WITHOUT ROWID;
        CREATE INDEX code_by_id ON code_ids (id);
        CREATE TABLE code_own (oid TEXT, branch TEXT, PRIMARY KEY (oid, branch)) WITHOUT ROWID;
        CREATE TABLE code_authors (mark TEXT, oid TEXT, PRIMARY KEY (mark, oid)) WITHOUT ROWID;
        CREATE TABLE code_tips (oid TEXT PRIMARY KEY) WITHOUT ROWID
        """,
    ),
    # What commits of the trunk change: see branches/landing/steps.py.
    "steps": Table(
        1,
        """
        CREATE TABLE steps (number INTEGER PRIMARY KEY, oid BLOB UNIQUE, files BLOB);
        CREATE TABLE steps_paths (path INTEGER, number INTEGER, PRIMARY KEY (path, number))
            WITHOUT ROWID
        """,
    ),
    # What is taken back in the history of a commit: see branches/reverts.py.
    "reverts": Table(
        1,
        "CREATE TABLE reverts (head TEXT PRIMARY KEY, asked INTEGER, events TEXT) WITHOUT ROWID",
    ),
    # Who wrote lines of a blob, and the merges that brought commits: see why/blame_cache.py.
    "blame": Table(
        1,
        """
        CREATE TABLE blame (mark TEXT PRIMARY KEY, tip TEXT, effort INTEGER, runs TEXT,
            used INTEGER) WITHOUT ROWID;
        CREATE TABLE blame_landings (oid TEXT PRIMARY KEY, merge_oid TEXT, tip TEXT) WITHOUT ROWID
        """,
    ),
    # Which memories bind which lines of a file: see actions/why/bindings.py.
    "bindings": Table(
        1,
        """
        CREATE TABLE bindings (path TEXT PRIMARY KEY, blob TEXT, state TEXT, rows TEXT,
            used INTEGER) WITHOUT ROWID
        """,
    ),
    # See clues.py.
    "clues": Table(
        1,
        """
        CREATE TABLE clues (key INTEGER, number INTEGER, PRIMARY KEY (key, number)) WITHOUT ROWID;
        CREATE TABLE clues_memories (number INTEGER PRIMARY KEY, blob TEXT UNIQUE, said TEXT,
            words TEXT, tags TEXT, sample BLOB);
        CREATE TABLE clues_trees (oid TEXT PRIMARY KEY) WITHOUT ROWID
        """,
    ),
    # What models make of memories: see search/meaning/vectors.py.
    "vectors": Table(
        1,
        "CREATE TABLE vectors (model TEXT, blob TEXT, value BLOB, PRIMARY KEY (model, blob)) "
        "WITHOUT ROWID",
    ),
    # Answers that are cheap to keep and costly to find, as JSON.
    "kv": Table(1, "CREATE TABLE kv (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
}
