"""The server: tools, resources, prompts and completion over one repository, in both protocol eras.

The SDK's low-level server checks nothing itself. Arguments are checked in arguments.py, so that the
answer to a wrong one is ours.
"""

from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from treering import __version__
from treering.mcp.call import call
from treering.mcp.completion import Completions
from treering.mcp.repository import ServedRepository
from treering.mcp.requests import Context, Requests
from treering.mcp.resources import Resources
from treering.mcp.saved_prompts import SavedPrompts
from treering.mcp.threads import Threads, threads
from treering.mcp.tools import INSTRUCTIONS, list_tools_as_json, profile

_HOUR = 3_600_000


class TreeringServer(Server[Threads]):
    """The low-level server, which says in both eras that its lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        notifications = notification_options or NotificationOptions(
            prompts_changed=True, resources_changed=True
        )
        return super().create_initialization_options(
            notifications, experimental_capabilities, extensions
        )


class ListChanges:
    """Announces to the client that called, and to every stream that listens."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus

    async def announce(self, session: ServerSession, list_name: str) -> None:
        """Each way is silent in the other's era, so both are taken."""
        if list_name == "prompts":
            await self._bus.publish(PromptsListChanged())
            await session.send_prompt_list_changed()
        else:
            await self._bus.publish(ResourcesListChanged())
            await session.send_resource_list_changed()


def make_server(repository: ServedRepository, tools: str = "full") -> TreeringServer:
    """A server for one repository, ready to be run over any transport."""
    table = {verb.name: verb for verb in profile(tools)}
    listing = ListToolsResult.model_validate({"tools": list_tools_as_json(tools)})
    bus = InMemorySubscriptionBus()
    changes = ListChanges(bus)
    requests = Requests(repository)
    resources, prompts = Resources(requests), SavedPrompts(requests)

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return listing

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        verb = table.get(params.name)
        if verb is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:100]!r}")
        agent, raw = _client(ctx), dict(params.arguments or {})
        answer = await ctx.lifespan_context.run(
            lambda steps: call(repository, verb, raw, agent, steps), ctx.session.report_progress
        )
        if answer.changed:
            await changes.announce(ctx.session, answer.changed)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)], is_error=answer.is_error
        )

    return TreeringServer(
        "treering",
        version=__version__,
        title="treering",
        description="The memory of this repository, kept in git, branch by branch.",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=_HOUR, scope="public")},
        lifespan=threads,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources.list_page,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.run,
        on_completion=Completions(requests).complete,
        on_subscriptions_listen=ListenHandler(bus),
    )


def _client(ctx: Context) -> str:
    """What the client calls itself: the agent to name in memories, where no one is named."""
    client = ctx.session.client_params
    return client.client_info.name[:100] if client and client.client_info else ""
