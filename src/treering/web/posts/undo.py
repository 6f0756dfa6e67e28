"""Undo: the steps that were noted when something was done, taken now."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from treering.actions.gc import gc, promote_by_hand
from treering.actions.history import revert
from treering.actions.read import read
from treering.actions.restore import restore
from treering.actions.revise import forget
from treering.errors import Conflict, Invalid
from treering.web.notices import Notice, UndoStep
from treering.web.posts.memories import go_back
from treering.web.visit import Visit


def undo(visit: Visit) -> Response:
    """Take something back that was done on this page, as long as nobody changed it since."""
    notice = visit.site.notices.take_undo(visit.field("done"))
    if notice is None:
        raise Invalid(
            "It was undone already, or too long ago.",
            hint="`treering log` and `treering revert` know the way back.",
        )
    for step in notice.undo:
        _check(visit, step)
    for step in notice.undo:
        _take(visit, step)
    id = _memory_of(notice.undo[0].arguments)
    if notice.back or not id:
        return go_back(visit, Notice("Undone.", back=notice.back or "/branches"))
    return visit.go(f"/memory/{id}", Notice("Undone."))


def _memory_of(arguments: Mapping[str, Any]) -> str:
    ids = arguments.get("ids") or [arguments.get("id") or ""]
    return ids[0] if len(ids) == 1 else ""


def _check(visit: Visit, step: UndoStep) -> None:
    """Nobody's later change is taken back along with ours."""
    expect = step.arguments.get("expect")
    if expect is None:
        return
    branch = step.arguments["branch"]
    current = visit.act(read, step.arguments["id"], links=0, branch=branch)
    if current.version != expect:
        raise Conflict(
            f"The memory {current.id} was changed since.",
            hint="Its history shows every version, and goes back to any of them.",
        )


def _take(visit: Visit, step: UndoStep) -> None:
    arguments = {key: value for key, value in step.arguments.items() if key != "expect"}
    verbs: dict[str, Callable[..., Any]] = {
        "forget": forget,
        "gc": gc,
        "promote": promote_by_hand,
        "revert": revert,
        "restore": restore,
    }
    visit.act(verbs[step.verb], **arguments)
