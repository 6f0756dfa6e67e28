"""Memory history as rows: one per memory commit, and one per memory it changed.

    history_commits   commit -> what it says of itself; parents have smaller numbers
    history_changes   the memories a commit changed: what they became, and what they were made from
    history_tips      commits whose whole history is in here

A row says what the commit itself says and never changes. It is filled from one `git log --raw` over
the commits that are new (see store/history.py). Where the rows do not hold all that is asked for,
git is asked.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.derived.database import Database
from treering.errors import TreeringError
from treering.git import log
from treering.model.dates import format_moment
from treering.store import message
from treering.store.ancestry import find_oversized
from treering.store.history import (
    ChangedMemory,
    Commits,
    GitHistory,
    HistoryCommit,
    read_commits,
    read_few_commits,
    read_readable,
    version,
)
from treering.store.message import CodePosition
from treering.store.vault import Vault
from treering.store.view import View

if TYPE_CHECKING:
    import sqlite3

#: Where nothing can be kept, whoever can do with less reads so many of the newest commits.
MOST_UNKEPT = 2_000
#: Questions whose answers are kept: a call asks several times what was promoted into the trunk.
_MOST_ANSWERS = 64
_MOST_KEPT = 500  # commits in one of them
#: Number, time, operation, whether it is cut, parents and id of commits, by id.
Graph = dict[str, tuple[Any, ...]]
#: Commits of which those are kept, the last of them, and where history was cut.
_MAX_GRAPH = 50_000
_NO_GRAPH: tuple[Graph, int, str, frozenset[str]] = ({}, 0, "", frozenset())
COLUMNS = (
    "oid, parents, time, author, op, branch, code_head, code_base, is_dirty, promoted_from,"
    " promoted_into, merged_as, merge_kind, is_bulk, is_cut"
)


class History(GitHistory):
    """The history of one repository's memories, from rows as far as they hold it."""

    def __init__(self, database: Database, most_unkept: int = 0) -> None:
        self._database = database
        self._most_unkept = most_unkept
        self._answers: dict[tuple[object, ...], Commits] = {}
        self._graph = _NO_GRAPH

    # --- reading ----------------------------------------------------------------------------------

    def read(
        self,
        vault: Vault,
        tips: Iterable[str],
        *,
        without: Iterable[str] = (),
        ops: Collection[str] = (),
        most: int = 0,
    ) -> Commits:
        """Read the commits of some histories and not of others, of all operations or of some,
        parents before children; with `most` only so many of the newest."""
        start, end, names = frozenset(tips), frozenset(without), frozenset(ops)
        key = (start, end, names, most, vault.repository.shallow_commits())
        if key not in self._answers:
            commits = self._select(vault, start, end, names, most)
            if commits is None:  # nothing could be written down, or the history is damaged
                commits = super().read(vault, start, without=end, ops=names, most=most)
            if len(commits) > _MOST_KEPT:
                return commits
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[key] = commits
        return self._answers[key]

    def _select(
        self,
        vault: Vault,
        tips: frozenset[str],
        without: frozenset[str],
        ops: frozenset[str],
        most: int,
    ) -> Commits | None:
        """The same from rows; None where one is missing."""
        self.catch_up(vault, [*tips, *without])
        graph = self._read_graph(vault.repository.shallow_commits())
        below: set[str] = set()
        reached: set[str] = set()
        for start, found in ((without, below), (tips, reached)):
            waiting = list(start)
            while waiting:
                oid = waiting.pop()
                if oid in found or oid in below:
                    continue
                if oid not in graph:
                    return None
                found.add(oid)
                *_, is_cut, parents, _ = graph[oid]
                waiting += () if is_cut else parents.split()
        wanted = [graph[oid] for oid in reached if not ops or graph[oid][2] in ops]
        if most:
            wanted = sorted(wanted, key=lambda row: (row[1], row[0]))[-most:]
        oids = [row[-1] for row in wanted]
        rows = self._database.select(f"n, {COLUMNS}", "history_commits", "oid", oids)
        is_whole = len(rows) == len(oids)
        return {row[1]: as_commit(*row[1:]) for row in sorted(rows)} if is_whole else None

    def _read_graph(self, cut: frozenset[str]) -> Graph:
        """Return number, time, operation, whether it is cut, parents and id of each commit, by its
        id. Only what is new since the last look is read: a sync asks once for each scope."""
        known, last, end, shape = self._graph
        here = self._database.rows("SELECT oid FROM history_commits WHERE n = ?", (last,))
        if here != [(end,)] or shape != cut:  # forgotten and read again, by another process
            known, last = {}, 0
        query = "SELECT n, time, op, is_cut, parents, oid FROM history_commits WHERE n > ?"
        rows = self._database.rows(f"{query} ORDER BY n", (last,))
        known |= {row[-1]: row for row in rows}
        if rows:
            last, end = rows[-1][0], rows[-1][-1]
        self._graph = (known, last, end, cut) if len(known) <= _MAX_GRAPH else _NO_GRAPH
        return known

    def read_changes(
        self, vault: Vault, commits: Iterable[str], *, memory_id: str = ""
    ) -> Mapping[str, Sequence[ChangedMemory]]:
        """Read the memories that commits changed, by commit; with `memory_id` that one alone."""
        oids = list(commits)
        known = self._list_known(oids)
        missing = [oid for oid in oids if oid not in known]
        changes = self.select_changes(known, memory_id=memory_id)
        return {**changes, **super().read_changes(vault, missing, memory_id=memory_id)}

    def find_oversized(self, vault: Vault, heads: Collection[str]) -> set[str]:
        """Find the heads that lead to a commit too large to be real; of what has a row none is."""
        wanted = list(heads)
        known = self._list_known(wanted)
        unknown = [head for head in wanted if head not in known]
        return find_oversized(vault.repository, unknown, self._is_known)

    def find_plain(self, blobs: Sequence[str]) -> set[str]:
        """Return the blobs known to be knowledge in force that did not fail."""
        rows = self._database.select("blob, is_plain", "memories", "blob", blobs)
        return {blob for blob, is_plain in rows if is_plain}

    def _is_known(self, oid: str) -> bool:
        return bool(self._database.rows("SELECT 1 FROM history_commits WHERE oid = ?", (oid,)))

    def _list_known(self, oids: list[str]) -> set[str]:
        return {oid for (oid,) in self._database.select("oid", "history_commits", "oid", oids)}

    def list_unread(self, reader: str, *, is_private: bool) -> list[HistoryCommit]:
        """List the commits after the last one that a reader has looked at, as its table `_last`
        says; all where it does not."""
        query = (
            f"SELECT {COLUMNS} FROM history_commits WHERE is_private = ? AND n > ifnull("  # noqa: S608
            f"(SELECT n FROM history_commits JOIN {reader}_last USING (oid)"
            f" WHERE {reader}_last.is_private = ?), 0) ORDER BY n"
        )
        return [as_commit(*row) for row in self._database.rows(query, 2 * (int(is_private),))]

    def select_changes(
        self, commits: Iterable[str], *, memory_id: str = ""
    ) -> dict[str, list[ChangedMemory]]:
        """Return the memories that commits changed, as far as there are rows of them."""
        wanted = dict.fromkeys(commits)
        columns, table = "oid, id, blob, before", "history_changes JOIN history_commits USING (n)"
        key, values = ("id", [memory_id]) if memory_id else ("oid", wanted)
        rows = self._database.select(columns, table, key, values)
        changes: dict[str, list[ChangedMemory]] = {} if memory_id else {oid: [] for oid in wanted}
        for oid, changed_id, blob, before in rows:
            if oid in wanted:
                change = ChangedMemory(changed_id, blob, tuple(before.split()))
                changes.setdefault(oid, []).append(change)
        return changes

    # --- filling ----------------------------------------------------------------------------------

    def catch_up(self, vault: Vault, tips: Iterable[str]) -> None:
        """Read what is new in the histories of some tips; one that cannot be read adds nothing.

        Where nothing can be kept, only the newest commits are read.
        """
        cut = vault.repository.shallow_commits()
        if {
            row[0] for row in self._database.rows("SELECT oid FROM history_commits WHERE is_cut")
        } - cut:
            # The clone was deepened.
            tables = ("history_commits", "history_changes", "history_tips")
            self._database.change(lambda db: [db.execute(f"DELETE FROM {t}") for t in tables])  # noqa: S608
        wanted = list(dict.fromkeys(tips))
        new = sorted(set(wanted) - self._list_known(wanted))
        if not new:
            return
        known = frozenset(row[0] for row in self._database.rows("SELECT oid FROM history_tips"))
        most = self._most_unkept if self._database.is_in_memory else 0
        try:
            commits = read_few_commits(vault, new, self._is_known)
            if commits is None:
                commits = list(read_commits(vault, new, known, most=most))
        except TreeringError:
            return  # what cannot be read tells nothing; doctor names it
        passed = {parent for commit, _ in commits for parent in commit.parents}
        oids = {commit.oid for commit, _ in commits}

        def change(db: "sqlite3.Connection") -> None:
            for commit, changes in commits:
                row = (None, int(vault.is_private), *_as_row(commit))
                marks = ", ".join("?" * len(row))
                statement = f"INSERT OR IGNORE INTO history_commits VALUES ({marks})"  # noqa: S608
                cursor = db.execute(statement, row)
                if cursor.rowcount:
                    n = cursor.lastrowid
                    rows = [(n, c.id, c.blob, " ".join(c.before)) for c in changes]
                    db.executemany("INSERT INTO history_changes VALUES (?, ?, ?, ?)", rows)
            db.executemany("DELETE FROM history_tips WHERE oid = ?", ((p,) for p in passed))
            whole = [(tip,) for tip in new if tip in oids and tip not in passed]
            db.executemany("INSERT OR IGNORE INTO history_tips VALUES (?)", whole)

        self._database.ensure(change)


