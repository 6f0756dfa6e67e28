"""What agents see: the server's introduction, its lists, and a day of calls on the wire."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import START, Repo
from snapshots.golden import Placeholders, check, pretty

HERE = Path(__file__).parent
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "snapshots", "version": "1"},
}
LONG = "\n".join(f"- Item {number} of a list that does not fit." for number in range(300))


class Wire:
    """`treering mcp` as a client starts it, a line for a line."""

    def __init__(self, repo: Repo, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "program.py"), str(START + 3600), "mcp", *options],
            cwd=repo.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.number = 0
        self.hello = self.ask("initialize", HELLO)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, without its envelope; notifications are passed over."""
        assert self.process.stdout
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            found: dict[str, Any] = json.loads(line)
            if found.get("id") == self.number:
                return {key: found[key] for key in found if key not in ("jsonrpc", "id")}
        raise AssertionError(f"{method}: the server is gone")

    def close(self) -> None:
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0


@pytest.mark.parametrize("tools", ["full", "core"])
def test_what_the_server_says_it_can(repo: Repo, tools: str) -> None:
    wire = Wire(repo, "--tools", tools)
    lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")

    answers = {"initialize": wire.hello} | {method: wire.ask(method, {}) for method in lists}
    wire.close()

    words = Placeholders()
    texts = {name.replace("/", "_"): pretty(value) for name, value in answers.items()}
    check(f"server_{tools}", {f"{name}.json": words.replace(text) for name, text in texts.items()})


def test_a_day_of_calls_on_the_wire(repo: Repo) -> None:
    """Good calls, wrong ones, and answers that are cut."""
    wire, words, told = Wire(repo), Placeholders({str(repo.path): "<repo>"}), []
    ids: dict[str, str] = {}
    session = (HERE / "session.txt").read_text(encoding="utf-8")
    for line in session.splitlines()[1:]:
        call, _, name = line.partition(" => ")
        tool, text = call.split(" ", 1)
        for known, word in ids.items():
            text = text.replace(word, known)
        arguments = json.loads(text.replace("LONG", json.dumps(LONG)[1:-1]))
        answer = wire.ask("tools/call", {"name": tool, "arguments": arguments})
        if name:
            word, _, field = name.partition(":")
            value = json.loads(answer["result"]["content"][0]["text"])
            for key in (field or "id").split("."):
                value = value[int(key) if key.isdigit() else key]
            ids[value] = words.known[value] = f"<{word}>"
        told.append(f"> {call}\n{words.replace(_show(answer))}")
    wire.close()

    check("wire", {"calls.txt": "\n\n".join(told)})


def _show(answer: dict[str, Any]) -> str:
    """The text of a tool is JSON of its own: shown as such, a field a line."""
    for content in answer.get("result", {}).get("content", ()):
        content["text"] = json.loads(content["text"])
    return pretty(answer).replace(LONG.replace("\n", "\\n"), "LONG")
