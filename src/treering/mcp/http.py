"""Streamable HTTP on request, for one machine unless a token and host names say otherwise.

A page in a browser can reach a port on this machine, so Host and Origin are checked always. A
token, if there is one, is checked on every request, also on this machine.

The SDK opens a session for every client of the handshake era, and keeps it until it was idle for
long. Whoever says hello again and again would fill its table and keep everyone else out. Here the
session that has been unused for longest is ended instead, in the way a client ends one.
"""

import contextlib
import hmac
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from treering.errors import Invalid
from treering.mcp.listening import LIMITS, Address, App, Connection, HttpLimits, bind

PATH = "/mcp"
_LARGEST_BODY = 4 * 1024 * 1024
_SHORTEST_TOKEN = 16
_SESSION = b"mcp-session-id"
_LAST_WORDS = 5  # seconds for calls under way when it is told to end


def check(address: Address, token: str, hosts: Sequence[str]) -> None:
    """Refuse what would let others in by accident."""
    if token and (len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise Invalid(
            f"The token is shorter than {_SHORTEST_TOKEN} characters, or not plain text.",
            hint="`openssl rand -hex 32` makes a good one.",
        )
    if not address.is_loopback and not (token and hosts):
        raise Invalid(
            f"Other machines can reach {address.host}: that needs a token and host names.",
            hint="Give TREERING_TOKEN or --token-file, and --allow-host NAME for each name.",
        )


def serve(
    server: Server[Any],
    address: Address,
    token: str,
    hosts: Sequence[str],
    say: Callable[[str], None],
    limits: HttpLimits = LIMITS,
) -> None:
    """Serve until a signal ends it; `say` hears where, once it can be reached."""
    check(address, token, hosts)
    listener = bind(address)
    actual = Address(address.host, listener.getsockname()[1])
    app = with_whole_bodies(Sessions(make_app(server, hosts, limits), limits.sessions))
    connection = partial(Connection, most=limits.connections, seconds=limits.request_seconds)
    config = uvicorn.Config(
        with_token(app, token) if token else app,
        http=cast("type[Connection]", connection),  # called like a class, and nothing else
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_LAST_WORDS,
    )
    listener.listen()
    say(f"http://{actual}{PATH}")
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises the signal again once it is done
        uvicorn.Server(config).run(sockets=[listener])


def make_app(server: Server[Any], hosts: Sequence[str], limits: HttpLimits) -> App:
    """What answers requests. A session under way holds a connection, so there are never more than
    both limits together."""
    app: App = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=_LARGEST_BODY,
        session_idle_timeout=limits.idle_seconds,
        max_sessions=limits.sessions + limits.connections,
        transport_security=_security(hosts),
    )
    return app


def _security(hosts: Sequence[str]) -> TransportSecuritySettings:
    """This machine's own names, and those given, each with any port."""
    names = ["127.0.0.1", "localhost", "[::1]", *hosts]
    return TransportSecuritySettings(
        allowed_hosts=[*(f"{name}:*" for name in names), *hosts],
        allowed_origins=[
            f"{scheme}://{name}{port}"
            for name in names
            for scheme in ("http", "https")
            for port in ("", ":*")
        ],
    )


class _Gone(Exception):
    """The client left before its request was there."""


def with_whole_bodies(app: App) -> App:
    """The app, which hears nothing of a client that left in the middle of its request."""

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        is_whole = scope["type"] != "http"

        async def receive_or_leave() -> Any:
            nonlocal is_whole
            message = await receive()
            if message["type"] == "http.disconnect" and not is_whole:
                raise _Gone
            is_whole = is_whole or not message.get("more_body", False)
            return message

        with contextlib.suppress(_Gone):
            await app(scope, receive_or_leave, send)

    return guard


def with_token(app: App, token: str) -> App:
    """The app, behind `Authorization: Bearer TOKEN`."""
    expected = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        header = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(header, expected):
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return guard


# --- sessions -------------------------------------------------------------------------------------


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
        session = _name_in(scope["headers"])
        new_session = ""

        async def watch(message: Any) -> None:
            nonlocal new_session
            if message["type"] == "http.response.start":
                new_session = _name_in(message["headers"]) if message["status"] < 400 else ""
                if message["status"] == 404 or scope["method"] == "DELETE":
                    self._open.pop(session, None)
            await send(message)

        self._use(session, 1)
        try:
            await self._app(scope, receive, watch)
        finally:
            self._use(session, -1)
        if new_session and not session:
            self._open[new_session] = 0
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
        host = [(key, value) for key, value in scope["headers"] if key == b"host"]
        headers = [*host, (_SESSION, name.encode())]

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Any) -> None:
            pass

        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)


def _name_in(headers: Any) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == _SESSION), "")
