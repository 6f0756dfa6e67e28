"""Word to the client that a list is another one now, in the way of either protocol era."""

from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
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
