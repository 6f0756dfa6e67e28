"""The code beside each change of a memory: memory commits, found by the code's commits.

A memory commit says where the code was (`Code-Head`), a promotion as what it landed (`Merged-As`).
Here that is turned around, so that a commit of the code leads to what was said about it. The rows
of history tell most of it; what is kept beside them costs as much as there are new ones.

    code_own        commits of the code that branches had beside the trunk
    code_authors    hash of author and date -> commits: a rebase and a cherry-pick keep both
    code_last       the last row of history that was looked at
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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


class CodeRecord(NamedTuple):
    """The code a memory commit was made beside; of a promotion `merged_as` and `taken_from`."""

    commit: str
    op: str
    time: int
    branch: str
    head: str
    base: str
    is_dirty: bool
    merged_as: str = ""
    taken_from: str = ""
    kind: str = ""

    @property
    def has_own_commits(self) -> bool:
        return bool(self.head) and self.head != self.base


class CodeRecords:
    """The records of one repository."""

    def __init__(self, repository: Repository, database: Database) -> None:
        self._repository = repository
        self._database = database

    # --- asked ------------------------------------------------------------------------------------

    def list_at(self, heads: Iterable[str]) -> list[CodeRecord]:
        """Return what was said while the code was at one of some commits."""
        return [r for r in self._list("code_head", list(heads)) if r.head]

    def list_landings(self, commits: Iterable[str]) -> list[CodeRecord]:
        """The promotions of what landed as one of some commits."""
        return self._list("merged_as", [commit for commit in commits if commit])

    def list_of_branch(self, branch: str) -> list[CodeRecord]:
        """The newest that was said on a branch."""
        return self._list_where("branch = ? ORDER BY time DESC LIMIT ?", branch, _MOST_ROWS)

    def list_between(self, branch: str, start: float, end: float) -> list[CodeRecord]:
        """Return what was said on a branch in some time."""
        where = "branch = ? AND time BETWEEN ? AND ? LIMIT ?"
        return self._list_where(where, branch, int(start), int(end), _MOST_ROWS)

    def list_of_memories(self, ids: Iterable[str]) -> dict[str, list[CodeRecord]]:
        """Return what was said of some memories, by id."""
        table = "history_changes JOIN history_commits USING (n)"
        rows = self._select(f"id, {COLUMNS}", table, "id", list(dict.fromkeys(ids)), _NAMING)
        by_memory: dict[str, list[CodeRecord]] = {}
        for memory_id, *row in sorted(rows):
            by_memory.setdefault(memory_id, []).append(self._record(*row))
        return by_memory

    def ids_of(self, records: Iterable[CodeRecord]) -> dict[str, list[str]]:
        """The memories that records are about, by memory commit."""
        oids = [record.commit for record in records]
        ids: dict[str, list[str]] = {}
        table = "history_changes JOIN history_commits USING (n)"
        for oid, memory_id in self._select("oid, id", table, "oid", oids, _NAMING):
            ids.setdefault(oid, []).append(memory_id)
        return ids

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

    def _list(self, key: str, values: list[str]) -> list[CodeRecord]:
        rows = self._select(COLUMNS, "history_commits", key, values, _SAYING)
        return sorted(self._record(*row) for row in rows)

    def _list_where(self, where: str, *values: object) -> list[CodeRecord]:
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
        query = "SELECT oid FROM code_last WHERE is_private = ?"
        last = [row[0] for row in self._database.rows(query, (int(vault.is_private),))]
        rows = history.list_after(*last or [""], is_private=vault.is_private)
        if not rows:
            return
        own = self._list_own([self._record_of(row) for row in reversed(rows) if row.op != JOIN])
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

    def _record(self, *row: Any) -> CodeRecord:
        return self._record_of(as_commit(*row))

    def _record_of(self, commit: HistoryCommit) -> CodeRecord:
        taken_from = commit.promoted_from
        if commit.is_promotion and not taken_from:
            taken_from = find_source(self._repository, commit.oid)
        return CodeRecord(
            commit.oid,
            commit.op,
            commit.time,
            commit.code.branch,
            "" if commit.is_promotion else commit.code.head or "",
            commit.code.base or "",
            commit.code.is_dirty,
            commit.merged_as,
            taken_from,
            commit.merge_kind,
        )

    def _list_own(self, records: Sequence[CodeRecord]) -> list[tuple[str, str]]:
        """The commits that branches had of their own, newest records first: an older one's head is
        mostly among those of a newer one."""
        own: dict[tuple[str, str], None] = {}
        for record in records:
            if not record.op or not record.has_own_commits or not record.base or record.merged_as:
                continue
            if (record.head, record.branch) in own:
                continue
            commits = self._repository.read_parents(
                record.head, without=record.base, most=_MOST_OWN
            )
            own |= dict.fromkeys((oid, record.branch) for oid in commits or (record.head,))
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
