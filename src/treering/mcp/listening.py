"""Listening on HTTP: an address, a socket bound to it, and connections that have limits.

uvicorn waits for the end of a request for as long as it takes, so whoever sends halves of requests
would hold as many connections as the machine has. Here a request has to be there whole in time, and
where there are too many connections the one that has waited longest without asking goes.

Nothing here needs the SDK, which takes long to import: the page is served by the same means.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from treering.errors import Invalid, StorageFailed

App = Callable[[Any, Any, Any], Awaitable[None]]

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


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


def bind(address: Address) -> socket.socket:
    """A socket at the address, which nobody can reach before it listens."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(tuple(address))
    except OSError as error:
        listener.close()
        raise StorageFailed(
            f"{address} cannot be listened on: {error.strerror}.", hint="Choose another port."
        ) from error
    return listener


class Connection(H11Protocol):
    """One connection. `most` is how many there may be, `seconds` the time a request may take to
    arrive: a byte now and then buys no more of it."""

    def __init__(self, *args: Any, most: int, seconds: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self._most = most
        self._seconds = seconds
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since = self.loop.time()

    # --- what the loop calls ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline()
        if len(self.connections) > self._most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_waiting:
            self._clear_deadline()
        elif self._deadline is None:  # a kept connection begins its next request
            self._set_deadline()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        super().connection_lost(exc)

    # --- time -------------------------------------------------------------------------------------

    @property
    def _is_waiting(self) -> bool:
        """Whether the client has yet to send a request, or the rest of one."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(self._seconds, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    # --- room -------------------------------------------------------------------------------------

    def _make_room(self) -> None:
        """Drop the one that has waited longest; where all are at work, turn this one away."""
        others = [c for c in self.connections if isinstance(c, Connection) and c is not self]
        others = [other for other in others if not other.transport.is_closing()]
        if len(others) < self._most:
            return  # some are on their way out already
        waiting = [other for other in others if other._is_waiting]
        if waiting:
            min(waiting, key=lambda other: other._idle_since).transport.abort()
        else:
            self.transport.write(_FULL)
            self.transport.close()
