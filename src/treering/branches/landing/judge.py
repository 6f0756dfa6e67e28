"""The judge of whether a branch's code has landed, as well as git can tell.

A merge keeps the branch's commits; what else may have become of them is looked into in inquiry.py.
When in doubt it has not landed. Nothing of the user's is written: what was learned of the targets
is kept in the derived database, if one is given.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from treering.branches.landing.inquiry import Evidence as Evidence
from treering.branches.landing.inquiry import (
    Inquiry,
    TargetView,
    either,
    tell_landing,
)
from treering.branches.landing.inquiry import Landing as Landing
from treering.branches.landing.inquiry import Target as Target
from treering.branches.landing.lines import TooMuchToRead
from treering.branches.landing.patches import Patches
from treering.derived.database import Database
from treering.errors import TreeringError
from treering.git.ancestry import Ancestry
from treering.git.diff import CommitRange, TrialMerge
from treering.git.process import TookTooLong, time_left
from treering.git.repository import Repository
from treering.store.store import Store


class Limits(NamedTuple):
    """Limits of the work for one branch: the answer does not depend on how busy the machine is.

    The seconds are for a git that never ends. Who meets them is told that nothing is known.
    """

    commits: int = 20_000  # of a target since the branch left it
    megabytes: float = 256  # of files read for their lines
    seconds: float = 300.0


class Judge:
    """Asks git whether commits have landed.

    It remembers what it learned about the targets, so that judging many branches costs little more
    than judging one. The targets' tips are taken as they are given: a new survey, a new judge.
    """

    def __init__(
        self,
        repository: Repository,
        limits: Limits = Limits(),  # noqa: B008
        database: Database | None = None,
    ) -> None:
        self._repository = repository
        self._limits = limits
        self._ancestry = Ancestry(repository)
        self._changes = Patches(repository, database)
        self._merging = TrialMerge(repository)
        self._known_down_to: dict[str, int] = {}  # places of targets, by their tips

    @classmethod
    def open(cls, store: Store) -> "Judge":
        """Return a judge that keeps what it learns in the database of a store."""
        return cls(store.repository, database=Database.of(store))

    def own_commits(self, tip: str, targets: Sequence[Target]) -> list[str]:
        """The commits reachable from none of the targets, children before parents."""
        if self._ancestry.parents_of(tip) is None:
            return []
        return self._ancestry.own_commits(tip, [t.tip for t in self._present(targets)])

    def is_in(self, commit: str, targets: Sequence[Target]) -> bool:
        """Return whether one of the targets has a commit in its history."""
        if self._ancestry.parents_of(commit) is None:
            return False
        lines = [self._ancestry.line(target.tip) for target in self._present(targets)]
        return any(not self._ancestry.beside(commit, line) for line in lines)

    def find_base(self, tip: str, targets: Sequence[Target]) -> str | None:
        """Return where a branch left the target that leaves it the fewest commits of its own.
        Commits that a merge brought there are its own still, if it went on since."""
        if self._ancestry.parents_of(tip) is None or not (present := self._present(targets)):
            return None
        lines = [self._ancestry.line(target.tip) for target in present]
        line = min(lines, key=lambda line: len(self._ancestry.beside(tip, line)))
        try:
            fork = self._ancestry.fork(tip, line, self._limits.commits, self._limits.seconds)
        except TreeringError:
            fork = None
        if fork is None:
            return self._repository.merge_base(tip, line.tip)
        base = self._ancestry.base(tip, line, fork)
        while base and base in line.places and base not in line.line:
            base = next(iter(self._ancestry.parents_of(base) or ()), None)
        return base

    def landing(
        self,
        tip: str,
        targets: Sequence[Target],
        *,
        is_quick: bool = False,
    ) -> Landing:
        """Return how the tip of a branch that had commits of its own landed in the first of the
        targets that shows it.

        1. it is an ancestor                                        -> ancestor
        2. each of its commits is there as an equal patch           -> cherry
        3. its whole diff is there as one patch                     -> squash
        4. merging it changed nothing at some commit since          -> noop
        5. one commit there changes most of the lines it changed    -> lines

        With `is_quick` only what ids of files can tell counts for the fourth, and the last, which
        costs most, is left out.
        """
        return self._within_limits(tip, lambda until: self._judge(tip, targets, is_quick, until))

    def landing_of_commit(
        self, commit: str, targets: Sequence[Target], *, is_quick: bool = False
    ) -> Landing:
        """Return how one commit by itself came into the first of the targets that shows it,
        whatever became of the branch it was made on."""
        return self._within_limits(
            commit, lambda until: self._judge_commit(commit, targets, is_quick, until)
        )

    def _within_limits(self, commit: str, ask: Callable[[float], Landing]) -> Landing:
        self._changes.lines.bytes_left = int(self._limits.megabytes * 1_000_000)
        try:
            return ask(time.monotonic() + self._limits.seconds)
        except TookTooLong:
            bound = f"{self._limits.seconds:g} seconds"
            reason = f"Looking for {commit[:12]} took longer than {bound}."
        except TooMuchToRead:
            bound = f"{self._limits.megabytes:g} MB of files"
            reason = f"Looking for {commit[:12]} takes more than {bound}."
        except (TreeringError, OSError) as error:  # objects are missing, or git is
            bound = "not all of it can be read here"
            reason = f"{commit[:12]} could not be compared: {error}"
        return Landing(reason=reason, bound=bound)

    def _present(self, targets: Sequence[Target]) -> list[Target]:
        return [target for target in targets if self._ancestry.parents_of(target.tip) is not None]

    def _judge(
        self,
        tip: str,
        targets: Sequence[Target],
        is_quick: bool,
        until: float,
    ) -> Landing:
        if self._ancestry.parents_of(tip) is None:
            return Landing(reason=f"Its tip {tip[:12]} is gone from this repository.")
        if not (present := self._present(targets)):
            return Landing(reason="There is nothing here that it could have landed in.")
        for target in present:  # 1
            if not self._ancestry.beside(tip, self._ancestry.line(target.tip)):
                return self._as_ancestor(tip, target, until)
        places, why_not = self._places(tip, present, until)
        if not places:
            return why_not
        own = self.own_commits(tip, present)
        merges = [c for c in own if len(self._ancestry.parents_of(c) or ()) > 1]
        return self._inquire(tip, places, until, is_quick).answer(self._steps(own), merges)

    def _judge_commit(
        self, commit: str, targets: Sequence[Target], is_quick: bool, until: float
    ) -> Landing:
        parents = self._ancestry.parents_of(commit)
        if parents is None or len(parents) != 1:
            return Landing(reason=f"{commit[:12]} cannot be told from what it was built on.")
        places, why_not = self._places(commit, self._present(targets), until)
        if not places:
            return why_not
        alone = [place._replace(base=parents[0]) for place in places]
        inquiry = self._inquire(commit, alone, until, is_quick)
        return inquiry.answer_alone(self._first_step(commit))

    def _inquire(
        self, tip: str, places: Sequence[TargetView], until: float, is_quick: bool
    ) -> Inquiry:
        """Read what targets did since a branch left them, to hold it against that."""
        for place in places:
            line, known = place.line, self._known_down_to.get(place.target.tip, 0)
            new = line.commits[known : place.fork.place]
            on_line = [self._first_step(commit) for commit in new if commit in line.line]
            self._changes.read_to_find([*on_line, *self._steps(new)], until)
            self._known_down_to[place.target.tip] = max(known, place.fork.place)
        step_of = self._first_step
        return Inquiry(tip, places, self._changes, self._merging, step_of, until, is_quick)

    def _as_ancestor(self, tip: str, target: Target, until: float) -> Landing:
        line = self._ancestry.line(target.tip)
        self._ancestry.fork(tip, line, self._limits.commits, time_left(until))
        merge = line.find_merge(tip)
        how = "it was fast-forwarded to it" if merge == tip else "its commits are there as they are"
        return tell_landing("ancestor", target.name, merge, how)

    def _places(
        self, tip: str, targets: Sequence[Target], until: float
    ) -> tuple[list[TargetView], Landing]:
        """The targets that share history with a branch, and what to say when none does."""
        places = []
        names = either([target.name for target in targets])
        why_not = Landing(reason=f"{tip[:12]} shares no history with {names}.")
        if self._repository.is_shallow:
            reason = f"the merge base of {tip[:12]} and {names} is not in it."
            why_not = Landing(reason=f"This clone is shallow: {reason}", bound="a shallow clone")
        for target in targets:
            line = self._ancestry.line(target.tip)
            fork = self._ancestry.fork(tip, line, self._limits.commits, time_left(until))
            if fork is None:
                bound = f"{self._limits.commits} commits"
                reason = f"{target.name} took in more than {bound} since {tip[:12]} left it."
                why_not = Landing(reason=reason, bound=bound)
            elif base := self._ancestry.base(tip, line, fork):
                places.append(TargetView(target, line, fork, base))
        return places, why_not

    def _steps(self, commits: Iterable[str]) -> list[CommitRange]:
        """Return what commits with at most one parent did."""
        return [
            self._first_step(commit)
            for commit in commits
            if len(self._ancestry.parents_of(commit) or ()) < 2
        ]

    def _first_step(self, commit: str) -> CommitRange:
        return CommitRange(commit, next(iter(self._ancestry.parents_of(commit) or ()), ""))
