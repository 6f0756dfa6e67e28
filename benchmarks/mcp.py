"""What it costs to be an MCP server: to start, to answer, in memory, and in an agent's tokens.

The floor of a start is `python -c "import mcp"`, of a call the same call of the library in this
process; of a capture also a call that does nothing, and the bare git write of `write.py`. What is
written and asked is as in `_days.py`. Peers that npm has are started in the same run.
"""

import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Any, Self

from benchmarks._bench import (
    ENVIRONMENT,
    heading,
    milliseconds,
    ratio,
    repository,
    row,
)
from benchmarks._days import FILES, Day
from benchmarks._notes import QUESTION, remember_notes
from benchmarks._peers import peers
from benchmarks._tokens import UNIT, count, count_json
from benchmarks.change import fill
from benchmarks.write import floor, thought
from treering import Treering
from treering.text.values import jsonable

SIZE = 10_000
#: At most so many milliseconds over the library call.
_OVER = {"remember": 2.0, "recall": 2.0, "read": 2.0}
_CAPTURE = 3.0  # milliseconds over a call that does nothing and the bare git write
_SETTLING = 15  # seconds in which both note beside their answers what the import brought
_CORE = ("remember", "recall", "read", "revise", "link", "checkpoint", "context", "status")
#: What an agent should pay at most.
_GOALS = {
    "tools/list, 13 tools": 3_000,
    "tools/list, core": 1_900,
    "recall, ten hits": 1_050,
    "recall, ten hits, light": 500,
    "remember": 40,
    "read, 100 words": 250,
}
_LESS = 0.8  # of a context with every field


def main(quick: bool) -> None:
    start(rounds=3 if quick else 9)
    print()
    with repository() as path:
        tokens(path)
    print()
    with repository() as path:
        treering = Treering(fill(path, 1_000 if quick else SIZE))
        treering.recall("warm the index")
        with Session(path) as session:
            calls(session, treering, path, rounds=20 if quick else 100)
            print()
            memory(session, rounds=200 if quick else 1_000)


class Session:
    """A server as a client starts it, in the handshake era, one request at a time."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        command: list[str] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.started = time.perf_counter()
        program = str(Path(sys.executable).with_name("treering"))
        self.process = subprocess.Popen(
            command or [program, "mcp", *options],
            cwd=folder,
            env=environment or ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
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
    def cpu(self) -> float:
        """Seconds of CPU that all its threads took so far."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        times = (task.joinpath("schedstat").read_text(encoding="ascii") for task in tasks)
        return sum(int(text.split()[0]) for text in times) / 1e9

    @property
    def resident(self) -> int:
        """Kilobytes of memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0])


def start(rounds: int) -> None:
    """CPU, because a machine at work makes wall time longer for whoever waits for more files."""
    heading("from spawn to tools/list", "CPU", "/ import mcp", "wall")
    with repository() as path, tempfile.TemporaryDirectory() as folder:
        ways = {
            "treering mcp": lambda: _listed(Session(path)),
            "treering mcp --tools core": lambda: _listed(Session(path, "--tools", "core")),
        }
        for name, command, environment in peers(Path(folder)):
            ways[name] = lambda command=command, environment=environment: _listed(
                Session(path, command=command, environment=environment)
            )
        floor = [_import_mcp() for _ in range(rounds)]
        taken = {name: [way() for _ in range(rounds)] for name, way in ways.items()}
    bare = median(cpu for cpu, _ in floor)
    row(
        '  python -c "import mcp"',
        milliseconds(bare),
        "",
        milliseconds(median(w for _, w in floor)),
    )
    for name, times in taken.items():
        cpu, wall = median(c for c, _ in times), median(w for _, w in times)
        is_ours = name.startswith("treering")
        share = ratio(cpu, bare, 0.6) if is_ours else f"{cpu / bare:.2f}x"
        row(f"  {name}", milliseconds(cpu), share, milliseconds(wall))


def _import_mcp() -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp"], env=ENVIRONMENT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - started


def _listed(session: Session) -> tuple[float, float]:
    with session:
        session.ask("tools/list")
        taken = session.cpu, time.perf_counter() - session.started
        session.process.kill()  # how it ends is not part of the start
    return taken


def calls(session: Session, treering: Treering, path: Path, rounds: int) -> None:
    """CPU of the server against CPU of this process: other work on the machine costs neither."""
    heading("one call, CPU", "over stdio", "library", "over", "at most")
    day = Day(time.time())
    session.call("remember", **day.capture(FILES))
    treering.remember(**day.capture(FILES))
    time.sleep(_SETTLING)
    ids = day.memories(treering, 20)
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "remember": lambda: day.capture(FILES),
        "recall": lambda: {"query": day.question()},
        "read": lambda: {"id": random.choice(ids)},
    }
    served = {}
    for name, make in ways.items():
        there, here = _compare_calls(session, treering, name, make, rounds)
        served[name] = there
        _row_over(name, there, here, _OVER[name])
    bare = _median_cpu(floor(path, "mcp", [], has_log=True), rounds)
    null = median(_served(session, lambda: session.ask("ping")) for _ in range(rounds))
    row("  a call that does nothing", milliseconds(null))
    row("  the bare git write", "", milliseconds(bare))
    _row_over("remember, over both of these", served["remember"], bare + null, _CAPTURE)


def _compare_calls(
    session: Session,
    treering: Treering,
    name: str,
    make: Callable[[], dict[str, Any]],
    rounds: int,
) -> tuple[float, float]:
    """Medians of a call over the wire and of the library's, with arguments of its own each."""
    there, here = [], []
    for number in range(rounds + 2):
        arguments = make()
        there.append(_served(session, partial(session.call, name, **arguments)))
        if name == "remember":
            arguments = make()
        between = time.process_time()
        getattr(treering, name)(**arguments)
        here.append(time.process_time() - between)
        if number < 2:  # both have caches to fill
            there.clear()
            here.clear()
    return median(there), median(here)


