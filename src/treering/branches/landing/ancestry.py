"""Ancestry, held in memory: what a target took in since a branch left it.

A target is listed along its first parents, from its tip down to the oldest place where one of the
branches left it, and no further: what all of them share is never read. Two hundred branches do not
walk the trunk two hundred times, since most of them left it at a place that is known by then.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from treering.git import log
from treering.git.repository import Repository

#: Most branches meet what is known after a few commits; for the others git walks.
_FEW_COMMITS = 64
#: So many commits are the most that are read in one go.
_FAR = 200_000


class FirstParents:
    """A target's history along its first parents, as far down as it is known.

    The tip is at height 0, its first parent at -1, and so on; `floor` is the first commit of which
    nothing is known. A commit that came by a merge has the merge's height.
    """

    def __init__(self, tip: str) -> None:
        self.tip = tip
        self.read(tip, {})

    def read(self, floor: str, parents: dict[str, tuple[str, ...]]) -> None:
        """Take in all that the target has and a commit of its line has not."""
        self._commits: list[str] = []
        at = self.tip
        while at and at != floor:
            self._commits.append(at)
            at = next(iter(parents.get(at, ())), "")
        self.floor = at  # "" when the line is known down to its root
        self._heights = {commit: -number for number, commit in enumerate(self._commits)}
        self._brought: dict[str, list[str]] = {}
        for commit in reversed(self._commits):  # the oldest merge that has a commit brought it
            brought, waiting = [commit], list(parents.get(commit, ())[1:])
            while waiting:
                other = waiting.pop()
                if other in parents and other not in self._heights:
                    self._heights[other] = self._heights[commit]
                    brought.append(other)
                    waiting.extend(parents[other])
            self._brought[commit] = brought
        # How many commits came with the newest ones of the line.
        self._counts = list(accumulate((len(self._brought[c]) for c in self._commits), initial=0))

    @property
    def depth(self) -> int:
        return len(self._commits)

    def at(self, height: int) -> str:
        return self._commits[-height] if -height < self.depth else self.floor

    def height_of(self, commit: str) -> int | None:
        """The height at which the line took a commit in, or None when that is not known."""
        if commit == self.floor:
            return -self.depth
        return self._heights.get(commit)

    def has(self, commit: str) -> bool:
        return self.height_of(commit) is not None

    def is_on(self, commit: str) -> bool:
        """Return whether a commit is one of the line's first parents itself."""
        height = self.height_of(commit)
        return height is not None and self.at(height) == commit

    def newer(self, height: int, *, down_from: int = 0) -> Iterator[tuple[str, list[str]]]:
        """The line's commits above a height, newest first, each with all that it brought."""
        for commit in islice(self._commits, -down_from, max(-down_from, -height)):
            yield commit, self._brought[commit]

    def count_newer(self, height: int) -> int:
        return self._counts[min(-height, self.depth)]


class Fork(NamedTuple):
    """The place where a branch and a line part."""

    height: int  # of the newest commit on the line that the branch has
    shared: set[str]  # commits of both that the line took in above that height
    meetings: list[str]  # commits of the target that the branch's other ones were built on


