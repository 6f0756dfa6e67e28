"""Memory history as rows: one per memory commit, and one per file it changed.

    history_commits   commit -> what it says of itself; parents have smaller numbers
    history_changes   the files a commit changed: what they became, and what they were made from
    history_tips      commits whose whole history is in here

A row says what the commit itself says and never changes. It is filled from one `git log --raw` over
the commits that are new. A promotion's files are its tree: against its parents it would seem to
delete all that it did not take.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.derived.database import Database, select
from treering.errors import StoreDamaged, TreeringError
from treering.git import log
from treering.git.objects import CommitInfo
from treering.store import layout, message
from treering.store.message import CodePosition
from treering.store.tree_diff import CARRYING, shallow_commits
from treering.store.vault import Vault

if TYPE_CHECKING:
    import sqlite3

_FILE, _NOTHING = "100644", "0" * 40
#: Commits that are read in the time a process takes to start.
_FEW = 16
#: Where nothing can be kept, each process reads so many of the newest commits.
_MOST_UNKEPT = 2_000
#: Path -> its blob, and those in the parents.
Files = dict[str, tuple[str, tuple[str, ...]]]
COLUMNS = (
    "oid, parents, time, author, op, branch, code_head, code_base, is_dirty, promoted_from,"
    " promoted_into, merged_as, merge_kind, is_bulk, is_cut"
)


class FileVersion(NamedTuple):
    """A file as a commit left it ("" where it took it away), and the versions it was made from:
    those of the parents, or what the commit says a copy was made from."""

    path: str
    blob: str
    before: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A memory's id, or the key of a prompt."""
        return layout.id_of_path(self.path) or layout.saved_key_of_path(self.path) or ""


