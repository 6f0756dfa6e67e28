"""Standard input and output as the wire: one JSON message a line, and nothing else on it.

The SDK has such a transport. This one differs where a client would otherwise wait for ever or lose
an answer: what was asked before the input ended is still answered, a line that is no message is
answered as JSON-RPC says, a line without end is not kept in memory, and a reader that went away
ends the server.
"""

import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO, Any, BinaryIO, TypeGuard, cast

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from treering.mcp.line import LONGEST, CutLine, NoMessage, encode, parse

_PATIENCE = 10.0  # seconds for calls under way when the input ends
_PIECE = 64 * 1024
_ENDLESS = "subscriptions/listen"

Incoming = SessionMessage | Exception


async def serve(server: Server[Any]) -> None:
    """Serve one client until it closes its end."""
    async with _wire() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class Pending:
    """Requests that were read and not yet answered; an id may be used twice."""

    def __init__(self) -> None:
        self._ids: Counter[str] = Counter()
        self._none = anyio.Event()

    def note_request(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._ids[str(message.id)] += 1
        elif _is_cancellation(message):
            self._remove((message.params or {}).get("requestId"))

    def note_answer(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._remove(message.id)

    def _remove(self, request_id: Any) -> None:
        self._ids -= Counter([str(request_id)])
        if not self._ids:
            self._none.set()
            self._none = anyio.Event()

    async def none(self) -> None:
        with anyio.move_on_after(_PATIENCE):
            while self._ids:
                await self._none.wait()


def _is_cancellation(message: JSONRPCMessage) -> TypeGuard[JSONRPCNotification]:
    return isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled"


@asynccontextmanager
async def _wire() -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]
]:
    source, sink = _take(0, "rb"), _take(1, "wb")
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    pending = Pending()

    async with anyio.create_task_group() as tasks:

        async def read() -> None:
            async with to_server:
                while line := await to_thread.run_sync(_read, source, abandon_on_cancel=True):
                    try:
                        message = parse(line)
                    except NoMessage as failure:
                        await outgoing.send(SessionMessage(failure.answer))
                        continue
                    pending.note_request(message)
                    await to_server.send(SessionMessage(message))
                await pending.none()

        async def write() -> None:
            async with from_server:
                async for item in from_server:
                    try:
                        await to_thread.run_sync(_put, sink, encode(item.message))
                    except OSError:  # nobody is there to read any answer
                        tasks.cancel_scope.cancel()
                        return
                    pending.note_answer(item.message)

        tasks.start_soon(read)
        tasks.start_soon(write)
        try:
            yield incoming, outgoing
        finally:
            await outgoing.aclose()
            await incoming.aclose()


def _take(fd: int, mode: str) -> BinaryIO:
    """The wire on a descriptor of its own: what else prints goes to standard error, and what reads
    finds nothing, so that no stray word of a library or a child can break a message."""
    own = os.dup(fd)
    other = os.open(os.devnull, os.O_RDONLY) if mode == "rb" else os.dup(2)
    os.dup2(other, fd)
    os.close(other)
    # Never closed: a thread may still wait in it when the server ends.
    wire: IO[bytes] = os.fdopen(own, mode, closefd=False)
    return cast("BinaryIO", wire)


def _read(source: BinaryIO) -> bytes:
    """The next line; of one that is too long, its beginning, and the rest is passed over."""
    line = source.readline(LONGEST)
    if len(line) < LONGEST or line.endswith(b"\n"):
        return line
    line = CutLine(line[:_PIECE])
    while (rest := source.readline(_PIECE)) and not rest.endswith(b"\n"):
        pass
    return line


def _put(sink: BinaryIO, data: bytes) -> None:
    sink.write(data + b"\n")
    sink.flush()
