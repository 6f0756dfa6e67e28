"""The methods of the protocol that are about the repository, answered in plain values.

Both transports ask here: standard input and output directly, HTTP through the SDK. Whatever looks
at the repository is imported when it is asked for: clients wait for the handshake and the list of
tools, and many ask for no more.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from treering.errors import NotARepository, TreeringError
from treering.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    Progress,
    ProtocolError,
    invalid_params,
)
from treering.mcp.repository import ServedRepository
from treering.mcp.tools import list_tools_as_json, profile

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

Params = dict[str, Any]
Result = dict[str, Any]
_THE_CALLERS = {"invalid", "memory_not_found", "ambiguous_id", "prompt_not_found",
                "branch_not_found"}  # fmt: skip


class Reply(NamedTuple):
    """A result, and the list that is another one now."""

    result: Result
    changed: str = ""


class Methods:
    """The methods that one repository answers."""

    def __init__(self, repository: ServedRepository, tools: str = "full") -> None:
        self._repository = repository
        self._verbs = {verb.name: verb for verb in profile(tools)}
        self._tools: Result = {"tools": list_tools_as_json(tools)}
        self._quick: dict[str, Callable[[Params], Result]] = {
            "tools/list": self._list_tools,
            "resources/templates/list": self._list_templates,
        }
        self._slow: dict[str, Callable[[Params, str, Progress], Reply]] = {
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/read": self._read_resource,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }

    def is_known(self, method: str) -> bool:
        return method in self._quick or method in self._slow

    def is_quick(self, method: str) -> bool:
        """Return whether the answer is there already, without a look at the repository."""
        return method in self._quick

    def answer(self, method: str, params: Params, agent: str, steps: Progress) -> Reply:
        """The answer of a known method; ProtocolError where there is none."""
        if method in self._quick:
            return Reply(self._quick[method](params))
        return self._slow[method](params, agent, steps)

    # --- tools ------------------------------------------------------------------------------------

    def _list_tools(self, params: Params) -> Result:
        _text(params, "cursor", "")
        return self._tools

    def _call_tool(self, params: Params, agent: str, steps: Progress) -> Reply:
        name, arguments = _text(params, "name"), _object(params, "arguments")
        verb = self._verbs.get(name)
        if verb is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:100]!r}")
        from treering.mcp.call import call

        answer = call(self._repository, verb, arguments, agent, steps)
        content = [{"type": "text", "text": answer.text}]
        return Reply({"content": content, "isError": answer.is_error}, answer.changed)

    # --- resources, prompts, completion -----------------------------------------------------------

    def _list_templates(self, params: Params) -> Result:
        from treering.mcp import resources

        _text(params, "cursor", "")
        return resources.templates()

    def _list_resources(self, params: Params, _agent: str, _steps: Progress) -> Reply:
        from treering.mcp import resources

        cursor = _text(params, "cursor", "")
        return self._find_or({"resources": []}, lambda ws: resources.list_page(ws, cursor))

    def _read_resource(self, params: Params, _agent: str, _steps: Progress) -> Reply:
        from treering.mcp import resources

        uri = _text(params, "uri")
        return self._find(lambda ws: resources.read_resource(ws, uri), {"uri": uri[:200]})

    def _list_prompts(self, params: Params, _agent: str, _steps: Progress) -> Reply:
        from treering.mcp import resources

        _text(params, "cursor", "")
        return self._find_or({"prompts": []}, resources.list_prompts)

    def _get_prompt(self, params: Params, _agent: str, _steps: Progress) -> Reply:
        from treering.mcp import resources

        name, variables = _text(params, "name"), _object(params, "arguments")
        if not all(isinstance(value, str) for value in variables.values()):
            raise invalid_params()
        data = {"name": name[:100]}
        return self._find(lambda ws: resources.run_prompt(ws, name, variables), data)

    def _complete(self, params: Params, _agent: str, _steps: Progress) -> Reply:
        from treering.mcp import resources

        reference, argument = _object(params, "ref"), _object(params, "argument")
        _text(reference, "type")
        name, start = _text(argument, "name"), _text(argument, "value")
        nothing = resources.as_completion([])
        return self._find_or(nothing, lambda ws: resources.complete(ws, name, start))

    def _find(self, look: Callable[["Workspace"], Result], data: Params) -> Reply:
        """Return what `look` finds. Its errors are errors of the protocol, with `data` beside
        them."""
        try:
            return Reply(look(self._repository.workspace()))
        except Exception as error:
            answer = _describe(error)
            code = INVALID_PARAMS if answer["code"] in _THE_CALLERS else INTERNAL_ERROR
            message = f"{answer['message']} {answer['hint']}".strip()
            raise ProtocolError(code, message, data) from None

    def _find_or(self, otherwise: Result, look: Callable[["Workspace"], Result]) -> Reply:
        """For listings, which clients ask for unasked: outside a repository there is nothing."""
        try:
            return Reply(look(self._repository.workspace()))
        except NotARepository:
            return Reply(otherwise)
        except TreeringError as error:
            answer = _describe(error)
            raise ProtocolError(INVALID_PARAMS, answer["message"]) from None


def _text(params: Params, name: str, otherwise: str | None = None) -> str:
    value = params.get(name)
    if value is None and otherwise is not None:
        return otherwise
    if not isinstance(value, str):
        raise invalid_params()
    return value


def _object(params: Params, name: str) -> Params:
    value = params.get(name)
    if value is None and name == "arguments":
        return {}
    if not isinstance(value, dict):
        raise invalid_params()
    return value


def _describe(error: Exception) -> dict[str, str]:
    from treering.mcp.replies import describe_error

    error_object: dict[str, str] = describe_error(error)["error"]
    return error_object
