"""The versions of a scope's memories, and where the code of each is.

A branch lands piece by piece, goes on, is thrown back to the trunk. So not branches are judged, but
what was learned: each version of each memory speaks of some commit, and has landed where that
commit has, or what took its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from treering.branches.tips import time_of
from treering.git.repository import Repository
from treering.store.history import ChangedMemory, HistoryCommit, list_open
from treering.store.message import KEEP, CodePosition

#: Commits followed down a branch.
MOST_FOLLOWED = 10_000


class MemoryVersion(NamedTuple):
    """One version of a memory."""

    id: str
    blob: str
    #: The memory commit that made it.
    commit: str
    #: The code it speaks of; None where that was not committed yet, as far as is known.
    code: str | None = None
    #: What it was put together from, where no one person made it: it has landed when these have.
    parts: tuple[str, ...] = ()


class ScopeHistory:
    """The history of a scope, out of the commits that were read of all histories."""

    def __init__(
        self,
        repository: Repository,
        commits: Mapping[str, HistoryCommit],
        tip: str,
        last_tips: Sequence[CodePosition] = (),
    ) -> None:
        self._repository = repository
        self._last_tips = tuple(last_tips)
        #: Parents before children, and nothing of what lies behind a promotion.
        self.commits = list_open(commits, tip)
        self._by_oid = commits
        self._tip = tip
        self._first_commits: dict[tuple[CodePosition, str | None], str | None] = {}

    @property
    def oldest(self) -> str:
        """The first of its commits: the same in every clone, and no other scope has it."""
        roots = [c for c in self.commits if not c.parents or c.is_promotion] or self.commits[:1]
        return min((commit.time, commit.oid) for commit in roots)[1] if roots else self._tip

    # --- the code ---------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> tuple[CodePosition, ...]:
        """Return where the code was, with commits of its own, newest first."""
        recorded = (commit.code for commit in reversed(self.commits))
        found = {at.head: at for at in (*self._last_tips, *recorded) if at.has_own_commits}
        return tuple(found.values())

    @property
    def last_code(self) -> CodePosition | None:
        """Return where the code was seen last, after all that was said."""
        newest = max((commit.time for commit in self.commits), default=0)
        later = (at for at in self._last_tips if time_of(self._repository, at.head or "") >= newest)
        return next((at for at in later if at.has_own_commits), None)

    @cached_property
    def _next_elsewhere(self) -> dict[str, str]:
        """Commit -> the next one made on top of it that was made with the code at another place."""
        on_top = {
            parent: commit.oid for commit in reversed(self.commits) for parent in commit.parents
        }
        places: dict[str, str] = {}
        for commit in reversed(self.commits):
            if after := on_top.get(commit.oid):
                is_same = self._by_oid[after].code == commit.code
                places[commit.oid] = places.get(after, "") if is_same else after
        return places

    def code_of(self, commit: HistoryCommit) -> str | None:
        """The code that what a memory commit says is about.

        1 where it was, if the branch had commits of its own and the work tree was clean
        2 else the first commit that was made on top, by the next position that has one
        3 else where it was, if the branch had commits of its own
        4 else none yet
        """
        if commit.is_promotion:
            return commit.merged_as or None
        at = commit.code
        if at.has_own_commits and not at.is_dirty:
            return at.head
        return self._follow(commit) or (at.head if at.has_own_commits else None)

    def _follow(self, commit: HistoryCommit) -> str | None:
        at = commit.code
        for later in self._positions_after(commit):
            if later.head in (at.head, None) or not later.has_own_commits:
                continue  # it did not move, or only with the trunk
            if at.head is None or self._repository.is_ancestor(at.head, later.head or ""):
                key = (later, at.head)
                if key not in self._first_commits:
                    self._first_commits[key] = self._first_on_top(*key)
                return self._first_commits[key]
            return None  # reset or rewritten: what follows is not on top of it
        if at.head is None:  # said when the branch was gone: of what it last was
            return next((tip.head for tip in self._last_tips if tip.has_own_commits), None)
        return None

    def _positions_after(self, commit: HistoryCommit) -> Iterator[CodePosition]:
        oid = self._next_elsewhere.get(commit.oid)
        while oid:
            yield self._by_oid[oid].code
            oid = self._next_elsewhere.get(oid)
        # A branch that was reset since is still known where it had been before.
        yield from (
            at for at in self._last_tips if time_of(self._repository, at.head or "") >= commit.time
        )

    def _first_on_top(self, later: CodePosition, head: str | None) -> str | None:
        """The oldest commit of a position's own that came after `head`."""
        first, limits = None, [limit for limit in (head, later.base) if limit]
        for at in islice(self._repository.first_parents(later.head), MOST_FOLLOWED):
            if any(self._repository.is_ancestor(at, limit) for limit in limits):
                return first
            first = at
        return first

    # --- the memories -----------------------------------------------------------------------------

    def versions(self, changes: Mapping[str, Sequence[ChangedMemory]]) -> Iterator[MemoryVersion]:
        """Every version of every memory, parents before children. Of a join
        that is what it made anew: none of its parents has it."""
        for commit in self.commits:
            is_join = len(commit.parents) > 1 and not commit.is_promotion
            if not (is_join or commit.is_promotion or commit.is_change or commit.op == KEEP):
                continue
            code = None if is_join else self.code_of(commit)
            for change in changes.get(commit.oid, ()):
                parts = tuple(sorted(change.before)) if is_join else ()
                if change.blob and change.blob not in parts:
                    yield MemoryVersion(change.id, change.blob, commit.oid, code, parts)