def as_commit(*row: Any) -> HistoryCommit:
    """Return the commit in a row of `COLUMNS`."""
    oid, parents, time, author, op, branch, head, base, is_dirty, *rest = row
    code = CodePosition(branch, head or None, base or None, bool(is_dirty))
    return HistoryCommit(oid, tuple(parents.split()), time, author, op, code, *rest)


def _as_row(commit: HistoryCommit) -> tuple[object, ...]:
    oid, parents, time, author, op, code, *rest = commit
    return (oid, " ".join(parents), time, author, op, code.branch, code.head or "",
            code.base or "", code.is_dirty, *rest)  # fmt: skip


# --- told -----------------------------------------------------------------------------------------


class MemoryEvent(NamedTuple):
    """One change of one memory (id empty: a bulk change of many)."""

    commit: str
    when: str
    author: str
    op: str
    id: str
    type: str
    title: str
    branch: str
    #: What looks wrong with these words; filled in by whoever shows them.
    flags: tuple[str, ...] | None = None
    #: How the memory turned out, as it was said then.
    outcome: str | None = None
    #: What there is to say of the memory's truth by now; filled in likewise.
    outdated_by: object = None
    newer: object = None
    reverted: object = None


def events_in(view: View, memory_id: str) -> list[MemoryEvent]:
    """Return what happened to one memory in the layers it is seen through, each change once."""
    changes: dict[str, MemoryEvent] = {}
    for vault in dict.fromkeys(layer.vault for layer in view.layers):
        tips = [ly.snapshot.tip for ly in view.layers if ly.vault is vault and ly.snapshot.tip]
        changes |= {event.commit: event for event in events(vault, tips, memory_id=memory_id)}
    return list(changes.values())


