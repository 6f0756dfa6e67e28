"""A client before the server: in memory for most tests, as a process where the wire matters."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from mcp import Client, StdioServerParameters
from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server

TREERING = Path(sys.executable).with_name("treering")
ERAS = ("legacy", "auto")  # the handshake; the stateless requests of 2026-07-28


class Agent:
    """A connected client that speaks in answers and errors."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def answer(self, tool: str, **arguments: Any) -> Any:
        text, is_error = await self.said(tool, **arguments)
        assert not is_error, text
        return json.loads(text)

    async def error(self, tool: str, **arguments: Any) -> dict[str, str]:
        text, is_error = await self.said(tool, **arguments)
        assert is_error, text
        found: dict[str, str] = json.loads(text)["error"]
        return found

    async def said(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert result.structured_content is None
        return content.text, bool(result.is_error)

    async def refused(self, request: Awaitable[Any]) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await request
        return caught.value


Story = Callable[[Agent], Awaitable[Any]]


def play(server: Any, story: Story, *, era: str = "auto", **options: Any) -> Any:
    """Connect, let the story happen, and disconnect."""

    async def main() -> Any:
        async with Client(server, mode=era, **options) as client:
            return await story(Agent(client))

    return anyio.run(main)


@pytest.fixture(params=ERAS)
def era(request) -> str:
    """Both ways clients speak today."""
    return str(request.param)


@pytest.fixture
def agent(repo, era):
    """`agent(story)` plays a story against a server in memory."""

    def run(story: Story, *, tools: str = "full", path: Path | None = None, **options: Any) -> Any:
        return play(
            make_server(ServedRepository(path or repo.path), tools), story, era=era, **options
        )

    return run


@pytest.fixture
def process(repo, era):
    """`process(story)` plays it against `treering mcp` as a client starts it."""

    def run(story: Story, *arguments: str, cwd: Path | None = None, **options: Any) -> Any:
        command = StdioServerParameters(
            command=str(TREERING), args=["mcp", *arguments], cwd=cwd or repo.path
        )
        return play(command, story, era=era, **options)

    return run
