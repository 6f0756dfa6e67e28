"""What hooks cost: git with our shims against git without, and the worker behind them.

Times are told as they pass and as CPU: on a busy machine a process more means above all a turn more
to wait for.
"""

import itertools
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks._bench import ENVIRONMENT, git, heading, milliseconds, ratio, repository, row
from treering import Treering
from treering.capture.journal import HOOKS, Journal, shim
from treering.git import lock

PROGRAM = Path(sys.executable).with_name("treering")
SHELL = Path(os.path.realpath("/bin/sh")).name


def main(quick: bool) -> None:
    with repository() as path:
        _commits(path, 6 if quick else 30)
    with repository() as path:
        _rebases(path, 10 if quick else 50, 2 if quick else 5)
    with repository() as path:
        _worker(path, 10 if quick else 50)


def _install(path: Path, worker: Path = PROGRAM) -> Journal:
    journal = Journal(path / ".git" / "treering")
    journal.make()
    (path / ".git" / "treering" / "worker").write_text(f"{worker}\n")
    for name in HOOKS:
        hook = path / ".git" / "hooks" / name
        hook.write_bytes(shim(name))
        hook.chmod(0o755)
    return journal


class Cost(NamedTuple):
    """Medians, in seconds."""

    wall: float
    cpu: float


def _costs(
    path: Path, rounds: int, prepare: Callable[[], object], act: Callable[[], object]
) -> tuple[Cost, Cost, Cost]:
    """The cost with our hooks, with ones that only exit, and without, in turn; each after the last
    worker is done."""
    journal = _install(path)
    folders = [path / ".git" / name for name in ("hooks", "hooks-that-exit", "no-hooks")]
    for folder in folders[1:]:
        folder.mkdir()
    for name in HOOKS:
        (folders[1] / name).write_text("#!/bin/sh\nexit 0\n")
        (folders[1] / name).chmod(0o755)
    taken: dict[Path, list[Cost]] = {folder: [] for folder in folders}
    for number in range(rounds + 1):
        for folder, costs in taken.items():
            git(path, "config", "core.hooksPath", str(folders[2]))
            prepare()
            git(path, "config", "core.hooksPath", str(folder))
            cost = _cost_of(act)
            if number:  # the first round finds cold files
                costs.append(cost)
            _settle(path, journal)
    ours, least, none = (Cost(*map(median, zip(*costs, strict=True))) for costs in taken.values())
    return ours, least, none


def _cost_of(act: Callable[[], object]) -> Cost:
    """Of git and the hooks it waits for; the worker is nobody's child by then."""
    before, started = _cpu(), time.perf_counter()
    act()
    return Cost(time.perf_counter() - started, _cpu() - before)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tell(what: str, ours: Cost, least: Cost, none: Cost) -> None:
    row(
        what, milliseconds(none.wall), milliseconds(ours.wall), ratio(ours.wall, none.wall, 1.3),
        f"{(ours.wall - none.wall) * 1000:.2f} ms", ratio(ours.cpu, none.cpu, 1.3),
        f"{(ours.cpu - none.cpu) * 1000:.2f} ms",
    )  # fmt: skip
    row(
        "  with hooks that only exit", "", milliseconds(least.wall),
        f"{least.wall / none.wall:.2f}x", f"{(least.wall - none.wall) * 1000:.2f} ms",
        f"{least.cpu / none.cpu:.2f}x", f"{(least.cpu - none.cpu) * 1000:.2f} ms",
    )  # fmt: skip


def _settle(path: Path, journal: Journal) -> None:
    while journal.pending() or lock.is_held(path / ".git" / "treering-worker.lock"):
        time.sleep(0.005)


def _commits(path: Path, rounds: int) -> None:
    numbers = itertools.count()

    def edit() -> None:
        _write(path / "file.txt", next(numbers))
        git(path, "add", "file.txt")

    costs = _costs(path, rounds, edit, lambda: git(path, "commit", "-q", "-m", "a change"))
    heading(f"git beside hooks ({SHELL})", "without", "with", "ratio", "more", "CPU", "more")
    _tell("git commit", *costs)


def _rebases(path: Path, count: int, rounds: int) -> None:
    bases = itertools.count()
    git(path, "switch", "-q", "-c", "feature")
    for number in range(count):
        _write(path / f"file{number}.txt", number)
        git(path, "add", "-A")
        git(path, "commit", "-q", "-m", f"step {number}")

    def move_base() -> None:
        git(path, "branch", "-f", "main", _empty_commit(path, f"base {next(bases)}"))

    costs = _costs(path, rounds, move_base, lambda: git(path, "rebase", "-q", "main"))
    _tell(f"git rebase of {count} commits", *costs)


def _write(file: Path, number: int) -> None:
    file.write_text(f"text {number}\n" * 20, encoding="utf-8")


def _empty_commit(path: Path, message: str) -> str:
    tree = git(path, "rev-parse", "main^{tree}").decode().strip()
    made = git(path, "commit-tree", "-p", "main", "-m", message, tree)
    return made.decode().strip()


def _worker(path: Path, count: int) -> None:
    """Queued commits captured by a worker, against the same worker with nothing to do."""
    journal = _install(path, Path(shutil.which("true") or "/bin/true"))
    alone = median(_work(path) for _ in range(5))
    for number in range(count):
        _write(path / f"file{number}.txt", number)
        git(path, "add", "-A")
        git(path, "commit", "-q", "-m", f"step {number}\n\nWhy it was done.")
    taken = _work(path)
    assert journal.pending() == 0
    assert len(Treering.open(path).recall(type="commit", limit=500).results) == count
    each = (taken - alone) / count * 1000
    heading("the worker", "start-up", "all", "each")
    row(
        f"{count} queued commits captured", milliseconds(alone), milliseconds(taken),
        f"{each:.2f} ms {'ok' if each <= 10 else 'MISSED'}",
    )  # fmt: skip


def _work(path: Path) -> float:
    started = time.perf_counter()
    subprocess.run(
        [str(PROGRAM), "hook", "work", "post-commit", "-C", str(path)], env=ENVIRONMENT, check=True
    )
    return time.perf_counter() - started
