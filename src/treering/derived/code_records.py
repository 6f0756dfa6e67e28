"""The code beside each change of a memory: memory commits, found by the code's commits.

A memory commit says where the code was (`Code-Head`), a promotion as what it landed (`Merged-As`).
Here that is turned around, so that a commit of the code leads to what was said about it. The rows
of history tell most of it; what is kept beside them costs as much as there are new ones.

    code_own        commits of the code that branches had beside the trunk
    code_authors    hash of author and date -> commits: a rebase and a cherry-pick keep both
    code_last       the last row of history that was looked at
"""

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treering.derived.database import Database, Row
from treering.derived.history import COLUMNS, MOST_UNKEPT, History, as_commit
from treering.errors import StoreDamaged
from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import LANDED
from treering.store import message
from treering.store.history import HistoryCommit
from treering.store.message import JOIN
from treering.store.vault import Vault

if TYPE_CHECKING:
    import sqlite3

#: Commits of one branch that are looked at; a branch with more is known by its newest.
_MOST_OWN = 2_000
_MOST_ROWS = 500
_SAYING = f"op NOT IN ('', '{JOIN}')"
#: A commit of more memories than a message names says nothing of each, unless it landed them.
_NAMING = f"{_SAYING} AND (is_bulk = 0 OR promoted_into != '')"


