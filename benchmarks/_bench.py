"""What the benchmarks share: throw-away repositories, interleaved medians, one kind of table."""

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median

ENVIRONMENT = {
    key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "TREERING_"))
} | {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada Lovelace",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada Lovelace",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


@contextlib.contextmanager
def repository() -> Iterator[Path]:
    """A git repository with one commit, gone when the block ends.

    `gc.auto` is off: packing in the background would be measured with whatever runs next.
    """
    with tempfile.TemporaryDirectory(prefix="treering-bench-") as folder:
        path = Path(folder) / "repo"
        git(Path(folder), "init", "-q", "-b", "main", str(path))
        git(path, "config", "user.name", "Ada Lovelace")
        git(path, "config", "user.email", "ada@example.org")
        git(path, "config", "gc.auto", "0")
        git(path, "commit", "-q", "--allow-empty", "-m", "first")
        yield path


def git(folder: Path, *arguments: str, feed: bytes | None = None) -> bytes:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        input=feed,
        capture_output=True,
        check=True,
    )
    return done.stdout


def interleaved(
    rounds: int,
    ways: Mapping[str, Callable[[], object]],
    *,
    warm_up: int = 2,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The median seconds of each way, each run once a round: noise falls on all of them alike."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + warm_up):
        for name, way in ways.items():
            started = clock()
            way()
            if number >= warm_up:
                taken[name].append(clock() - started)
    return {name: median(times) for name, times in taken.items()}


def heading(*columns: str) -> None:
    print(f"{columns[0]:<44}" + "".join(f"{column:>14}" for column in columns[1:]))


def row(what: str, *cells: str) -> None:
    print(f"{what:<44}" + "".join(f"{cell:>14}" for cell in cells), flush=True)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def ratio(ours: float, theirs: float, goal: float) -> str:
    """How many times as much, and whether that is within the goal."""
    times = ours / theirs
    return f"{times:.2f}x {'ok' if times <= goal else 'MISSED'}"
