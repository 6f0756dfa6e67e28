"""What git said about who wrote which lines, kept by the blob it was asked about.

To ask again costs git a walk through history. An answer holds for every later commit as long as
none has touched the file in between. It may be deleted at any time.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from treering.derived.database import Database
from treering.git.blame import LineRun, find_landing, last_change
from treering.git.repository import Repository

if TYPE_CHECKING:
    import sqlite3

_MOST = 400
_RULES = 2  # reformats are looked through


class KeptBlame(NamedTuple):
    """An answer of git: the runs of lines, and with how much effort they were found."""

    runs: list[LineRun]
    effort: int


class BlameCache:
    """The answers kept for one repository."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._order: dict[tuple[str, str], bool] = {}
        self._database = database

    def mark(
        self, blob: str, path: str, ranges: Sequence[tuple[int, int]], ignored: Sequence[str]
    ) -> str:
        """Under which key an answer is kept."""
        what = json.dumps([_RULES, blob, path, list(ranges), list(ignored)])
        return hashlib.sha256(what.encode()).hexdigest()

    def find(self, mark: str, commit: str, path: str) -> KeptBlame | None:
        """The answer for a commit, if one is kept that still holds."""
        query = "SELECT tip, effort, runs FROM blame WHERE mark = ?"
        row = self._database.ask(lambda db: db.execute(query, (mark,)).fetchone(), None)
        if row is None:
            return None
        tip, effort, text = row
        if tip != commit and not self._is_untouched(tip, commit, path):
            return None
        runs = [LineRun(*items) for items in json.loads(text)]
        if tip != commit:
            self.keep(mark, commit, KeptBlame(runs, effort))
        return KeptBlame(runs, effort)

    def _is_before(self, old: str, new: str) -> bool:
        """Whether a tip is in another's history; kept, since many answers are of one tip."""
        if (old, new) not in self._order:
            self._order[old, new] = self._repository.is_ancestor(old, new)
        return self._order[old, new]

    def _is_untouched(self, old: str, new: str, path: str) -> bool:
        repository = self._repository
        return self._is_before(old, new) and not last_change(
            repository.git_dir, new, path, since=old
        )

    def keep(self, mark: str, commit: str, answer: KeptBlame) -> None:
        row = (mark, commit, answer.effort, json.dumps(answer.runs), int(time.time()))
        oldest = "SELECT mark FROM blame ORDER BY used DESC LIMIT -1 OFFSET ?"

        def change(db: "sqlite3.Connection") -> None:
            db.execute("INSERT OR REPLACE INTO blame VALUES (?, ?, ?, ?, ?)", row)
            db.execute(f"DELETE FROM blame WHERE mark IN ({oldest})", (_MOST,))  # noqa: S608

        self._database.change(change)

    def find_landing(self, commit: str, tip: str, seconds: float) -> str:
        """The merge that brought a commit into a history along its first parents, or "".

        TookTooLong when git needs longer than `seconds`.
        """
        query = "SELECT merge_oid, tip FROM blame_landings WHERE oid = ?"
        row = self._database.ask(lambda db: db.execute(query, (commit,)).fetchone(), None)
        if row and self._is_before(row[1], tip):
            return str(row[0])
        merge = find_landing(self._repository.git_dir, commit, tip, seconds=seconds)
        found = (commit, merge, tip)
        insert = "INSERT OR REPLACE INTO blame_landings VALUES (?, ?, ?)"
        self._database.change(lambda db: db.execute(insert, found))
        return merge
