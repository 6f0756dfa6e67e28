"""The plan: what should become of every scope, worked out from a survey; nothing is done yet.

Cases, for one scope:

1 the trunk's                                            -> live
2 its branch exists, and is the one it was               -> live, or merged once its code landed
3 its branch exists, but is another one of that name     -> recreated, judged like a deleted one
4 another branch carries on its name                     -> renamed
5 a remote still has the branch                          -> live
6 the branch is gone: landed / elsewhere / in doubt / no -> merged / merged / unsure / abandoned
and for a branch without a scope: copied -> stacked; back from the trash -> revived.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treering.branches.landing.judge import Judge, Landing, Target
from treering.branches.names import is_left_over
from treering.branches.overlay import own_part, own_saved
from treering.branches.stack import never_left_its_base
from treering.branches.survey import Survey, SurveyedScope, TrashedScope, read_code_positions
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store.vault import Vault


class PlanLine(NamedTuple):
    """One scope, what became of its branch, and what is to be done."""

    branch: str
    verdict: str
    action: str
    reason: str
    memories: int
    into: str = ""
    evidence: str = "none"
    merged_as: str = ""
    scope: Scope = Scope("")
    tip: str = ""
    branch_tip: str | None = None  # where the branch was when the plan was made
    drops: bool = False  # whether the scope's ref goes once the action is done
    trashed: TrashedScope | None = None
    is_private: bool = False


def plan(
    repository: Repository, vault: Vault, found: Survey, judge: Judge, *, branch: str = ""
) -> list[PlanLine]:
    """A line for every scope, and for branches that carry on something."""
    planner = _Planner(repository, vault, found, judge)
    lines = [
        planner.line(seen) for seen in found.scopes if not branch or seen.scope.branch == branch
    ]
    extra = [*planner.plan_renamed_and_landed(), *planner.plan_copied(), *planner.plan_revived()]
    lines += [line for line in extra if not branch or line.branch == branch]
    return [line._replace(is_private=vault.is_private) for line in lines]


class _Planner:
    def __init__(self, repository: Repository, vault: Vault, found: Survey, judge: Judge) -> None:
        self._repository = repository
        self._vault = vault
        self._found = found
        self._judge = judge
        self._trunk = [Target(found.trunk, tip) for tip in found.trunk_tips]

    def line(self, seen: SurveyedScope) -> PlanLine:
        scope, found = seen.scope, self._found
        if scope.branch == found.trunk:
            return self._line(seen, "live", "keep", "It is the trunk.")
        if scope.is_detached:
            return self._plan_detached(seen)
        if seen.branch_tip and scope.branch not in found.renames:
            return self._plan_recreated(seen) if self._is_recreated(seen) else self._alive(seen)
        if new := found.renames.get(scope.branch):
            return self._line(
                seen, "renamed", "rename", f"The branch is called {new} now.", into=new
            )
        if seen.on_remote:
            return self._line(seen, "live", "keep", "A remote still has the branch.")
        return self._plan_gone(seen, "The branch is gone")

    # --- the branch is there ----------------------------------------------------------------------

    def _alive(self, seen: SurveyedScope) -> PlanLine:
        count = self._own(seen, self._found.trunk)
        if seen.branch_tip and (count or self._has_own_prompts(seen)):
            landing = self._landing(seen, seen.branch_tip, self._trunk)
            if landing.evidence != "none":
                return self._plan_merged(seen, landing, count, drops=False)
        return self._line(seen, "live", "keep", "The branch is there.")

    def _is_recreated(self, seen: SurveyedScope) -> bool:
        """A name used again: what was recorded is in neither the branch's history nor its log."""
        if not seen.recorded:
            return False
        return is_left_over(self._repository, self._vault, seen.scope, seen.tip)

    def _plan_recreated(self, seen: SurveyedScope) -> PlanLine:
        old = seen._replace(last_tip=seen.recorded[0][0])
        line = self._plan_gone(old, "The name was used again for other work")
        if line.action != "keep":
            return line._replace(verdict="recreated")
        if seen.scope.branch in self._found.renames.values():  # another scope needs the name
            return line._replace(verdict="recreated", action="trash", drops=True)
        return line

    # --- the branch is gone -----------------------------------------------------------------------

    def _plan_detached(self, seen: SurveyedScope) -> PlanLine:
        """Made on a detached HEAD: taken over by a branch that has the commit, else judged."""
        commit = seen.last_tip
        if commit is None:
            return self._line(seen, "unsure", "keep", "The commit is not here any more.")
        if any(held.startswith(commit[:12]) for held in self._found.held):
            return self._line(seen, "live", "keep", "A worktree is at this commit.")
        for name, tip in sorted(self._found.branches.items()):
            if name != self._found.trunk and self._repository.is_ancestor(commit, tip):
                reason = f"The branch {name} has the commit."
                return self._line(seen, "merged", "promote", reason, into=name,
                                  evidence="ancestor", merged_as=commit, drops=True)  # fmt: skip
        return self._plan_gone(seen, "No branch has the commit")

    def _plan_gone(self, seen: SurveyedScope, what: str) -> PlanLine:
        if seen.is_restored:
            return self._line(seen, "unsure", "keep", "It was restored by hand.")
        if seen.last_tip is None:
            return self._line(seen, "unsure", "keep", f"{what}, and where it was is not known.")
        landing = self._landing(seen, seen.last_tip, self._trunk)
        if landing.evidence == "none":
            landing = self._landing_elsewhere(seen, landing)
        if landing.evidence != "none":
            count = self._own(seen, landing.into)
            return self._plan_merged(seen, landing, count, drops=True)
        if doubt := self._doubt(seen, landing):
            return self._line(seen, "unsure", "keep", f"{what}. {doubt}")
        reason = f"{what} and its code did not land."
        return self._line(seen, "abandoned", "trash", reason, drops=True)

    def _landing(self, seen: SurveyedScope, tip: str, targets: Sequence[Target]) -> Landing:
        if self._is_bare(seen, tip):
            reason = "It had no commits of its own: those in its history are its base's."
            return Landing("none", "", None, reason, is_partial=False, bound="")
        return self._judge.landing(tip, targets, had_own_commits=self._had_own(seen, tip))

    def _is_bare(self, seen: SurveyedScope, tip: str) -> bool:
        branch, trunk = seen.scope.branch, self._found.trunk
        return never_left_its_base(self._repository, branch, tip, trunk)

    def _landing_elsewhere(self, seen: SurveyedScope, landing: Landing) -> Landing:
        """In another live branch: only asked for a branch that is gone."""
        if seen.last_tip is None or not self._had_own(seen, seen.last_tip):
            return landing
        containing = self._repository.branches_with(seen.last_tip)
        others = [
            Target(name, tip)
            for name, tip in self._found.branches.items()
            if name in containing and name not in (self._found.trunk, seen.scope.branch)
        ]
        return (
            self._judge.landing(seen.last_tip, others, had_own_commits=True) if others else landing
        )

    def _had_own(self, seen: SurveyedScope, tip: str) -> bool:
        """Whether the branch ever had commits of its own.

        Heads and bases of different days do not count together: a branch that was only
        fast-forwarded from the trunk differs from its first base.
        """
        if self._is_bare(seen, tip):
            return False
        if any(head != base for head, base in seen.recorded if base):
            return True
        if seen.was_merged_by_name:
            return True
        return bool(self._judge.own_commits(tip, self._trunk))

    def _doubt(self, seen: SurveyedScope, landing: Landing) -> str:
        if landing.is_partial:
            return landing.reason
        if landing.bound:
            return f"Not everything was looked at: {landing.bound}"
        if self._repository.resolve(seen.last_tip or "") is None:
            return "Its last commit is not here any more, so it cannot be judged."
        if not self._had_own(seen, seen.last_tip or ""):
            return "It had no commits of its own, so nothing can have landed."
        return ""

    # --- lines ------------------------------------------------------------------------------------

    def _own(self, seen: SurveyedScope, into: str) -> int:
        """How many memories are the scope's own beside the one it would go into."""
        source = self._vault.snapshot_at(seen.scope, seen.tip)
        return len(own_part(self._vault, source, self._vault.snapshot(Scope(into))))

    def _has_own_prompts(self, seen: SurveyedScope) -> bool:
        source = self._vault.snapshot_at(seen.scope, seen.tip)
        return bool(own_saved(self._vault, source, self._vault.snapshot(Scope(self._found.trunk))))

    def _plan_merged(
        self, seen: SurveyedScope, landing: Landing, count: int, *, drops: bool
    ) -> PlanLine:
        return self._line(
            seen, "merged", "promote", landing.reason, into=landing.into, memories=count,
            evidence=landing.evidence, merged_as=landing.merged_as or "", drops=drops,
        )  # fmt: skip

    def _line(
        self, seen: SurveyedScope, verdict: str, action: str, reason: str, **more: object
    ) -> PlanLine:
        count = more.pop("memories", None)
        memories = count if isinstance(count, int) else self._count(seen)
        return PlanLine(
            seen.scope.branch, verdict, action, reason, memories, scope=seen.scope, tip=seen.tip,
            branch_tip=seen.branch_tip, **more,  # type: ignore[arg-type]
        )  # fmt: skip

    def _count(self, seen: SurveyedScope) -> int:
        return len(self._vault.snapshot_at(seen.scope, seen.tip).listing())

    def plan_renamed_and_landed(self) -> Iterator[PlanLine]:
        """What is promoted as soon as its scope has the new name."""
        for seen in self._found.scopes:
            new = self._found.renames.get(seen.scope.branch)
            if new and new != self._found.trunk and seen.scope.branch != self._found.trunk:
                tip = self._found.branches[new]
                line = self._alive(seen._replace(scope=Scope(new), branch_tip=tip, last_tip=tip))
                if line.action == "promote":
                    yield line

    def plan_copied(self) -> Iterator[PlanLine]:
        for branch, source in sorted(self._found.copies.items()):
            known = self._repository.config(f"branch.{branch}.treeringbase")
            if known != source and source != self._found.trunk and source in self._found.branches:
                yield PlanLine(
                    branch, "copied", "stack", f"It was copied from {source}.", 0, into=source
                )

    def plan_revived(self) -> Iterator[PlanLine]:
        """Branches that are back, whose memories are in the trash."""
        for entry in self._found.trash:
            branch = entry.scope.branch
            tip = self._found.branches.get(branch)
            if tip is None:
                continue
            recorded = self._tip_recorded_by(entry)
            in_trunk = recorded and any(
                self._repository.is_ancestor(recorded, t) for t in self._found.trunk_tips
            )
            if recorded and not in_trunk and self._repository.is_ancestor(recorded, tip):
                count = len(self._vault.snapshot_at(entry.scope, entry.tip).listing())
                yield PlanLine(branch, "revived", "revive", "The branch is back.", count,
                               scope=entry.scope, tip=entry.tip, trashed=entry)  # fmt: skip

    def _tip_recorded_by(self, entry: TrashedScope) -> str | None:
        found = read_code_positions(self._vault, entry.tip)
        return found[0][0] if found else None
