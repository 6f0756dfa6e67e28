"""One call of a tool: its arguments checked, the action done, the answer made short and cut."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from treering.mcp.arguments import check_arguments
from treering.mcp.compact import compact_answer
from treering.mcp.protocol import Progress
from treering.mcp.replies import MOST, USUAL, advise, describe_error, fit, how_many_fit, write_json
from treering.text.values import jsonable
from treering.verbs.verb import Verb

if TYPE_CHECKING:
    from treering.actions.workspace import MemoryWorkspace

log = logging.getLogger(__name__)
Action = Callable[..., Any]
#: Operations of maintain that leave the same memories to list.
_SAME_MEMORIES = ("reindex", "infer_links", "prune_links")


class ToolAnswer(NamedTuple):
    """The answer that goes back to the client."""

    text: str
    is_error: bool = False
    #: The list that is another one now, and that clients are told to read again.
    changed: str = ""


class Served(Protocol):
    """The side a server works for: a repository, or what a token may see of a hub."""

    @property
    def agent(self) -> str: ...

    def workspace(self) -> "MemoryWorkspace":
        """Return the workspace as of now."""
        ...


def call(
    served: Served, verb: Verb, raw: dict[str, Any], agent: str, steps: Progress
) -> ToolAnswer:
    """Answer one call. Whatever goes wrong is an answer, too."""
    try:
        arguments = check_arguments(verb, raw)
        workspace = served.workspace()
        caller = served.agent or agent or "agent"  # never a person, however it calls itself
        arguments = verb.name_caller(caller, arguments)
        if verb.tool and verb.tool.is_long:
            arguments["progress"] = steps
        return _ToolCall(workspace, verb, arguments).answer()
    except Exception as error:
        answer = describe_error(error)
        if answer["error"]["code"] == "internal":
            log.exception("%s failed", verb.name)
        return ToolAnswer(write_json(answer), is_error=True)


class _ToolCall:
    """The action, and how much of its answer there is room for."""

    def __init__(self, workspace: "MemoryWorkspace", verb: Verb, arguments: dict[str, Any]) -> None:
        self._workspace = workspace
        self._verb = verb
        self._arguments = arguments
        self._action: Action = verb.act

    def answer(self) -> ToolAnswer:
        answer = self._act()
        text = write_json(answer)
        if len(text) > (room := self._room()):
            text = self._cut(answer, text, room)
        changes = self._verb.tool.changes if self._verb.tool else ""
        return ToolAnswer(text, changed=changes if self._has_changed(answer) else "")

    def _act(self, **changes: Any) -> dict[str, Any]:
        answer = jsonable(self._action(self._workspace, **(self._arguments | changes)), advise)
        return compact_answer(self._verb.name, self._arguments, answer, self._workspace.clock())

    def _room(self) -> int:
        """Return the room for an answer: more for who asks for one memory, or says how much."""
        return MOST if {"id", "limit", "budget"} & self._arguments.keys() else USUAL

    def _cut(self, answer: dict[str, Any], whole: str, room: int) -> str:
        from treering.actions.read import keep_output
        from treering.actions.workspace import Workspace

        # What somebody may see of a hub is not kept where another may read it.
        reference = {}
        if isinstance(self._workspace, Workspace):
            reference["out"] = keep_output(self._workspace, whole)
        while (
            "cursor" in answer
            and len(write_json(answer | reference)) > room
            and len(answer["results"]) > 1
        ):
            fits = how_many_fit(answer | reference, "results", room)
            answer = self._act(limit=min(fits, len(answer["results"]) - 1))
        answer = fit(answer | reference, room)
        if "next_offset" in answer and "content" in answer:
            answer["next_offset"] += self._arguments.get("offset", 0)
        return write_json(answer)

    def _has_changed(self, answer: dict[str, Any]) -> bool:
        """Return whether memories or prompts are others now; what only looked has changed
        nothing."""
        op = self._arguments.get("op", "")
        if self._verb.name == "maintain":
            return not answer.get("dry_run") and op not in _SAME_MEMORIES
        if self._verb.name in ("checkpoint", "prompts"):
            return op.lower() in ("save", "delete")
        return not answer.get("duplicate") and answer.get("changed") != []