class Ancestry:
    """The commits of targets, and of branches as far as they were asked for."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._parents: dict[str, tuple[str, ...]] = {}
        self._lines: dict[str, FirstParents] = {}
        self._beside: dict[tuple[str, str], dict[str, None]] = {}

    def parents_of(self, commit: str) -> tuple[str, ...] | None:
        """A commit's parents, or None when it is not in this repository."""
        parents = self._parents.get(commit)
        if parents is None and (parents := self._repository.parents_of(commit)) is not None:
            self._parents[commit] = parents
        return parents

    def line(self, tip: str) -> FirstParents:
        """The line of a target, of which nothing need be known yet."""
        if tip not in self._lines:
            self._lines[tip] = FirstParents(tip)
        return self._lines[tip]

    # --- branches ---------------------------------------------------------------------------------

    def own_commits(self, tip: str, targets: Iterable[str]) -> list[str]:
        """The commits of a branch that no target has, children before parents."""
        sides = [self.beside(tip, self.line(target)) for target in targets]
        if not sides:
            return log.list_commits(self._repository.git_dir, [tip], is_replaced=False)
        first, *others = sides
        return [commit for commit in first if all(commit in other for other in others)]

    def beside(self, tip: str, line: FirstParents) -> dict[str, None]:
        """The commits of a branch that a target lacks, children before parents."""
        key = (tip, line.tip)
        if key not in self._beside:
            own = self._walk(tip, line)
            self._beside[key] = self._compare(tip, line) if own is None else own
        return self._beside[key]

    def _compare(self, tip: str, line: FirstParents, seconds: float = 300.0) -> dict[str, None]:
        """The same by git, which tells at once what the target has and the branch lacks."""
        theirs, own = log.read_sides(self._repository.git_dir, line.tip, tip, seconds=seconds)
        self._parents |= theirs | own
        floor = line.tip
        while floor in theirs:
            floor = next(iter(theirs[floor]), "")
        if line.depth:
            # The next branch may have left it earlier still: go on, so that few have to ask.
            floor = next(islice(self._repository.first_parents(floor), line.depth, None), "")
        elif floor == tip or list(self._list_meetings(own)) == [floor]:
            line.read(floor, theirs)  # all that lies above the floor, then
            return dict.fromkeys(own)
        parents = log.read_parents(
            self._repository.git_dir, [line.tip], without=[floor] if floor else [], most=_FAR,
            seconds=seconds,
        )  # fmt: skip
        if len(parents) < _FAR:
            self._parents |= parents
            line.read(floor, parents)
        return dict.fromkeys(own)

    def _walk(self, tip: str, line: FirstParents) -> dict[str, None] | None:
        """The same without git, if every way down soon meets what is known of the line.

        Who has a known commit below him was either taken in as well, or is not in the target:
        what is known of a line is closed upwards. So no commit on such a way is the target's.
        """
        order: dict[str, None] = {}
        waiting = [(tip, False)]
        while waiting:  # depth first; a commit is done after all that it was built on
            commit, is_left = waiting.pop()
            if is_left:
                order[commit] = None
            elif commit not in order and not line.has(commit):
                if len(waiting) + len(order) > _FEW_COMMITS or not (
                    parents := self.parents_of(commit)
                ):
                    return None
                waiting.append((commit, True))
                waiting.extend((parent, False) for parent in parents)
        return dict(reversed(order.items()))

    def fork(self, tip: str, line: FirstParents, most: int, seconds: float) -> Fork | None:
        """Return where a branch left a target; None when the target took in more than `most`
        since."""
        beside = self.beside(tip, line)
        height, shared = self._follow(tip, beside, line)
        if height is None and line.floor:
            self._compare(tip, line, seconds)
            height, shared = self._follow(tip, beside, line)
        since = -line.depth if height is None else height
        if (height is None and line.floor) or line.count_newer(since) - len(shared) > most:
            return None
        return Fork(since, shared, list(self._list_meetings(beside)))

    def _list_meetings(self, beside: Iterable[str]) -> dict[str, None]:
        """The commits of the target that a branch's own ones were built on."""
        own = dict.fromkeys(beside)
        return {
            parent: None
            for commit in own
            for parent in self.parents_of(commit) or ()
            if parent not in own and self.parents_of(parent) is not None
        }

    def _follow(
        self, tip: str, beside: dict[str, None], line: FirstParents
    ) -> tuple[int | None, set[str]]:
        """The height of the newest commit of the line that a branch has, if that is known.

        With the commits on the way there that the line took in by merges.
        """
        heights, shared, seen = [], set(), set()
        waiting = [tip]
        while waiting:
            commit = waiting.pop()
            if commit in seen:
                continue
            seen.add(commit)
            height = line.height_of(commit)
            if height is not None and line.at(height) == commit:
                heights.append(height)
            elif height is not None or commit in beside:  # else below the floor, and older
                waiting.extend(self.parents_of(commit) or ())
                if height is not None:
                    shared.add(commit)
        return (max(heights) if heights else None), shared

    def base(self, tip: str, line: FirstParents, fork: Fork) -> str | None:
        """The best merge base: the meeting that no other one is newer than."""
        candidates = [
            commit
            for commit in fork.meetings
            if (height := line.height_of(commit)) is not None
            and (height > fork.height or commit == line.at(fork.height))
        ]
        if len(candidates) == 1:
            return candidates[0]
        return self._repository.merge_base(tip, line.tip) if fork.meetings else None
