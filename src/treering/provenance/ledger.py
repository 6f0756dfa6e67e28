"""The ledger: for each version of a memory or prompt, whose words it holds and since when.

It is derived from the commits of every scope and brought up to date when someone asks about a
version it does not know, at a cost that follows the commits that are new. Where it is lost, what
git can still tell is found again; ref logs, which tell what was written here, git keeps for 90
days. So it is no part of the index, which people delete. What it does not know is nobody's word.
"""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from treering.errors import TreeringError
from treering.git import refs
from treering.git.binding import GitError
from treering.model import prompt, scope
from treering.model.dates import format_moment
from treering.model.memory import Memory, is_id
from treering.model.prompt import Prompt
from treering.model.provenance import Version, redate, redate_unknown
from treering.provenance.version_table import Findings, VersionTable
from treering.provenance.walk import Contribution, Walk, order_by_source, read_contributions
from treering.store.history import MemoryEvent
from treering.store.store import Store
from treering.store.tree_diff import shallow_commits
from treering.store.vault import Vault

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

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        """What is known of some versions, by blob."""
        ids = list(blobs)
        versions = self._table.versions(ids)
        if len(versions) < len(set(ids)) and self.catch_up():
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
        return self._table.people()

    def forget_versions_of(self, memory_id: str) -> None:
        """A memory's text was taken out of history: nothing made from it stays here."""
        self._table.forget_versions_of(memory_id)

    def catch_up(self) -> bool:
        """Look at what is new in every scope; whether there was anything."""
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
        people = walk.people - {""}
        self._table.note(Findings(walk.found.values(), walk.moments, tips_now, parents, people))
        return True

    def _new_commits(self, vault: Vault, tips: list[str]) -> list[Contribution]:
        most = 0 if self._table.is_kept else _MOST_UNKEPT
        try:
            commits = read_contributions(vault, tips, self._table.tips(), most=most)
            return order_by_source(list(commits))
        except TreeringError:
            return []  # what cannot be read is nobody's word

    def _walk(self, vault: Vault, commits: list[Contribution]) -> Walk:
        ids = {put.id for commit in commits for put in commit.files}
        parents = {parent for commit in commits for parent in commit.parents}
        walk = Walk(
            self._table.versions_of(ids),
            self._table.moments(parents),
            lambda key, blob: _read_text(vault, key, blob),
            self._clock(),
        )
        reasons = self._table.list_written(commit.oid for commit in commits)
        cut = shallow_commits(vault)
        for commit in commits:
            is_here = vault.is_private or _was_written(commit, reasons.get(commit.oid, ""))
            walk.add(commit, is_here=is_here, is_cut=commit.oid in cut)
        return walk


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
        return prompt.parse(vault.repository.objects.blob(blob))
    except (TreeringError, GitError):
        return None
