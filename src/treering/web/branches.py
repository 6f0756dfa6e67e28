"""Branches: the river, what should become of each and by which evidence, the trash; and one branch:
what it learned, and what its code would overrule."""

import hashlib
import json
from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.gc import GcAnswer, PlanAnswer, RestoredScope, gc, promote_by_hand
from treering.actions.gc import restore as restore_scope
from treering.actions.guard import Guarded, find_overruled
from treering.actions.history import Diff, diff, markdown
from treering.actions.status import branches
from treering.branches.trunk import trunk_of
from treering.call import Advice, Call
from treering.errors import Conflict, TreeringError
from treering.model.taxonomy import RECORD_TYPES
from treering.text.values import strip_control_characters
from treering.web.rendering import plural
from treering.web.river import BranchLife, LandingMark, draw_river, list_dropped, list_lives, since
from treering.web.visit import Notice, Visit, cut_page

_PAGE_SIZE = 30
_SECONDS = 3.0
#: Times that can be drawn, in days; 0 is all there is.
_RANGES = {"30 days": 30, "90 days": 90, "a year": 365, "all": 0}
_ENOUGH_BRANCHES = 8  # branches, for a time to be drawn unasked


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
    # All there is: only what is drawn of it is cleaned.
    lives = list_lives(visit.workspace, has_records=visit.has_records)
    range, drawn = _choose_range(visit, lives)
    marks = {mark for life in lives for mark in life.landings}
    landings: list[LandingMark] = strip_control_characters(sorted(marks, reverse=True))
    page = visit.number("page", 1, most=100_000)
    dropped = visit.number("dropped", 1, most=100_000)
    past = visit.number("landed", 1, most=100_000)
    rows = _list_rows(visit, plan, {life.branch: life.stop for life in lives})
    return visit.show(
        "branches.html",
        current="Branches",
        river=draw_river(visit, drawn),
        lives=len(drawn),
        ranges=[(name, visit.here(range=name), name == range) for name in _RANGES],
        plan=[line for line in plan.plan if line.action != "keep"],
        pending=plan.pending,
        plan_key=plan_key(plan),
        page=cut_page(visit, rows, page, _PAGE_SIZE),
        trash=cut_page(visit, visit.act(list_dropped), dropped, _PAGE_SIZE, "dropped"),
        landings=cut_page(visit, landings, past, _PAGE_SIZE, "landed"),
        trunk=trunk_of(visit.workspace.repository),
    )


def _choose_range(visit: Visit, lives: list[BranchLife]) -> tuple[str, list[BranchLife]]:
    """The time that is drawn: as asked, or the shortest in which enough branches lived."""
    now = max((life.stop for life in lives), default=0.0)
    enough = min(_ENOUGH_BRANCHES, sum(life.end != "trunk" for life in lives))
    for name, days in _RANGES.items():
        drawn = since(lives, now - days * 86_400 if days else 0.0)
        if visit.query("range") == name or (
            visit.query("range") not in _RANGES
            and sum(life.end != "trunk" for life in drawn) >= max(1, enough)
        ):
            return name, drawn
    return "all", lives


def show_branch(visit: Visit) -> Response:
    """Return what a branch knows that the trunk does not, and what its code would overrule."""
    name = visit.path["name"]
    trunk = trunk_of(visit.workspace.repository)
    base = visit.query("base") or trunk
    private = bool(visit.query("private"))
    difference: Diff = visit.ask(diff, f"{base}..{name}", private=private)
    difference = Diff(difference.base, difference.branch, *(
        tuple(item for item in part if visit.has_records or item.type not in RECORD_TYPES)
        for part in (difference.added, difference.changed, difference.forgotten)
    ))  # fmt: skip
    learned = [*difference.added, *difference.changed]
    page = cut_page(visit, learned, visit.number("page", 1, most=100_000), _PAGE_SIZE)
    changed = {item.id for item in difference.changed}
    try:
        overruled: Guarded | None = visit.ask(
            find_overruled, f"{base}..{name}", staged=False, private=private, seconds=_SECONDS
        )
    except TreeringError:  # there is no code of that name here
        overruled = None
    return visit.show(
        "branch.html",
        current="Branches",
        name=difference.branch,
        base=difference.base,
        trunk=trunk,
        difference=difference,
        overruled=overruled,
        cards=visit.make_cards([item.id for item in page.items], name),
        changed=changed,
        page=page,
        markdown=markdown(difference),
    )


def make_plan(visit: Visit) -> GcAnswer:
    answer: GcAnswer = visit.act(gc, dry_run=True)
    return answer


def plan_key(plan: GcAnswer) -> str:
    """Return what tells a plan from another one: what is applied is what was shown."""
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


def promote(visit: Visit) -> Response:
    """Put what a branch learned into the trunk now, whatever its code did."""
    branch = visit.needed("name", "The branch").strip()
    answer: PlanAnswer = visit.act(promote_by_hand, branch)
    undo = (Call("promote", branch, into=answer.into, undo=True),)
    count = plural(answer.memories, "memory", "memories")
    return visit.go("/branches", Notice(f"Promoted {count} of {branch} to {answer.into}.", undo))


def restore(visit: Visit) -> Response:
    """Bring what was dropped back."""
    branch = visit.needed("name", "The branch").strip()
    answer: RestoredScope = visit.act(restore_scope, branch)
    undo: tuple[Call, ...] = ()
    if branch not in visit.workspace.repository.branches():  # else it would not go to the trash
        keep_lessons = answer.lessons > 0
        undo = (Call("gc", branch=branch, force=True, keep_lessons=keep_lessons),)
    if answer.note:
        return visit.go("/branches", Notice(answer.note))
    count = plural(answer.memories, "memory", "memories")
    return visit.go("/branches", Notice(f"Restored {count} of {answer.branch}.", undo))


def apply_plan(visit: Visit) -> Response:
    """Do what the plan said that was looked at, and only that."""
    if plan_key(make_plan(visit)) != visit.field("plan"):
        raise Conflict(
            "The branches changed since this plan was made. Nothing was done.",
            hint="Go back to Branches: it shows the plan as it is now.",
        )
    answer: GcAnswer = visit.act(gc)
    lines = [line for line in answer.plan if line.action != "keep"]
    done = tuple(_tell(line) for line in lines)
    ways = [line.back.parts for line in reversed(lines) if isinstance(line.back, Advice)]
    calls = (part for parts in ways for part in parts if isinstance(part, Call))
    undo = tuple(call for call in calls if call.verb in ("restore", "promote"))
    text = "The plan was applied." if done else "There was nothing to do."
    return visit.go("/branches", Notice(text, undo if len(undo) == len(lines) else (), done))


def _tell(line: PlanAnswer) -> str:
    count = plural(line.memories, "memory", "memories")
    into = f" into {line.into}" if line.into else ""
    back = f" The way back: {line.back}" if line.back else ""
    return f"{line.branch}: {line.action} {count}{into}. {line.reason}{back}"
