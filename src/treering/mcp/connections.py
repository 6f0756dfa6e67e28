"""Connections over HTTP: how many there may be, and how long one may take to ask something.

uvicorn waits for the end of a request for as long as it takes, so whoever sends halves of requests
would hold as many connections as the machine has. Here a request has to be there whole in time, and
where there are too many connections the one that has waited longest without asking goes.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Connection(H11Protocol):
    """One connection. `most` is how many there may be, `seconds` the time a request may take to
    arrive: a byte now and then buys no more of it."""

    def __init__(self, *given: Any, most: int, seconds: float, **named: Any) -> None:
        super().__init__(*given, **named)
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
        there = [c for c in self.connections if isinstance(c, Connection) and c is not self]
        there = [other for other in there if not other.transport.is_closing()]
        if len(there) < self._most:
            return  # some are on their way out already
        waiting = [other for other in there if other._is_waiting]
        if waiting:
            min(waiting, key=lambda other: other._idle_since).transport.abort()
        else:
            self.transport.write(_FULL)
            self.transport.close()
