"""Lines of the wire: the message one is, or the answer a wrong one gets.

Whoever waits for an answer gets one, under the id it waits for, as far as that can be told. An id
that is no id of the protocol, or a text with half a character in it, is written back as it came.
"""

import json
import re
from typing import Any

from treering.mcp.protocol import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, ProtocolError

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
    """How deep brackets stand in each other; Python versions differ in what they can bear."""
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
