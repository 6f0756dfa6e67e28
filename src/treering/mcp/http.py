"""Streamable HTTP on request, for one machine unless a token and host names say otherwise.

A page in a browser can reach a port on this machine, so Host and Origin are checked always, and so
is a token: every user of a machine can reach its ports.

Sessions of the protocol's handshake era are the SDK's: it ends those that were idle for long.
"""

import asyncio
import contextlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from treering.errors import Invalid
from treering.mcp.listening import MAX_CONNECTIONS, Address, App, bind

PATH = "/mcp"
_LARGEST_BODY = 4 * 1024 * 1024
_SHORTEST_TOKEN = 16
_MAX_SESSIONS = 1000
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
            f"Listening on {address.host} exposes the server: that needs a token and host names.",
            hint="Give TREERING_TOKEN or --token-file, and --allow-host NAME for each name.",
        )


def serve(
    server: Server[Any],
    address: Address,
    token: str | None,
    hosts: Sequence[str],
    say: Callable[[str], None],
) -> None:
    """Serve until a signal ends it; `say` is told where, once it can be reached.

    An empty token: one is made, and said. None: every user of this machine is served.
    """
    check(address, token or "", hosts)
    made = secrets.token_urlsafe(32) if token == "" else ""
    is_good = partial(_is_token, token or made) if token is not None else None
    tell = (lambda url: say(f"{url} (Authorization: Bearer {made})")) if made else say
    serve_guarded(server, address, is_good, hosts, tell)


def serve_guarded(
    server: Server[Any],
    address: Address,
    is_good: Callable[[str], bool] | None,
    hosts: Sequence[str],
    say: Callable[[str], None],
) -> None:
    """Serve callers whose token `is_good`."""
    if not address.is_loopback and not hosts:
        raise Invalid(
            f"Listening on {address.host} exposes the server: that needs host names.",
            hint="Give --allow-host NAME for each name it is reached by.",
        )
    listener = bind(address)
    actual = Address(address.host, listener.getsockname()[1])
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=_MAX_SESSIONS,
        max_request_body_size=_LARGEST_BODY,
        transport_security=_security(hosts),
    )
    config = uvicorn.Config(
        with_token(app, is_good) if is_good else app,
        ws="none",
        log_level="warning",
        access_log=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=_LAST_WORDS,
    )
    listener.listen()
    say(f"http://{actual}{PATH}")
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises the signal again once it is done
        uvicorn.Server(config).run(sockets=[listener])


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


def _is_token(expected: str, token: str) -> bool:
    return hmac.compare_digest(token.encode(), expected.encode())


def read_bearer(header: bytes) -> str:
    """The token in `Bearer TOKEN`; nothing where the header is of another form."""
    kind, _, token = header.decode("latin-1").partition(" ")
    is_plain = kind.lower() == "bearer" and token.isascii() and token.isprintable()
    return token.strip() if is_plain else ""


def with_token(app: App, is_good: Callable[[str], bool]) -> App:
    """The app, behind `Authorization: Bearer TOKEN`. A look may wait for a disk or a database, so
    it is made beside the loop."""

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        token = read_bearer(dict(scope["headers"]).get(b"authorization", b""))
        loop = asyncio.get_running_loop()
        is_known = await loop.run_in_executor(None, is_good, token) if token else False
        if is_known:
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return guard
