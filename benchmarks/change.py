"""What a call costs after a change, beside the same call when nothing changed.

    python -m benchmarks change [--quick]

CPU time of one process, medians; captures at once by the clock. The store is made up: memories of
twenty to seventy words as in `search.py`, with files, tags and links drawn by lot. With
`TREERING_BENCH_STORE=PATH` the store there is used, and written to, in the place of the largest.
"""

import itertools
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks._bench import git, heading, milliseconds, ratio, repository, row
from benchmarks.search import Corpus
from benchmarks.write import floor, thought
from treering import Treering
from treering.actions.workspace import Workspace
from treering.model.memory import Memory, derive_id
from treering.text import secrets
from treering.text.flags import flags_of

SIZES = (10_000, 100_000)
_TYPES = ("decision", "insight", "issue", "config", "pattern", "component", "progress", "commit")
_AT_ONCE = 8
_numbers = itertools.count(int(time.time()) % 1_000_000 * 1_000)


def main(quick: bool) -> None:
    rounds = 5 if quick else 15
    for size in (1_000,) if quick else SIZES[:1]:
        with repository() as path:
            workspace = fill(path, size)
            after_import(workspace, size)
            after_changes(workspace, size, rounds)
            print()
            captures(workspace, path, rounds=10 if quick else 40)
            print()
            looks(workspace, size)
    if place := os.environ.get("TREERING_BENCH_STORE"):
        print()
        after_changes(Workspace.open(place), 0, rounds)
    elif not quick:
        print()
        with repository() as path:
            after_changes(fill(path, SIZES[-1]), SIZES[-1], rounds)


def fill(path: Path, size: int) -> Workspace:
    workspace = Workspace.open(path)
    with tempfile.TemporaryDirectory() as folder:
        Treering(workspace).import_path(_records(Path(folder), size))
    git(path, "repack", "-adq")
    return workspace


def _records(folder: Path, size: int) -> Path:
    memories = list(Corpus(size).memories.values())
    lots, path = random.Random(1), folder / "records.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, memory in enumerate(memories):
            targets = (lots.choice(memories).id for _ in range(lots.randrange(3)))
            record = {
                "id": memory.id,
                "content": memory.content,
                "title": memory.title,
                "type": _TYPES[number % len(_TYPES)],
                "tags": [f"tag{number % 40}"],
                "files": [file.path for file in memory.files],
                "links": [{"relation": "relates_to", "target": target} for target in targets],
            }
            file.write(json.dumps(record) + "\n")
    return path


def spend(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def _write(treering: Treering) -> None:
    treering.remember(f"zebra crossing number {next(_numbers)}", type="insight")


def after_import(workspace: Workspace, size: int) -> None:
    """The first question and the first captures find everything ready."""
    treering = Treering(workspace)
    first = spend(lambda: treering.recall("care moli"))
    later = median(spend(lambda: treering.recall("care moli")) for _ in range(5))
    captures = [spend(lambda: _write(treering)) for _ in range(15)]
    heading(f"after an import of {size:,}", "first", "later", "first / later")
    row("  recall", milliseconds(first), milliseconds(later), f"{first / later:.1f}x")
    rest = median(captures[5:])
    row("  capture", milliseconds(captures[0]), milliseconds(rest), f"{captures[0] / rest:.1f}x")


def after_changes(workspace: Workspace, size: int, rounds: int) -> None:
    treering = Treering(workspace)
    ids = [result.id for result in treering.recall("", limit=50).results]
    ways: dict[str, Callable[[int], object]] = {
        "read": lambda at: treering.read(ids[at % len(ids)]),
        "recall": lambda _: treering.recall("zebra crossing"),
        "recall of common words": lambda _: treering.recall("care moli tare"),
    }
    name = f"{size:,} memories" if size else "the store at TREERING_BENCH_STORE"
    heading(f"after one new memory, {name}", "after it", "again", "goal 2x")
    for what, way in ways.items():
        way(0)
        first, again = [], []
        for at in range(rounds):
            way(at)
            _write(treering)
            first.append(spend(partial(way, at)))
            again.append(spend(partial(way, at)))
        cells = (milliseconds(median(times)) for times in (first, again))
        row(f"  {what}", *cells, ratio(median(first), median(again), 2))


def captures(workspace: Workspace, path: Path, rounds: int) -> None:
    treering = Treering(workspace)
    bare = floor(path, "b", [], has_log=True)

    def capture() -> None:
        treering.remember(thought(next(_numbers)), type="insight")

    taken: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(rounds):
        taken["ours"].append(spend(capture))
        taken["bare"].append(spend(bare))
    ours, theirs = median(taken["ours"]), median(taken["bare"])
    heading("one capture", "CPU", "bare git", "goal 3 ms more")
    row("  remember", milliseconds(ours), milliseconds(theirs), _within(ours - theirs, 0.003))
    memory = _memory()
    view = workspace.view()
    around = workspace.neighbourhood.look_around
    parts: dict[str, tuple[Callable[[], object], float]] = {
        "looking for links": (lambda: around(view, memory, is_private=False, avoid=()), 0.001),
        "credentials in 1 KB": (lambda: secrets.refuse(*secrets.texts_of(memory)), 0.0005),
        "signs in 1 KB": (lambda: flags_of(memory), 0.0005),
    }
    heading("of it", "CPU", "goal")
    for name, (part, goal) in parts.items():
        seconds = median(spend(part) for _ in range(rounds))
        row(f"  {name}", milliseconds(seconds), _within(seconds, goal))
    _captures_at_once(capture, 5 * _AT_ONCE)


def _captures_at_once(capture: Callable[[], None], count: int) -> None:
    def several(number: int) -> None:
        for _ in range(number):
            capture()

    def at_once() -> None:
        each = (count // _AT_ONCE,)
        threads = [threading.Thread(target=several, args=each) for _ in range(_AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    one_by_one, together = [], []
    for _ in range(3):
        one_by_one.append(_clock(lambda: several(count)))
        together.append(_clock(at_once))
    slow, fast = median(one_by_one), median(together)
    heading(f"{_AT_ONCE} captures at once, by the clock", "one by one", "at once", "goal 3x")
    verdict = f"{slow / fast:.2f}x {'ok' if slow / fast >= 3 else 'MISSED'}"
    row("  each", milliseconds(slow / count), milliseconds(fast / count), verdict)


def looks(workspace: Workspace, size: int) -> None:
    treering = Treering(workspace)
    treering.graph("stats")
    heading(f"a look at all of {size:,}", "CPU", "goal")
    for name, look in (
        ("graph suggest", lambda: treering.graph("suggest")),
        ("maintain dedupe, dry", lambda: treering.maintain("dedupe", dry_run=True)),
    ):
        seconds = spend(look)
        row(f"  {name}", f"{seconds:.2f} s", _within(seconds, 1.0))


def _memory() -> Memory:
    text = thought(next(_numbers))[:1000]
    moment = "2026-01-01T00:00:00Z"
    return Memory(derive_id("insight", text), "insight", text[:40].strip(), text, moment, moment)


def _within(seconds: float, goal: float) -> str:
    unit = f"{seconds:.2f} s" if goal >= 1 else f"{seconds * 1000:.2f} ms"
    return f"{unit} {'ok' if seconds <= goal else 'MISSED'}"


def _clock(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
