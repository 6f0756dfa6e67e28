"""One call of a tool: its arguments checked, the action done, the answer cut to size."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.actions.answers import jsonable
from treering.actions.verbs.verb import Verb
from treering.mcp.arguments import check_arguments
from treering.mcp.replies import MOST, USUAL, compact, describe_error, fit, how_many_fit
from treering.mcp.repository import ServedRepository
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
    repository: ServedRepository, verb: Verb, raw: dict[str, Any], agent: str, steps: Progress
) -> ToolAnswer:
    """Answer one call. Whatever goes wrong is an answer, too."""
    try:
        arguments = check_arguments(verb, raw)
        workspace = repository.workspace(agent)
        action = verb.load_action()
        if verb.tool and verb.tool.is_long:
            arguments["progress"] = steps
        return ToolAnswer(_answer(workspace, action, arguments))
    except Exception as error:
        answer = describe_error(error)
        if answer["error"]["code"] == "internal":
            log.exception("%s failed", verb.name)
        return ToolAnswer(compact(answer), is_error=True)


def _answer(workspace: "Workspace", action: Action, arguments: dict[str, Any]) -> str:
    def act(**changes: Any) -> dict[str, Any]:
        answer: dict[str, Any] = jsonable(action(workspace, **(arguments | changes)))
        return answer

    answer = act()
    room = _room(arguments)
    text = compact(answer)
    if len(text) <= room:
        return text
    from treering.actions import outputs

    reference = {"out": outputs.keep(workspace, text)}
    while (
        "cursor" in answer
        and len(compact(answer | reference)) > room
        and len(answer["results"]) > 1
    ):
        fits = how_many_fit(answer | reference, "results", room)
        answer = act(limit=min(fits, len(answer["results"]) - 1))
    answer = fit(answer | reference, room)
    if "next_offset" in answer and "content" in answer:
        answer["next_offset"] += arguments.get("offset", 0)
    return compact(answer)


def _room(arguments: dict[str, Any]) -> int:
    """Who asks for one memory, or says how much, gets more than who leaves it to us."""
    return MOST if {"id", "limit", "budget"} & arguments.keys() else USUAL
