"""The ledger: for each version of a memory or prompt, whose words it holds and since when.

It is derived from the commits of every scope (see history.py) and brought up to date when someone
asks about a version it does not know, at a cost that follows the commits that are new. What it does
not know is nobody's word.

    authorship          blob -> whose words it holds, and since when (see model/provenance.py)
    authorship_commits  commit -> when it was made, as far as that is credible
    authorship_last     the last row of history that was looked at
    authorship_noted    what git does not tell for ever, from the file below
    authorship_logs     how far each ref log, and that file, has been read

Two things cannot be derived: which commits this clone made (git drops lines of ref logs after 90
days), and which were dated ahead when they came. They stand in `state/commits`, a line each: the
commit, and the word by which its ref moved or `ahead`. A line is written before its row.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from treering.derived.database import Database, Row, select
from treering.derived.history import MOST_UNKEPT, History, MemoryEvent
from treering.errors import TreeringError
from treering.git import refs
from treering.git.binding import GitError
from treering.model import scope
from treering.model.dates import format_moment
from treering.model.memory import Memory, is_id
from treering.model.provenance import Contributor, Version, address_of, redate
from treering.store.state import StateFolder, hash_name
from treering.store.store import Store
from treering.store.vault import Vault

if TYPE_CHECKING:  # history is walked only when there is something new in it
    import sqlite3

    from treering.derived.walk import Contribution, Walk
    from treering.store.history import HistoryCommit

#: What git does not tell for ever, in the state folder.
NOTED = "commits"
AHEAD = "ahead"
#: Single words by which a ref moves to a commit that need not have been made here; what a fetch or
#: sync brought has a sentence.
_BROUGHT = ("push", "fetch", "pull", "restore", "revived", "redact", AHEAD)
_MERGED = ("sync", "sync: merged")
#: People that a sentence names.
_MAX_NAMED = 3
_COLUMNS = "blob, id, people, born, changed, said, words"
_ADD_VERSION = "INSERT OR REPLACE INTO authorship VALUES (?, ?, ?, ?, ?, ?, ?)"


class Versions(ABC):
    """Facts about versions of memories."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    @abstractmethod
    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        """Return what is known of some versions, by blob."""

    def version(self, blob: str) -> Version | None:
        return self.versions([blob]).get(blob)

    def date(self, memory: Memory, version: Version | None) -> Memory:
        """The memory with dates that are credible."""
        return redate(memory, version, self._clock())


