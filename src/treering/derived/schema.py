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
    # See history.py.
    "history": Table(
        2,
        """
        CREATE TABLE history_commits (n INTEGER PRIMARY KEY, is_private INTEGER, oid TEXT UNIQUE,
            parents TEXT, time INTEGER, author TEXT, op TEXT, branch TEXT, code_head TEXT,
            code_base TEXT, is_dirty INTEGER, promoted_from TEXT, promoted_into TEXT,
            merged_as TEXT, merge_kind TEXT, is_bulk INTEGER, is_cut INTEGER);
        CREATE INDEX history_by_head ON history_commits (code_head);
        CREATE INDEX history_by_landing ON history_commits (merged_as) WHERE merged_as != '';
        CREATE INDEX history_by_branch ON history_commits (branch, time);
        CREATE INDEX history_cut ON history_commits (is_cut) WHERE is_cut;
        CREATE TABLE history_changes (n INTEGER, id TEXT, blob TEXT, before TEXT,
            PRIMARY KEY (n, id)) WITHOUT ROWID;
        CREATE INDEX history_by_id ON history_changes (id);
        CREATE TABLE history_tips (oid TEXT PRIMARY KEY) WITHOUT ROWID
        """,
    ),
    # See ledger.py.
    "authorship": Table(
        3,
        """
        CREATE TABLE authorship (blob TEXT PRIMARY KEY, id TEXT, people TEXT, born REAL,
            changed REAL, said REAL, words TEXT) WITHOUT ROWID;
        CREATE INDEX authorship_by_id ON authorship (id);
        CREATE TABLE authorship_commits (oid TEXT PRIMARY KEY, made REAL, is_odd INTEGER)
            WITHOUT ROWID;
        CREATE INDEX authorship_odd ON authorship_commits (is_odd) WHERE is_odd;
        CREATE TABLE authorship_last (is_private INTEGER PRIMARY KEY, oid TEXT);
        CREATE TABLE authorship_noted (oid TEXT, word TEXT, PRIMARY KEY (oid, word)) WITHOUT ROWID;
        CREATE TABLE authorship_logs (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID
        """,
    ),
    # See code_records.py.
    "code": Table(
        2,
        """
        CREATE TABLE code_own (oid TEXT, branch TEXT, PRIMARY KEY (oid, branch)) WITHOUT ROWID;
        CREATE TABLE code_authors (mark TEXT, oid TEXT, PRIMARY KEY (mark, oid)) WITHOUT ROWID;
        CREATE TABLE code_last (is_private INTEGER PRIMARY KEY, oid TEXT)
        """,
    ),
    # What commits of the trunk change: see branches/landing/patches.py.
    "patches": Table(
        1,
        """
        CREATE TABLE patches (number INTEGER PRIMARY KEY, oid BLOB UNIQUE, files BLOB, lines BLOB,
            patch_id BLOB);
        CREATE TABLE patches_paths (path INTEGER, number INTEGER, PRIMARY KEY (path, number))
            WITHOUT ROWID
        """,
    ),
    # What is taken back in the history of a commit: see branches/reverts.py.
    "reverts": Table(
        1,
        "CREATE TABLE reverts (head TEXT PRIMARY KEY, asked INTEGER, events TEXT) WITHOUT ROWID",
    ),
    # Who wrote lines of a blob, and which merge brought a commit: see actions/why/line_ranges.py.
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
    # See content.py.
    "memories": Table(
        4,
        """
        CREATE TABLE memories (n INTEGER PRIMARY KEY, blob TEXT UNIQUE, id TEXT, is_record INTEGER,
            is_plain INTEGER, facts TEXT, words TEXT, tags TEXT, sample BLOB, problem TEXT);
        CREATE INDEX memories_by_kind ON memories (is_record, n);
        CREATE TABLE memories_keys (key INTEGER, n INTEGER, PRIMARY KEY (key, n)) WITHOUT ROWID;
        CREATE TABLE memories_trees (oid TEXT PRIMARY KEY) WITHOUT ROWID
        """,
    ),
    "flags": Table(
        1,
        "CREATE TABLE flags (blob TEXT, rules INTEGER, found TEXT, PRIMARY KEY (blob, rules)) "
        "WITHOUT ROWID",
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
