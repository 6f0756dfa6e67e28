"""Histories of one scope made into one.

A file changed in only one of them is taken from there. One changed in several is made anew from
every change it ever had, in all (see replay.py). So the outcome depends on what was changed, and
not on who met whom first.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain
from typing import NamedTuple

from treering.errors import TreeringError
from treering.model import document
from treering.model.memory import Memory
from treering.store.dates import is_possible, limit_date
from treering.store.history import ChangedMemory, HistoryCommit, choose_kept_back, read_promotions
from treering.store.merge.changes import MergeHistory, diff_histories
from treering.store.merge.replay import MemoryStep, is_redacted, merge_ends, replay
from treering.store.vault import Vault

#: Changes of one file that are played again; beyond that it is merged by its ends.
MOST_CHANGES = 1_000


#: Changes of one file, with the commits that made them.
Changes = Sequence[tuple[HistoryCommit, ChangedMemory]]


class MergedMemory(NamedTuple):
    """A merged file: new bytes, a blob there is, or nothing; and what to tell about it."""

    data: bytes | str | None
    notes: tuple[str, ...] = ()


class JoinResult(NamedTuple):
    """The changes that joining heads makes to the tree of a commit."""

    base: str
    documents: dict[str, bytes | str | None]
    ids: tuple[str, ...]  # memories that were changed on several sides
    notes: tuple[str, ...]


class _HeadVersion(NamedTuple):
    """The version a head has at a key, and who changed it since it and the base parted."""

    blob: str
    is_changed_in_base: bool
    is_changed_here: bool


def join(vault: Vault, heads: Collection[str], *, before: str | None = None) -> JoinResult:
    """Work out what heads are together, without writing anything.

    `before` is what some of them, or of what they hold, were together: what no other head has
    stays as it is there.
    """
    tips = sorted(set(heads))
    base = before or tips[0]
    is_join = before is not None and vault.is_join(before)
    before_heads = set(vault.repository.objects.commit(base).parents) if is_join else {base}
    merger = MemoryMerger(vault, tips)
    documents: dict[str, bytes | str | None] = {}
    outcomes: dict[str, MergedMemory] = {}
    root = vault.tree_of(base)
    for key, sides in _gather(vault, base, [tip for tip in tips if tip not in before_heads]):
        there = vault.trees.blob(root, key)
        blobs = {side.blob for side in sides}
        if there is None and len(blobs) == 1:
            documents[key] = sides[0].blob
        elif len(sides) == 1 and not (sides[0].is_changed_in_base and sides[0].is_changed_here):
            if sides[0].is_changed_here:
                documents[key] = sides[0].blob
            elif not sides[0].is_changed_in_base:  # no commit owns up to the difference
                outcomes[key] = merger.by_ends([there, sides[0].blob])
        else:
            outcomes[key] = merger.outcome(key, [there, *sorted(blobs)])
        if key in outcomes and outcomes[key].data != there:
            documents[key] = outcomes[key].data
    for key, blob in _list_kept_back(vault, base, tips, before_heads):
        if (documents[key] if key in documents else vault.trees.blob(root, key)) == blob:
            documents[key] = None
    return JoinResult(
        base,
        documents,
        tuple(outcomes),
        tuple(note for outcome in outcomes.values() for note in outcome.notes),
    )


def _list_kept_back(
    vault: Vault, base: str, tips: Sequence[str], before: Collection[str]
) -> Iterable[tuple[str, str]]:
    """Return what one head says was taken back, where another may still have it. What all of them
    know is gone from all of them, so between two only the commits of one are looked at."""
    new = [tip for tip in tips if tip not in before]
    if len(new) != 1:
        return choose_kept_back(vault, read_promotions(vault, *tips))
    sides = ((base, new[0]), (new[0], base))
    records = (read_promotions(vault, one, without=[other]) for one, other in sides)
    return choose_kept_back(vault, chain.from_iterable(records))


def _gather(
    vault: Vault, base: str, heads: Sequence[str]
) -> Iterator[tuple[str, list[_HeadVersion]]]:
    """The memories of which heads have something else than a base; absence is not a change."""
    sides: dict[str, list[_HeadVersion]] = {}
    for head in heads:
        pairs = vault.trees.ahead(vault.tree_of(base), vault.tree_of(head))
        here: set[str] = set()
        there: set[str] = set()
        if any(all(pair) for pair in pairs.values()):
            there, here = diff_histories(vault, base, head)
        for key, (_, blob) in pairs.items():
            if blob is not None:
                sides.setdefault(key, []).append(_HeadVersion(blob, key in there, key in here))
    yield from sorted(sides.items())


class MemoryMerger:
    """Puts the versions that some tips have together; the tips' history is read when it is first
    needed."""

    def __init__(self, vault: Vault, tips: Sequence[str]) -> None:
        self._vault = vault
        self._tips = tips

    @cached_property
    def _history(self) -> MergeHistory:
        return MergeHistory(self._vault, self._tips)

    def outcome(self, key: str, versions: Sequence[str | None]) -> MergedMemory:
        """A file that several changed: by its whole history, else by its ends."""
        try:
            # In a shallow clone a part of its history may not be here.
            if not any(self._vault.blob_at(commit, key) for commit in self._history.cut):
                changes = self._history.changes(key)
                # Which changes each one knew is a set for each: of many it is their square.
                if changes and len(changes) <= MOST_CHANGES:
                    return self._memory(changes)
        except TreeringError:
            pass  # something of the past cannot be read
        return self.by_ends(versions)

    def _list_sources(self, changes: Changes) -> dict[str, list[str]]:
        """The changes that made what a branch's first copy was copied from, by the copy's commit:
        the histories of two scopes need not meet."""
        makers: dict[str, list[str]] = {}
        for commit, change in changes:
            makers.setdefault(change.blob, []).append(commit.oid)
        return {
            commit.oid: [maker for maker in makers.get(change.before[0], ()) if maker != commit.oid]
            for commit, change in changes
            if change.before
            and not any(self._vault.blob_at(parent, change.id) for parent in commit.parents)
        }

    # --- memories ---------------------------------------------------------------------------------

    def _memory(self, changes: Changes) -> MergedMemory:
        result = replay(self._steps(changes))
        if result.blob or result.memory is None:
            return MergedMemory(result.blob, result.notes)
        return MergedMemory(document.dump(result.memory), result.notes)

    def _steps(self, changes: Changes) -> list[MemoryStep]:
        knew = self._history.knew((c.oid for c, _ in changes), self._list_sources(changes))
        versions = self._versions(changes)
        steps = []
        for commit, change in changes:
            was = change.before[0] if change.before else ""
            after = versions.get(change.blob)
            is_as_written = bool(change.blob) and after == self._vault.memory(change.blob)
            steps.append(
                MemoryStep(
                    commit.oid, self._history.times[commit.oid], commit.op,
                    versions.get(was) or (self._vault.memory(was) if was else None), after,
                    change.blob if is_as_written else None, knew[commit.oid],
                )
            )  # fmt: skip
        return steps

    def _versions(self, changes: Changes) -> dict[str, Memory]:
        """The memory in each blob, modified no later than when the commit that brought it counts
        as made: else a date of 2099 would be carried on by every merge."""
        versions: dict[str, Memory] = {}
        for commit, change in changes:
            if change.blob and change.blob not in versions:
                memory = self._vault.memory(change.blob)
                date = limit_date(memory.modified, self._history.times[commit.oid])
                versions[change.blob] = memory._replace(modified=date)
        return versions

    @cached_property
    def _latest(self) -> int:
        """Return when the latest of the tips counts as made."""
        return max(self._history.times.get(tip, 0) for tip in self._tips)

    def by_ends(self, versions: Sequence[str | None]) -> MergedMemory:
        """The later one wins, then the larger blob id; one that is no memory never does, nor one
        whose date cannot be true."""
        blobs = [blob for blob in dict.fromkeys(versions) if blob]
        readable = {blob: memory for blob in blobs if (memory := self._vault.try_memory(blob))}
        if gone := [blob for blob, memory in readable.items() if is_redacted(memory)]:
            return MergedMemory(min(gone))
        if len(readable) < 2:
            return MergedMemory(next(iter(readable), None) or max(blobs, default=None))
        older, *newer = (
            memory._replace(modified=limit_date(memory.modified, self._latest))
            for blob, memory in sorted(readable.items(), key=lambda pair: self._rank(*pair))
        )
        note = f"{older.id} was merged without its history"
        return MergedMemory(document.dump(reduce(merge_ends, newer, older)), (note,))

    def _rank(self, blob: str, version: Memory) -> tuple[str, str]:
        """Return what a version goes by where only the ends are known."""
        is_true = is_possible(version.modified, self._latest)
        return (version.modified if is_true else "", blob)