class VersionTable(Versions):
    """The same, as far as somebody wrote it down in a database."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._database = database

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        return {version.blob: version for version in self._select("blob", blobs)}

    def add(self, versions: Iterable[Version]) -> None:
        """Write down what is known of some versions."""
        rows = [(*v[:2], json.dumps(v.people), *v[3:]) for v in versions]
        self._database.ensure(lambda db: db.executemany(_ADD_VERSION, rows))

    def _select(self, key: str, values: Iterable[str]) -> list[Version]:
        wanted = list(values)
        return self._database.ask(
            lambda db: [_version(*row) for row in select(db, _COLUMNS, "authorship", key, wanted)],
            [],
        )


class Ledger(VersionTable):
    """Facts about one repository's versions, up to date with its history."""

    def __init__(
        self, store: Store, database: Database, state: StateFolder, clock: Callable[[], float]
    ) -> None:
        super().__init__(database, clock)
        self._store = store
        self._history = History(database, most_unkept=MOST_UNKEPT)
        self._state = state
        self._unreadable: set[str] = set()
        self._own: list[tuple[Vault, str]] = []
        self._lock = threading.Lock()

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        """Return what is known of some versions, by blob."""
        ids = list(blobs)
        versions = super().versions(ids)
        for look in (self._look_at_own, self.catch_up):
            if len(versions) < len(set(ids)):
                look()
                # Whether or not it found anything: another thread may have, meanwhile.
                versions = super().versions(ids)
        return versions

    def name_writers(self, blobs: Iterable[str]) -> str:
        """Name those whose commits brought some blobs, the most frequent first."""
        counts = Counter(
            version.people[-1].name for version in self.versions(blobs).values() if version.people
        )
        names = [name or "somebody" for name, _ in counts.most_common(_MAX_NAMED)]
        more = [f"{len(counts) - len(names)} more"] if len(counts) > len(names) else []
        return ", ".join((*names, *more)) or "somebody"

    def moments(self, commits: Iterable[str]) -> dict[str, float]:
        """Return when commits of scopes were made, as far as that is credible."""
        self.catch_up()
        return self._moments(commits)

    def _moments(self, commits: Iterable[str]) -> dict[str, float]:
        return dict(self._database.select("oid, made", "authorship_commits", "oid", commits))

    def sort_events(self, events: Iterable[MemoryEvent]) -> list[MemoryEvent]:
        """Events with dates that are credible, newest first by these."""
        all_events = list(events)
        moments = self.moments(event.commit for event in all_events)
        dated = [
            event._replace(when=format_moment(moments[event.commit]))
            if event.commit in moments
            else event
            for event in all_events
        ]
        return sorted(dated, key=lambda event: event.when, reverse=True)

    def has_odd_moments(self) -> bool:
        """Return whether any commit claims a date that is not credible."""
        self.catch_up()
        return bool(self._database.rows("SELECT 1 FROM authorship_commits WHERE is_odd LIMIT 1"))

    def people(self) -> set[str]:
        """Return the addresses in whose names memories were committed."""
        rows = self._database.rows("SELECT DISTINCT author FROM history_commits")
        return {address for (author,) in rows if (address := address_of(author))}

    def note_commit(self, vault: Vault, commit: str) -> None:
        """A commit that this process has just made, the newest of its scope: when somebody asks, no
        scope is searched for it."""
        self._own.append((vault, commit))

    def catch_up(self) -> bool:
        """Look at what is new in every scope; return whether there was anything."""
        self._own.clear()  # the scopes lead to them
        return sum(self._catch_up(v, v.scopes().values()) for v in self._store.vaults()) > 0

    def note_written(self) -> None:
        """Take down which commits were made here, before a ref goes and its log with it."""
        folder = self._store.repository.common_dir
        sizes: dict[str, int] = dict(self._database.rows("SELECT name, size FROM authorship_logs"))
        noted, now = self._read_noted(sizes.get(NOTED, 0))
        reasons: dict[str, str] = {}
        for name in refs.list_refs(folder, scope.HEADS):
            key = hash_name(name)
            moves, size = refs.moves(folder, name, sizes.get(key, 0))
            reasons |= {move.new: move.why for move in moves if _may_be_ours(move.why)}
            if size != sizes.get(key):
                now[key] = size
        if not now:
            return
        known = {oid for oid, _ in [*noted, *self._select_noted(reasons)]}
        new = [(oid, why) for oid, why in reasons.items() if oid not in known]
        self._write_noted(new)

        def change(db: sqlite3.Connection) -> None:
            rows = [*noted, *new]
            db.executemany("INSERT OR IGNORE INTO authorship_noted VALUES (?, ?)", rows)
            db.executemany("INSERT OR REPLACE INTO authorship_logs VALUES (?, ?)", now.items())

        self._database.ensure(change)

    def _read_noted(self, start: int) -> tuple[list[tuple[str, str]], dict[str, int]]:
        """Return what other processes noted since, and how far the file was read."""
        data = self._state.read_from(NOTED, start) or b""
        whole = data[: data.rfind(b"\n") + 1]
        lines = (line.split(" ", 1) for line in whole.decode(errors="replace").splitlines())
        pairs = [(line[0], line[1]) for line in lines if len(line) == 2]
        return pairs, {NOTED: start + len(whole)} if whole else {}

    def _write_noted(self, pairs: Iterable[tuple[str, str]]) -> None:
        if lines := "".join(f"{oid} {word}\n" for oid, word in pairs):
            self._state.append(NOTED, lines.encode(errors="replace"))

    def _select_noted(self, commits: Iterable[str]) -> list[Row]:
        return self._database.select("oid, word", "authorship_noted", "oid", commits)

    def follow_redaction(self, commits: Mapping[str, str]) -> None:
        """Keep what was noted of commits that were written again, under their new ids."""
        noted, _ = self._read_noted(0) if commits else ([], {})
        new = {(commits[oid], word) for oid, word in noted if oid in commits}
        self._write_noted(sorted(new.difference(noted)))

    def _look_at_own(self) -> None:
        """Look at the commits that this process made, and at no scope."""
        with self._lock:
            own, self._own = self._own, []
        for vault in dict.fromkeys(vault for vault, _ in own):
            made = {commit for of, commit in own if of is vault}
            self._catch_up(vault, made, made)

    def _catch_up(self, vault: Vault, tips: Iterable[str], made_here: Collection[str] = ()) -> bool:
        """Look at what is new in some histories; logs are asked of commits not `made_here`."""
        wanted = set(tips) - self._unreadable
        new = wanted - self._moments(wanted).keys() if wanted else set()
        if not new:
            return False
        self._history.catch_up(vault, new)
        rows = self._list_new(vault)
        landed: Collection[str] = ()
        if any(row.oid not in made_here for row in rows):
            self.note_written()
            landed = refs.list_refs(vault.repository.common_dir, scope.LANDED).values()
            self._history.catch_up(vault, landed)
            rows = self._list_new(vault)
        walk = self._walk(vault, rows, made_here, landed)
        self._unreadable |= new - walk.moments.keys()
        return True

    def _list_new(self, vault: Vault) -> list[HistoryCommit]:
        """Return the rows of history that nobody has looked at."""
        rows = self._history.list_unread("authorship", is_private=vault.is_private)
        known = self._moments(row.oid for row in rows)
        return [row for row in rows if row.oid not in known]

    def _walk(
        self,
        vault: Vault,
        rows: list[HistoryCommit],
        made_here: Collection[str],
        landed: Iterable[str],
    ) -> Walk:
        """Attribute rows of history, and keep what that finds out.

        What landed from a branch that was never shared stands in the trunk as a copy, which no log
        tells of: the commits it was copied from come first, and it adds nobody.
        """
        from treering.derived.walk import Contribution, Walk, list_reached, order_by_source

        changes = self._history.select_changes([row.oid for row in rows])
        new = [
            Contribution(
                *row[:5],
                tuple(
                    change
                    for change in changes[row.oid]
                    if change.blob and not (row.is_promotion and change.blob in change.before)
                ),
            )
            for row in rows
        ]
        sources = list_reached(new, landed)
        commits = [
            *order_by_source([commit for commit in new if commit.oid in sources]),
            *order_by_source([commit for commit in new if commit.oid not in sources]),
        ]
        ids = {put.id for commit in commits for put in commit.files}
        parents = {parent for commit in commits for parent in commit.parents}
        walk = Walk(
            self._select("id", ids),
            self._moments(parents),
            lambda key, blob: _read_text(vault, key, blob),
            self._clock(),
        )
        noted = self._select_noted(commit.oid for commit in commits)
        reasons = {oid: word for oid, word in noted if word != AHEAD}
        ahead = {oid for oid, word in noted if word == AHEAD}
        cut = {row.oid for row in rows if row.is_cut}
        for commit in commits:
            is_here = (
                vault.is_private
                or commit.oid in made_here
                or _was_written(commit, reasons.get(commit.oid, ""))
            )
            walk.add(
                commit, is_here=is_here, is_cut=commit.oid in cut, is_ahead=commit.oid in ahead
            )
        new_ahead = [(oid, AHEAD) for oid in walk.ahead - ahead]
        self._write_noted(new_ahead)

        def change(db: sqlite3.Connection) -> None:
            versions = ((*v[:2], json.dumps(v.people), *v[3:]) for v in walk.found.values())
            db.executemany(_ADD_VERSION, versions)
            moments = ((oid, *moment) for oid, moment in walk.moments.items())
            db.executemany("INSERT OR IGNORE INTO authorship_commits VALUES (?, ?, ?)", moments)
            db.executemany("INSERT OR IGNORE INTO authorship_noted VALUES (?, ?)", new_ahead)
            here = (int(vault.is_private), rows[-1].oid)
            db.execute("INSERT OR REPLACE INTO authorship_last VALUES (?, ?)", here)

        if rows:
            self._database.ensure(change)
        return walk


def _may_be_ours(why: str) -> bool:
    return why == _MERGED[1] or bool(why and " " not in why and why not in _BROUGHT)


def _was_written(commit: Contribution, why: str) -> bool:
    """Return whether a ref's log tells that a commit was made here, not brought here."""
    return bool(why) and (why == commit.op or (commit.op, why) == _MERGED)


def _read_text(vault: Vault, key: str, blob: str) -> Memory | None:
    try:
        return vault.memory(blob) if is_id(key) else None
    except (TreeringError, GitError):
        return None


def _version(blob: str, key: str, people: str, *rest: object) -> Version:
    contributors = tuple(
        Contributor(str(name), bool(is_here)) for name, is_here in json.loads(people)
    )
    return Version._make((blob, key, contributors, *rest))
