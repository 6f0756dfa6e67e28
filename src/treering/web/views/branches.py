"""Branches: the river, what should become of each branch and by which evidence, and the trash."""

import hashlib
import json
from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.gc import GcAnswer, PlanAnswer, gc
from treering.actions.status import branches
from treering.branches.trunk import trunk_of
from treering.web.lives import LandingMark, list_dropped, list_lives
from treering.web.paging import cut_page
from treering.web.river import draw_river
from treering.web.visit import Visit

_SIZE = 30


class BranchRow(NamedTuple):
    """A branch as a line of the list."""

    branch: str
    memories: int
    state: str
    last: float
    is_trunk: bool
    is_checked_out: bool
    line: PlanAnswer | None


def show_branches(visit: Visit) -> Response:
    plan = make_plan(visit)
    lives = list_lives(visit.workspace)  # all there is: only what is drawn of it is cleaned
    marks = {mark for life in lives for mark in life.landings}
    landings: list[LandingMark] = visit.ask(lambda _: sorted(marks, reverse=True))
    page = visit.number("page", 1, most=100_000)
    dropped = visit.number("dropped", 1, most=100_000)
    past = visit.number("landed", 1, most=100_000)
    rows = _list_rows(visit, plan, {life.branch: life.stop for life in lives})
    return visit.show(
        "branches.html",
        current="Branches",
        river=draw_river(lives),
        lives=len(lives),
        plan=[line for line in plan.plan if line.action != "keep"],
        pending=plan.pending,
        plan_key=plan_key(plan),
        page=cut_page(rows, page, _SIZE, "/branches"),
        trash=cut_page(visit.ask(list_dropped), dropped, _SIZE, "/branches", field="dropped"),
        landings=cut_page(landings, past, _SIZE, "/branches", field="landed"),
        trunk=trunk_of(visit.workspace.repository),
    )


def make_plan(visit: Visit) -> GcAnswer:
    answer: GcAnswer = visit.ask(gc, dry_run=True)
    return answer


def plan_key(plan: GcAnswer) -> str:
    """What tells a plan from another one: what is applied is what was shown."""
    lines = [tuple(_facts(line)) for line in plan.plan if line.action != "keep"]
    return hashlib.sha256(json.dumps(sorted(lines)).encode()).hexdigest()[:16]


def _facts(line: PlanAnswer) -> list[str]:
    return [line.branch, line.verdict, line.action, line.into, line.merged_as, str(line.memories)]


def _list_rows(visit: Visit, plan: GcAnswer, last: dict[str, float]) -> list[BranchRow]:
    """The trunk, then the branch that is checked out, then those that learned something lately."""
    trunk = trunk_of(visit.workspace.repository)
    here = visit.workspace.position().scope.branch
    by_branch = {line.branch: line for line in plan.plan}
    states: list[Any] = visit.ask(branches)
    rows = [
        BranchRow(
            state["branch"],
            state["memories"],
            state["state"],
            last.get(state["branch"], 0.0),
            state["branch"] == trunk,
            state["branch"] == here,
            by_branch.get(state["branch"]),
        )
        for state in states
    ]
    return sorted(rows, key=lambda row: (not row.is_trunk, not row.is_checked_out, -row.last))
