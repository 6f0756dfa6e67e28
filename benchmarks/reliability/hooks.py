"""R16: whatever happens to our hooks, git's commands end as they would without them."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.reliability.trial import Outcome, Trial
from faults.ground import Repo

_HANGS = 8  # seconds; a command that waited for it would be seen


def sabotaged(trial: Trial) -> Outcome:
    """Commits, switches, a merge and a rebase with the worker missing, failing, hanging, ..."""
    outcome = Outcome()
    plain = _day(Repo(trial.folder / "plain", trial.env), trial)
    for name, sabotage in SABOTAGE.items():
        repo = Repo(trial.folder / name.replace(" ", "-"), trial.env)
        with outcome.watching(name):
            done = repo.treering("init", "--json")
            assert done.returncode == 0, done.stderr
            sabotage(repo.git_dir / "treering")
            started = time.monotonic()
            told = _day(repo, trial)
            seconds = time.monotonic() - started
            assert told == plain, f"git said {told}, and without hooks {plain}"
            if name == "a worker that hangs":
                assert seconds < _HANGS * len(plain), "git waited for the worker"
            repo.assert_sound()
        outcome.rounds += len(plain)
    return outcome


def _day(repo: Repo, trial: Trial) -> list[tuple[str, int]]:
    """What a person does to a repository, and with which exit codes."""
    commands = [["commit", "-qm", "first of the day"], ["switch", "-qc", "side"]]
    for number in range(trial.amount(4, 50)):
        commands.append(["commit", "-q", "--allow-empty", "-m", f"side {number}"])
    commands += [
        ["commit", "-q", "--amend", "-m", "amended"],
        ["switch", "-q", "main"],
        ["commit", "-q", "--allow-empty", "-m", "beside"],
        ["rebase", "-q", "main", "side"],
        ["switch", "-q", "main"],
        ["merge", "-q", "side"],
        ["branch", "-d", "side"],
        ["switch", "-q", "nowhere"],
    ]
    told = []
    for command in commands:
        done = subprocess.run(
            ["git", *command], cwd=repo.path, env=repo.env, capture_output=True, check=False
        )
        told.append((command[0], done.returncode))
    return told


def _worker(text: str) -> Callable[[Path], None]:
    def sabotage(folder: Path) -> None:
        script = folder / "sabotaged"
        script.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        script.chmod(0o755)
        (folder / "worker").write_text(f"{script}\n", encoding="utf-8")

    return sabotage


def _journal_is_a_file(folder: Path) -> None:
    shutil.rmtree(folder / "journal")
    (folder / "journal").write_bytes(b"")


def _journal_is_closed(folder: Path) -> None:
    (folder / "journal").chmod(0o500)


def _no_worker(folder: Path) -> None:
    (folder / "worker").write_text("/nowhere\n", encoding="utf-8")


def _journal_leads_nowhere(folder: Path) -> None:
    shutil.rmtree(folder / "journal")
    (folder / "journal").symlink_to("/dev/full")


def _worker_pid_is_ours(folder: Path) -> None:
    (folder / "worker.pid").write_text(f"{os.getpid()}\n", encoding="utf-8")


SABOTAGE: dict[str, Callable[[Path], None]] = {
    "nothing wrong": lambda _: None,
    "a worker that is not there": _no_worker,
    "a worker that fails": _worker("exit 3"),
    "a worker that crashes": _worker("kill -SEGV $$"),
    "a worker that hangs": _worker(f"sleep {_HANGS}"),
    "a worker that talks": _worker("echo to you; echo and you >&2; cat"),
    "a journal that is a file": _journal_is_a_file,
    "a journal that is gone": lambda folder: shutil.rmtree(folder / "journal"),
    "a journal that is closed": _journal_is_closed,
    "a journal that leads nowhere": _journal_leads_nowhere,
    "a pid file of someone else": _worker_pid_is_ours,
}  # fmt: skip