def _served(session: Session, call: Callable[[], object]) -> float:
    before = session.cpu
    call()
    return session.cpu - before


def _median_cpu(call: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        between = time.process_time()
        call()
        times.append(time.process_time() - between)
    return median(times)


def _row_over(name: str, there: float, here: float, most: float) -> None:
    over = (there - here) * 1000
    verdict = f"{most:g} ms {'ok' if over <= most else 'MISSED'}"
    row(f"  {name}", milliseconds(there), milliseconds(here), f"{over:.2f} ms", verdict)


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


def tokens(path: Path) -> None:
    """Over twelve notes with tags and a file each, of which one question finds all."""
    heading("what an agent pays", UNIT, "goal", "every field")
    remember_notes(path)
    task = {"task": "end a stolen session token at once", "files": ["src/auth/session.py"]}
    library = Treering.open(path)
    with Session(path) as session, tempfile.TemporaryDirectory() as folder:
        tools = session.ask("tools/list")["tools"]
        _goal("tools/list, 13 tools", count_json(tools))
        _goal("tools/list, core", count_json([t for t in tools if t["name"] in _CORE]))
        for name, command, environment in peers(Path(folder)):
            with Session(path, command=command, environment=environment) as peer:
                listed = peer.ask("tools/list")["tools"]
                row(f"  tools/list of {name}, {len(listed)} tools", f"{count_json(listed):,}")
                peer.process.kill()
        hits = json.loads(session.call("recall", query="opaque"))["results"]
        _goal("recall, ten hits", count(session.call("recall", query=QUESTION)),
              _full(library.recall(QUESTION)))  # fmt: skip
        _goal("recall, ten hits, light",
              count(session.call("recall", query=QUESTION, detail="light")),
              _full(library.recall(QUESTION, detail="light")))  # fmt: skip
        _goal("read, 100 words", count(session.call("read", id=hits[0]["id"])),
              _full(library.read(hits[0]["id"])))  # fmt: skip
        brief, whole = count(session.call("context", **task)), _full(library.context(**task))
        row("  context", f"{brief:,}", ratio(brief, whole, _LESS), f"{whole:,}")
        text = {"content": "Use WAL mode: readers never block", "type": "decision"}
        _goal("remember", count(session.call("remember", **text)))
        row("  status", f"{count(session.call('status')):,}")


def _full(answer: object) -> int:
    """What the same answer costs with every field, as the command line prints it."""
    return count_json(jsonable(answer))


def _goal(name: str, number: int, whole: int = 0) -> None:
    goal = _GOALS[name]
    verdict = f"{goal:,} {'ok' if number <= goal else 'MISSED'}"
    row(f"  {name}", f"{number:,}", verdict, f"{whole:,}" if whole else "")
