"""Links and pipes where locks, logs and state files belong: nothing is written through them, and
nobody waits for them."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

import forking
from conftest import Repo

NAMES = (
    "treering.lock",
    "treering-worker.lock",
    "treering/hook.log",
    "treering/worker",
    "treering/state/commits",
    "logs/refs/treering/heads/main",
    "logs/refs/treering/keep/feature",
    "refs/treering/heads/other",
)
VERBS = (
    ("remember", "Rotate tokens weekly"),
    ("recall", "tokens"),
    ("gc",),
    ("doctor",),
    ("hook", "work", "post-merge"),
)


def plant(path: Path, kind: str, victim: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    match kind:
        case "link":
            path.symlink_to(victim)
        case "link to nothing":
            path.symlink_to(victim.parent / "made")
        case "second name":
            os.link(victim, path)
        case _:
            os.mkfifo(path)


def run(repo: Repo, *words: str) -> subprocess.CompletedProcess[bytes]:
    """A process that is stopped, and fails the test, where it waits."""
    return forking.run(words, repo.path, timeout=60)


@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe"])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_written_through_it_and_nobody_waits(
    repo: Repo, tmp_path: Path, name: str, kind: str
) -> None:
    repo.tr.remember("Tokens are opaque", type="decision")
    repo.switch("feature", create=True).commit_file("a.txt")
    repo.tr.remember("Tokens are short", type="insight")
    repo.switch("main")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    victim = folder / "victim"
    victim.write_text("mine\n", encoding="utf-8")
    victim.chmod(0o604)
    repo.git("config", "core.sharedRepository", "group")
    plant(repo.path / ".git" / name, kind, victim)

    for words in VERBS:
        run(repo, *words)

    assert victim.read_text(encoding="utf-8") == "mine\n"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o604
    assert [path.name for path in folder.iterdir()] == ["victim"]
    (repo.path / ".git" / name).unlink(missing_ok=True)
    assert run(repo, "remember", "Tokens are signed").returncode == 0
    assert {"Tokens are opaque", "Tokens are signed"} <= repo.titles("main")


@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe", "second name"])
def test_a_lock_that_is_not_one_is_named(repo: Repo, tmp_path: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine\n", encoding="utf-8")
    repo.git("config", "core.sharedRepository", "group")
    plant(repo.path / ".git" / "treering.lock", kind, victim)

    answer = run(repo, "remember", "Rotate tokens weekly", "--json")

    assert answer.returncode
    assert b"storage_failed" in answer.stdout + answer.stderr
    assert b"treering.lock" in answer.stdout + answer.stderr
