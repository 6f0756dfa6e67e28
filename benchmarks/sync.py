"""What sharing costs: a sync against bare `git push` and `git fetch` of the same objects, one with
nothing to do against `git ls-remote`, a merge in a large store, and many clones at one remote.

All remotes are bare repositories on this disk: over a network everything but the merge is mostly
waiting, and the share of treering smaller.
"""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks._bench import (
    ENVIRONMENT,
    git,
    heading,
    interleaved,
    milliseconds,
    ratio,
    row,
)
from benchmarks.write import records, thought
from treering import Treering
from treering.actions.workspace import Workspace
from treering.model.scope import Scope
from treering.store.merge.join import join
from treering.store.message import CodePosition, Message

REF = "refs/treering/heads/main"
_TEXTS = itertools.count(10_000_000)


def main(quick: bool) -> None:
    exchanges(1_000 if quick else 10_000, rounds=3 if quick else 7)
    print()
    merges(1_000 if quick else 100_000, rounds=3 if quick else 7)
    print()
    crowd(4 if quick else 20, each=3)


@contextmanager
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="treering-bench-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def made(path: Path, *options: str) -> Path:
    git(path.parent, "init", "-q", "-b", "main", *options, str(path))
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("gc.auto", "0")):
        git(path, "config", key, value)
    return path


def filled(top: Path, count: int) -> Path:
    """A repository with a store of `count` memories and a bare remote that has it all."""
    repo = made(top / "repo")
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    Treering.open(repo).import_path(records(top, count))
    git(top, "clone", "-q", "--bare", str(repo), str(top / "origin.git"))
    git(repo, "remote", "add", "origin", str(top / "origin.git"))
    Treering.open(repo).sync()
    return repo


def learn(tr: Treering, count: int) -> None:
    for _ in range(count):
        tr.remember(thought(next(_TEXTS)), type="insight")


# --- one clone and its remote --------------------------------------------------------------------


def exchanges(size: int, rounds: int) -> None:
    heading(f"sync at {size:,} memories", "treering", "git", "ratio")
    with folder() as top:
        repo = filled(top, size)
        git(top, "clone", "-q", str(top / "origin.git"), str(top / "other"))
        for key, value in (("user.name", "Bob"), ("user.email", "bob@example.org")):
            git(top / "other", "config", key, value)
        Treering.open(top / "other").sync()
        _nothing(repo, rounds * 5)
        _hundred(top, repo, rounds)


def _nothing(repo: Path, rounds: int) -> None:
    tr = Treering.open(repo)
    program = [str(Path(sys.executable).with_name("treering")), "-C", str(repo), "sync"]
    times = interleaved(
        rounds,
        {
            "ours": tr.sync,
            "program": lambda: subprocess.run(program, check=True, capture_output=True),
            "git": lambda: git(repo, "ls-remote", "origin", f"{REF}*"),
        },
    )
    row("  nothing to do, against ls-remote", milliseconds(times["ours"]),
        milliseconds(times["git"]), ratio(times["ours"], times["git"], 2))  # fmt: skip
    row("  the same, by the program", milliseconds(times["program"]),
        milliseconds(times["git"]), f"{times['program'] / times['git']:.2f}x")  # fmt: skip


def _hundred(top: Path, repo: Path, rounds: int) -> None:
    """100 new memories: pushed by one clone and fetched by another, both ways in turn."""
    ours, bare = [], []
    other = top / "other"
    for _ in range(rounds):
        learn(Treering.open(repo), 100)
        shutil.copytree(top / "origin.git", top / "plain.git")
        shutil.copytree(other, top / "plain")
        started = time.perf_counter()
        git(repo, "push", "-q", str(top / "plain.git"), f"{REF}:{REF}")
        git(top / "plain", "fetch", "-q", str(top / "plain.git"), f"{REF}:refs/fetched")
        bare.append(time.perf_counter() - started)
        one, two = Treering.open(repo), Treering.open(other)
        started = time.perf_counter()
        one.sync()
        two.sync()
        ours.append(time.perf_counter() - started)
        shutil.rmtree(top / "plain.git")
        shutil.rmtree(top / "plain")
    row("  100 new, against push + fetch", milliseconds(median(ours)), milliseconds(median(bare)),
        ratio(median(ours), median(bare), 3))  # fmt: skip


