"""The change commits of histories: who changed which memory, and who knew of what.

Merges and promotions are no changes: they only put together what others changed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from treering.errors import StoreDamaged
from treering.git import log
from treering.store import layout, message
from treering.store.dates import judge_times
from treering.store.news import list_below
from treering.store.trees import Pairs
from treering.store.vault import JOIN, Vault

#: What a commit says that puts back what others left out.
KEEP = "keep"
#: Operations that carry what others changed, or change nothing.
CARRYING = (JOIN, KEEP, message.PROMOTE, message.NOTE)
#: A longer message is none of ours; its commit is looked at by its tree.
_LONGEST_MESSAGE = 64 * 1024
_NAMED = rb"^Treering-Memory: ([0-9a-z]{12})$"


class MemoryCommit(log.LogCommit):
    """A commit as the log tells it, and what it says of memories."""

    __slots__ = ()

    @property
    def op(self) -> str:
        words = re.findall(rb"^Treering-Op: ([\w-]+)$", self.body[-_LONGEST_MESSAGE:], re.MULTILINE)
        return words[-1].decode() if words else ""

    @property
    def is_change(self) -> bool:
        return len(self.parents) < 2 and self.op not in CARRYING

    @property
    def is_promotion(self) -> bool:
        """Whether its tree is what it took from its parents, and nothing else."""
        return self.op == message.PROMOTE and b"\nPromoted-Into: " in self.body

    @property
    def named(self) -> frozenset[str] | None:
        """The memories it says it changed; None where only its tree can tell."""
        if len(self.body) > _LONGEST_MESSAGE or not self.op:
            return None
        ids = frozenset(name.decode() for name in re.findall(_NAMED, self.body, re.MULTILINE))
        return ids or None


def read_log(
    vault: Vault, revisions: Iterable[str], *, without: Iterable[str] = ()
) -> Iterator[MemoryCommit]:
    """The commits of some revisions and not of others, parents before their children."""
    folder = vault.repository.common_dir
    commits = log.read_log(folder, revisions, without=without, is_oldest_first=True)
    return map(MemoryCommit._make, commits)


class CommitTable:
    """The histories of some tips, read at once."""

    def __init__(self, vault: Vault, tips: Iterable[str]) -> None:
        self._by_oid = {commit.oid: commit for commit in read_log(vault, tips)}
        self._places = {oid: place for place, oid in enumerate(self._by_oid)}

    def list_open(self, tip: str) -> list[MemoryCommit]:
        """What a tip reaches without going through a promotion, parents before their children: what
        lies behind one is another scope's."""
        reached: set[str] = set()
        waiting = [tip]
        while waiting:
            commit = self._by_oid.get(waiting.pop())
            if commit and commit.oid not in reached:
                reached.add(commit.oid)
                waiting += () if commit.is_promotion else commit.parents
        return [self._by_oid[oid] for oid in sorted(reached, key=self._places.__getitem__)]


def diff_histories(vault: Vault, one: str, other: str) -> tuple[set[str], set[str]]:
    """The files that were changed in each of two histories and not in the other.

    What a promotion brings back from where both have been counts as changed in both: it may be
    older than what is there, and only the whole history tells.
    """
    commits = list(read_log(vault, [f"{one}...{other}"]))
    returned = _list_returned(vault, commits)
    return (
        returned | _list_changed_paths(vault, (commit for commit in commits if commit.is_left)),
        returned | _list_changed_paths(vault, (commit for commit in commits if not commit.is_left)),
    )


def _list_returned(vault: Vault, commits: Sequence[MemoryCommit]) -> set[str]:
    """The files of promotions among some commits that lead to commits below these."""
    graph = {commit.oid: commit.parents for commit in commits}
    trees = (
        tree_of(vault, commit.oid)
        for commit in commits
        if commit.is_promotion and list_below(graph, commit.oid)
    )
    return {path for tree in trees for path in differing(vault, None, tree)}


def _list_changed_paths(vault: Vault, commits: Iterator[MemoryCommit]) -> set[str]:
    """The files that the change commits among these changed."""
    paths: set[str] = set()
    for commit in commits:
        if not commit.is_change:
            continue
        if (ids := commit.named) is not None:
            paths |= {layout.path_of(memory_id) for memory_id in ids}
        else:
            paths |= _by_tree(vault, commit)
    return paths


def _by_tree(vault: Vault, commit: MemoryCommit) -> set[str]:
    try:
        now = tree_of(vault, commit.oid)
        before = tree_of(vault, commit.parents[0]) if commit.parents else None
        return set(differing(vault, before, now))
    except StoreDamaged:
        return set()


