"""The plan: what should become of every scope, worked out from a survey; nothing is done yet.

Cases, for one scope:

1 the trunk's, under any name it had                -> live
2 another branch carries on its name                -> renamed
3 its branch is there, or a remote has it           -> live; what has landed is promoted
4 its branch was made anew under the same name      -> recreated: it moves aside
5 its branch is gone, or it lies aside or in the trash:
  all of it landed / a part / in doubt / nothing     -> merged / partly / unsure / abandoned
  (what is left of a part stays in sight until a person puts it into the trash)
and for a branch without a scope: copied -> stacked; back from the trash -> revived.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple

from treering.branches.landing.judge import Judge, Target
from treering.branches.survey import Survey, SurveyedScope, TrashedScope, judge_life
from treering.branches.verdict import LandedVersions, ScopeJudge, ScopeVerdict
from treering.branches.versions import MOST_FOLLOWED, ScopeHistory
from treering.git import reach, reflog
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store.message import CodePosition
from treering.store.vault import Vault

#: What became of a branch.
Verdict = Literal[
    "live", "merged", "partly", "abandoned", "unsure", "renamed", "copied", "recreated", "revived"
]
#: What is to be done with its memories.
Action = Literal["keep", "promote", "trash", "rename", "stack", "revive", "aside", "lessons"]


class PlanLine(NamedTuple):
    """One scope, what became of its branch, and what is to be done."""

    branch: str
    verdict: Verdict
    action: Action
    reason: str
    memories: int
    into: str = ""
    evidence: str = "none"
    merged_as: str = ""
    scope: Scope = Scope("")
    tip: str = ""
    heads: tuple[str, ...] = ()  # the memory commits it is made of
    landed: tuple[LandedVersions, ...] = ()  # what a promotion takes
    branch_tip: str | None = None  # where the branch was when the plan was made
    code: CodePosition | None = None  # where its branch is, or was last
    drops: bool = False  # whether the scope's ref goes once the action is done
    trashed: TrashedScope | None = None
    is_private: bool = False


def plan(
    repository: Repository, vault: Vault, survey: Survey, judge: Judge, *, branch: str = ""
) -> list[PlanLine]:
    """Lines for every scope, and for branches that carry on something."""
    planner = _Planner(repository, vault, survey, judge)
    lines = [
        line
        for entry in survey.scopes
        if not branch or entry.scope.branch == branch
        for line in planner.lines(entry)
    ]
    extra = [
        *planner.plan_renamed_and_landed(),
        *planner.plan_copied(),
        *planner.plan_trash(),
    ]
    lines += [line for line in extra if not branch or line.branch == branch]
    return [line._replace(is_private=vault.is_private) for line in lines]


class _Planner:
    def __init__(self, repository: Repository, vault: Vault, survey: Survey, judge: Judge) -> None:
        self._repository = repository
        self._vault = vault
        self._survey = survey
        entries = (*survey.scopes, *survey.trash)
        tips = [entry.tip for entry in entries if entry.scope.branch != survey.trunk]
        self._landings = judge
        self._judge = ScopeJudge(repository, vault, judge, survey.long_lived, tips)
        self._positions: dict[tuple[str, str], CodePosition] = {}

    def lines(self, entry: SurveyedScope) -> list[PlanLine]:
        scope, survey = entry.scope, self._survey
        if scope.branch == survey.trunk:
            return [self._line(entry, "live", "keep", "It is the trunk.")]
        if scope.is_detached:
            return self._plan_detached(entry)
        if new := survey.renames.get(scope.branch):
            # What a fetch saw under the old name is for its clone.
            action: Action = "rename" if entry.is_ours else "keep"
            reason = f"The branch is called {new} now."
            return [self._line(entry, "renamed", action, reason, into=new)]
        if scope.branch in survey.former:
            reason = f"It is the trunk, which is called {survey.trunk} now."
            return [self._line(entry, "live", "keep", reason)]
        if entry.is_left_over:
            return [self._plan_recreated(entry)]
        if entry.branch_tip:
            return self._plan_alive(entry, "The branch is there.")
        if entry.on_remote:
            return self._plan_alive(entry, "A remote still has the branch.")
        return self._plan_gone(entry, "The branch is gone")

    # --- the branch is there ----------------------------------------------------------------------

    def _plan_alive(self, entry: SurveyedScope, reason: str) -> list[PlanLine]:
        positions = self._list_positions(entry)
        verdict = self._judge.verdict(entry.scope, entry.tip, positions, is_alive=True)
        if verdict.landed:
            lines = self._plan_landed(entry, verdict, drops=False)
        else:
            lines = [self._line(entry, "live", "keep", reason)]
        code = next((at for at in positions if at.head == entry.branch_tip), None)
        return [line._replace(code=code) for line in lines]

    def _plan_recreated(self, entry: SurveyedScope) -> PlanLine:
        """Move aside what another branch of the name left; it is judged from there."""
        aside = entry.scope.aside(self._history(entry).oldest)
        reason = f"The name was used again for other work: its memories are kept as {aside.branch}."
        line = self._line(entry, "recreated", "aside", reason, into=aside.branch)
        return line._replace(branch=aside.branch)

    def _history(self, entry: SurveyedScope) -> ScopeHistory:
        positions = self._list_positions(entry)
        return ScopeHistory(self._repository, self._judge.commits, entry.tip, positions)

    # --- the branch is gone -----------------------------------------------------------------------

    def _plan_detached(self, entry: SurveyedScope) -> list[PlanLine]:
        """Made on a detached HEAD: taken over by a branch that has the commit, else judged."""
        places = entry.last_tips
        if not places:
            return [self._line(entry, "unsure", "keep", "The commit is not here any more.")]
        if any(self._is_on(places, head) for head in self._survey.held):
            return [self._line(entry, "live", "keep", "A worktree is at this commit.")]
        others = {
            name: tip
            for name, tip in sorted(self._survey.branches.items())
            if name not in self._survey.long_lived and self._is_on(places, tip)
        }
        return self._plan_gone(entry, "No branch has the commit", dict(list(others.items())[:1]))

    def _is_on(self, places: Sequence[str], tip: str) -> bool:
        return any(self._repository.is_ancestor(place, tip) for place in places)

    def _plan_gone(
        self, entry: SurveyedScope, what: str, others: dict[str, str] | None = None
    ) -> list[PlanLine]:
        if entry.is_restored:
            return [self._line(entry, "unsure", "keep", "It was restored by hand.")]
        others = self._list_branches_with(entry) if others is None else others
        verdict = self._judge.verdict(entry.scope, entry.tip, self._list_positions(entry), others)
        if verdict.landed or not verdict.rest:
            return self._plan_landed(entry, verdict, drops=True)
        if entry.is_ours and entry.scope.is_aside:
            reason = "The name was used again for other work, and this did not land."
            return [self._line(entry, "recreated", "keep", reason)]
        code = None if entry.scope.is_detached else self._history(entry).last_code
        is_others = judge_life(entry, self._survey) == "live"
        if is_others:
            what = "It belongs to another clone; this clone cannot tell whether it still exists"
        if verdict.doubt:
            reason = f"{what}. {verdict.doubt}"
            return [self._line(entry, "unsure", "keep", reason, code=code)]
        if is_others:
            return [self._line(entry, "live", "keep", f"{what}.")]
        if verdict.part:
            reason = f"{what}, and only a part of its code landed. {verdict.part}"
            return [self._line(entry, "partly", "keep", reason, code=code)]
        reason = f"{what} and its code did not land."
        return [self._line(entry, "abandoned", "trash", reason, drops=True, code=code)]

    def _list_branches_with(self, entry: SurveyedScope) -> dict[str, str]:
        """Other live branches that the code of a branch that is gone went into; once a long-lived
        one has it, others have it from there."""
        names: set[str] = set()
        for at in self._list_positions(entry):
            if at.head and at.has_own_commits and not self._is_in_long_lived(at.head):
                names |= set(reach.list_branches_with(self._repository.common_dir, at.head))
        return {
            name: tip
            for name, tip in self._survey.branches.items()
            if name in names and name not in (*self._survey.long_lived, entry.scope.branch)
        }

    def _is_in_long_lived(self, commit: str) -> bool:
        return self._landings.is_in(commit, self._list_targets())

    def _list_targets(self, without: str = "") -> list[Target]:
        """The tips of the long-lived branches, but for one of them."""
        names = self._survey.long_lived
        return [
            Target(name, tip) for name, tips in names.items() if name != without for tip in tips
        ]

    # --- where the code was -----------------------------------------------------------------------

    def _list_positions(self, entry: SurveyedScope) -> list[CodePosition]:
        """The last tips of a branch, each with the place where it left the long-lived branches."""
        branch = entry.scope.branch
        for head in entry.last_tips:
            if (branch, head) not in self._positions:
                position = CodePosition(branch, head, self._find_base(branch, head))
                self._positions[branch, head] = position
        return [self._positions[branch, head] for head in entry.last_tips]

    def _find_base(self, branch: str, head: str) -> str | None:
        targets = self._list_targets(without=branch)
        target = next((one for one in targets if self._landings.is_in(head, [one])), None)
        if target is None:
            return self._landings.find_base(head, targets)
        # It is all in a long-lived one, which it had left below the commits a merge brought, or
        # those that a log says were merged by the branch's name; else it never did.
        for name in self._survey.long_lived:
            if old := reflog.find_merge_by_name(self._repository, name, branch, head):
                return self._repository.merge_base(head, old) or head
        line = set(self._repository.first_parents(target.tip))
        below = islice(self._repository.first_parents(head), MOST_FOLLOWED)
        return next((commit for commit in below if commit in line), None) or head

    # --- lines ------------------------------------------------------------------------------------

    def _plan_landed(
        self, entry: SurveyedScope, verdict: ScopeVerdict, *, drops: bool
    ) -> list[PlanLine]:
        """A line for each branch something landed in; the ref may go with the last of them."""
        word: Verdict = "partly" if verdict.rest else "merged"
        if not verdict.landed:  # all of it was taken over before
            reason = "All of it is where its code landed."
            return [self._line(entry, word, "promote", reason, into=self._survey.trunk, memories=0,
                               drops=drops)]  # fmt: skip
        lines = []
        for into in dict.fromkeys(some.into for some in verdict.landed):
            landed = tuple(some for some in verdict.landed if some.into == into)
            if entry.trashed:  # nothing is written to what was put away
                landed = tuple(
                    some._replace(versions=tuple(sorted(some.versions + some.behind)), behind=())
                    for some in landed
                )
            last = landed[-1].landing
            lines.append(
                self._line(
                    entry, word, "promote", last.reason, into=into, landed=landed,
                    memories=len({memory_id for some in landed for memory_id, _ in some.versions})
                    + len({some.landing.merged_as for some in landed if some.behind}),
                    evidence=last.evidence, merged_as=last.merged_as or "",
                )
            )  # fmt: skip
        lines[-1] = lines[-1]._replace(drops=drops and not verdict.rest)
        return lines

    def _line(
        self,
        entry: SurveyedScope,
        verdict: Verdict,
        action: Action,
        reason: str,
        *,
        memories: int | None = None,
        **more: Any,
    ) -> PlanLine:
        if memories is None:
            memories = len(self._vault.snapshot_at(entry.scope, entry.tip).listing())
        return PlanLine(
            entry.scope.branch, verdict, action, reason, memories, scope=entry.scope,
            tip=entry.tip, heads=entry.heads, branch_tip=entry.branch_tip, trashed=entry.trashed,
            **more,
        )  # fmt: skip

    def plan_renamed_and_landed(self) -> Iterator[PlanLine]:
        """Yield what is promoted as soon as its scope has the new name; what a fetch saw keeps the
        old one, and is promoted from there."""
        scopes, trunk = self._survey.scopes, self._survey.trunk
        ours = {one.scope.branch for one in scopes if one.is_ours and not one.is_left_over}
        for entry in scopes:
            new = self._survey.renames.get(entry.scope.branch)
            if new in ours and not entry.is_ours:
                continue  # it has the new name, and is judged there
            if new and trunk not in (new, entry.scope.branch):
                tip = self._survey.branches[new]
                renamed = entry._replace(last_tips=(tip,))
                if entry.is_ours:
                    renamed = renamed._replace(scope=Scope(new), branch_tip=tip)
                lines = self._plan_alive(renamed, "")
                yield from (line for line in lines if line.action == "promote")

    def plan_copied(self) -> Iterator[PlanLine]:
        for branch, source in sorted(self._survey.copies.items()):
            base = self._repository.config(f"branch.{branch}.treeringbase")
            if base != source and source != self._survey.trunk and source in self._survey.branches:
                yield PlanLine(
                    branch, "copied", "stack", f"It was copied from {source}.", 0, into=source
                )

    def plan_trash(self) -> list[PlanLine]:
        """List branches that are back, whose memories are in the trash, and then what was put away
        too soon: its code landed since. What was redacted stays away."""
        revived: list[PlanLine] = []
        landed: list[PlanLine] = []
        for entry in self._survey.trash:
            if entry.trashed and entry.trashed.is_redacted:
                continue
            tip = self._survey.branches.get(entry.scope.branch)
            if tip and self._is_back(entry, tip):
                revived.append(self._line(entry, "revived", "revive", "The branch is back."))
                continue
            verdict = self._judge.verdict(entry.scope, entry.tip, self._list_positions(entry))
            if verdict.landed:
                landed += self._plan_landed(entry, verdict, drops=True)
        return [*revived, *landed]

    def _is_back(self, entry: SurveyedScope, tip: str) -> bool:
        history = ScopeHistory(self._repository, self._judge.commits, entry.tip)
        head = next((at.head for at in history.positions if at.head), None)
        is_there = head is not None and self._repository.is_ancestor(head, tip)
        return is_there and not self._is_in_long_lived(head or "")
