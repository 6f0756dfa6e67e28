"""Standard input and output as the wire: one JSON message a line, and nothing else on it.

The SDK has such a transport. This one differs where a client would otherwise wait for ever or lose
an answer: what was asked before the input ended is still answered, a line that is no message is
answered as JSON-RPC says, a line without end is not kept in memory, and a reader that went away
ends the server.

Whoever waits under an id is answered under it. The SDK takes a request whose id it cannot use for
a notification, and its sender would wait for ever. So ids are looked at here.
"""

import json
import os
import re
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
    INTERNAL_ERROR,
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
from pydantic_core import PydanticSerializationError, from_json

_PATIENCE = 10.0  # seconds for calls under way when the input ends
_PIECE = 64 * 1024
_ENDLESS = "subscriptions/listen"
_LOOKS = ("suggest", "dedupe", "infer_links")
LONGEST = 8 * 1024 * 1024
#: The id of a message whose end is not there, if nothing but the envelope stands before it: an
#: `id` among the arguments may be that of another request.
_FIRST_ID = (
    rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"\s*,\s*){0,2}'
    rb'"id"\s*:\s*(-?\d{1,15}(?=[\s,}])|"[^"\\]{0,100}")'
)
_HALF = rb"\\u[dD][89a-fA-F]"

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
        if isinstance(message, JSONRPCRequest) and _is_waited_for(message):
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


def _is_waited_for(message: JSONRPCRequest) -> bool:
    """Whether an answer is still given when the input has ended: not for a stream, nor for a look
    at all pairs of memories, which nobody may be there to read."""
    arguments = (message.params or {}).get("arguments")
    op = arguments.get("op") if isinstance(arguments, dict) else None
    return message.method != _ENDLESS and op not in _LOOKS


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
    wire_fd = os.dup(fd)
    other = os.open(os.devnull, os.O_RDONLY) if mode == "rb" else os.dup(2)
    os.dup2(other, fd)
    os.close(other)
    # Never closed: a thread may still wait in it when the server ends.
    wire: IO[bytes] = os.fdopen(wire_fd, mode, closefd=False)
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


# --- lines ----------------------------------------------------------------------------------------


class CutLine(bytes):
    """The beginning of a line that was too long."""


class NoMessage(Exception):
    """A line that is no JSON-RPC message, with the answer it gets."""

    def __init__(self, code: int, message: str, request_id: float | str | None = None) -> None:
        error = ErrorData(code=code, message=message)
        # Not validated: an id that is no id of the protocol is still what its sender waits for.
        self.answer = JSONRPCError.model_construct(jsonrpc="2.0", id=request_id, error=error)


def parse(line: bytes) -> JSONRPCMessage:
    """The message on a line; NoMessage when it is none."""
    if isinstance(line, CutLine):
        match = re.match(_FIRST_ID, line)
        request_id = json.loads(match[1]) if match else None
        raise NoMessage(INVALID_REQUEST, "The message is longer than 8 MB.", request_id)
    value = _read_json(line)
    if not isinstance(value, dict):
        raise NoMessage(INVALID_REQUEST, "The line is not a JSON-RPC message.")
    if "id" in value and "method" in value:
        value["id"] = _check_id(value["id"])
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        # An answer's id is one of ours: among the sender's own it may be another request's.
        value_id = None if "result" in value or "error" in value else value.get("id")
        is_usable = isinstance(value_id, str | int) and not isinstance(value_id, bool)
        request_id = value_id if is_usable else None
        raise NoMessage(
            INVALID_REQUEST, "The line is not a JSON-RPC message.", request_id
        ) from None


def _read_json(line: bytes) -> Any:
    """What a line says. Halves of characters, which JSON can spell and Unicode forbids, are left
    for the arguments' own check, whose answer says what is wrong."""
    try:
        return from_json(line)
    except ValueError:
        pass
    try:
        if re.search(_HALF, line):
            return json.loads(line)
    except (ValueError, RecursionError):
        pass
    raise NoMessage(PARSE_ERROR, "The line is not JSON, or too deep.")


def _check_id(request_id: Any) -> str | int:
    """An id of the protocol: a text or a whole number, also one that is written as a fraction."""
    if isinstance(request_id, float) and request_id.is_integer():
        return int(request_id)
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        is_number = isinstance(request_id, float) and abs(request_id) < float("inf")
        known_id = request_id if is_number else None
        raise NoMessage(INVALID_REQUEST, "The id is neither text nor a whole number.", known_id)
    return request_id


def encode(message: JSONRPCMessage) -> bytes:
    """A message as one line, whatever is in it: half a character is written as JSON spells it."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True, warnings=False).encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        pass
    try:
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True)).encode()
    except (ValueError, TypeError, RecursionError):
        request_id = json.dumps(getattr(message, "id", None)).encode()
        return b'{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}' % (
            request_id,
            INTERNAL_ERROR,
            b"The answer cannot be written as JSON.",
        )
