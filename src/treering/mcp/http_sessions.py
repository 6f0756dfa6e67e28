"""Sessions of clients of the handshake era over HTTP: as many as there is room for.

The SDK opens a session for whoever says hello, and keeps it until it was idle for long. Whoever
says hello again and again would fill its table and keep everyone else out; here the session that
has been unused for longest is ended instead, in the way a client ends one.
"""

from collections.abc import Awaitable, Callable
from typing import Any

App = Callable[[Any, Any, Any], Awaitable[None]]
_NAME = b"mcp-session-id"


class Sessions:
    """An app, with at most so many of its sessions open; those with a request under way stay."""

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        #: Session -> how many requests of it are under way; the one used last is last.
        self._open: dict[str, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asked = _name_in(scope["headers"])
        answered = ""

        async def watch(message: Any) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = _name_in(message["headers"]) if message["status"] < 400 else ""
                if message["status"] == 404 or scope["method"] == "DELETE":
                    self._open.pop(asked, None)
            await send(message)

        self._use(asked, 1)
        try:
            await self._app(scope, receive, watch)
        finally:
            self._use(asked, -1)
        if answered and not asked:
            self._open[answered] = 0
            await self._make_room(scope)

    def _use(self, name: str, count: int) -> None:
        if name in self._open:
            self._open[name] = self._open.pop(name) + count

    async def _make_room(self, scope: Any) -> None:
        idle = [name for name, count in self._open.items() if not count]
        for name in idle[: max(0, len(self._open) - self._most)]:
            del self._open[name]
            await self._end(scope, name)

    async def _end(self, scope: Any, name: str) -> None:
        kept = [(key, value) for key, value in scope["headers"] if key == b"host"]
        headers = [*kept, (_NAME, name.encode())]

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Any) -> None:
            pass

        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def _name_in(headers: Any) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == _NAME), "")
