"""Listening on HTTP: an address, and a socket bound to it.

Nothing here needs the SDK, which takes long to import: the page is served by the same means.
"""

import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from treering.errors import Invalid, StorageFailed

App = Callable[[Any, Any, Any], Awaitable[None]]

#: Beyond so many connections at once, the next one is told to come again.
MAX_CONNECTIONS = 256


class Address(NamedTuple):
    """An address to listen on."""

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
