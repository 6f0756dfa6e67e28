"""Ancestry, held in memory: what a target took in since a branch left it.

A target is read from its tip down to the oldest commit of its first parents where a branch left it,
and no further: what all of them share is never read. Two hundred branches do not walk the trunk two
hundred times, since most of them left it at a place that is known by then.
"""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from treering.git import log
from treering.git.repository import Repository

#: Most branches meet what is known after a few commits; for the others git walks.
_FEW_COMMITS = 64
#: A target of which so many commits are known is read no further.
_FAR = 50_000


class FirstParents:
    """What a target has above a floor, which is the first commit on its line that was not read.

    Each commit of the line of first parents is followed by those it brought, the newest first; what
    several merges have came with the oldest of them. The floor has the last place, if there is one.
    """

    def __init__(self, tip: str, parents: dict[str, tuple[str, ...]]) -> None:
        self.tip = tip
        self.read(parents)

    def read(self, parents: dict[str, tuple[str, ...]]) -> None:
        """Take in what lies above the new floor, children before parents; commits that the target
        has not are passed over."""
        self.line: dict[str, int] = {}
        at = self.tip
        while at in parents:
            self.line[at] = len(self.line)
            at = next(iter(parents[at]), "")
        self.floor = at  # "" when the line is known down to its root
        came_with: dict[str, int] = {}
        for commit in parents:
            place = self.line.get(commit, came_with.get(commit))
            if place is not None:
                came_with[commit] = place
                for parent in parents[commit]:
                    came_with[parent] = max(place, came_with.get(parent, 0))
        taken_in = (commit for commit in parents if commit in came_with)
        self.commits = sorted(taken_in, key=came_with.__getitem__)
        self.places = {commit: place for place, commit in enumerate(self.commits)}
        if self.floor:
            self.line[self.floor], self.places[self.floor] = len(self.line), len(self.commits)

    def find_merge(self, commit: str) -> str | None:
        """Return the commit of the line that brought a commit, or None where it is not known."""
        if commit in self.line or commit not in self.places:
            return commit if commit in self.line else None
        newer = reversed(self.commits[: self.places[commit]])
        return next(other for other in newer if other in self.line)


class Fork(NamedTuple):
    """The place where a branch and a line part."""

    place: int  # of the newest commit on the line that the branch has
    shared: set[str]  # commits of both that the line took in above that place


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
            self._lines[tip] = FirstParents(tip, {})
        return self._lines[tip]

    def own_commits(self, tip: str, targets: Iterable[str]) -> list[str]:
        """The commits of a branch that no target has, children before parents."""
        sides = [self.beside(tip, self.line(target)) for target in targets]
        if not sides:
            return list(log.read_parents(self._repository.git_dir, [tip]))
        return [commit for commit in sides[0] if all(commit in side for side in sides)]

    def beside(self, tip: str, line: FirstParents) -> dict[str, None]:
        """The commits of a branch that a target lacks, children before parents."""
        key = (tip, line.tip)
        if key not in self._beside:
            own = self._walk(tip, line)
            self._beside[key] = self._compare(tip, line) if own is None else own
        return self._beside[key]

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
            elif commit not in order and commit not in line.places:
                if len(waiting) + len(order) > _FEW_COMMITS or not (
                    parents := self.parents_of(commit)
                ):
                    return None
                waiting.append((commit, True))
                waiting.extend((parent, False) for parent in parents)
        return dict(reversed(order.items()))

    def _compare(self, tip: str, line: FirstParents, seconds: float = 300.0) -> dict[str, None]:
        """The same by git, which tells at once what the target has and the branch lacks."""
        git_dir = self._repository.git_dir
        parents = log.read_parents(git_dir, [f"{line.tip}...{tip}"], seconds=seconds)
        self._parents |= parents
        since = FirstParents(line.tip, parents)
        own = {commit: None for commit in parents if commit not in since.places}
        if not line.commits and (self._list_meetings(own) or {tip}) == {since.floor}:
            line.read(parents)
        elif len(line.commits) < _FAR:
            # The next branch may have left it earlier still: go on, so that few have to ask.
            below = self._repository.first_parents(since.floor)
            floor = next(islice(below, len(line.line), None), "")
            without = [floor] if floor else []
            parents = log.read_parents(git_dir, [line.tip], without=without, seconds=seconds)
            self._parents |= parents
            line.read(parents)
        return own

    def _list_meetings(self, own: dict[str, None]) -> set[str]:
        """The commits of the target that a branch's own ones were built on."""
        parents = {parent for commit in own for parent in self.parents_of(commit) or ()}
        return {one for one in parents - own.keys() if self.parents_of(one) is not None}

    def fork(self, tip: str, line: FirstParents, most: int, seconds: float) -> Fork | None:
        """Return where a branch left a target; None when the target took in more than `most`
        since."""
        fork = self._follow(tip, line)
        if fork.place == len(line.places) and line.floor:
            self._compare(tip, line, seconds)
            fork = self._follow(tip, line)
        is_known = fork.place < len(line.places) or not line.floor
        return fork if is_known and fork.place - len(fork.shared) <= most else None

    def _follow(self, tip: str, line: FirstParents) -> Fork:
        """The newest commit of the line that a branch has, as far as it is known, and the commits
        on the way there that the line took in by merges."""
        beside, place = self.beside(tip, line), len(line.places)
        shared: set[str] = set()
        seen: set[str] = set()
        waiting = [tip]
        while waiting:
            commit = waiting.pop()
            if commit in seen:
                continue
            seen.add(commit)
            if commit in line.line:
                place = min(place, line.places[commit])
            elif commit in line.places or commit in beside:  # else below the floor, and older
                waiting.extend(self.parents_of(commit) or ())
                if commit in line.places:
                    shared.add(commit)
        return Fork(place, shared)

    def base(self, tip: str, line: FirstParents, fork: Fork) -> str | None:
        """The best merge base: the meeting that no other one is newer than."""
        meetings = self._list_meetings(self.beside(tip, line))
        known = [one for one in meetings if line.places.get(one, fork.place + 1) <= fork.place]
        if len(known) == 1:
            return known[0]
        return self._repository.merge_base(tip, line.tip) if meetings else None
