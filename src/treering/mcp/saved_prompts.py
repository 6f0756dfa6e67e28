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

    def __init__(self, offers: Requests) -> None:
        self._offers = offers

    async def list_prompts(
        self, ctx: Context, _: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        return ListPromptsResult(prompts=await self._offers.find_or(ctx, _all, []))

    async def run(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        name, variables = params.name, dict(params.arguments or {})
        described, texts = await self._offers.find(
            ctx, lambda ws: _run(ws, name, variables), name=name[:100]
        )
        messages = [
            PromptMessage(role="user", content=TextContent(type="text", text=text))
            for text in texts
        ]
        return GetPromptResult(description=described, messages=messages)


def _prompts(workspace: "Workspace", op: str, **given: Any) -> dict[str, Any]:
    from treering.actions.prompts.prompts import (
        prompts,  # at the first call, not before the handshake
    )

    return prompts(workspace, op, kind="prompt", **given)


def _all(workspace: "Workspace") -> list[Prompt]:
    """Each name once: the user's own before the project's, as running it would find them."""
    listed = sorted(_prompts(workspace, "list")["prompts"], key=lambda item: item["domain"])
    found = {item["name"]: _offer(item) for item in listed}  # "user" comes last, and stays
    return [found[name] for name in sorted(found)]


def _offer(item: dict[str, Any]) -> Prompt:
    from treering.text.flags import unless_flagged

    needed = [PromptArgument(name=name, required=True) for name in item["variables"]]
    optional = [PromptArgument(name=n, required=False) for n in item.get("optional", [])]
    # Clients list prompts by themselves; what one says is read by whoever runs it.
    described = unless_flagged(item["description"], "") or "A saved prompt."
    return Prompt(name=item["name"], description=described, arguments=[*needed, *optional])


def _run(workspace: "Workspace", name: str, variables: dict[str, str]) -> tuple[str, list[str]]:
    """What the prompt is for, and what it says, after what has to be said about it: few clients
    show a description, all show the messages."""
    described = _prompts(workspace, "get", name=name)
    run = _prompts(workspace, "run", name=name, variables=variables)
    warnings = [f"Warning from treering: {warning}" for warning in run.get("warnings", [])]
    return " ".join([described["description"], *warnings]).strip(), [*warnings, run["text"]]
