"""Saved prompts as the protocol's prompts, read from the store at each call: what was saved a
moment ago, here or by someone else, is there.

A prompt is an instruction, chosen by the person who runs it, so it is not fenced; memories that a
template puts into it are.
"""

from typing import TYPE_CHECKING, Any

from mcp_types import (
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from treering.mcp.requests import Context, Requests

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace


class SavedPrompts:
    """The protocol's questions about prompts."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def list_prompts(
        self, ctx: Context, _: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=await self._requests.find_or(ctx, _all, []))

    async def run(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        name, variables = params.name, dict(params.arguments or {})
        description, texts = await self._requests.find(
            ctx, lambda ws: _run(ws, name, variables), name=name[:100]
        )
        messages = [
            PromptMessage(role="user", content=TextContent(type="text", text=text))
            for text in texts
        ]
        return GetPromptResult(description=description, messages=messages)


def _prompts(workspace: "Workspace", op: str, **options: Any) -> Any:
    from treering.actions.prompts.prompts import (
        prompts,  # at the first call, not before the handshake
    )

    return prompts(workspace, op, kind="prompt", **options)


def _all(workspace: "Workspace") -> list[Prompt]:
    """Each name once: the user's own before the project's, as running it would find them."""
    items = sorted(_prompts(workspace, "list")["prompts"], key=lambda item: item["domain"])
    by_name = {item["name"]: _offer(item) for item in items}  # "user" comes last, and stays
    return [by_name[name] for name in sorted(by_name)]


def _offer(item: dict[str, Any]) -> Prompt:
    from treering.text.flags import unless_flagged

    required = [PromptArgument(name=name, required=True) for name in item["variables"]]
    optional = [PromptArgument(name=n, required=False) for n in item.get("optional", [])]
    # Clients list prompts by themselves; what one says is read by whoever runs it.
    description = unless_flagged(item["description"], "") or "A saved prompt."
    return Prompt(name=item["name"], description=description, arguments=[*required, *optional])


def _run(workspace: "Workspace", name: str, variables: dict[str, str]) -> tuple[str, list[str]]:
    """What the prompt is for, and what it says, after what has to be said about it: few clients
    show a description, all show the messages."""
    prompt = _prompts(workspace, "get", name=name)
    run = _prompts(workspace, "run", name=name, variables=variables)
    warnings = [f"Warning from treering: {warning}" for warning in run.get("warnings", [])]
    return " ".join([prompt["description"], *warnings]).strip(), [*warnings, run["text"]]
