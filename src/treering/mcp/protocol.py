"""The protocol's own words: versions, codes of errors, progress, messages as lines of the wire.

Spelled here and not taken from the SDK, which takes longer to import than a client likes to wait
for a list of tools. A test compares the two. Whoever waits for an answer gets one, under the id it
waits for, as far as that can be told. An id that is no id of the protocol, or a text with half a
character in it, is written back as it came.
"""

import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from treering import __version__
from treering.mcp.tools import INSTRUCTIONS

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
CONNECTION_CLOSED, UNSUPPORTED_VERSION = -32000, -32022

#: Those that begin with a handshake, oldest first; and those whose requests each say it anew.
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)

_KEY = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{_KEY}protocolVersion", f"{_KEY}clientCapabilities"
CLIENT_KEY, SERVER_KEY = f"{_KEY}clientInfo", f"{_KEY}serverInfo"
SUBSCRIPTION_KEY = f"{_KEY}subscriptionId"

SERVER_INFO = {
    "name": "treering",
    "title": "treering",
    "version": __version__,
    "description": "The memory of this repository, kept in git, branch by branch.",
}
#: Milliseconds for which a client may keep the list of tools: it changes with the program.
TOOLS_KEEP = 3_600_000


class ProtocolError(Exception):
    """An error of the protocol, beside the tools' own, which are answers."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def as_json(self) -> dict[str, Any]:
        error = {"code": self.code, "message": self.message}
        return error if self.data is None else error | {"data": self.data}


def invalid_params() -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, "Invalid request parameters", "")


def greeting(version: str) -> dict[str, Any]:
    """The answer to `initialize`: the client's version where it is known, else our newest."""
    answer_version = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return {
        "protocolVersion": answer_version,
        "capabilities": _capabilities(can_subscribe=False),
        "serverInfo": SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


def discovery() -> dict[str, Any]:
    """The answer to `server/discover`."""
    return {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _capabilities(can_subscribe=True),
        "instructions": INSTRUCTIONS,
    }


def _capabilities(*, can_subscribe: bool) -> dict[str, Any]:
    return {
        "completions": {},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": can_subscribe},
        "tools": {"listChanged": can_subscribe},
    }


_BETWEEN = 0.1  # seconds between two reports of progress


class Cancelled(BaseException):
    """The client no longer waits. Like an interrupt it is no error that anyone should mend."""


class Progress:
    """A callback for long work between its steps: tells the client, or ends the work."""

    def __init__(self, tell: Callable[[int, int], object]) -> None:
        self._tell = tell
        self._told = time.monotonic()
        self._done = 0
        self.is_cancelled = threading.Event()
        self.is_waited_for = True  # also when the client sends nothing any more

    def __call__(self, done: int, total: int) -> None:
        if self.is_cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        # The protocol wants each number to be greater than the one before.
        if done > self._done and (now - self._told >= _BETWEEN or done == total):
            self._told, self._done = now, done
            self._tell(done, total)


Message = dict[str, Any]
#: The id of a message whose end is not there, if nothing but the envelope stands before it: an
#: `id` among the arguments may be that of another request.
_FIRST_ID = (
    rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"\s*,\s*){0,2}'
    rb'"id"\s*:\s*(-?\d{1,15}(?=[\s,}])|"[^"\\]{0,100}")'
)
_TEXT = rb'"(?:[^"\\]|\\.)*+"'
_DEEPEST = 200


class CutLine(bytes):
    """The beginning of a line that was too long."""


class NoMessage(Exception):
    """A line that is no JSON-RPC message, with the answer it gets."""

    def __init__(self, code: int, message: str, request_id: Any = None) -> None:
        super().__init__(message)
        self.answer = failure(request_id, ProtocolError(code, message))


def failure(request_id: Any, error: ProtocolError) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "error": error.as_json()}


def parse(line: bytes) -> Message:
    """The message on a line, in the right shape; NoMessage when it is none."""
    if isinstance(line, CutLine):
        match = re.match(_FIRST_ID, line)
        request_id = json.loads(match[1]) if match else None
        raise NoMessage(INVALID_REQUEST, "The message is longer than 8 MB.", request_id)
    value = _read_json(line)
    if not isinstance(value, dict):
        raise NoMessage(INVALID_REQUEST, "The line is not a JSON-RPC message.")
    if "id" in value and "method" in value:
        value["id"] = _check_id(value["id"])
    if not _has_shape(value):
        # An answer's id is one of ours: among the sender's own it may be another request's.
        value_id = None if "result" in value or "error" in value else value.get("id")
        is_usable = isinstance(value_id, str | int) and not isinstance(value_id, bool)
        raise NoMessage(
            INVALID_REQUEST,
            "The line is not a JSON-RPC message.",
            value_id if is_usable else None,
        )
    return value


def _has_shape(value: Message) -> bool:
    if value.get("jsonrpc") != "2.0" or not isinstance(value.get("params"), dict | None):
        return False
    if "method" in value:
        return isinstance(value["method"], str)
    return isinstance(value.get("result"), dict) or isinstance(value.get("error"), dict)


def _read_json(line: bytes) -> Any:
    try:
        if line.count(b"[") + line.count(b"{") > _DEEPEST and _depth(line) > _DEEPEST:
            raise ValueError
        return json.loads(line.decode())
    except (ValueError, RecursionError):
        raise NoMessage(PARSE_ERROR, "The line is not JSON, or too deep.") from None


def _depth(line: bytes) -> int:
    """Return how deep brackets stand in each other; Python versions differ in what they can
    bear."""
    depth = deepest = 0
    for bracket in re.findall(rb"[\[{}\]]", re.sub(_TEXT, b"", line)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _check_id(request_id: Any) -> str | int:
    """An id of the protocol: a text or a whole number, also one that is written as a fraction."""
    if isinstance(request_id, float) and request_id.is_integer():
        return int(request_id)
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        is_number = isinstance(request_id, float) and abs(request_id) < float("inf")
        known_id = request_id if is_number else None
        raise NoMessage(INVALID_REQUEST, "The id is neither text nor a whole number.", known_id)
    return request_id


def encode(message: Message) -> bytes:
    """A message as one line, whatever is in it: half a character is written as JSON spells it."""
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message).encode() + b"\n"
    except (ValueError, TypeError, RecursionError):
        error = ProtocolError(INTERNAL_ERROR, "The answer cannot be written as JSON.")
        return json.dumps(failure(message.get("id"), error)).encode() + b"\n"
