"""Streamable HTTP on request, for one machine unless a token and host names say otherwise.

A page in a browser can reach a port on this machine, so Host and Origin are checked always; and a
token, where one is given, on every request, also on this machine.
"""

import contextlib
import hmac
import ipaddress
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from treering.errors import Invalid, StorageFailed
from treering.mcp.connections import Connection
from treering.mcp.http_sessions import App, Sessions

PATH = "/mcp"
_LARGEST_BODY = 4 * 1024 * 1024
_SHORTEST_TOKEN = 16
_LAST_WORDS = 5  # seconds for calls under way when it is told to end


class HttpLimits(NamedTuple):
    """What a client may take: the time to send a request, and room."""

    request_seconds: float = 30.0
    connections: int = 256
    sessions: int = 100
    idle_seconds: float = 1800.0


LIMITS = HttpLimits()


class Address(NamedTuple):
    """Where to listen."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Address":
        """`PORT`, `HOST:PORT` or `[IPV6]:PORT`."""
        host, _, port = text.rpartition(":")
        if not port.isascii() or not port.isdigit() or int(port) > 65_535:
            raise Invalid(
                f"{text[:80]!r} is not an address to listen on.", hint="Give [HOST:]PORT."
            )
        return cls(host.strip("[]") or "127.0.0.1", int(port))

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


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
    listening = _bind(address)
    actual = Address(address.host, listening.getsockname()[1])
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
    listening.listen()
    say(f"http://{actual}{PATH}")
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises the signal again once it is done
        uvicorn.Server(config).run(sockets=[listening])


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


def _bind(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(tuple(address))
    except OSError as error:
        made.close()
        raise StorageFailed(
            f"{address} cannot be listened on: {error.strerror}.", hint="Choose another port."
        ) from error
    return made


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
        given = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(given, expected):
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return guard
