"""The SDK's server, for HTTP: sessions, streams and both eras are its own, the answers are ours.

The SDK's low-level server checks nothing itself. Arguments are checked in arguments.py, so that the
answer to a wrong one is ours.
"""

from typing import Any, TypeVar

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
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
    CallToolResult,
    CompleteResult,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)
from pydantic import BaseModel

from treering.mcp.methods import Methods
from treering.mcp.protocol import SERVER_INFO, TOOLS_KEEP, Progress, ProtocolError
from treering.mcp.repository import ServedRepository
from treering.mcp.threads import Threads, threads
from treering.mcp.tools import INSTRUCTIONS

Context = ServerRequestContext[Threads]
Result = TypeVar("Result", bound=BaseModel)


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
        elif list_name:
            await self._bus.publish(ResourcesListChanged())
            await session.send_resource_list_changed()


def make_server(repository: ServedRepository, tools: str = "full") -> TreeringServer:
    """A server for one repository, ready to be run over any transport."""
    methods = Methods(repository, tools)
    bus = InMemorySubscriptionBus()
    changes = ListChanges(bus)

    def handler(method: str, kind: type[Result]) -> Any:
        async def answer(ctx: Context, params: BaseModel | None) -> Result:
            values = params.model_dump(by_alias=True, exclude_none=True) if params else {}
            agent = _client(ctx)

            def work(steps: Progress) -> Any:
                return methods.answer(method, values, agent, steps)

            try:
                reply = await ctx.lifespan_context.run(work, ctx.session.report_progress)
            except ProtocolError as error:
                raise MCPError(error.code, error.message, error.data) from None
            await changes.announce(ctx.session, reply.changed)
            return kind.model_validate(reply.result)

        return answer

    return TreeringServer(
        SERVER_INFO["name"],
        version=SERVER_INFO["version"],
        title=SERVER_INFO["title"],
        description=SERVER_INFO["description"],
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=TOOLS_KEEP, scope="public")},
        lifespan=threads,
        on_list_tools=handler("tools/list", ListToolsResult),
        on_call_tool=handler("tools/call", CallToolResult),
        on_list_resources=handler("resources/list", ListResourcesResult),
        on_list_resource_templates=handler("resources/templates/list", ListResourceTemplatesResult),
        on_read_resource=handler("resources/read", ReadResourceResult),
        on_list_prompts=handler("prompts/list", ListPromptsResult),
        on_get_prompt=handler("prompts/get", GetPromptResult),
        on_completion=handler("completion/complete", CompleteResult),
        on_subscriptions_listen=ListenHandler(bus),
    )


def _client(ctx: Context) -> str:
    """Return what the client calls itself: the agent to name in memories, where no one is named."""
    client = ctx.session.client_params
    return client.client_info.name[:100] if client and client.client_info else ""
