"""R12, the server's half: messages that are wrong in every way a client can be wrong."""

import json
import select
import subprocess
import time
from random import Random
from typing import Any

from benchmarks.reliability.trial import Outcome, Trial
from faults.ground import Repo

_PATIENCE = 20.0  # seconds for a plain question between wrong ones, on a busy machine
_EVERY = 50
_HELLO = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "trial", "version": "1"},
    },
}  # fmt: skip
_TOOLS = (
    "remember", "recall", "read", "revise", "forget", "link", "graph", "entities", "checkpoint",
    "context", "prompts", "status", "maintain", "nothing", "", "../x",
)  # fmt: skip
_WORDS = (
    "op", "id", "ids", "query", "content", "branch", "limit", "tags", "files", "cursor", "budget",
    "type", "at", "since", "variables", "dry_run", "nonsense", "to", "name", "format", "depth",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    "", "-", "x", "list", "stats", "gc", "a" * 5000, "\u202e", "\x00", "\ud800",
    "../../etc/passwd", "{{#each}}",
    0, -1, 10**30, 1e308, True, None, [], ["x"] * 500, {}, {"a": {"b": {"c": 1}}}, [[[[]]]],
    "*" * 200, "(" * 300, "ffffffffffff", "main", "@{-1}", "--help", "out:000000000000",
)  # fmt: skip
_IDS: tuple[Any, ...] = (1.5, 2.0, None, True, [], {}, "\udfff", 10**30, "")
_METHODS = (
    "tools/call", "tools/call", "tools/call", "tools/list", "resources/read", "resources/list",
    "prompts/get", "completion/complete", "ping", "initialize", "nothing", "notifications/x",
)  # fmt: skip


class Server:
    """A running `treering mcp`, spoken to line by line."""

    def __init__(self, repo: Repo) -> None:
        self.process = subprocess.Popen(
            [str(repo.program), "mcp", "-C", str(repo.path)],
            env=repo.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.send(json.dumps(_HELLO).encode())
        self.wait_for(0)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def wait_for(self, number: int) -> None:
        """Read answers until the one with this id; what comes before answers wrong messages."""
        assert self.process.stdout
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.2)
            if ready:
                line = self.process.stdout.readline()
                assert line, "the server is gone"
                if json.loads(line).get("id") == number:
                    return
        raise AssertionError(f"no answer within {_PATIENCE:.0f} seconds")

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=30)


def play(trial: Trial, repo: Repo, outcome: Outcome) -> None:
    """Wrong messages, and after every fifty a plain one that has to be answered."""
    server = Server(repo)
    number = 0
    try:
        for number in range(1, trial.amount(400, 20_000) + 1):
            server.send(_wrong(trial.dice, number))
            if number % _EVERY == 0:
                plain = {"jsonrpc": "2.0", "id": -number, "method": "tools/list", "params": {}}
                server.send(json.dumps(plain).encode())
                server.wait_for(-number)
        server.close()
    except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as error:
        outcome.failures.append(f"message {number}: {error}")
        server.process.kill()
    outcome.rounds += number


def _wrong(dice: Random, number: int) -> bytes:
    id = number if dice.random() < 0.9 else dice.choice(_IDS)
    message = {"jsonrpc": "2.0", "id": id, "method": dice.choice(_METHODS), "params": {
        "name": dice.choice(_TOOLS), "uri": dice.choice(_VALUES),
        "arguments": {dice.choice(_WORDS): dice.choice(_VALUES) for _ in range(dice.randrange(5))},
    }}  # fmt: skip
    line = bytearray(json.dumps(message).encode())
    for _ in range(dice.choice((0, 0, 0, 1, 3))):
        line[dice.randrange(len(line))] = dice.choice(b'{}[]":,0aZ \\\x01\xff')
    return bytes(line).replace(b"\n", b" ")
