"""What a call costs after a change, beside the same call when nothing changed.

    python -m benchmarks change [--quick]

CPU time of one process, medians; captures at once by the clock. The store is made up: memories of
twenty to seventy words as in `search.py`, with files, tags and links drawn by lot, and what is
written and asked is as in `_days.py`. With `TREERING_BENCH_STORE=PATH` the store there is used, and
written to, in the place of the largest.
"""

import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from unittest import mock

from benchmarks._bench import git, heading, milliseconds, ratio, repository, row
from benchmarks._days import FILES, Day
from benchmarks.search import Corpus
from benchmarks.write import floor
from treering import Treering
from treering.actions.workspace import Workspace
from treering.model.memory import Memory, derive_id
from treering.text import secrets
from treering.text.flags import flags_of

SIZES = (10_000, 100_000)
_TYPES = ("decision", "insight", "issue", "config", "pattern", "component", "progress", "commit")
_AT_ONCE = 8
_day = Day(time.time())


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
    """A store of made-up memories, in a process that has answered a question before."""
    for name in FILES:
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(f"# {name}\n", encoding="utf-8")
    git(path, "add", "src")
    git(path, "commit", "-q", "-m", "the code that memories are about")
    workspace = Workspace.open(path)
    Treering(workspace).remember("The first one", type="insight")
    Treering(workspace).recall("first one")
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


def after_import(workspace: Workspace, size: int) -> None:
    """The first question and the first captures find everything ready. Each question is another
    one: what is known of one that was asked before is no part of this."""
    treering = Treering(workspace)
    first, *others = [spend(partial(treering.recall, _day.question())) for _ in range(12)]
    later = median(others)
    captures = [spend(partial(treering.remember, **_day.capture(FILES))) for _ in range(15)]
    heading(f"after an import of {size:,}", "first", "later", "first / later")
    row("  recall", milliseconds(first), milliseconds(later), f"{first / later:.1f}x")
    rest = median(captures[5:])
    row("  capture", milliseconds(captures[0]), milliseconds(rest), f"{captures[0] / rest:.1f}x")


def after_changes(workspace: Workspace, size: int, rounds: int) -> None:
    """Ask right after a capture, and once more. The memory that is read has nothing to do with the
    new one, but for the row where the new one says of the same thing something else."""
    treering = Treering(workspace)
    ids = _day.memories(treering, rounds)
    memories = {memory_id: treering.read(memory_id) for memory_id in ids}
    questions = [_day.question() for _ in range(rounds)]
    common = [_day.common_question() for _ in range(rounds)]
    captures = [_day.capture() for _ in range(rounds)]

    def write(_: int) -> object:
        return treering.remember(**_day.capture())

    def write_near(at: int) -> object:
        other = memories[ids[at % len(ids)]]
        text = f"{other.content} {time.time_ns() % 10**6} seconds"
        return treering.remember(text, title=other.title, type="insight")

    def write_known(at: int) -> object:
        return treering.remember(**captures[at])

    ways: dict[str, tuple[Callable[[int], object], Callable[[int], object]]] = {
        "read": (write, lambda at: treering.read(ids[at % len(ids)])),
        "read of one the new one is like": (
            write_near,
            lambda at: treering.read(ids[at % len(ids)]),
        ),
        "recall": (write, lambda at: treering.recall(questions[at])),
        "recall of common words": (write, lambda at: treering.recall(common[at])),
        "recall of the new one": (write_known, lambda at: treering.recall(captures[at]["title"])),
    }
    name = f"{size:,} memories" if size else "the store at TREERING_BENCH_STORE"
    heading(f"after one new memory, {name}", "after it", "again", "goal 2x")
    for what, (change, way) in ways.items():
        first, again = [], []
        for at in range(rounds):
            way(at)
            change(at)
            first.append(spend(partial(way, at)))
            again.append(spend(partial(way, at)))
        cells = (milliseconds(median(times)) for times in (first, again))
        row(f"  {what}", *cells, ratio(median(first), median(again), 2))


def captures(workspace: Workspace, path: Path, rounds: int) -> None:
    treering = Treering(workspace)
    bare = floor(path, "b", [], has_log=True)
    parts = _Parts(workspace)

    def capture() -> None:
        treering.remember(**_day.capture(FILES))

    taken: dict[str, list[float]] = {"ours": [], "bare": []}
    with parts.watch():
        for _ in range(rounds):
            taken["ours"].append(spend(partial(treering.remember, **_day.capture(FILES))))
            taken["bare"].append(spend(bare))
    ours, theirs = median(taken["ours"]), median(taken["bare"])
    heading("one capture", "CPU", "bare git", "goal 3 ms more")
    row("  remember", milliseconds(ours), milliseconds(theirs), _within(ours - theirs, 0.003))
    heading("of it", "CPU", "goal")
    for name, seconds, goal in parts.medians():
        row(f"  {name}", milliseconds(seconds), _within(seconds, goal))
    _captures_at_once(capture, 5 * _AT_ONCE)


class _Parts:
    """What parts of a capture take, each where it happens: alone they find warmer caches."""

    def __init__(self, workspace: Workspace) -> None:
        self._around = workspace.neighbourhood
        self._taken: dict[str, list[float]] = {}

    @contextmanager
    def watch(self) -> Iterator[None]:
        with (
            self._timing(self._around, "find_link_clues", "looking for links"),
            self._timing(secrets, "refuse", "credentials"),
        ):
            yield

    @contextmanager
    def _timing(self, owner: object, name: str, what: str) -> Iterator[None]:
        plain, taken = getattr(owner, name), self._taken.setdefault(what, [])

        def timed(*given: object, **named: object) -> object:
            start = time.thread_time()
            try:
                return plain(*given, **named)
            finally:
                taken.append(time.thread_time() - start)

        with mock.patch.object(owner, name, timed):
            yield

    def medians(self) -> Iterator[tuple[str, float, float]]:
        yield "looking for links", median(self._taken["looking for links"]), 0.001
        yield "credentials", median(self._taken["credentials"]), 0.0005
        memories = [_memory() for _ in range(21)]  # what was looked at once is known
        for name, part in {
            "credentials in 1 KB, alone": lambda memory: secrets.refuse(*secrets.texts_of(memory)),
            "signs in 1 KB, alone": flags_of,
        }.items():
            yield name, median(spend(partial(part, memory)) for memory in memories), 0.0005


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
    text = _day.words(200)[:1000]
    moment = "2026-01-01T00:00:00Z"
    return Memory(derive_id("insight", text), "insight", text[:40].strip(), text, moment, moment)


def _within(seconds: float, goal: float) -> str:
    unit = f"{seconds:.2f} s" if goal >= 1 else f"{seconds * 1000:.2f} ms"
    return f"{unit} {'ok' if seconds <= goal else 'MISSED'}"


def _clock(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
