"""One branch, held against the targets it shares history with.

A rebase keeps the patches of its commits, a squash keeps their sum, perhaps with fixes, among lines
that go on changing. Each leaves less evidence than the one before, so they are looked for in this
order. The last test is graded: most of its lines in one step of a target is a landing, some of them
is a doubt.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from treering.branches.landing.lines import BranchLines, Lines, Share, add_up
from treering.branches.landing.patches import Patches
from treering.git.ancestry import FirstParents, Fork
from treering.git.diff import CommitRange, FileChange, TrialMerge

#: By what a landing is known. `lines` is the only one that is graded. `rewritten` is said of code
#: that was amended or rebased before it landed, `lessons` of failed attempts that are kept.
Evidence = Literal["ancestor", "cherry", "squash", "noop", "lines", "rewritten", "lessons", "none"]


class Target(NamedTuple):
    """Something a branch may have landed in."""

    name: str
    tip: str


class Landing(NamedTuple):
    """The evidence of a branch's way into a target."""

    evidence: Evidence = "none"
    into: str = ""  # the target's name, "" when it landed in none
    merged_as: str | None = None  # the target's commit that brought it
    reason: str = ""  # a sentence for people
    is_partial: bool = False  # some of it is there, but not all, or not all as it was
    bound: str = ""  # or the limit that ended the search early
    picked: int = 0  # of a part: how many of its commits are there as equal patches


def tell_landing(evidence: Evidence, target: str, commit: str | None, how: str) -> Landing:
    by = f" by {commit[:12]}" if commit else ""
    reason = f"Landed in {target}{by}: {how}."
    return Landing(evidence, target, commit, reason)


def either(names: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(names))


#: Shares of a branch's lines in one step of a target. Tuned on one half of the histories that
#: `python -m benchmarks landing --histories` is given, and shown on the other.
_PROMOTES = 0.8
_DOUBTFUL = 0.3
#: The least that each commit of its own must have there of what is left of it.
_OF_EACH_COMMIT = 0.34
#: As good as a doubt: so much of it in all steps together.
_DOUBTFUL_TOGETHER = 0.8
_FEWEST_LINES = 3
#: A branch of so few lines may be known by its words, well enough for a doubt.
_FEW_LINES = 5
_DOUBTFUL_WORDS = 0.6
#: Work on one branch: merges tried, and steps of a target whose lines are read.
_MOST_MERGES = 12
_MOST_STEPS = 400


class TargetView(NamedTuple):
    """A target, as one branch sees it."""

    target: Target
    line: FirstParents
    fork: Fork
    base: str

    def place(self, commit: str) -> int:
        """Return a number by which the target's commits are ordered, the newest first."""
        return self.line.places.get(commit, self.fork.place)

    def is_newer(self, commit: str) -> bool:
        """Return whether the target took a commit in after the branch had left."""
        return self.place(commit) < self.fork.place and commit not in self.fork.shared


class Graded(NamedTuple):
    """The step of a target that has most of a branch's lines."""

    place: TargetView
    step: CommitRange
    share: Share
    together: Share  # in all steps that were read
    words: Share  # the most words that one step has, of a branch of few lines
    is_sound: bool  # there are enough lines, and no commit and no file of the branch is missing


