"""The protocol's own words: versions, codes of errors, and what the server says of itself.

Spelled here and not taken from the SDK, which takes longer to import than a client likes to wait
for a list of tools. A test compares the two.
"""

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