def tree_of(vault: Vault, commit: str) -> str:
    return vault.repository.objects.commit(commit).tree


def differing(vault: Vault, one: str | None, other: str | None) -> Pairs:
    """Files of ours that two trees do not share."""
    return vault.trees.differing(one, other)


def count_changes(vault: Vault, before: str | None, now: str) -> int:
    """How many files two commits do not share; none where that cannot be read."""
    try:
        old = tree_of(vault, before) if before else None
        return len(differing(vault, old, tree_of(vault, now)))
    except StoreDamaged:
        return 0


def shallow_commits(vault: Vault) -> frozenset[str]:
    """Where the history of a shallow clone was cut off."""
    try:
        text = (vault.repository.common_dir / "shallow").read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return frozenset()
    return frozenset(text.split())


class MergeHistory:
    """Everything that some tips were made of, read at once: a merge that needs it needs all."""

    def __init__(self, vault: Vault, tips: Sequence[str]) -> None:
        self._vault = vault
        self._tips = tuple(dict.fromkeys(tips))
        self.commits = list(read_log(vault, self._tips))

    @cached_property
    def cut(self) -> frozenset[str]:
        """Commits whose parents are not here, in a shallow clone."""
        return shallow_commits(self._vault) & {commit.oid for commit in self.commits}

    @cached_property
    def _by_oid(self) -> dict[str, MemoryCommit]:
        return {commit.oid: commit for commit in self.commits}

    @cached_property
    def _by_path(self) -> dict[str, list[MemoryCommit]]:
        commits: dict[str, list[MemoryCommit]] = {}
        for commit in self.commits:
            if commit.is_change:
                ids = commit.named
                paths = map(layout.path_of, ids) if ids else _by_tree(self._vault, commit)
                for path in paths:
                    commits.setdefault(path, []).append(commit)
        return commits

    @cached_property
    def _has_promotions(self) -> bool:
        return any(commit.is_promotion for commit in self.commits)

    @cached_property
    def times(self) -> dict[str, int]:
        """When each commit counts as made."""
        return judge_times(self.commits, self._vault.clock())

    def changes(self, path: str) -> list[MemoryCommit]:
        """The commits that changed a file, and count.

        Behind a promotion only those count that led to the version it took: what it left behind
        has not landed. A version whose making is not known counts as made by the promotion.
        """
        if not self._has_promotions:
            return self._by_path.get(path, [])
        counting = self._list_counting(path)
        return [commit for commit in self.commits if commit.oid in counting]

    def _list_counting(self, path: str) -> set[str]:
        """The changes of a file reached from the tips, and promotions that stand for one."""
        touching = {commit.oid for commit in self._by_path.get(path, [])}
        counting: set[str] = set()
        seen: set[str] = set()
        waiting = list(self._tips)
        while waiting:
            commit = self._by_oid.get(waiting.pop())
            if commit is None or commit.oid in seen:
                continue
            seen.add(commit.oid)
            if not commit.is_promotion:
                counting |= {commit.oid} & touching
                waiting += commit.parents
            elif blob := self._blob(commit.oid, path):
                makers = self._list_makers(path, blob, commit)
                waiting += makers
                counting |= set() if makers else {commit.oid}
        return counting

    def _list_makers(self, path: str, blob: str, promotion: MemoryCommit) -> list[str]:
        """The commits behind a promotion that made a version: changed the file to it, put it
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
            if self._blob(commit.oid, path) == blob and (
                commit.is_promotion
                or not any(self._blob(parent, path) == blob for parent in commit.parents)
            ):
                makers.append(commit.oid)
        return makers

    def _blob(self, commit: str, path: str) -> str | None:
        try:
            return self._vault.file_at(commit, path)
        except StoreDamaged:
            return None

    def knew(self, commits: Sequence[MemoryCommit]) -> dict[str, frozenset[str]]:
        """For each of some commits, which of the others are in its history."""
        bits = {commit.oid: 1 << number for number, commit in enumerate(commits)}
        ancestors: dict[str, int] = {}
        for commit in self.commits:
            below = 0
            for parent in commit.parents:
                below |= ancestors.get(parent, 0)
            ancestors[commit.oid] = below | bits.get(commit.oid, 0)
        return {
            commit.oid: frozenset(
                oid
                for oid, bit in bits.items()
                if ancestors[commit.oid] & bit and oid != commit.oid
            )
            for commit in commits
        }

    def bases(self, commit: MemoryCommit) -> dict[str, str]:
        """The blobs a commit's overlay copies were made from."""
        if b"Treering-Base: " not in commit.body:
            return {}
        return dict(message.read(commit.body.decode(errors="replace")).bases)