class HistoryCommit(NamedTuple):
    """A memory commit, as it describes itself."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    op: str = ""
    code: CodePosition = CodePosition("")
    promoted_from: str = ""
    promoted_into: str = ""
    merged_as: str = ""
    merge_kind: str = ""
    #: More memories than a message names.
    is_bulk: bool = False
    #: A shallow clone has none of its parents.
    is_cut: bool = False

    @property
    def is_promotion(self) -> bool:
        """Return whether its tree is what it took from its parents, and nothing else."""
        return self.op == message.PROMOTE and bool(self.promoted_into)

    @property
    def is_change(self) -> bool:
        """Return whether it changed memories itself, and does not only carry what others did."""
        return len(self.parents) < 2 and self.op not in CARRYING


class History:
    """The history of one repository's memories."""

    def __init__(self, database: Database, most_unkept: int = _MOST_UNKEPT) -> None:
        self._database = database
        self._most_unkept = most_unkept

    # --- reading ----------------------------------------------------------------------------------

    @classmethod
    def whole(cls, database: Database | None) -> "History":
        """Return a history that is read as a whole, whether or not it can be kept."""
        if database is None or database.is_in_memory:
            return cls(Database(), most_unkept=0)
        return cls(database)

    def read_reached(self, tips: Iterable[str]) -> dict[str, HistoryCommit]:
        """Read all that some tips reach, parents before children."""
        graph = {
            oid: (n, parents)
            for n, oid, parents in self._ask("SELECT n, oid, parents FROM history_commits")
        }
        reached: set[int] = set()
        waiting = [oid for oid in tips if oid in graph]
        while waiting:
            n, parents = graph[waiting.pop()]
            if n not in reached:
                reached.add(n)
                waiting += [oid for oid in parents.split() if oid in graph]
        rows: list[tuple[Any, ...]] = self._database.ask(
            lambda db: list(select(db, COLUMNS, "history_commits", "n", sorted(reached))), []
        )
        order = sorted(rows, key=lambda row: graph[row[0]][0])
        return {row[0]: as_commit(*row) for row in order}

    def list_after(self, last: str, *, is_private: bool) -> list[HistoryCommit]:
        """List the commits that were read after another one, or all if that is not here."""
        query = (
            f"SELECT {COLUMNS} FROM history_commits WHERE is_private = ? AND n >"  # noqa: S608
            " ifnull((SELECT n FROM history_commits WHERE oid = ?), 0) ORDER BY n"
        )
        rows = self._ask(query, (int(is_private), last))
        return [as_commit(*row) for row in rows]

    def read_changes(self, commits: Iterable[str]) -> dict[str, list[FileVersion]]:
        """Read the files that commits changed, by commit."""
        oids = list(commits)
        table = "history_changes JOIN history_commits USING (n)"
        changes: dict[str, list[FileVersion]] = {oid: [] for oid in oids}
        rows: list[tuple[Any, ...]] = self._database.ask(
            lambda db: list(select(db, "oid, path, blob, before", table, "oid", oids)), []
        )
        for oid, path, blob, before in rows:
            changes[oid].append(FileVersion(path, blob, tuple(before.split())))
        return changes

    def _ask(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        nothing: list[tuple[Any, ...]] = []
        return self._database.ask(lambda db: db.execute(query, values).fetchall(), nothing)

    # --- filling ----------------------------------------------------------------------------------

    def catch_up(self, vault: Vault, tips: Iterable[str]) -> None:
        """Read what is new in the histories of some tips; one that cannot be read adds nothing.

        Where nothing can be kept, only the newest commits are read.
        """
        cut = shallow_commits(vault)
        if {row[0] for row in self._ask("SELECT oid FROM history_commits WHERE is_cut")} - cut:
            self._database.change(_forget_all)  # the clone was deepened
        wanted = list(dict.fromkeys(tips))
        there = self._database.ask(
            lambda db: {row[0] for row in select(db, "oid", "history_commits", "oid", wanted)},
            set[str](),
        )
        new = sorted(set(wanted) - there)
        if not new:
            return
        known = frozenset(row[0] for row in self._ask("SELECT oid FROM history_tips"))
        most = self._most_unkept if self._database.is_in_memory else 0
        try:
            read = _read_few(vault, new, known)
            commits = list(read_commits(vault, new, known, most)) if read is None else read
        except TreeringError:
            return  # what cannot be read tells nothing; doctor names it
        passed = {parent for commit, _ in commits for parent in commit.parents}
        oids = {commit.oid for commit, _ in commits}

        def change(db: "sqlite3.Connection") -> None:
            for commit, changes in commits:
                commit = commit._replace(is_cut=commit.oid in cut)
                row = (None, int(vault.is_private), *_as_row(commit))
                marks = ", ".join("?" * len(row))
                statement = f"INSERT OR IGNORE INTO history_commits VALUES ({marks})"  # noqa: S608
                cursor = db.execute(statement, row)
                if cursor.rowcount:
                    n = cursor.lastrowid
                    files = [(n, c.path, c.blob, " ".join(c.before)) for c in changes]
                    db.executemany("INSERT INTO history_changes VALUES (?, ?, ?, ?)", files)
            db.executemany("DELETE FROM history_tips WHERE oid = ?", ((p,) for p in passed))
            rows = [(tip,) for tip in new if tip in oids and tip not in passed]
            db.executemany("INSERT OR IGNORE INTO history_tips VALUES (?)", rows)

        self._database.ensure(change)


def list_open(commits: Mapping[str, HistoryCommit], tip: str) -> list[HistoryCommit]:
    """List what a tip reaches without going through a promotion, parents before children: what lies
    behind one is another scope's."""
    reached: set[str] = set()
    waiting = [tip]
    while waiting:
        commit = commits.get(waiting.pop())
        if commit and commit.oid not in reached:
            reached.add(commit.oid)
            waiting += () if commit.is_promotion else commit.parents
    return [commit for oid, commit in commits.items() if oid in reached]


def _forget_all(db: "sqlite3.Connection") -> None:
    for table in ("history_commits", "history_changes", "history_tips"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608  our own words


def as_commit(*row: Any) -> HistoryCommit:
    """Return the commit in a row of `COLUMNS`."""
    oid, parents, time, author, op, branch, head, base, is_dirty, *rest = row
    code = CodePosition(branch, head or None, base or None, bool(is_dirty))
    return HistoryCommit(oid, tuple(parents.split()), time, author, op, code, *rest)


def _as_row(commit: HistoryCommit) -> tuple[object, ...]:
    oid, parents, time, author, op, code, *rest = commit
    return (oid, " ".join(parents), time, author, op, code.branch, code.head or "",
            code.base or "", code.is_dirty, *rest)  # fmt: skip


# --- from git -------------------------------------------------------------------------------------


def read_commits(
    vault: Vault, tips: Sequence[str], known: Collection[str] = (), most: int = 0
) -> Iterator[tuple[HistoryCommit, list[FileVersion]]]:
    """Read commits with what they changed from git, parents first.

    Asked of trees, not of trailers: a commit of others may say of itself whatever it likes. Of a
    merge only the files count that none of its parents has.
    """
    for commit, files in log.read_changes(
        vault.repository.common_dir, tips, without=known, most=most
    ):
        pairs: Files = {}
        for file in files:
            *old, new = (
                blob if mode == _FILE and blob != _NOTHING else ""
                for mode, blob in zip(file.modes, file.blobs, strict=True)
            )
            if layout.is_ours(file.path) and (new or any(old)):
                pairs[file.path] = (new, tuple(dict.fromkeys(filter(None, old))))
        yield _describe(vault, commit, pairs)


def _read_few(
    vault: Vault, tips: Sequence[str], known: Collection[str]
) -> list[tuple[HistoryCommit, list[FileVersion]]] | None:
    """The same without a process, where little is new and nothing was merged: after each capture.
    None where it has to be asked of git."""
    objects, news = vault.repository.objects, dict[str, tuple[HistoryCommit, list[FileVersion]]]()
    try:
        for tip in tips:
            line, at = list[CommitInfo](), tip
            while at and at not in known and at not in news:
                commit = objects.commit(at)
                if len(commit.parents) > 1 or len(news) + len(line) >= _FEW:
                    return None
                line.append(commit)
                at = commit.parents[0] if commit.parents else ""
            for commit in reversed(line):
                before = objects.commit(commit.parents[0]).tree if commit.parents else None
                pairs: Files = {
                    path: (new or "", (old,) if old else ())
                    for path, (old, new) in vault.trees.differing(before, commit.tree).items()
                }
                news[commit.oid] = _describe(vault, commit, pairs)
    except StoreDamaged:
        return None
    return list(news.values())


def _describe(
    vault: Vault,
    commit: CommitInfo | log.LogCommit,
    pairs: Files,
) -> tuple[HistoryCommit, list[FileVersion]]:
    """A commit, and the files it changed."""
    said = message.read(commit.message)
    row = HistoryCommit(
        commit.oid, commit.parents, commit.time, commit.author, said.op, said.code,
        said.promoted_from, said.promoted_into, said.merged_as, said.merge_kind, bool(said.bulk),
    )  # fmt: skip
    if said.is_promotion:
        try:
            tree = vault.trees.differing(None, vault.repository.objects.commit(commit.oid).tree)
        except StoreDamaged:
            tree = {}
        pairs = {path: pairs.get(path, (b, (b,))) for path, (_, b) in tree.items() if b}
    changes = [FileVersion(path, blob, before) for path, (blob, before) in sorted(pairs.items())]
    sources = said.bases if len(commit.parents) < 2 else {}
    changes = [
        c._replace(before=(sources[c.key],)) if not c.before and c.key in sources else c
        for c in changes
    ]
    return row, changes
