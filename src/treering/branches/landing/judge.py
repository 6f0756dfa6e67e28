"""Whether a branch's code has landed, as well as git can tell.

A merge keeps the branch's commits; a rebase keeps their patches; a squash keeps their sum, perhaps
with fixes, among lines that go on changing. Each leaves less evidence than the one before, so they
are looked for in this order. When in doubt it has not landed. Nothing is written to the repository.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from treering.branches.landing.ancestry import Ancestry, FirstParents, Fork
from treering.branches.landing.patches import (
    UNKNOWN,
    Patches,
    is_nothing,
)
from treering.errors import TreeringError
from treering.git import log
from treering.git.diff import CommitRange, FileChange
from treering.git.process import TookTooLong, time_left
from treering.git.repository import Repository
from treering.git.trial_merge import TrialMerge


class Target(NamedTuple):
    """Something a branch may have landed in."""

    name: str
    tip: str


class Landing(NamedTuple):
    """What is known of a branch's way into a target."""

    evidence: str  # ancestor, cherry, squash, noop or none
    into: str  # the target's name, "" when it landed in none
    merged_as: str | None  # the target's commit that brought it
    reason: str  # a sentence for people
    is_partial: bool  # some of its commits are there, but not all
    bound: str  # "", or the limit that ended the search early


class Limits(NamedTuple):
    """How far to look for one branch."""

    commits: int = 5000
    seconds: float = 5.0


class TargetView(NamedTuple):
    """A target, as one branch sees it."""

    target: Target
    line: FirstParents
    fork: Fork
    base: str

    def height(self, commit: str) -> int:
        return self.line.height_of(commit) or 0

    def is_newer(self, commit: str) -> bool:
        """Whether the target took a commit in after the branch had left."""
        height = self.line.height_of(commit)
        return height is not None and height > self.fork.height and commit not in self.fork.beside


class Judge:
    """Asks git whether commits have landed.

    It remembers what it learned about the targets, so that judging many branches costs little more
    than judging one. The targets' tips are taken as they are given: a new survey, a new judge.
    """

    def __init__(self, repository: Repository, limits: Limits = Limits()) -> None:  # noqa: B008
        self._repository = repository
        self._limits = limits
        self._lineage = Ancestry(repository)
        self._changes = Patches(repository)
        self._merging = TrialMerge(repository)
        self._read: set[str] = set()  # commits of lines, read with all that they brought

    def own_commits(self, tip: str, targets: Sequence[Target]) -> list[str]:
        """The commits reachable from none of the targets, children before parents."""
        if self._lineage.parents_of(tip) is None:
            return []
        lines = self._lines(targets, time.monotonic() + self._limits.seconds)
        if all(line.is_whole for line in lines):
            return self._lineage.own_commits(tip, lines)
        target_tips = [target.tip for target in self._present(targets)]
        return log.list_commits(
            self._repository.git_dir, [tip], without=target_tips, is_replaced=False
        )

    def landing(self, tip: str, targets: Sequence[Target], *, had_own_commits: bool) -> Landing:
        """How the tip of a branch landed in the first of the targets that shows it.

        1. it is an ancestor, and the branch had commits of its own -> ancestor
        2. each of its commits is there as an equal patch           -> cherry
        3. its whole diff is there as one patch                     -> squash
        4. merging it changed nothing at some commit since          -> noop
        """
        until = time.monotonic() + self._limits.seconds
        try:
            return self._judge(tip, targets, had_own_commits, until)
        except TookTooLong:
            limit = f"{self._limits.seconds:g} seconds"
            return _not_landed(f"Looking for {tip[:12]} took longer than {limit}.", bound=limit)
        except (TreeringError, OSError) as error:  # objects are missing, or git is
            return _not_landed(f"{tip[:12]} could not be compared: {error}")

    def _present(self, targets: Sequence[Target]) -> list[Target]:
        return [target for target in targets if self._lineage.parents_of(target.tip) is not None]

    def _lines(self, targets: Sequence[Target], until: float) -> list[FirstParents]:
        tips = [target.tip for target in self._present(targets)]
        self._lineage.list_targets(tips, time_left(until))
        return [self._lineage.line(tip) for tip in tips]

    def _judge(
        self, tip: str, targets: Sequence[Target], had_own_commits: bool, until: float
    ) -> Landing:
        if self._lineage.parents_of(tip) is None:
            return _not_landed(f"Its tip {tip[:12]} is gone from this repository.")
        if not (present := self._present(targets)):
            return _not_landed("There is nothing here that it could have landed in.")
        lines = self._lines(present, until)
        for target, line in zip(present, lines, strict=True):  # 1
            if line.has(tip) or (
                not line.is_whole and self._repository.is_ancestor(tip, target.tip)
            ):
                return _as_ancestor(tip, target, line, had_own_commits)
        places, why_not = self._places(tip, present, lines)
        if not places:
            return why_not
        inquiry = Inquiry(tip, places, self._changes, self._merging, until)
        limit = ""
        for place in places:
            limit = self._read_target(place, until) or limit
        own = self.own_commits(tip, present)
        return inquiry.answer(self._steps(own), self._merges(own), limit)

    def _places(
        self, tip: str, targets: Sequence[Target], lines: Sequence[FirstParents]
    ) -> tuple[list[TargetView], Landing]:
        """The targets that share history with a branch, and what to say when none does."""
        places = []
        names = _either([target.name for target in targets])
        why_not = _not_landed(f"{tip[:12]} shares no history with {names}.")
        if self._repository.is_shallow:
            why_not = _not_landed(
                f"This clone is shallow: the merge base of {tip[:12]} and {names} is not in it."
            )
        for target, line in zip(targets, lines, strict=True):
            fork = self._lineage.fork(tip, line, self._limits.commits)
            if fork.is_endless:
                limit = f"{self._limits.commits} commits"
                why_not = _not_landed(
                    f"{tip[:12]} left {target.name} more than {limit} ago.", bound=limit
                )
            elif base := self._lineage.base(tip, target.tip, line, fork):
                places.append(TargetView(target, line, fork, base))
        return places, why_not

    def _read_target(self, place: TargetView, until: float) -> str:
        """Read what a target did since the branch left it, newest first; returns the bound met."""
        steps: list[CommitRange] = []
        commits, count, limit = [], 0, ""
        for commit, brought in self._lineage.newer(place.line, place.fork.height):
            count += len(brought)
            if count > self._limits.commits:
                limit = f"{self._limits.commits} commits"
                break
            if commit not in self._read:
                steps += [self._first_step(commit), *self._steps(brought)]
                commits.append(commit)
        self._changes.read_to_find(steps, until)
        self._read.update(commits)
        return limit

    def _steps(self, commits: Iterable[str]) -> list[CommitRange]:
        """What commits with at most one parent did."""
        return [
            self._first_step(commit)
            for commit in commits
            if len(self._lineage.parents_of(commit) or ()) < 2
        ]

    def _first_step(self, commit: str) -> CommitRange:
        return CommitRange(commit, next(iter(self._lineage.parents_of(commit) or ()), ""))

    def _merges(self, commits: Iterable[str]) -> list[str]:
        return [commit for commit in commits if len(self._lineage.parents_of(commit) or ()) > 1]


