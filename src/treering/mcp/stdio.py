"""Standard input and output as the wire: one JSON message a line, and nothing else on it.

The SDK has such a transport. This one differs where a client would otherwise wait for ever or lose
an answer: what was asked before the input ended is still answered, a line that is no message is
answered as JSON-RPC says, a line without end is not kept in memory, and a reader that went away
ends the server.
"""

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO, Any, BinaryIO, TypeGuard, cast

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

LONGEST_LINE = 8 * 1024 * 1024
_PATIENCE = 10.0  # seconds for calls under way when the input ends
_ENDLESS = "subscriptions/listen"
_ID = rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")'

Incoming = SessionMessage | Exception


async def serve(server: Server[Any]) -> None:
    """Serve one client until it closes its end."""
    async with _wire() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class NoMessage(Exception):
    """A line that is no JSON-RPC message, with the answer it gets."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        self.answer = JSONRPCError(
            jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message)
        )


class Pending:
    """Requests that were read and not yet answered."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._none = anyio.Event()

    def asked(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._ids.add(str(message.id))
        elif _is_cancellation(message):
            self._done((message.params or {}).get("requestId"))

    def answered(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._done(message.id)

    def _done(self, request_id: Any) -> None:
        self._ids.discard(str(request_id))
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
    source, sink = _taken(0, "rb"), _taken(1, "wb")
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    pending = Pending()

    async with anyio.create_task_group() as tasks:

        async def read() -> None:
            async with to_server:
                while line := await to_thread.run_sync(_line, source, abandon_on_cancel=True):
                    try:
                        message = parsed(line)
                    except NoMessage as failure:
                        await outgoing.send(SessionMessage(failure.answer))
                        continue
                    pending.asked(message)
                    await to_server.send(SessionMessage(message))
                await pending.none()

        async def write() -> None:
            async with from_server:
                async for item in from_server:
                    data = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    try:
                        await to_thread.run_sync(_put, sink, data.encode("utf-8", "replace"))
                    except OSError:  # nobody is there to read any answer
                        tasks.cancel_scope.cancel()
                        return
                    pending.answered(item.message)

        tasks.start_soon(read)
        tasks.start_soon(write)
        try:
            yield incoming, outgoing
        finally:
            await outgoing.aclose()
            await incoming.aclose()


def _taken(fd: int, mode: str) -> BinaryIO:
    """The wire on a descriptor of its own: what else prints goes to standard error, and what reads
    finds nothing, so that no stray word of a library or a child can break a message."""
    own = os.dup(fd)
    other = os.open(os.devnull, os.O_RDONLY) if mode == "rb" else os.dup(2)
    os.dup2(other, fd)
    os.close(other)
    # Never closed: a thread may still wait in it when the server ends.
    wire: IO[bytes] = os.fdopen(own, mode, closefd=False)
    return cast("BinaryIO", wire)


def _line(source: BinaryIO) -> bytes:
    """The next line; of one that is too long, its beginning, and the rest is passed over."""
    line = source.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
        while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
    return line


def _put(sink: BinaryIO, data: bytes) -> None:
    sink.write(data + b"\n")
    sink.flush()


def parsed(line: bytes) -> JSONRPCMessage:
    """The message on a line. What JSON allows and Unicode does not is left for the arguments'
    own check, whose answer says what is wrong."""
    if len(line) >= LONGEST_LINE:
        found = re.search(_ID, line[:4096])
        known = json.loads(found[1]) if found else None
        raise NoMessage(INVALID_REQUEST, "The message is longer than 8 MB.", known)
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        pass
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise NoMessage(PARSE_ERROR, "The line is not JSON.") from None
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        known = value.get("id") if isinstance(value, dict) else None
        known = known if isinstance(known, str | int) and not isinstance(known, bool) else None
        raise NoMessage(INVALID_REQUEST, "The line is no JSON-RPC message.", known) from None
