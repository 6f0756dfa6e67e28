"""The versions of a scope's memories, and where the code of each is.

A branch lands piece by piece, goes on, is thrown back to the trunk. So not branches are judged, but
what was learned: each version of each memory speaks of some commit, and has landed where that
commit has, or what took its place.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.store import message
from treering.store.message import CodePosition, Message
from treering.store.tree_diff import KEEP, CommitTable, MemoryCommit, differing, tree_of
from treering.store.vault import Vault

#: Commits followed down a branch to find the first one made on top of another.
_MOST_FOLLOWED = 10_000


class MemoryVersion(NamedTuple):
    """One version of a memory, prompt or template."""

    path: str
    blob: str
    #: The memory commit that made it.
    commit: str
    #: The code it speaks of; None where that was not committed yet, as far as is known.
    code: str | None = None
    #: What it was put together from, where no one person made it: it has landed when these have.
    parts: tuple[str, ...] = ()


class ScopeHistory:
    """What the commits of a scope tell."""

    def __init__(
        self,
        repository: Repository,
        vault: Vault,
        tip: str,
        last_tips: Sequence[CodePosition] = (),
        table: CommitTable | None = None,
    ) -> None:
        self._repository = repository
        self._vault = vault
        self._last_tips = tuple(last_tips)
        #: Parents before children, and nothing of what lies behind a promotion.
        self.commits = (table or CommitTable(vault, [tip])).list_open(tip)
        self._said = {c.oid: message.read(c.body.decode(errors="replace")) for c in self.commits}

    @property
    def oldest(self) -> str:
        """The first of its commits: the same in every clone, and no other scope has it."""
        roots = [commit for commit in self.commits if not commit.parents or commit.is_promotion]
        first = min(roots, key=lambda commit: (commit.time, commit.oid), default=self.commits[0])
        return first.oid

    # --- the code ---------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> tuple[CodePosition, ...]:
        """Where the code was, with commits of its own, newest first."""
        recorded = (self._said[commit.oid].code for commit in reversed(self.commits))
        found = {at.head: at for at in (*self._last_tips, *recorded) if at.has_own_commits}
        return tuple(found.values())

    @cached_property
    def _next(self) -> dict[str, str]:
        """Commit -> the one that was made on top of it."""
        return {
            parent: commit.oid for commit in reversed(self.commits) for parent in commit.parents
        }

    def code_of(self, commit: str) -> str | None:
        """The code that what a memory commit says is about.

        1 where it was, if the branch had commits of its own and the work tree was clean
        2 else the first commit that was made on top, by the next position that has one
        3 else where it was, if the branch had commits of its own
        4 else none yet
        """
        said = self._said[commit]
        if said.is_promotion:
            return said.merged_as or None
        at = said.code
        if at.has_own_commits and not at.is_dirty:
            return at.head
        return self._follow(commit, at) or (at.head if at.has_own_commits else None)

    def _follow(self, commit: str, at: CodePosition) -> str | None:
        for later in self._positions_after(commit):
            if later.head in (at.head, None) or not later.has_own_commits:
                continue  # it did not move, or only with the trunk
            if at.head is None or self._repository.is_ancestor(at.head, later.head or ""):
                return self._first_on_top(later, at.head)
            return None  # reset or rewritten: what follows is not on top of it
        if at.head is None:  # said when the branch was gone: of what it last was
            return next((tip.head for tip in self._last_tips if tip.has_own_commits), None)
        return None

    def _positions_after(self, commit: str) -> Iterator[CodePosition]:
        oid = self._next.get(commit)
        while oid:
            yield self._said[oid].code
            oid = self._next.get(oid)
        # A branch that was reset since is still known where it had been before.
        said_at = self._vault.repository.objects.commit(commit).time
        yield from (at for at in self._last_tips if self._time_of(at) >= said_at)

    def _time_of(self, at: CodePosition) -> int:
        try:
            return self._repository.objects.commit(at.head or "").time
        except (StoreDamaged, ValueError):
            return 0

    def _first_on_top(self, later: CodePosition, head: str | None) -> str | None:
        """The oldest commit of a position's own that came after `head`."""
        at, first = later.head, None
        for _ in range(_MOST_FOLLOWED):
            if at is None or at in (head, later.base):
                return first
            if (head and self._repository.is_ancestor(at, head)) or (
                later.base and self._repository.is_ancestor(at, later.base)
            ):
                return first
            first = at
            try:
                parents = self._repository.objects.commit(at).parents
            except StoreDamaged:
                return first
            at = parents[0] if parents else None
        return first

    # --- the memories -----------------------------------------------------------------------------

    def versions(self) -> Iterator[MemoryVersion]:
        """Every version of every memory, prompt and template, parents before children."""
        for commit in self.commits:
            said = self._said[commit.oid]
            if said.is_promotion:
                yield from self._taken(commit, said)
            elif len(commit.parents) > 1:
                yield from self._put_together(commit)
            elif commit.is_change or commit.op == KEEP:
                yield from self._changed(commit)

    def _taken(self, commit: MemoryCommit, said: Message) -> Iterator[MemoryVersion]:
        for path, blob in list_files(self._vault, commit.oid):
            yield MemoryVersion(path, blob, commit.oid, said.merged_as or None)

    def _changed(self, commit: MemoryCommit) -> Iterator[MemoryVersion]:
        code = self.code_of(commit.oid)
        before = tree_of(self._vault, commit.parents[0]) if commit.parents else None
        for path, (_, blob) in differing(
            self._vault, before, tree_of(self._vault, commit.oid)
        ).items():
            if blob:
                yield MemoryVersion(path, blob, commit.oid, code)

    def _put_together(self, commit: MemoryCommit) -> Iterator[MemoryVersion]:
        """What a join made anew: none of its parents has it."""
        root = tree_of(self._vault, commit.oid)
        sides = [differing(self._vault, tree_of(self._vault, p), root) for p in commit.parents]
        for path in set.intersection(*(set(side) for side in sides)):
            blob, parts = sides[0][path][1], {side[path][0] for side in sides} - {None}
            if blob and blob not in parts:
                yield MemoryVersion(
                    path, blob, commit.oid, None, tuple(sorted(filter(None, parts)))
                )


def list_files(vault: Vault, commit: str) -> list[tuple[str, str]]:
    """All files of ours in the tree of a commit."""
    return [
        (path, blob)
        for path, (_, blob) in differing(vault, None, tree_of(vault, commit)).items()
        if blob
    ]
