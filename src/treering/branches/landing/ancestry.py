"""Ancestry, held in memory: what a target's history is made of, and where a branch left it.

git answers each such question by walking the trunk anew, which two hundred branches cannot afford.
Here the targets' commits are listed once, and a branch's own commits are read one by one until they
meet them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treering.git import log
from treering.git.binding import GitError
from treering.git.repository import Repository

# Ids and parents of this many commits fit in a few megabytes and are listed in half a second.
KNOWN = 50_000


class FirstParents:
    """A target's history along its first parents; a commit's height counts from the oldest one.

    A line that grows out of another keeps what lies above the joint only.
    """

    def __init__(self, below: "FirstParents | None", joint: int, *, is_whole: bool) -> None:
        self.commits: list[str] = below.commits[: joint + 1] if below else []
        self.is_whole = is_whole  # or its beginning lies further back than is known
        self._below, self._joint = below, joint
        self._heights: dict[str, int] = {}

    def height_of(self, commit: str) -> int | None:
        """The height at which the line took a commit in, or None when it never did."""
        if (height := self._heights.get(commit)) is not None:
            return height
        height = self._below.height_of(commit) if self._below else None
        return height if height is not None and height <= self._joint else None

    def has(self, commit: str) -> bool:
        return self.height_of(commit) is not None

    def is_on(self, commit: str) -> bool:
        """Whether a commit is one of the line's first parents itself."""
        height = self.height_of(commit)
        return height is not None and self.commits[height] == commit

    def add(self, commit: str) -> None:
        self._heights[commit] = len(self.commits)
        self.commits.append(commit)

    def take_in(self, commit: str) -> None:
        """Count a commit as brought by the newest one of the line."""
        self._heights[commit] = len(self.commits) - 1


class Fork(NamedTuple):
    """Where a branch and a line part."""

    beside: set[str]  # the branch's history down to the line
    height: int  # of the newest commit on the line that the branch has; -1 when there is none
    meetings: list[str]  # commits of the target that the branch's own ones were built on
    is_cut: bool  # a commit of it is missing here
    is_endless: bool  # given up before the line was met


class Ancestry:
    """The commits of targets, and of branches as far as they were asked for."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._parents: dict[str, tuple[str, ...]] = {}
        self._lines: dict[str, FirstParents] = {}
        self._line_through: dict[str, FirstParents] = {}
        self._brought: dict[str, list[str]] = {}
        self._is_listed_in_full = True

    def parents_of(self, commit: str) -> tuple[str, ...] | None:
        """A commit's parents, or None when it is not in this repository."""
        if commit in self._parents:
            return self._parents[commit]
        try:
            entry = self._repository.handle.look_up(commit)
            parents = tuple(str(parent) for parent in entry.parent_ids)
        except (KeyError, ValueError, AttributeError, GitError, OSError):
            return None
        self._parents[commit] = parents
        return parents

    # --- targets ----------------------------------------------------------------------------------

    def list_targets(self, tips: Sequence[str], seconds: float) -> None:
        """List the history of every tip that is new, newest first, in one go."""
        new = [tip for tip in dict.fromkeys(tips) if tip not in self._lines]
        if not new:
            return
        parents = log.read_parents(
            self._repository.git_dir, new, without=self._lines, most=KNOWN, seconds=seconds
        )
        self._parents |= parents
        self._is_listed_in_full = self._is_listed_in_full and len(parents) < KNOWN
        for tip in new:
            self._lines[tip] = self._draw(tip)

    def line(self, tip: str) -> FirstParents:
        """The line of a target that was listed."""
        return self._lines[tip]

    def _draw(self, tip: str) -> FirstParents:
        upper, at = [], tip
        while at not in self._line_through and at in self._parents:
            upper.append(at)
            at = next(iter(self._parents[at]), "")
        below = self._line_through.get(at)
        joint = (below.height_of(at) if below else None) or 0
        is_whole = below.is_whole if below else self._is_listed_in_full
        line = FirstParents(below, joint, is_whole=is_whole)
        for commit in reversed(upper):
            line.add(commit)
            self._line_through[commit] = line
            self._brought[commit] = [commit, *self._merged_commits(line, commit)]
        return line

    def _merged_commits(self, line: FirstParents, merge: str) -> Iterator[str]:
        """The commits a merge brought to the line by its other parents."""
        waiting = list(self._parents[merge][1:])
        while waiting:
            commit = waiting.pop()
            if commit in self._parents and not line.has(commit):
                line.take_in(commit)
                yield commit
                waiting.extend(self._parents[commit])

    def newer(self, line: FirstParents, height: int) -> Iterator[tuple[str, list[str]]]:
        """The line's commits above a height, newest first, each with all that it brought."""
        for at in range(len(line.commits) - 1, height, -1):
            yield line.commits[at], self._brought[line.commits[at]]

    # --- branches ---------------------------------------------------------------------------------

    def own_commits(self, tip: str, lines: Iterable[FirstParents]) -> list[str]:
        """The commits of a branch that no line has, children before parents."""
        targets = list(lines)
        order: dict[str, None] = {}
        waiting = [(tip, False)]
        while waiting:  # depth first; a commit is done after all that it was built on
            commit, is_left = waiting.pop()
            if is_left:
                order[commit] = None
            elif commit not in order and not any(line.has(commit) for line in targets):
                waiting.append((commit, True))
                waiting.extend((parent, False) for parent in self.parents_of(commit) or ())
        return list(reversed(order))

    def fork(self, tip: str, line: FirstParents, most: int) -> Fork:
        """Follow a branch down to a line, through `most` commits at the most."""
        beside: set[str] = set()
        meetings: dict[str, None] = {}
        top, is_cut, waiting = -1, False, [tip]
        while waiting and len(beside) <= most:
            commit = waiting.pop()
            height = line.height_of(commit)
            if height is not None and line.commits[height] == commit:
                top = max(top, height)
            elif commit not in beside:
                beside.add(commit)
                parents = self.parents_of(commit)
                is_cut = is_cut or parents is None
                waiting.extend(parents or ())
                if height is None:
                    meetings |= {parent: None for parent in parents or () if line.has(parent)}
        return Fork(beside, top, list(meetings), is_cut, is_endless=bool(waiting))

    def base(self, tip: str, target: str, line: FirstParents, fork: Fork) -> str | None:
        """The best merge base: the meeting that no other one is newer than."""
        candidates = [
            commit
            for commit in fork.meetings
            if commit == line.commits[fork.height] or (line.height_of(commit) or 0) > fork.height
        ]
        if len(candidates) == 1:
            return candidates[0]
        return self._repository.merge_base(tip, target) if candidates else None
