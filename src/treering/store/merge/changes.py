"""The changes that a merge plays again: who changed which memory, and who knew of what."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from treering.errors import StoreDamaged
from treering.store.ancestry import list_below
from treering.store.dates import judge_times
from treering.store.history import ChangedMemory, HistoryCommit

if TYPE_CHECKING:
    from treering.store.vault import Vault


def diff_histories(vault: "Vault", one: str, other: str) -> tuple[set[str], set[str]]:
    """The memories that were changed in each of two histories and not in the other.

    What a promotion brings back from where both have been counts as changed in both: it may be
    older than what is there, and only the whole history tells.
    """
    sides = [vault.history.read(vault, [a], without=[b]) for a, b in ((one, other), (other, one))]
    commits = sides[0] | sides[1]
    changes = vault.history.read_changes(vault, commits)
    graph = {oid: commit.parents for oid, commit in commits.items()}
    returned = {
        change.id
        for oid, commit in commits.items()
        if commit.is_promotion and list_below(graph, oid)
        for change in changes[oid]
    }
    here, there = (
        {c.id for oid, commit in side.items() if commit.is_change for c in changes[oid]}
        for side in sides
    )
    return returned | here, returned | there


class MergeHistory:
    """Everything that some tips were made of, read at once: a merge that needs it needs all."""

    def __init__(self, vault: "Vault", tips: Sequence[str]) -> None:
        self._vault = vault
        self._tips = tuple(dict.fromkeys(tips))
        self._by_oid = vault.history.read(vault, self._tips)
        self._changes = vault.history.read_changes(vault, self._by_oid)

    @property
    def cut(self) -> list[str]:
        """Commits whose parents are not here, in a shallow clone."""
        return [commit.oid for commit in self._by_oid.values() if commit.is_cut]

    @cached_property
    def _by_id(self) -> dict[str, dict[str, ChangedMemory]]:
        """Memory id -> the changes of it, by commit."""
        changes: dict[str, dict[str, ChangedMemory]] = {}
        for commit in self._by_oid.values():
            if commit.is_change:
                for change in self._changes[commit.oid]:
                    changes.setdefault(change.id, {})[commit.oid] = change
        return changes

    @cached_property
    def _has_promotions(self) -> bool:
        return any(commit.is_promotion for commit in self._by_oid.values())

    @cached_property
    def times(self) -> dict[str, int]:
        """Return when each commit counts as made."""
        return judge_times(list(self._by_oid.values()), self._vault.clock())

    def changes(self, key: str) -> list[tuple[HistoryCommit, ChangedMemory]]:
        """The commits that changed a memory, and count, with what they made of it.

        Behind a promotion only those count that led to the version it took: what it left behind
        has not landed. A version whose making is not known counts as made by the promotion.
        """
        by_commit = dict(self._by_id.get(key, {}))
        if self._has_promotions:
            counting = self._list_counting(key, by_commit)
            by_commit = {
                oid: by_commit.get(oid) or ChangedMemory(key, self._blob(oid, key) or "")
                for oid in self._by_oid
                if oid in counting
            }
        return [(self._by_oid[oid], change) for oid, change in by_commit.items()]

    def _list_counting(self, key: str, touching: Mapping[str, ChangedMemory]) -> set[str]:
        """The changes of a memory reached from the tips, and promotions that stand for one."""
        counting: set[str] = set()
        seen: set[str] = set()
        waiting = list(self._tips)
        while waiting:
            commit = self._by_oid.get(waiting.pop())
            if commit is None or commit.oid in seen:
                continue
            seen.add(commit.oid)
            if not commit.is_promotion:
                counting |= {commit.oid} & touching.keys()
                waiting += commit.parents
            elif blob := self._blob(commit.oid, key):
                makers = self._list_makers(key, blob, commit)
                waiting += makers
                counting |= set() if makers else {commit.oid}
        return counting

    def _list_makers(self, key: str, blob: str, promotion: HistoryCommit) -> list[str]:
        """The commits behind a promotion that made a version: changed the memory to it, put it
        together from several, or took it over in turn."""
        makers = []
        seen: set[str] = set()
        waiting = list(promotion.parents)
        while waiting:
            commit = self._by_oid.get(waiting.pop())
            if commit is None or commit.oid in seen:
                continue
            seen.add(commit.oid)
            waiting += commit.parents
            if self._blob(commit.oid, key) == blob and (
                commit.is_promotion
                or not any(self._blob(parent, key) == blob for parent in commit.parents)
            ):
                makers.append(commit.oid)
        return makers

    def _blob(self, commit: str, key: str) -> str | None:
        try:
            return self._vault.blob_at(commit, key)
        except StoreDamaged:
            return None

    def knew(
        self, commits: Iterable[str], sources: Mapping[str, Iterable[str]]
    ) -> dict[str, frozenset[str]]:
        """For each of some commits, which of the others are in its history.

        `sources` are commits that a branch's first copy was made from: it knew them and all they
        knew, though the two histories do not meet; and so did all that knew the copy.
        """
        bits = {oid: 1 << number for number, oid in enumerate(commits)}
        ancestors: dict[str, int] = {}
        for commit in self._by_oid.values():
            below = 0
            for parent in commit.parents:
                below |= ancestors.get(parent, 0)
            ancestors[commit.oid] = below | bits.get(commit.oid, 0)
        known = {oid: ancestors[oid] for oid in bits}  # each knows itself, here
        for copy, makers in sorted(sources.items()):
            more = 0
            for maker in makers:
                more |= 0 if known[maker] & bits[copy] else known[maker]
            for oid, known_here in known.items():
                if more and known_here & bits[copy]:
                    known[oid] |= more
        return {
            oid: frozenset(
                other for other, bit in bits.items() if known[oid] & bit and other != oid
            )
            for oid in bits
        }
