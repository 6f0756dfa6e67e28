"""R5 and R6: the disk fills up; the power goes."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.reliability.trial import Outcome, Trial, acknowledged_in
from faults.ground import Mounts, NotHere, Repo


def full(trial: Trial) -> Outcome:
    """Captures until the disk is full; then it has room again."""
    outcome = Outcome()
    for size in ("3m",) if not trial.is_deep else ("2m", "3m", "4m", "6m", "8m"):
        mounts = Mounts()
        disk = mounts.tmpfs(trial.folder / f"disk-{size}", size)
        try:
            _filled(outcome, Repo(disk / "repo", trial.env), mounts, disk)
        finally:
            mounts.undo()
        outcome.rounds += 1
    return outcome


def _filled(outcome: Outcome, repo: Repo, mounts: Mounts, disk: Path) -> None:
    safe: set[str] = set()
    for _ in range(400):
        done = repo.treering("remember", os.urandom(40_000).hex(), "--json")
        if done.returncode:
            break
        safe |= acknowledged_in(done.stdout)
    with outcome.watching("a full disk"):
        error = json.loads(done.stderr)["error"]
        assert error["code"] == "storage_failed", error
        assert "No space left" in error["message"], error
    outcome.judge(repo, safe)
    mounts.resize(disk, "64m")
    with outcome.watching("room again"):
        safe.add(repo.remember("room again"))
        assert safe <= set(repo.stored())
        repo.close()


def power(trial: Trial) -> Outcome:
    """The power goes some seconds after an acknowledgement: what is on the disk, and no more.

    The image behind a mounted ext4 is copied as it is, without a sync; the copy is what a machine
    finds after the cut. What was in memory only is not in it.
    """
    if os.geteuid() != 0:
        raise NotHere("root: an image has to be mounted")
    if shutil.which("mkfs.ext4") is None:
        raise NotHere("mkfs.ext4")
    outcome = Outcome()
    delays = (0, 7) if not trial.is_deep else (0, 2, 7, 12)
    for turn in range(trial.amount(1, 10)):
        for delay in delays:
            with outcome.watching(f"cut {delay} s after the last capture"):
                _cut(outcome, trial, f"{turn}-{delay}", delay)
            outcome.rounds += 1
    return outcome


def _cut(outcome: Outcome, trial: Trial, name: str, delay: float) -> None:
    image, copy = trial.folder / f"{name}.img", trial.folder / f"{name}.cut"
    with image.open("wb") as file:
        file.truncate(96 * 1024 * 1024)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True, capture_output=True)
    with _mounted(image, trial.folder / f"{name}-before") as disk:
        repo = Repo(disk / "repo", trial.env)
        os.sync()
        safe = {repo.remember(f"thought {n} of {name}") for n in range(6)}
        safe.add(repo.remember("of another branch", "--branch", "main"))
        repo.treering("gc")
        time.sleep(delay)
        subprocess.run(["cp", "--sparse=always", str(image), str(copy)], check=True)
    with _mounted(copy, trial.folder / f"{name}-after") as disk:
        after = Repo(disk / "repo", trial.env)
        outcome.judge(after, safe)
        after.age_locks()
        assert after.remember("power again") in after.stored()
    image.unlink()
    copy.unlink()


@contextmanager
def _mounted(image: Path, at: Path) -> Iterator[Path]:
    at.mkdir()
    done = subprocess.run(
        ["mount", "-o", "loop", str(image), str(at)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotHere(f"mount -o loop: {done.stderr.strip()}")
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=False)
