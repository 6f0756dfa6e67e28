"""One branch whose code is elsewhere, held against targets by its fingerprints alone."""

from collections.abc import Callable, Sequence

from treering.branches.landing.finding import Landing, either, tell_nothing
from treering.branches.landing.fingerprints import ChangePrint, Fingerprints, hash_shape
from treering.branches.landing.inquiry import TargetView, tell_cherries, tell_squash
from treering.branches.landing.patches import Patches
from treering.git.diff import CommitRange


class PrintInquiry:
    """Whether equal changes are in a target: of all its commits, or of the whole."""

    def __init__(
        self,
        branch: Fingerprints,
        places: Sequence[TargetView],
        changes: Patches,
        step_of: Callable[[str], CommitRange],
        until: float,
    ) -> None:
        self._branch = branch
        self._places = places
        self._changes = changes
        self._step_of = step_of
        self._until = until

    def answer(self) -> Landing:
        branch, most = self._branch, 0
        for place in self._places:
            equal = [commit for change in branch.own if (commit := self._find(change, place))]
            if equal and len(equal) == len(branch.own) and not branch.left_out:
                newest = max(equal, key=place.height)
                return tell_cherries(place.target, newest, len(equal))
            if commit := self._find(branch.whole, place):
                return tell_squash(place.target, commit)
            most = max(most, len(equal))
        names = either([place.target.name for place in self._places])
        if most:
            count = len(branch.own) + branch.left_out
            reason = f"Only {most} of its {count} commits are in {names}, by their fingerprints."
            return tell_nothing(reason, is_partial=True)
        return tell_nothing(f"No commit of {names} has the fingerprints of its changes.")

    def _find(self, change: ChangePrint, place: TargetView) -> str | None:
        """The newest commit of a target since the fork that makes a change."""
        commits = filter(place.is_newer, self._changes.touching(change.path))
        steps = [self._step_of(commit) for commit in commits]
        self._changes.load(steps, self._until)
        alike = [s for s in steps if hash_shape(self._changes.shape(s)) == change.shape]
        if change.lines:
            same = [s for s in alike if self._hash_lines(s) == change.lines]
        else:
            prints = self._changes.fingerprints(alike, self._until)
            same = [s for s in alike if prints[s].hex()[:32] == change.patch]
        return max((step.new for step in same), key=place.height, default=None)

    def _hash_lines(self, step: CommitRange) -> str:
        return (self._changes.lines_hash(step) or b"").hex()[:32]