def events(
    vault: Vault, tips: Iterable[str], *, memory_id: str = "", limit: int | None = None
) -> list[MemoryEvent]:
    """Return what happened in the histories of `tips`, newest first, to one memory or to all."""
    # Joins and notes tell nothing of a memory; there is at most one of each beside a change.
    most = 3 * limit if limit and not memory_id else 0
    commits = read_readable(vault, tips, most=most)
    telling = [c for c in commits.values() if c.op not in ("", message.JOIN, message.NOTE)]
    telling.sort(key=lambda commit: commit.time)
    if memory_id:
        changes = vault.history.read_changes(vault, commits, memory_id=memory_id)
        telling = [c for c in telling if any(one.blob for one in changes.get(c.oid, ()))]
    found: list[MemoryEvent] = []
    for commit in reversed(telling):
        said = message.read(vault.repository.objects.commit(commit.oid).message)
        for changed_id in [memory_id] if memory_id else said.memories or [""]:
            memory = version(vault, commit.oid, changed_id) if changed_id else None
            kind, title, outcome = "", said.subject, None
            if memory:
                kind, title, outcome = memory.type, memory.title, memory.outcome
            when = format_moment(commit.time)
            found.append(
                MemoryEvent(commit.oid, when, commit.author, commit.op, changed_id, kind, title,
                            commit.code.branch, outcome=outcome)
            )  # fmt: skip
    return found[:limit]


class DrawnLine(NamedTuple):
    """One line of a drawn history: git's own strokes, and the commit that stands there, if any."""

    strokes: str
    commit: str = ""
    when: str = ""
    author: str = ""
    subject: str = ""
    branch: str = ""
    tip_of: str = ""
    is_first: bool = False


def draw(vault: Vault, tips: Mapping[str, str], *, limit: int) -> list[DrawnLine]:
    """The histories of `tips` (commit -> branch) as git draws them, newest first."""
    lines = log.draw(vault.repository.common_dir, tips, most=limit, trailer="Code-Branch")
    return [
        DrawnLine(
            line.strokes,
            commit.oid,
            format_moment(commit.time),
            commit.author,
            line.subject,
            line.trailer,
            tips.get(commit.oid, ""),
            is_first=not commit.parents,
        )
        if (commit := line.commit)
        else DrawnLine(line.strokes)
        for line in (lines if tips else ())
    ]
