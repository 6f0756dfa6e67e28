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
    repository: Repository, vault: Vault, survey: Survey, judge: Judge, *, branch: str = ""
) -> list[PlanLine]:
    """A line for every scope, and for branches that carry on something."""
    planner = _Planner(repository, vault, survey, judge)
    lines = [
        planner.line(entry) for entry in survey.scopes if not branch or entry.scope.branch == branch
    ]
    extra = [*planner.plan_renamed_and_landed(), *planner.plan_copied(), *planner.plan_revived()]
    lines += [line for line in extra if not branch or line.branch == branch]
    return [line._replace(is_private=vault.is_private) for line in lines]


class _Planner:
    def __init__(self, repository: Repository, vault: Vault, survey: Survey, judge: Judge) -> None:
        self._repository = repository
        self._vault = vault
        self._survey = survey
        self._judge = judge
        self._trunk = [Target(survey.trunk, tip) for tip in survey.trunk_tips]

    def line(self, entry: SurveyedScope) -> PlanLine:
        scope, survey = entry.scope, self._survey
        if scope.branch == survey.trunk:
            return self._line(entry, "live", "keep", "It is the trunk.")
        if scope.is_detached:
            return self._plan_detached(entry)
        if entry.branch_tip and scope.branch not in survey.renames:
            return self._plan_recreated(entry) if self._is_recreated(entry) else self._alive(entry)
        if new := survey.renames.get(scope.branch):
            return self._line(
                entry, "renamed", "rename", f"The branch is called {new} now.", into=new
            )
        if entry.on_remote:
            return self._line(entry, "live", "keep", "A remote still has the branch.")
        return self._plan_gone(entry, "The branch is gone")

    # --- the branch is there ----------------------------------------------------------------------

    def _alive(self, entry: SurveyedScope) -> PlanLine:
        count = self._own(entry, self._survey.trunk)
        if entry.branch_tip and (count or self._has_own_prompts(entry)):
            landing = self._landing(entry, entry.branch_tip, self._trunk)
            if landing.evidence != "none":
                return self._plan_merged(entry, landing, count, drops=False)
        return self._line(entry, "live", "keep", "The branch is there.")

    def _is_recreated(self, entry: SurveyedScope) -> bool:
        """A name used again: what was recorded is in neither the branch's history nor its log."""
        if not entry.recorded:
            return False
        return is_left_over(self._repository, self._vault, entry.scope, entry.tip)

    def _plan_recreated(self, entry: SurveyedScope) -> PlanLine:
        old = entry._replace(last_tip=entry.recorded[0][0])
        line = self._plan_gone(old, "The name was used again for other work")
        if line.action != "keep":
            return line._replace(verdict="recreated")
        if entry.scope.branch in self._survey.renames.values():  # another scope needs the name
            return line._replace(verdict="recreated", action="trash", drops=True)
        return line

    # --- the branch is gone -----------------------------------------------------------------------

    def _plan_detached(self, entry: SurveyedScope) -> PlanLine:
        """Made on a detached HEAD: taken over by a branch that has the commit, else judged."""
        commit = entry.last_tip
        if commit is None:
            return self._line(entry, "unsure", "keep", "The commit is not here any more.")
        if any(head.startswith(commit[:12]) for head in self._survey.held):
            return self._line(entry, "live", "keep", "A worktree is at this commit.")
        for name, tip in sorted(self._survey.branches.items()):
            if name != self._survey.trunk and self._repository.is_ancestor(commit, tip):
                reason = f"The branch {name} has the commit."
                return self._line(entry, "merged", "promote", reason, into=name,
                                  evidence="ancestor", merged_as=commit, drops=True)  # fmt: skip
        return self._plan_gone(entry, "No branch has the commit")

    def _plan_gone(self, entry: SurveyedScope, what: str) -> PlanLine:
        if entry.is_restored:
            return self._line(entry, "unsure", "keep", "It was restored by hand.")
        if entry.last_tip is None:
            return self._line(entry, "unsure", "keep", f"{what}, and where it was is not known.")
        landing = self._landing(entry, entry.last_tip, self._trunk)
        if landing.evidence == "none":
            landing = self._landing_elsewhere(entry, landing)
        if landing.evidence != "none":
            count = self._own(entry, landing.into)
            return self._plan_merged(entry, landing, count, drops=True)
        if doubt := self._doubt(entry, landing):
            return self._line(entry, "unsure", "keep", f"{what}. {doubt}")
        reason = f"{what} and its code landed nowhere."
        return self._line(entry, "abandoned", "trash", reason, drops=True)

    def _landing(self, entry: SurveyedScope, tip: str, targets: Sequence[Target]) -> Landing:
        if self._is_bare(entry, tip):
            reason = "It had no commits of its own: those in its history are its base's."
            return Landing("none", "", None, reason, is_partial=False, bound="")
        return self._judge.landing(tip, targets, had_own_commits=self._had_own(entry, tip))

    def _is_bare(self, entry: SurveyedScope, tip: str) -> bool:
        branch, trunk = entry.scope.branch, self._survey.trunk
        return never_left_its_base(self._repository, branch, tip, trunk)

    def _landing_elsewhere(self, entry: SurveyedScope, landing: Landing) -> Landing:
        """In another live branch: only asked for a branch that is gone."""
        if entry.last_tip is None or not self._had_own(entry, entry.last_tip):
            return landing
        containing = self._repository.branches_with(entry.last_tip)
        others = [
            Target(name, tip)
            for name, tip in self._survey.branches.items()
            if name in containing and name not in (self._survey.trunk, entry.scope.branch)
        ]
        return (
            self._judge.landing(entry.last_tip, others, had_own_commits=True) if others else landing
        )

    def _had_own(self, entry: SurveyedScope, tip: str) -> bool:
        """Whether the branch ever had commits of its own.

        Heads and bases of different days do not count together: a branch that was only
        fast-forwarded from the trunk differs from its first base.
        """
        if self._is_bare(entry, tip):
            return False
        if any(head != base for head, base in entry.recorded if base):
            return True
        if entry.was_merged_by_name:
            return True
        return bool(self._judge.own_commits(tip, self._trunk))

    def _doubt(self, entry: SurveyedScope, landing: Landing) -> str:
        if landing.is_partial:
            return landing.reason
        if landing.bound:
            return f"Not everything was looked at: {landing.bound}"
        if self._repository.resolve(entry.last_tip or "") is None:
            return "Its last commit is not here any more, so it cannot be judged."
        if not self._had_own(entry, entry.last_tip or ""):
            return "It had no commits of its own, so nothing can have landed."
        return ""

    # --- lines ------------------------------------------------------------------------------------

    def _own(self, entry: SurveyedScope, into: str) -> int:
        """How many memories are the scope's own beside the one it would go into."""
        source = self._vault.snapshot_at(entry.scope, entry.tip)
        return len(own_part(self._vault, source, self._vault.snapshot(Scope(into))))

    def _has_own_prompts(self, entry: SurveyedScope) -> bool:
        source = self._vault.snapshot_at(entry.scope, entry.tip)
        return bool(own_saved(self._vault, source, self._vault.snapshot(Scope(self._survey.trunk))))

    def _plan_merged(
        self, entry: SurveyedScope, landing: Landing, count: int, *, drops: bool
    ) -> PlanLine:
        return self._line(
            entry, "merged", "promote", landing.reason, into=landing.into, memories=count,
            evidence=landing.evidence, merged_as=landing.merged_as or "", drops=drops,
        )  # fmt: skip

    def _line(
        self, entry: SurveyedScope, verdict: str, action: str, reason: str, **more: object
    ) -> PlanLine:
        count = more.pop("memories", None)
        memories = count if isinstance(count, int) else self._count(entry)
        return PlanLine(
            entry.scope.branch, verdict, action, reason, memories, scope=entry.scope, tip=entry.tip,
            branch_tip=entry.branch_tip, **more,  # type: ignore[arg-type]
        )  # fmt: skip

    def _count(self, entry: SurveyedScope) -> int:
        return len(self._vault.snapshot_at(entry.scope, entry.tip).listing())

    def plan_renamed_and_landed(self) -> Iterator[PlanLine]:
        """What is promoted as soon as its scope has the new name."""
        for entry in self._survey.scopes:
            new = self._survey.renames.get(entry.scope.branch)
            if new and new != self._survey.trunk and entry.scope.branch != self._survey.trunk:
                tip = self._survey.branches[new]
                line = self._alive(entry._replace(scope=Scope(new), branch_tip=tip, last_tip=tip))
                if line.action == "promote":
                    yield line

    def plan_copied(self) -> Iterator[PlanLine]:
        for branch, source in sorted(self._survey.copies.items()):
            base = self._repository.config(f"branch.{branch}.treeringbase")
            if base != source and source != self._survey.trunk and source in self._survey.branches:
                yield PlanLine(
                    branch, "copied", "stack", f"It was copied from {source}.", 0, into=source
                )

    def plan_revived(self) -> Iterator[PlanLine]:
        """Branches that are back, whose memories are in the trash."""
        for entry in self._survey.trash:
            branch = entry.scope.branch
            tip = self._survey.branches.get(branch)
            if tip is None:
                continue
            code = self._tip_recorded_by(entry)
            in_trunk = code and any(
                self._repository.is_ancestor(code, t) for t in self._survey.trunk_tips
            )
            if code and not in_trunk and self._repository.is_ancestor(code, tip):
                count = len(self._vault.snapshot_at(entry.scope, entry.tip).listing())
                yield PlanLine(branch, "revived", "revive", "The branch is back.", count,
                               scope=entry.scope, tip=entry.tip, trashed=entry)  # fmt: skip

    def _tip_recorded_by(self, entry: TrashedScope) -> str | None:
        positions = read_code_positions(self._vault, entry.tip)
        return positions[0][0] if positions else None
