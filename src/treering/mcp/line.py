"""A line of the wire: the JSON-RPC message it is, or the answer that a wrong one gets.

Whoever waits under an id is answered under it. The SDK takes a request whose id it cannot use for
a notification, and its sender would wait for ever; so ids are looked at here.
"""

import json
import re
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json

LONGEST = 8 * 1024 * 1024
#: The id of a message whose end is not there, if nothing but the envelope stands before it: an
#: `id` among the arguments may be that of another request.
_FIRST_ID = (
    rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"\s*,\s*){0,2}'
    rb'"id"\s*:\s*(-?\d{1,15}(?=[\s,}])|"[^"\\]{0,100}")'
)
_HALF = rb"\\u[dD][89a-fA-F]"


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
        found = re.match(_FIRST_ID, line)
        known = json.loads(found[1]) if found else None
        raise NoMessage(INVALID_REQUEST, "The message is longer than 8 MB.", known)
    value = _read_json(line)
    if not isinstance(value, dict):
        raise NoMessage(INVALID_REQUEST, "The line is not a JSON-RPC message.")
    if "id" in value and "method" in value:
        value["id"] = _check_id(value["id"])
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        # An answer's id is one of ours: among the sender's own it may be another request's.
        known = None if "result" in value or "error" in value else value.get("id")
        known = known if isinstance(known, str | int) and not isinstance(known, bool) else None
        raise NoMessage(INVALID_REQUEST, "The line is not a JSON-RPC message.", known) from None


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


def _check_id(given: Any) -> str | int:
    """An id of the protocol: a text or a whole number, also one that is written as a fraction."""
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, bool) or not isinstance(given, str | int):
        is_number = isinstance(given, float) and abs(given) < float("inf")
        known = given if is_number else None
        raise NoMessage(INVALID_REQUEST, "The id is neither text nor a whole number.", known)
    return given


def encode(message: JSONRPCMessage) -> bytes:
    """A message as one line, whatever is in it: half a character is written as JSON spells it."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True, warnings=False).encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        pass
    try:
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True)).encode()
    except (ValueError, TypeError, RecursionError):
        known = json.dumps(getattr(message, "id", None)).encode()
        return b'{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s"}}' % (
            known,
            INTERNAL_ERROR,
            b"The answer cannot be written as JSON.",
        )
