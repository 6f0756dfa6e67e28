"""What is done to branches' memories by forms: promoted, restored, or what the plan says."""

from collections.abc import Iterator

from starlette.responses import Response

from treering.actions.gc import GcAnswer, PlanAnswer, gc, promote_by_hand
from treering.actions.restore import RestoredScope
from treering.actions.restore import restore as restore_scope
from treering.call import Advice, Call
from treering.errors import Conflict
from treering.web.notices import Notice, UndoStep
from treering.web.rendering import plural
from treering.web.views.branches import make_plan, plan_key
from treering.web.visit import Visit


def promote(visit: Visit) -> Response:
    """Put what a branch learned into the trunk now, whatever its code did."""
    branch = visit.needed("name", "The branch").strip()
    answer: PlanAnswer = visit.act(promote_by_hand, branch)
    undo = (UndoStep("promote", {"branch": branch, "into": answer.into, "undo": True}),)
    count = plural(answer.memories, "memory", "memories")
    return visit.go("/branches", Notice(f"Promoted {count} of {branch} to {answer.into}.", undo))


def restore(visit: Visit) -> Response:
    """Bring what was dropped back."""
    branch = visit.needed("name", "The branch").strip()
    answer: RestoredScope = visit.act(restore_scope, branch)
    undo: tuple[UndoStep, ...] = ()
    if branch not in visit.workspace.repository.branches():  # else it would not go to the trash
        arguments = {"branch": branch, "force": True, "keep_lessons": answer.lessons > 0}
        undo = (UndoStep("gc", arguments),)
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
    undo = tuple(step for line in reversed(lines) for step in _take_back(line))
    text = "The plan was applied." if done else "There was nothing to do."
    return visit.go("/branches", Notice(text, undo if len(undo) == len(lines) else (), done))


def _take_back(line: PlanAnswer) -> Iterator[UndoStep]:
    """The way back, where it is a call of ours and not of git."""
    for call in line.back.parts if isinstance(line.back, Advice) else ():
        if isinstance(call, Call) and call.verb == "restore":
            yield UndoStep("restore", {"branch": line.branch})
        elif isinstance(call, Call) and call.verb == "promote":
            to = {"branch": line.branch, "into": line.into, "undo": True}
            yield UndoStep("promote", {**to, "ids": call.options.get("id", [])})


def _tell(line: PlanAnswer) -> str:
    count = plural(line.memories, "memory", "memories")
    into = f" into {line.into}" if line.into else ""
    back = f" The way back: {line.back}" if line.back else ""
    return f"{line.branch}: {line.action} {count}{into}. {line.reason}{back}"
