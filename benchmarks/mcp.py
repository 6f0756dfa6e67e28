"""What it costs to be an MCP server: to start, to answer, in memory, and in an agent's tokens.

The floor of a start is `python -c "import mcp"`, of a call the same call of the library in this
process. The peers' figures were measured with their own tools/list.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks._bench import (
    ENVIRONMENT,
    git,
    heading,
    interleaved,
    milliseconds,
    ratio,
    repository,
    row,
)
from benchmarks.write import records, thought
from treering import Treering

SIZE = 10_000
#: Server, tools, characters of names, descriptions and input schemas.
PEERS = (
    ("server-memory 2026.8.31", 9, 4_160),
    ("basic-memory 0.19.2", 23, 25_650),
    ("mcp-memory-service 10.59.0", 18, 27_635),
)
_SLACK = 0.003  # seconds over the library call
_SETTLING = 15  # seconds in which both note beside their answers what the import brought


def main(quick: bool) -> None:
    start(rounds=3 if quick else 9)
    print()
    with repository() as path, tempfile.TemporaryDirectory() as folder:
        treering = Treering.open(path)
        treering.import_path(records(Path(folder), 1_000 if quick else SIZE))
        git(path, "repack", "-adq")
        treering.recall("warm the index")
        with Session(path) as session:
            calls(session, treering, rounds=20 if quick else 100)
            print()
            memory(session, rounds=200 if quick else 1_000)
            print()
            tokens(session)


class Session:
    """A server as a client starts it, in the handshake era, one request at a time."""

    def __init__(self, folder: Path, *options: str) -> None:
        program = Path(sys.executable).with_name("treering")
        self.process = subprocess.Popen(
            [program, "mcp", *options],
            cwd=folder,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._numbers = itertools.count()
        client = {"name": "benchmark", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self.process.stdout
        number = next(self._numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while (answer := json.loads(self.process.stdout.readline())).get("id") != number:
            pass  # an announcement
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text: str = result["content"][0]["text"]
        assert not result.get("isError"), text
        return text

    @property
    def resident(self) -> int:
        """Kilobytes of memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0])


def start(rounds: int) -> None:
    heading("from spawn to tools/list", "wall", "/ import mcp")
    with repository() as path:
        taken = interleaved(
            rounds,
            {
                "import": lambda: subprocess.run(
                    [sys.executable, "-c", "import mcp"], env=ENVIRONMENT, check=True
                ),
                "full": lambda: _listed(path),
                "core": lambda: _listed(path, "--tools", "core"),
            },
            warm_up=1,
        )
    row('  python -c "import mcp"', milliseconds(taken["import"]))
    for name in ("full", "core"):
        row(f"  treering mcp --tools {name}", milliseconds(taken[name]),
            ratio(taken[name], taken["import"], 1.5))  # fmt: skip


def _listed(path: Path, *options: str) -> None:
    with Session(path, *options) as session:
        session.ask("tools/list")
        session.process.kill()  # how it ends is not part of the start


def calls(session: Session, treering: Treering, rounds: int) -> None:
    heading("one call", "over stdio", "library", "over", "at most")
    numbers = itertools.count(1_000_000)
    known = json.loads(session.call("remember", content="to be read", type="insight"))["id"]
    treering.remember("and another", type="insight")
    time.sleep(_SETTLING)
    ways = {
        "remember": (
            lambda: session.call("remember", content=thought(next(numbers)), type="insight"),
            lambda: treering.remember(thought(next(numbers)), type="insight"),
        ),
        "recall": (
            lambda: session.call("recall", query="cache token latency"),
            lambda: treering.recall("cache token latency"),
        ),
        "read": (lambda: session.call("read", id=known), lambda: treering.read(known)),
    }
    for name, (served, called) in ways.items():
        taken = interleaved(rounds, {"served": served, "called": called})
        over = taken["served"] - taken["called"]
        row(
            f"  {name}",
            *(milliseconds(taken[way]) for way in ("served", "called")),
            milliseconds(over),
            f"{_SLACK * 1000:g} ms {'ok' if over <= _SLACK else 'MISSED'}",
        )


def memory(session: Session, rounds: int) -> None:
    heading("resident memory", "MB")
    numbers = itertools.count(2_000_000)

    def some(count: int) -> None:
        for _ in range(count // 4):
            text = thought(next(numbers))
            found = json.loads(session.call("remember", content=text, type="insight"))
            session.call("recall", query=text[:40])
            session.call("read", id=found["id"])
            session.call("status")

    # The first calls fill caches whose size is bounded; after them nothing may grow any more.
    some(rounds)
    before = session.resident
    row(f"  after {rounds:,} calls", f"{before / 1024:.1f}")
    some(rounds)
    after = session.resident
    row(f"  after {rounds:,} more", f"{after / 1024:.1f}", ratio(after, before, 1.1))


def tokens(session: Session) -> None:
    heading("what an agent pays", "tools", "characters", "~tokens")
    for name, count, size in PEERS:
        row(f"  tools/list of {name}", str(count), f"{size:,}", f"{size // 4:,}")
    tools = session.ask("tools/list")["tools"]
    core = {"remember", "recall", "read", "revise", "link", "checkpoint", "context", "status"}
    for name, listed in (("full", tools), ("core", [t for t in tools if t["name"] in core])):
        size = sum(_size(tool) for tool in listed)
        row(f"  tools/list of treering, {name}", str(len(listed)), f"{size:,}", f"{size // 4:,}")
    asked: dict[str, dict[str, Any]] = {
        "remember": {"content": "Use WAL mode: readers never block", "type": "decision"},
        "recall (10 hits)": {"query": "cache token latency"},
        "recall (light)": {"query": "cache token latency", "detail": "light"},
        "recall (nothing given)": {},
        "status": {},
    }
    for name, arguments in asked.items():
        size = len(session.call(name.split()[0], **arguments))
        row(f"  answer of {name}", "", f"{size:,}", f"{size // 4:,}")


def _size(tool: dict[str, Any]) -> int:
    told = {key: tool[key] for key in ("name", "description", "inputSchema")}
    return len(json.dumps(told, separators=(",", ":"), ensure_ascii=False))
