"""What it costs to start: the program as a process, against Python doing nothing."""

import itertools
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks._bench import ENVIRONMENT, heading, milliseconds, ratio, repository, row

PROGRAM = str(Path(sys.executable).with_name("treering"))


def main(quick: bool) -> None:
    rounds = 8 if quick else 40
    numbers = itertools.count()
    with repository() as path:
        ways = {
            "python -c pass": lambda: [sys.executable, "-c", "pass"],
            "treering --version": lambda: [PROGRAM, "--version"],
            "treering remember": lambda: [PROGRAM, "remember", f"thought {next(numbers)}"],
        }
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for number in range(rounds + 2):
            for name, command in ways.items():
                times = _run(command(), path)
                if number >= 2:  # the first rounds find cold files
                    taken[name].append(times)
    cpu = {name: median(c for c, _ in times) for name, times in taken.items()}
    wall = {name: median(w for _, w in times) for name, times in taken.items()}

    bare = "python -c pass"
    heading("one process", "CPU", "/ bare", "wall", "/ bare")
    row(f"  {bare}", milliseconds(cpu[bare]), "", milliseconds(wall[bare]), "")
    for name, goal in (("treering --version", 6.0), ("treering remember", 6.0)):
        row(
            f"  {name}",
            milliseconds(cpu[name]),
            ratio(cpu[name], cpu[bare], goal),
            milliseconds(wall[name]),
            ratio(wall[name], wall[bare], goal),
        )


def _run(command: list[str], folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
