"""kill -9 at any moment: what was acknowledged is there, and the next command just works."""

import os
import signal
import subprocess
import time

import pytest

from treering import Treering
from treering.git import refs


@pytest.mark.parametrize("kills", [12, pytest.param(300, marks=pytest.mark.deep)])
def test_killed_writers_lose_nothing_they_acknowledged(repo, seed, kills):
    """Killed 0 to 60 ms into a stream of captures; locks and half-written objects stay behind."""
    acknowledged = {repo.remember("there from the start")}

    for number in range(kills):
        writer = repo.writer()
        writer.wait_until_ready()
        writer.say(*(("", f"round {number} thought {n}") for n in range(500)))
        time.sleep(seed.uniform(0, 0.06))
        writer.kill()
        assert writer.errors == []
        acknowledged |= set(writer.acknowledged)
        repo.age_locks()
        if number % 25 == 0:
            repo.assert_sound()

    assert acknowledged <= set(repo.stored())
    assert repo.remember("after all that") in repo.stored()
    assert acknowledged <= repo.exported()


@pytest.mark.parametrize("kills", [4, pytest.param(60, marks=pytest.mark.deep)])
def test_a_killed_command_leaves_a_repository_that_works(repo, seed, kills):
    """The whole process this time, from its start to its end, also for private memories."""
    repo.remember("there from the start")

    for number in range(kills):
        options = ["--private"] if number % 2 else []
        _killed_after(repo, seed.uniform(0.05, 0.25), "remember", f"thought {number}", *options)
        repo.age_locks()

        assert repo.remember(f"next {number}") in repo.stored()
        repo.remember(f"next private {number}", "--private")


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.deep)])
def test_a_killed_import_is_whole_or_absent(repo, seed, kills, tmp_path):
    """One commit a branch: there is no half an import."""
    lines = "".join(f'{{"content": "imported {n}"}}\n' for n in range(400))
    (tmp_path / "many.jsonl").write_text(lines, encoding="utf-8")
    repo.remember("there from the start")

    for _ in range(kills):
        _killed_after(repo, seed.uniform(0.1, 0.6), "import", str(tmp_path / "many.jsonl"))
        repo.age_locks()
        assert len(repo.stored()) in (1, 401)

    assert repo.treering("import", str(tmp_path / "many.jsonl")).returncode == 0
    assert len(repo.stored()) == 401


def test_a_lock_left_behind_long_ago_is_cleared_on_the_way(repo, monkeypatch):
    """git leaves such a lock alone for ever; nobody should have to look for it, or to wait."""
    repo.remember("first")
    lock = _lock_left(repo, seconds_ago=60)
    waits = []
    monkeypatch.setattr(refs.time, "sleep", waits.append)

    Treering.open(repo.path).remember("second")

    assert len(repo.stored()) == 2
    assert not lock.exists()
    assert sum(waits) < 1


def test_a_young_lock_is_waited_for_then_cleared(repo):
    """It may belong to a git still at work, so it goes only once it is a few seconds old."""
    repo.remember("first")
    lock = _lock_left(repo, seconds_ago=3.5)

    repo.remember("second")

    assert len(repo.stored()) == 2
    assert not lock.exists()


def test_a_lock_that_goes_away_is_not_an_error(repo):
    """The usual case: another tool held the ref for a moment."""
    repo.remember("first")
    lock = _lock_left(repo, seconds_ago=0)
    writer = repo.writer()
    writer.wait_until_ready()

    writer.say(("", "second"))
    time.sleep(0.3)
    lock.unlink()

    assert writer.hear() in repo.stored()


def test_a_private_store_whose_making_was_cut_short_is_made_again(repo):
    """`git init` writes HEAD before the folders a repository needs, and may die between the two."""
    half = repo.git_dir / "treering" / "private.git.new"
    half.mkdir(parents=True)
    (half / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")

    shared = repo.remember("shared")
    private = repo.remember("private", "--private")

    assert repo.stored() == [shared]
    assert repo.treering("read", private).returncode == 0


def _lock_left(repo, *, seconds_ago: float):
    lock = repo.ref_file().with_name("main.lock")
    lock.touch()
    os.utime(lock, (time.time() - seconds_ago,) * 2)
    return lock


def _killed_after(repo, seconds: float, *arguments: str) -> None:
    """Run the program in a group of its own and kill all of it, its git included."""
    from_here = [str(repo.program), *arguments]
    process = subprocess.Popen(
        from_here,
        cwd=repo.path,
        env=repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    assert "Traceback" not in process.communicate()[1]
