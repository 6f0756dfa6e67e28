"""An agent's day, played from the tutorial page against a real server with the SDK's client."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from mcp import Client, StdioServerParameters

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "an-agents-day.md"
TREERING = Path(sys.executable).with_name("treering")


class Story:
    """The page, its blocks in order, and what its names stand for so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, str] = {}
        text = PAGE.read_text(encoding="utf-8")
        self.blocks = re.findall(r"^```(mcp|json)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    async def play(self, client: Client) -> int:
        """Every call made and every answer compared; how many calls there were."""
        answer, calls = None, 0
        for kind, block in self.blocks:
            if kind == "json":
                self.compare(json.loads(block), answer, "answer")
                continue
            for line in block.splitlines():
                if line.startswith("$ git "):
                    # By the real clock, as the server: reflogs are compared with memories.
                    subprocess.run(_words(line.removeprefix("$ ")), cwd=self.folder, check=True)
                else:
                    answer, calls = await self.call(client, line), calls + 1
        return calls

    async def call(self, client: Client, line: str) -> Any:
        tool, _, text = line.partition(" ")
        for name, meant in self.names.items():
            text = text.replace(f'"{name}"', f'"{meant}"')
        result = await client.call_tool(tool, json.loads(text))
        (content,) = result.content
        assert not result.is_error, f"{line}: {content.text}"
        return json.loads(content.text)

    def compare(self, shown: Any, found: Any, where: str) -> None:
        """What is shown must be there; a list as far as it is shown, a name as it was before."""
        if isinstance(shown, dict):
            for key, value in shown.items():
                assert key in found, f"{where} has no {key}: {found}"
                self.compare(value, found[key], f"{where}.{key}")
        elif isinstance(shown, list):
            assert len(found) >= len(shown), f"{where}: {found}"
            for number, value in enumerate(shown):
                self.compare(value, found[number], f"{where}[{number}]")
        elif isinstance(shown, str) and shown.startswith("$"):
            assert self.names.setdefault(shown, found) == found, where
        else:
            assert found == shown, f"{where} is {found!r}"


def _words(line: str) -> list[str]:
    return [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_page_is_what_happens(repo, era):
    """A page of calls that do not work teaches agents and people the wrong ones."""
    repo.commit_file("cache.py", "CACHE = {}\n")
    repo.tr.remember(
        "Cache by blob id\n\nA promotion then costs the cache nothing.", type="pattern"
    )
    story = Story(repo.path)

    async def main() -> int:
        server = StdioServerParameters(command=str(TREERING), args=["mcp"], cwd=repo.path)
        async with Client(server, mode=era) as client:
            return await story.play(client)

    assert anyio.run(main) >= 14
