"""Which code each change of a memory was made beside: memory commits, found by the code's commits.

A memory commit says where the code was (`Code-Head`), a promotion as what it landed (`Merged-As`).
Here that is turned around, so that a commit of the code leads to what was said about it. It is
derived from the commits of every scope, at a cost that follows the new ones. No text of a memory is
in it.

    code_records    memory commit -> what it says of the code
    code_ids        the memories a memory commit changed
    code_own        commits of the code that branches had beside the trunk
    code_authors    hash of author and date -> commits: a rebase and a cherry-pick keep both
    code_tips       memory commits whose whole history is in here
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.derived.database import Database, select
from treering.errors import StoreDamaged, TreeringError
from treering.git import log, walk
from treering.git.repository import Repository
from treering.store import layout, message
from treering.store.history import read_source
from treering.store.message import Message
from treering.store.tree_diff import differing, tree_of
from treering.store.vault import JOIN, Vault

if TYPE_CHECKING:
    import sqlite3

_COLUMNS = "oid, op, time, branch, head, base, is_dirty, merged_as, taken_from, kind"
#: Commits of one branch that are looked at; a branch with more is known by its newest.
_MOST_OWN = 2_000
_MOST_ROWS = 500

Row = tuple[Any, ...]


class CodeRecord(NamedTuple):
    """What a memory commit says of the code; of a promotion `merged_as` and `taken_from`."""

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
        """What was said while the code was at one of some commits."""
        return self._list("head", list(heads))

    def list_landings(self, commits: Iterable[str]) -> list[CodeRecord]:
        """The promotions of what landed as one of some commits."""
        return self._list("merged_as", [commit for commit in commits if commit])

    def list_of_branch(self, branch: str) -> list[CodeRecord]:
        """The newest that was said on a branch."""
        query = f"SELECT {_COLUMNS} FROM code_records WHERE branch = ? ORDER BY time DESC LIMIT ?"  # noqa: S608
        return [_record(*row) for row in self._rows(query, (branch, _MOST_ROWS))]

    def list_between(self, branch: str, start: float, end: float) -> list[CodeRecord]:
        """What was said on a branch in some time."""
        where = "branch = ? AND time BETWEEN ? AND ? LIMIT ?"
        query = f"SELECT {_COLUMNS} FROM code_records WHERE {where}"  # noqa: S608
        values = (branch, int(start), int(end), _MOST_ROWS)
        return [_record(*row) for row in self._rows(query, values)]

    def list_of_memories(self, ids: Iterable[str]) -> dict[str, list[CodeRecord]]:
        """What was said of some memories, by id."""
        pairs = self._select("id, oid", "code_ids", "id", list(dict.fromkeys(ids)))
        records = {r.commit: r for r in self._list("oid", [oid for _, oid in pairs])}
        by_memory: dict[str, list[CodeRecord]] = {}
        for memory_id, oid in pairs:
            if oid in records:
                by_memory.setdefault(memory_id, []).append(records[oid])
        return by_memory

    def ids_of(self, records: Iterable[CodeRecord]) -> dict[str, list[str]]:
        """The memories that records are about, by memory commit."""
        oids = [record.commit for record in records]
        ids: dict[str, list[str]] = {}
        for oid, memory_id in self._select("oid, id", "code_ids", "oid", oids):
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
            "SELECT branch, head, base, max(time) FROM code_records "
            "WHERE head != '' AND base != '' AND head != base GROUP BY branch"
        )
        return [(branch, head, base) for branch, head, base, _ in self._rows(query)]

    def _list(self, key: str, values: list[str]) -> list[CodeRecord]:
        return [_record(*row) for row in self._select(_COLUMNS, "code_records", key, values)]

    def _select(self, columns: str, table: str, key: str, values: list[str]) -> list[Row]:
        nothing: list[Row] = []
        return self._database.ask(lambda db: list(select(db, columns, table, key, values)), nothing)

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[Row]:
        nothing: list[Row] = []
        return self._database.ask(lambda db: db.execute(query, values).fetchall(), nothing)

    # --- kept up ----------------------------------------------------------------------------------

    def catch_up(self, vault: Vault, tips: Iterable[str]) -> None:
        """Read what is new in the histories of some tips."""
        old = {row[0] for row in self._rows("SELECT oid FROM code_tips")}
        new = sorted(set(tips) - old)
        if not new:
            return
        try:
            folder = vault.repository.common_dir
            commits = list(log.read_log(folder, new, without=old, may_lack=True))
        except TreeringError:
            return  # a history that cannot be read tells nothing; doctor names it
        records: list[CodeRecord] = []
        pairs: list[tuple[str, str]] = []
        for commit in commits:
            text = message.read(commit.message)
            if text.op in ("", JOIN):
                continue
            if text.is_promotion and not text.promoted_from:
                source = read_source(vault, commit.oid)
                name = vault.scope_of(source).branch if source else ""
                text = text._replace(promoted_from=name)
            records.append(_read(commit, text))
            pairs += [(commit.oid, memory_id) for memory_id in _list_ids(vault, commit.oid, text)]
        own = self._list_own(records)
        oids = {record.head for record in records if record.head} | {oid for oid, _ in own}
        marks = [(self._mark(oid), oid) for oid in oids]

        def change(db: "sqlite3.Connection") -> None:
            db.executemany(
                "INSERT OR REPLACE INTO code_records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", records
            )
            db.executemany("INSERT OR IGNORE INTO code_ids VALUES (?, ?)", pairs)
            db.executemany("INSERT OR IGNORE INTO code_own VALUES (?, ?)", own)
            db.executemany(
                "INSERT OR IGNORE INTO code_authors VALUES (?, ?)", ((m, o) for m, o in marks if m)
            )
            db.executemany("INSERT OR IGNORE INTO code_tips VALUES (?)", ((oid,) for oid in new))

        self._database.ensure(change)

    def _list_own(self, records: Sequence[CodeRecord]) -> list[tuple[str, str]]:
        """The commits that branches had of their own, newest records first: an older one's head is
        mostly among those of a newer one."""
        own: dict[tuple[str, str], None] = {}
        for record in records:
            if not record.has_own_commits or not record.base or record.merged_as:
                continue
            if (record.head, record.branch) in own:
                continue
            commits = walk.read_parents(
                self._repository, record.head, without=record.base, most=_MOST_OWN
            )
            own |= dict.fromkeys((oid, record.branch) for oid in commits or (record.head,))
        return list(own)

    def _mark(self, commit: str) -> str:
        try:
            author, seconds = self._repository.objects.authorship(commit)
        except (StoreDamaged, UnicodeDecodeError, ValueError):
            return ""
        return hashlib.sha256(f"{author}\0{seconds}".encode(errors="replace")).hexdigest()[:24]


def _record(*row: Any) -> CodeRecord:
    record = CodeRecord(*row)
    return record._replace(is_dirty=bool(record.is_dirty))


def _read(commit: log.LogCommit, said: Message) -> CodeRecord:
    return CodeRecord(
        commit.oid,
        said.op,
        commit.time,
        said.code.branch,
        "" if said.is_promotion else said.code.head or "",
        said.code.base or "",
        said.code.is_dirty,
        said.merged_as,
        said.promoted_from,
        said.merge_kind,
    )


def _list_ids(vault: Vault, oid: str, said: Message) -> Iterable[str]:
    """The memories a commit names; a promotion of many names none, and is asked for its tree."""
    if said.memories or not (said.bulk and said.is_promotion):
        return said.memories
    try:
        paths = differing(vault, None, tree_of(vault, oid))
    except TreeringError:
        return ()
    return [memory_id for path in paths if (memory_id := layout.id_of_path(path))]
