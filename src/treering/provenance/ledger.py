"""The ledger: for each version of a memory or prompt, whose words it holds and since when.

It is derived from the commits of every scope and brought up to date when someone asks about a
version it does not know, at a cost that follows the commits that are new. Where it is lost, what
git can still tell is found again; ref logs, which tell what was written here, git keeps for 90
days. So it is no part of the index, which people delete. What it does not know is nobody's word.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from treering.errors import TreeringError
from treering.git import refs
from treering.git.binding import GitError
from treering.model import scope
from treering.model.dates import format_moment
from treering.model.memory import Memory, is_id
from treering.model.provenance import Version, redate, redate_unknown
from treering.provenance.version_table import VersionTable
from treering.store.store import Store
from treering.store.vault import Vault

if TYPE_CHECKING:  # history is walked only when there is something new in it
    from treering.model.prompt import Prompt
    from treering.provenance.walk import Contribution, Walk
    from treering.store.history import MemoryEvent

#: Where nothing can be kept, so many of the newest commits are looked at by each process.
_MOST_UNKEPT = 2_000
#: Single words by which a ref moves to a commit that need not have been made here; what a fetch or
#: sync brought has a sentence.
_BROUGHT = ("push", "fetch", "pull", "restore", "revived", "redact")
_MERGED = ("sync", "sync: merged")


class Ledger:
    """What is known of one repository's versions."""

    def __init__(self, store: Store, folder: Path, clock: Callable[[], float]) -> None:
        self._store = store
        self._table = VersionTable(folder / "provenance.db")
        self._clock = clock
        self._unreadable: set[str] = set()
        self._own: list[tuple[Vault, str]] = []
        self._turn = threading.Lock()

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        """What is known of some versions, by blob."""
        ids = list(blobs)
        versions = self._table.versions(ids)
        for look in (self._look_at_own, self.catch_up):
            if len(versions) < len(set(ids)):
                look()
                # Whether or not it found anything: another thread may have, meanwhile.
                versions = self._table.versions(ids)
        return versions

    def version(self, blob: str) -> Version | None:
        return self.versions([blob]).get(blob)

    def date(self, memory: Memory, version: Version | None) -> Memory:
        """The memory with dates that are credible."""
        return redate(memory, version) if version else redate_unknown(memory, self._clock())

    def moments(self, commits: Iterable[str]) -> dict[str, float]:
        """When commits of scopes were made, as far as that is credible."""
        self.catch_up()
        return self._table.moments(commits)

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
        """Whether any commit's date is not credible."""
        self.catch_up()
        return self._table.has_odd_moments()

    def people(self) -> set[str]:
        """The addresses in whose names memories were committed."""
        self._table.keep()
        return self._table.people()

    def forget_versions_of(self, memory_id: str) -> None:
        """A memory's text was taken out of history: nothing made from it stays here."""
        self.keep()
        self._table.forget_versions_of(memory_id)

    def note_commit(self, vault: Vault, commit: str) -> None:
        """A commit that this process has just made, the newest of its scope: when somebody asks, no
        scope is searched for it."""
        self._own.append((vault, commit))

    @property
    def is_unwritten(self) -> bool:
        return self._table.is_unwritten

    def keep(self) -> None:
        """Write what was found out on the way, for other processes."""
        self._table.keep()

    def catch_up(self) -> bool:
        """Look at what is new in every scope; whether there was anything."""
        self._own.clear()  # the scopes lead to them
        self._table.keep()
        return sum(self._catch_up(vault) for vault in self._store.vaults()) > 0

    def note_written(self) -> None:
        """Take down which commits were made here, before a ref goes and its log with it."""
        folder = self._store.repository.common_dir
        sizes = self._table.log_sizes()
        reasons: dict[str, str] = {}
        now: dict[str, int] = {}
        for name in refs.list_refs(folder, scope.HEADS):
            key = _log_key(name)
            moves, size = refs.moves(folder, name, sizes.get(key, 0))
            reasons |= {move.new: move.why for move in moves if _may_be_ours(move.why)}
            if size != sizes.get(key):
                now[key] = size
        if now:
            self._table.note_written(reasons, now)

    def _look_at_own(self) -> bool:
        """Look at the commits that this process made; whether that was possible."""
        with self._turn:
            own, self._own = self._own, []
            return bool(own) and all(self._note_own(vault, oid) for vault, oid in own)

    def _note_own(self, vault: Vault, oid: str) -> bool:
        """One of them, unless it goes on from something that is not known yet."""
        from treering.provenance.walk import read_contribution

        try:
            info = vault.repository.objects.commit(oid)
            commit = read_contribution(vault, info) if len(info.parents) < 2 else None
        except TreeringError:
            return False
        moments = self._table.moments(info.parents)
        if commit is None or len(moments) < len(info.parents):
            return False
        versions = self._table.versions_of(put.id for put in commit.files)
        if not {*commit.bases.values()} <= {version.blob for version in versions}:
            return False
        walk = self._start_walk(vault, versions, moments)
        walk.add(commit, is_here=True, is_cut=False)
        self._table.note_later(walk.findings([oid], info.parents))
        return True

    def _catch_up(self, vault: Vault) -> bool:
        tips = set(vault.scopes().values()) - self._unreadable
        new = sorted(tips - self._table.moments(tips).keys()) if tips else []
        if not new:
            return False
        self.note_written()
        commits = self._new_commits(vault, new)
        walk = self._walk(vault, commits)
        parents = {parent for commit in commits for parent in commit.parents}
        self._unreadable |= set(new) - walk.moments.keys()
        tips_now = [tip for tip in new if tip in walk.moments and tip not in parents]
        self._table.note(walk.findings(tips_now, parents))
        return True

    def _new_commits(self, vault: Vault, tips: list[str]) -> list[Contribution]:
        from treering.provenance.walk import order_by_source, read_contributions

        most = 0 if self._table.is_kept else _MOST_UNKEPT
        try:
            commits = read_contributions(vault, tips, self._table.tips(), most=most)
            return order_by_source(list(commits))
        except TreeringError:
            return []  # what cannot be read is nobody's word

    def _walk(self, vault: Vault, commits: list[Contribution]) -> Walk:
        from treering.store.tree_diff import shallow_commits

        ids = {put.id for commit in commits for put in commit.files}
        parents = {parent for commit in commits for parent in commit.parents}
        walk = self._start_walk(vault, self._table.versions_of(ids), self._table.moments(parents))
        reasons = self._table.list_written(commit.oid for commit in commits)
        cut = shallow_commits(vault)
        for commit in commits:
            is_here = vault.is_private or _was_written(commit, reasons.get(commit.oid, ""))
            walk.add(commit, is_here=is_here, is_cut=commit.oid in cut)
        return walk

    def _start_walk(
        self, vault: Vault, versions: Iterable[Version], moments: dict[str, float]
    ) -> Walk:
        from treering.provenance.walk import Walk

        return Walk(
            versions, moments, lambda key, blob: _read_text(vault, key, blob), self._clock()
        )


def _log_key(ref: str) -> str:
    """A branch may be called by a credential: the table holds no names of refs."""
    return hashlib.sha256(ref.encode(errors="surrogateescape")).hexdigest()


def _may_be_ours(why: str) -> bool:
    return why == _MERGED[1] or bool(why and " " not in why and why not in _BROUGHT)


def _was_written(commit: Contribution, why: str) -> bool:
    """Whether a ref's log tells that a commit was made here, not brought here."""
    return bool(why) and (why == commit.op or (commit.op, why) == _MERGED)


def _read_text(vault: Vault, key: str, blob: str) -> Memory | Prompt | None:
    try:
        if is_id(key):
            return vault.memory(blob)
        from treering.model import prompt

        return prompt.parse(vault.repository.objects.blob(blob))
    except (TreeringError, GitError):
        return None