class Inquiry:
    """One branch, held against the targets it shares history with."""

    def __init__(
        self,
        tip: str,
        places: Sequence[TargetView],
        changes: Patches,
        merging: TrialMerge,
        until: float,
    ) -> None:
        self._tip = tip
        self._places = places
        self._changes = changes
        self._merging = merging
        self._until = until
        self._bound = ""

    def answer(self, own: Sequence[CommitRange], merges: Sequence[str], bound: str) -> Landing:
        wholes = [CommitRange(self._tip, place.base) for place in self._places]
        self._changes.read([*own, *wholes], self._until)
        own = [step for step in own if self._changes.files(step)]  # without empty commits
        wholes = [step for step in wholes if self._changes.files(step)]
        equals = [self._equal_steps([*own, *wholes], place) for place in self._places]
        count = max(len([step for step in own if step in equal]) for equal in equals)
        has_more = self._changes.adds_of_its_own(merges if count else [], self._until)

        landing = (
            (None if has_more else self._as_cherries(own, equals))
            or self._as_squash(equals)
            or self._as_no_op(is_all_read=not bound)
        )
        if landing:
            return landing
        return self._nowhere(own, count, bool(wholes), bound or self._bound)

    def _as_cherries(
        self, own: Sequence[CommitRange], equals: Sequence[dict[CommitRange, str]]
    ) -> Landing | None:
        for place, equal in zip(self._places, equals, strict=True):
            if own and all(step in equal for step in own):
                newest = max((equal[step] for step in own), key=place.height)
                count = "its commit is" if len(own) == 1 else f"each of its {len(own)} commits is"
                return _landing("cherry", place.target, newest, f"{count} there as an equal patch")
        return None

    def _as_squash(self, equals: Sequence[dict[CommitRange, str]]) -> Landing | None:
        for place, equal in zip(self._places, equals, strict=True):
            if commit := equal.get(CommitRange(self._tip, place.base)):
                return _landing(
                    "squash", place.target, commit, "its whole diff is one commit there"
                )
        return None

    def _as_no_op(self, *, is_all_read: bool) -> Landing | None:
        for place in self._places:
            if commit := self._no_op(place, is_all_read=is_all_read):
                reason = "merging it there would change nothing"
                return _landing("noop", place.target, commit, reason)
        return None

    def _nowhere(
        self, own: Sequence[CommitRange], picked: int, has_changes: bool, bound: str
    ) -> Landing:
        names = _either([place.target.name for place in self._places])
        if picked:
            reason = (
                f"Only {picked} of the {len(own)} commits up to {self._tip[:12]} are in {names}."
            )
            return _not_landed(reason, is_partial=True, bound=bound)
        if not has_changes:
            reason = f"The commits up to {self._tip[:12]} cancel out: there is nothing to look for."
            return _not_landed(reason, bound=bound)
        base = self._places[0].base
        reason = f"What {self._tip[:12]} changed since {base[:12]} is not in {names}."
        return _not_landed(reason, bound=bound)

    # --- patches ----------------------------------------------------------------------------------

    def _equal_steps(
        self, steps: Sequence[CommitRange], place: TargetView
    ) -> dict[CommitRange, str]:
        """For each step that a target took too since the branch left: its newest commit there."""
        alike = {
            step: [other for other in self._changes.alike(step) if place.is_newer(other.new)]
            for step in dict.fromkeys(steps)
        }
        unsure = [
            one
            for step, others in alike.items()
            if others
            and all(self._changes.files(step) != self._changes.files(other) for other in others)
            for one in (step, *others)
        ]
        prints = self._changes.fingerprints(unsure, self._until)
        equal: dict[CommitRange, str] = {}
        for step, others in alike.items():
            same = [
                other.new
                for other in others
                if self._changes.are_same(step, other)
                or (step in prints and prints[step] == prints.get(other))
            ]
            if same:
                equal[step] = max(same, key=place.height)
        return equal

    # --- merges -----------------------------------------------------------------------------------

    def _no_op(self, place: TargetView, *, is_all_read: bool) -> str | None:
        """The oldest commit of a target's line into which merging the branch changes nothing."""
        files = self._changes.files(CommitRange(self._tip, place.base))
        starts_at_base = is_all_read and place.line.is_on(place.base)
        now = {file.path: file.old if starts_at_base else UNKNOWN for file in files}
        for step in self._touching(now, place):
            now |= {f.path: f.new for f in self._changes.files(step) if f.path in now}
            if self._is_no_op(step.new, files, now):
                return step.new
        return None

    def _is_no_op(
        self, commit: str, files: Sequence[FileChange], now: Mapping[bytes, bytes]
    ) -> bool:
        """Whether merging the branch into a commit, where its files are as in `now`, is a no-op.

        Most of it is known without trying.
        1. all files are as the branch left them -> yes
        2. one file is as the branch found it    -> no, a merge would change it
        3. one lacks a line that the branch adds -> no, a merge would add it
        4. else                                  -> git has to try
        """
        if all(now[file.path] == file.new for file in files):  # 1
            return True
        if any(now[file.path] == file.old for file in files):  # 2
            return False
        if any(self._changes.lacks_a_line(file, now[file.path]) for file in files):  # 3
            return False
        if not self._merging.is_possible():
            self._bound = "git older than 2.38 cannot try merges"
            return False
        return self._merging.changes_nothing(commit, self._tip, self._until)  # 4

    def _touching(self, wanted: Iterable[bytes], place: TargetView) -> list[CommitRange]:
        """The line's steps since the fork that change one of some files, oldest first.

        Where one of them goes, the files that come with that step may be its new name.
        """
        steps: dict[CommitRange, None] = {}
        waiting = list(wanted)
        paths = set(waiting)
        while waiting:
            path = waiting.pop()
            for step in self._changes.touching(path):
                if step not in steps and place.is_newer(step.new) and place.line.is_on(step.new):
                    steps[step] = None
                    new_names = _new_names(self._changes.files(step), path) - paths
                    paths |= new_names
                    waiting.extend(new_names)
        return sorted(steps, key=lambda step: place.height(step.new))


def _new_names(files: Sequence[FileChange], gone: bytes) -> set[bytes]:
    """The files a step adds, if it takes this one away."""
    if not any(file.path == gone and is_nothing(file.new) for file in files):
        return set()
    return {file.path for file in files if is_nothing(file.old)}


def _as_ancestor(tip: str, target: Target, line: FirstParents, had_own_commits: bool) -> Landing:
    if not had_own_commits:
        return _not_landed(f"It has no commits of its own: {tip[:12]} was made in {target.name}.")
    height = line.height_of(tip)
    merge = None if height is None else line.commits[height]
    reason = "it was fast-forwarded to it" if merge == tip else "its commits are there as they are"
    return _landing("ancestor", target, merge, reason)


def _landing(evidence: str, target: Target, commit: str | None, said: str) -> Landing:
    by = f" by {commit[:12]}" if commit else ""
    reason = f"Landed in {target.name}{by}: {said}."
    return Landing(evidence, target.name, commit, reason, is_partial=False, bound="")


def _not_landed(reason: str, *, is_partial: bool = False, bound: str = "") -> Landing:
    return Landing("none", "", None, reason, is_partial=is_partial, bound=bound)


def _either(names: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(names))