class CodeRecords:
    """The memory commits of one repository, found by the code they were made beside."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._database = database

    # --- asked ------------------------------------------------------------------------------------

    def list_at(self, heads: Iterable[str]) -> list[HistoryCommit]:
        """Return what was said while the code was at one of some commits."""
        return [r for r in self._list("code_head", list(heads)) if r.code.head]

    def list_landings(self, commits: Iterable[str]) -> list[HistoryCommit]:
        """The promotions of what landed as one of some commits."""
        return self._list("merged_as", [commit for commit in commits if commit])

    def list_of_branch(self, branch: str) -> list[HistoryCommit]:
        """The newest that was said on a branch."""
        return self._list_where("branch = ? ORDER BY time DESC LIMIT ?", branch, _MOST_ROWS)

    def list_between(self, branch: str, start: float, end: float) -> list[HistoryCommit]:
        """Return what was said on a branch in some time."""
        where = "branch = ? AND time BETWEEN ? AND ? LIMIT ?"
        return self._list_where(where, branch, int(start), int(end), _MOST_ROWS)

    def list_of_memories(self, ids: Iterable[str]) -> dict[str, list[HistoryCommit]]:
        """Return what was said of some memories, by id."""
        table = "history_changes JOIN history_commits USING (n)"
        rows = self._select(f"id, {COLUMNS}", table, "id", list(dict.fromkeys(ids)), _NAMING)
        by_memory: dict[str, list[HistoryCommit]] = {}
        for memory_id, *row in sorted(rows):
            by_memory.setdefault(memory_id, []).append(self._record(*row))
        return by_memory

    def ids_of(self, records: Iterable[HistoryCommit]) -> list[str]:
        """The memories that records are about."""
        oids = [record.oid for record in records]
        table = "history_changes JOIN history_commits USING (n)"
        return list(dict.fromkeys(i for (i,) in self._select("id", table, "oid", oids, _NAMING)))

    def branches_of(self, commits: Iterable[str]) -> dict[str, list[str]]:
        """The branches on which commits were made, by commit."""
        branches: dict[str, list[str]] = {}
        for oid, branch in self._select("oid, branch", "code_own", "oid", list(commits)):
            branches.setdefault(oid, []).append(branch)
        return branches

    def list_twins(self, commit: str) -> list[str]:
        """Other commits of the same author at the same second: what was rebased or picked."""
        rows = self._select("oid, mark", "code_authors", "mark", [self._mark(commit)])
        return [oid for oid, _ in rows if oid != commit]

    def list_branches(self) -> list[tuple[str, str, str]]:
        """Branches with commits of their own: name, newest head, and base."""
        query = (
            "SELECT branch, code_head, code_base, max(time) FROM history_commits"  # noqa: S608
            f" WHERE {_SAYING} AND promoted_into = '' AND code_head != '' AND code_base != ''"
            " AND code_head != code_base GROUP BY branch"
        )
        return [(branch, head, base) for branch, head, base, _ in self._database.rows(query)]

    def _list(self, key: str, values: list[str]) -> list[HistoryCommit]:
        rows = self._select(COLUMNS, "history_commits", key, values, _SAYING)
        return sorted(self._record(*row) for row in rows)

    def _list_where(self, where: str, *values: object) -> list[HistoryCommit]:
        query = f"SELECT {COLUMNS} FROM history_commits WHERE {_SAYING} AND {where}"  # noqa: S608
        return [self._record(*row) for row in self._database.rows(query, values)]

    def _select(
        self, columns: str, table: str, key: str, values: list[str], where: str = "1"
    ) -> list[Row]:
        return self._database.select(columns, table, f"{where} AND {key}", values)

    # --- kept up ----------------------------------------------------------------------------------

    def catch_up(self, vault: Vault, tips: Iterable[str]) -> None:
        """Read what is new in the histories of some tips."""
        history = History(self._database, most_unkept=MOST_UNKEPT)
        history.catch_up(vault, tips)
        rows = history.list_unread("code", is_private=vault.is_private)
        if not rows:
            return
        own = self._list_own(rows)
        heads = {row.code.head for row in rows if row.code.head and not row.is_promotion}
        marks = [(self._mark(oid), oid) for oid in heads | {oid for oid, _ in own}]

        def change(db: "sqlite3.Connection") -> None:
            db.executemany("INSERT OR IGNORE INTO code_own VALUES (?, ?)", own)
            db.executemany(
                "INSERT OR IGNORE INTO code_authors VALUES (?, ?)", ((m, o) for m, o in marks if m)
            )
            here = (int(vault.is_private), rows[-1].oid)
            db.execute("INSERT OR REPLACE INTO code_last VALUES (?, ?)", here)

        self._database.ensure(change)

    def _record(self, *row: Any) -> HistoryCommit:
        """Return the commit in a row. A promotion names where the code of its target was, which
        says nothing, and not always where it took its memories from."""
        commit = as_commit(*row)
        if not commit.is_promotion:
            return commit
        source = commit.promoted_from or find_source(self._repository, commit.oid)
        return commit._replace(promoted_from=source, code=commit.code._replace(head=None))

    def _list_own(self, rows: list[HistoryCommit]) -> list[tuple[str, str]]:
        """The commits that branches had of their own, newest rows first: an older one's head is
        mostly among those of a newer one."""
        own: dict[tuple[str, str], None] = {}
        for row in reversed(rows):
            head, base = row.code.head, row.code.base
            if row.op in ("", JOIN) or row.merged_as or row.is_promotion:
                continue
            if not head or not base or head == base or (head, row.code.branch) in own:
                continue
            commits = self._repository.read_parents(head, without=base, most=_MOST_OWN)
            own |= dict.fromkeys((oid, row.code.branch) for oid in commits or (head,))
        return list(own)

    def _mark(self, commit: str) -> str:
        try:
            author, seconds = self._repository.objects.authorship(commit)
        except (StoreDamaged, UnicodeDecodeError, ValueError):
            return ""
        return hashlib.sha256(f"{author}\0{seconds}".encode(errors="replace")).hexdigest()[:24]


def find_source(repository: Repository, promotion: str) -> str:
    """Return the branch that a promotion came from which does not say so: it was never shared, and
    only this clone knows."""
    try:
        source = refs.read(repository.handle, LANDED + promotion)
        text = repository.objects.commit(source).message if source else ""
    except StoreDamaged:
        return ""
    return message.read(text).code.branch