class Inquiry:
    """The questions in their order, for one branch."""

    def __init__(
        self,
        tip: str,
        places: Sequence[TargetView],
        changes: Patches,
        merging: TrialMerge,
        step_of: Callable[[str], CommitRange],
        until: float,
        is_quick: bool,
    ) -> None:
        self._tip = tip
        self._places = places
        self._changes = changes
        self._merging = merging
        self._step_of = step_of
        self._until = until
        self._merges_left = _MOST_MERGES
        self._is_quick = is_quick
        self._bound = ""

    def answer(self, own: Sequence[CommitRange], merges: Sequence[str]) -> Landing:
        wholes = [CommitRange(self._tip, place.base) for place in self._places]
        self._changes.read([*own, *wholes], self._until)
        own = [step for step in own if self._changes.files(step)]  # without empty commits
        wholes = [step for step in wholes if self._changes.files(step)]
        equals = [self.equal_steps([*own, *wholes], place) for place in self._places]
        picked = max(len([step for step in own if step in equal]) for equal in equals)
        has_more = self._changes.adds_of_its_own(merges if picked else [], self._until)

        landing = (
            (None if has_more else self._as_cherries(own, equals))
            or self._as_squash(equals)
            or self._as_no_op(own)
        )
        if landing:
            return landing
        if picked:
            are = "is" if picked == 1 else "are"
            some = f"Only {picked} of the {len(own)} commits up to {self._tip[:12]} {are}"
            reason = f"{some} in {self._names}."
            return Landing(reason=reason, is_partial=True, bound=self._bound, picked=picked)
        by_lines = None if self._is_quick else self._by_lines(own, wholes)
        return by_lines or self._nowhere(bool(wholes))

    def answer_alone(self, step: CommitRange) -> Landing:
        """One commit by itself: an equal patch is a landing, most of its lines only a doubt."""
        self._changes.read([step], self._until)
        for place in self._places:
            if commit := self.equal_steps([step], place).get(step):
                return tell_cherries(place.target, commit, 1)
        if self._is_quick or not self._changes.files(step):
            return self._nowhere(has_changes=self._is_quick)
        landing = self._by_lines([step], [step])
        if landing and landing.evidence != "none":
            return Landing(reason=landing.reason, is_partial=True)
        return landing or self._nowhere(has_changes=True)

    def _as_cherries(
        self, own: Sequence[CommitRange], equals: Sequence[dict[CommitRange, str]]
    ) -> Landing | None:
        for place, equal in zip(self._places, equals, strict=True):
            if own and all(step in equal for step in own):
                newest = min((equal[step] for step in own), key=place.place)
                return tell_cherries(place.target, newest, len(own))
        return None

    def _as_squash(self, equals: Sequence[dict[CommitRange, str]]) -> Landing | None:
        for place, equal in zip(self._places, equals, strict=True):
            if commit := equal.get(CommitRange(self._tip, place.base)):
                how = "its whole diff is one commit there"
                return tell_landing("squash", place.target.name, commit, how)
        return None

    def _as_no_op(self, own: Sequence[CommitRange]) -> Landing | None:
        for place in self._places:
            commit = self._no_op(place)
            if commit and self._brings_each(own, place, commit):
                how = "merging it there would change nothing"
                return tell_landing("noop", place.target.name, commit, how)
        return None

    def _nowhere(self, has_changes: bool) -> Landing:
        tip, base = self._tip[:12], self._places[0].base[:12]
        reason = f"What {tip} changed since {base} is not in {self._names}."
        if not has_changes:
            reason = f"The commits up to {tip} cancel out: there is nothing to look for."
        return Landing(reason=reason, bound=self._bound)

    @property
    def _names(self) -> str:
        return either([place.target.name for place in self._places])

    # --- patches ----------------------------------------------------------------------------------

    def equal_steps(
        self, steps: Sequence[CommitRange], place: TargetView
    ) -> dict[CommitRange, str]:
        """For each step that a target took too since the branch left: its newest commit there."""
        equal: dict[CommitRange, str] = {}
        vague: dict[CommitRange, list[CommitRange]] = {}
        for step in dict.fromkeys(steps):
            others = self._alike(step, place)
            files = self._changes.files(step)
            same = [other.new for other in others if self._changes.files(other) == files]
            if not same and others:
                lines = self._changes.lines_hash(step)
                if lines is None:
                    vague[step] = others
                else:
                    hashes = self._changes.lines_hashes(others)
                    same = [other.new for other, found in hashes.items() if found == lines]
            if same:
                equal[step] = min(same, key=place.place)
        asked = [one for step, others in vague.items() for one in (step, *others)]
        prints = self._changes.fingerprints(asked, self._until)
        for step, others in vague.items():
            if same := [other.new for other in others if prints[other] == prints[step]]:
                equal[step] = min(same, key=place.place)
        return equal

    def _alike(self, step: CommitRange, place: TargetView) -> list[CommitRange]:
        """The steps of a target since the fork that change the same files: no other is equal."""
        common: set[str] | None = None
        for file in self._changes.files(step):
            here = {
                commit for commit in self._changes.touching(file.path) if place.is_newer(commit)
            }
            common = here if common is None else common & here
            if not common:
                return []
        others = [self._step_of(commit) for commit in common or ()]
        self._changes.load(others, self._until)
        shape = self._changes.shape(step)
        return [other for other in others if self._changes.shape(other) == shape]

    # --- merges -----------------------------------------------------------------------------------

    def _no_op(self, place: TargetView) -> str | None:
        """The oldest commit of a target's line into which merging the branch changes nothing."""
        wanted = self._changes.files(CommitRange(self._tip, place.base))
        now = {file.path: file.old if place.base in place.line.line else b"" for file in wanted}
        for step in self._touching(now, place):
            now |= {f.path: f.new for f in self._changes.files(step) if f.path in now}
            if self._is_no_op(step.new, wanted, now):
                return step.new
        return None

    def _brings_each(self, own: Sequence[CommitRange], place: TargetView, commit: str) -> bool:
        """Return whether a step has something of what is left of each of the branch's commits, in
        whatever file: else some came there on another way, or were made there by somebody else."""
        branch = BranchLines(
            self._changes.lines, self._changes.files(CommitRange(self._tip, place.base))
        )
        lines: Lines = Counter()
        for file in self._changes.files(self._step_of(commit)):
            lines.update(self._changes.lines.loose_change(file))
        there = dict.fromkeys(branch.by_path, lines)
        return self._has_each(own, branch, there, without_lines=True)

    def _is_no_op(
        self, commit: str, wanted: Sequence[FileChange], now: Mapping[bytes, bytes]
    ) -> bool:
        """Return whether merging the branch into a commit, where its files are as in `now`, is a
        no-op.

        Most of it is known without trying.
        1. all files are as the branch left them -> yes
        2. one file is as the branch found it    -> no, a merge would change it
        3. one lacks a line that the branch adds -> no, a merge would add it
        4. else                                  -> git has to try

        The last two read files, so who is in a hurry does without.
        """
        if all(now[file.path] == file.new for file in wanted):  # 1
            return True
        if any(now[file.path] == file.old for file in wanted):  # 2
            return False
        if self._is_quick:
            return False
        if any(self._changes.lines.lacks_a_line(file, now[file.path]) for file in wanted):  # 3
            return False
        if not self._merging.is_possible():
            self._bound = "git older than 2.38 cannot try merges"
            return False
        if not self._merges_left:
            self._bound = f"{_MOST_MERGES} merges were tried"
            return False
        self._merges_left -= 1
        return self._merging.changes_nothing(commit, self._tip, self._until)  # 4

    def _touching(self, wanted: Iterable[bytes], place: TargetView) -> list[CommitRange]:
        """The line's steps since the fork that change one of some files, oldest first.

        Where one of them goes, the files that come with that step may be its new name.
        """
        steps: dict[CommitRange, None] = {}
        waiting = list(wanted)
        seen = set(waiting)
        while waiting:
            path = waiting.pop()
            new = [
                step
                for commit in self._changes.touching(path)
                if place.is_newer(commit) and commit in place.line.line
                and (step := self._step_of(commit)) not in steps
            ]  # fmt: skip
            self._changes.load(new, self._until)
            for step in new:
                steps[step] = None
                new_names = _new_names(self._changes.files(step), path) - seen
                seen |= new_names
                waiting.extend(new_names)
        return sorted(steps, key=lambda step: -place.place(step.new))

    # --- lines ------------------------------------------------------------------------------------

    def _by_lines(
        self, own: Sequence[CommitRange], wholes: Sequence[CommitRange]
    ) -> Landing | None:
        grades = [
            graded
            for place in self._places
            if CommitRange(self._tip, place.base) in wholes and (graded := self._grade(place, own))
        ]
        if not grades:
            return None
        best = max(grades, key=lambda graded: graded.share.part)
        share, commit, name = best.share, best.step.new, best.place.target.name
        if share.part >= _PROMOTES and best.is_sound and not self._bound:
            how = f"it changes {share.there} of the {share.total} lines that the branch changed"
            return tell_landing("lines", name, commit, how)
        if share.part >= _DOUBTFUL:
            reason = (
                f"{commit[:12]} in {name} changes {share.there} of the {share.total} lines that"
                f" {self._tip[:12]} changed: it may have landed in another form, or in part."
            )
        elif best.together.part >= _DOUBTFUL_TOGETHER:
            reason = (
                f"Commits of {name} change {best.together.there} of the {share.total} lines that"
                f" {self._tip[:12]} changed: it may have landed piece by piece."
            )
        elif best.words.part >= _DOUBTFUL_WORDS:
            some = f"{best.words.there} of the {best.words.total} words"
            reason = (
                f"A commit of {name} changes {some} that {self._tip[:12]} changed:"
                " it may have landed in other words."
            )
        else:
            return None
        return Landing(reason=reason, is_partial=True, bound=self._bound)

    def _grade(self, place: TargetView, own: Sequence[CommitRange]) -> Graded | None:
        """The best step of a target, or None where there is nothing to compare."""
        branch = BranchLines(
            self._changes.lines, self._changes.files(CommitRange(self._tip, place.base))
        )
        steps = self._likely_steps(branch, place)
        changes = {
            step: branch.read(self._changes.files(step))
            for step in self._changes.prepared(steps, branch.by_path)
        }
        if not changes:
            return None
        shares = {step: branch.share(lines) for step, lines in changes.items()}
        best = max(shares, key=lambda step: (shares[step].there, -place.place(step.new)))
        is_sound = (
            branch.total >= _FEWEST_LINES
            and not shares[best].silent
            and self._has_each(own, branch, changes[best])
        )
        together = branch.share(add_up(changes.values()))
        words = Share(0, 0)
        if branch.total <= _FEW_LINES:
            in_words = (branch.share_of_words(self._changes.files(step)) for step in steps)
            words = max(in_words, key=lambda share: share.part)
        return Graded(place, best, shares[best], together, words, is_sound)

    def _likely_steps(self, branch: BranchLines, place: TargetView) -> list[CommitRange]:
        """Return those that change enough of the branch's files, the likeliest first."""
        touched: dict[str, list[bytes]] = {}
        for path in branch.by_path:
            for commit in self._changes.touching(path):
                if place.is_newer(commit):
                    touched.setdefault(commit, []).append(path)
        potential = {commit: branch.potential(paths) for commit, paths in touched.items()}
        likely = sorted(
            (commit for commit in potential if potential[commit] or not branch.total),
            key=lambda commit: (-potential[commit], -place.place(commit)),
        )
        if len(likely) > _MOST_STEPS and potential[likely[_MOST_STEPS]] >= _DOUBTFUL * branch.total:
            self._bound = f"{_MOST_STEPS} commits that change its files"
        steps = [self._step_of(commit) for commit in likely[:_MOST_STEPS]]
        self._changes.load(steps, self._until)
        return steps

    def _has_each(
        self,
        own: Sequence[CommitRange],
        branch: BranchLines,
        there: Mapping[bytes, Lines],
        *,
        without_lines: bool = False,
    ) -> bool:
        """Return whether no commit of the branch is missing: else it went on after it landed. One
        `without_lines` may be there or not."""
        shares = (branch.share_of(self._changes.files(step), there) for step in own)
        return all(
            without_lines if share is None else not share.total or share.part >= _OF_EACH_COMMIT
            for share in shares
        )


def tell_cherries(target: Target, commit: str, count: int) -> Landing:
    how = "its commit is" if count == 1 else f"each of its {count} commits is"
    return tell_landing("cherry", target.name, commit, f"{how} there as an equal patch")


def _new_names(files: Sequence[FileChange], gone: bytes) -> set[bytes]:
    """The files a step adds, if it takes this one away."""
    if not any(file.path == gone and file.is_removed for file in files):
        return set()
    return {file.path for file in files if file.is_added}