# --- merging -------------------------------------------------------------------------------------


def merges(size: int, rounds: int) -> None:
    heading(f"a merge at {size:,} memories", "time", "CPU", "goal")
    with folder() as top:
        repo = filled(top, size)
        base = git(repo, "rev-parse", REF).decode().strip()
        tr = Treering.open(repo)
        for what, act in (
            ("100 + 100 added, one commit each side", _imported),
            ("100 + 100 added, a commit each", learn),
        ):
            tips = []
            for _ in range(2):
                git(repo, "update-ref", REF, base)
                act(tr, 100)
                tips.append(git(repo, "rev-parse", REF).decode().strip())
            taken = [_merge(repo, tips[0], tips[1]) for _ in range(rounds)]
            cold = [_merge(repo, tips[0], tips[1], Workspace.open(repo)) for _ in range(rounds)]
            _told(f"  {what}", taken)
            _told("    the first in a process", cold)


def _told(what: str, taken: list[tuple[float, float]]) -> None:
    wall, cpu = (median(times) for times in zip(*taken, strict=True))
    goal = "100 ms ok" if wall <= 0.1 else "100 ms MISSED"
    row(what, milliseconds(wall), milliseconds(cpu), goal)


def _imported(tr: Treering, count: int) -> None:
    lines = "".join(
        f'{{"content": {thought(next(_TEXTS))!r}, "type": "insight"}}\n'.replace("'", '"')
        for _ in range(count)
    )
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write(lines)
        file.flush()
        tr.import_path(Path(file.name))


_WARM: dict[Path, Workspace] = {}


def _merge(
    repo: Path, ours: str, theirs: str, workspace: Workspace | None = None
) -> tuple[float, float]:
    """Both tips put together and written: what a sync does between fetch and push.

    Seconds on the clock, and of the processors, git's included: on a busy machine they differ.
    """
    workspace = workspace or _WARM.setdefault(repo, Workspace.open(repo))
    git(repo, "update-ref", REF, ours)
    vault = workspace.store.shared
    started, before = time.perf_counter(), sum(os.times()[:4])
    with workspace.store.lock() as held:
        found = join(vault, ours, theirs)
        why = Message("sync", "sync main", CodePosition("main"), found.ids)
        vault.merge(held, Scope("main"), theirs, found.files, why)
    return time.perf_counter() - started, sum(os.times()[:4]) - before


# --- many clones ---------------------------------------------------------------------------------


def crowd(clones: int, each: int) -> None:
    """All write and sync at once, `each` times; then all have everything."""
    heading(f"{clones} clones at one remote, all at once", "")
    with folder() as top:
        seed = made(top / "seed")
        git(seed, "commit", "-q", "--allow-empty", "-m", "first")
        git(top, "clone", "-q", "--bare", str(seed), str(top / "origin.git"))
        paths = [top / f"clone{number}" for number in range(clones)]
        for path in paths:
            git(top, "clone", "-q", str(top / "origin.git"), str(path))
        done: list[float] = []
        failed: list[str] = []

        def work(path: Path) -> None:
            program = [str(Path(sys.executable).with_name("treering")), "-C", str(path)]
            for _ in range(each):
                text = thought(next(_TEXTS))
                _ran([*program, "remember", text, "--type", "insight"])
                started = time.perf_counter()
                said = _ran([*program, "sync"])
                done.append(time.perf_counter() - started)
                if said:
                    failed.append(said)

        started = time.perf_counter()
        threads = [threading.Thread(target=work, args=(path,)) for path in paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = time.perf_counter() - started
        for path in (*paths, *paths):
            Treering.open(path).sync()
        known = {len(Workspace.open(path).view().visible) for path in paths}
        row("  syncs", str(len(done)))
        row("  refused, to be run again", str(len(failed)))
        row("  a sync, median", f"{median(done):.2f} s")
        row("  a sync, longest", f"{max(done):.2f} s")
        row("  all of it", f"{taken:.1f} s")
        row("  memories in each clone, of", f"{sorted(known)} / {clones * each}")


def _ran(command: list[str]) -> str:
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""
