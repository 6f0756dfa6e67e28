"""One call of a tool: its arguments checked, the action done, the answer cut to size."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.actions.answers import jsonable
from treering.actions.verbs.verb import Verb
from treering.mcp.cut import MOST, USUAL, compact, fit, how_many_fit
from treering.mcp.errors import refusal
from treering.mcp.lenient import check_arguments
from treering.mcp.place import ServedRepository
from treering.mcp.threads import Progress

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

log = logging.getLogger(__name__)
Action = Callable[..., Any]


class ToolAnswer(NamedTuple):
    """What goes back to the client."""

    text: str
    is_error: bool = False


def call(
    place: ServedRepository, verb: Verb, raw: dict[str, Any], agent: str, steps: Progress
) -> ToolAnswer:
    """Answer one call; whatever goes wrong is an answer, too."""
    try:
        given = check_arguments(verb, raw)
        workspace = place.workspace(agent)
        action = verb.load_action()
        if verb.tool and verb.tool.is_long:
            given["progress"] = steps
        return ToolAnswer(_answer(workspace, action, given))
    except Exception as error:
        told = refusal(error)
        if told["error"]["code"] == "internal":
            log.exception("%s failed", verb.name)
        return ToolAnswer(compact(told), is_error=True)


def _answer(workspace: "Workspace", action: Action, given: dict[str, Any]) -> str:
    def asked(**other: Any) -> dict[str, Any]:
        found: dict[str, Any] = jsonable(action(workspace, **(given | other)))
        return found

    answer = asked()
    room = _room(given)
    text = compact(answer)
    if len(text) <= room:
        return text
    from treering.actions import outputs

    kept = {"out": outputs.keep(workspace, text)}
    while "cursor" in answer and len(compact(answer | kept)) > room and len(answer["results"]) > 1:
        fits = how_many_fit(answer | kept, "results", room)
        answer = asked(limit=min(fits, len(answer["results"]) - 1))
    answer = fit(answer | kept, room)
    if "next_offset" in answer and "content" in answer:
        answer["next_offset"] += given.get("offset", 0)
    return compact(answer)


def _room(given: dict[str, Any]) -> int:
    """Who asks for one memory, or says how much, gets more than who leaves it to us."""
    return MOST if {"id", "limit", "budget"} & given.keys() else USUAL
