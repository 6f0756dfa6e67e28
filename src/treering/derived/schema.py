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
    # Answers that are cheap to keep and costly to find, as JSON.
    "kv": Table(1, "CREATE TABLE kv (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
}
