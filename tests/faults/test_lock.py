"""The lock: waited for with patience, not fooled by a deleted file, not needed to read."""

import fcntl
import json
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from treering import Treering
from treering.actions.workspace import Workspace
from treering.errors import Busy
from treering.git import lock

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(repo):
    """A process of someone else that holds the repository's lock until its stdin is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(repo.git_dir / "treering.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate()


def test_a_lock_kept_too_long_is_busy(repo, holder):
    """An error to retry on, after a wait the caller can bound."""
    store = Workspace.open(repo.path).store
    started = time.monotonic()

    with pytest.raises(Busy) as caught, store.lock(timeout=0.3):
        pass

    assert caught.value.code == "busy"
    assert "0.3 seconds" in caught.value.message
    assert time.monotonic() - started >= 0.3


@pytest.mark.deep
def test_the_program_gives_up_after_ten_seconds(repo, holder):
    done = repo.treering("remember", "a thought", "--json")

    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "busy"


def test_reading_needs_no_lock(repo, holder, monkeypatch):
    """Whoever writes must not keep others from reading."""

    def wait(seconds):
        raise AssertionError("it waits for the lock")

    monkeypatch.setattr(lock, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait))
    treering = Treering.open(repo.path)

    with pytest.raises(AssertionError, match="waits"):
        treering.remember("not now")
    assert list(treering.exported()) == []
    assert treering.log().entries == ()
    assert treering.status()["memories"]["total"] == 0


def test_a_dead_holder_does_not_block(repo, holder):
    """The kernel drops the lock with the process; nothing has to be cleaned up."""
    holder.kill()
    holder.wait()

    assert repo.remember("a thought") in repo.stored()


def test_a_lock_file_deleted_while_it_is_held_loses_nothing(repo):
    """Two processes then hold two files of one name; the checked ref move has to save the day."""
    path = repo.git_dir / "treering.lock"
    writers = [repo.writer() for _ in range(4)]
    for number, writer in enumerate(writers):
        writer.wait_until_ready()
        writer.say(*(("", f"writer {number} thought {n}") for n in range(25)))

    until = time.monotonic() + 0.6
    while time.monotonic() < until:
        path.unlink(missing_ok=True)
        time.sleep(0.005)
    for writer in writers:
        writer.finish()

    acknowledged = [i for writer in writers for i in writer.acknowledged]
    assert set(acknowledged) <= set(repo.stored())
    refused = {e.split(":")[0] for w in writers for e in w.errors}
    assert refused <= {"error conflict"}, "told, and nothing was lost"


def test_a_waiter_takes_the_file_that_is_there_now(repo, holder):
    """Its own file was deleted while it waited: the lock it then gets guards nothing."""
    path = repo.git_dir / "treering.lock"
    writer = repo.writer()
    writer.wait_until_ready()
    writer.say(("", "waits"))
    time.sleep(0.2)

    path.unlink()
    with path.open("a") as new:
        fcntl.flock(new, fcntl.LOCK_EX)
        holder.communicate()
        time.sleep(0.2)
        assert not repo.ref_file().exists()

    assert writer.hear() in repo.stored()


def test_a_read_only_repository_can_be_read(mounts, make_repo, tmp_path):
    """A repository on a read-only disk, or of someone else: reading never writes."""
    repo = make_repo(tmp_path / "repo")
    memory = repo.remember("there from the start")
    repo.remember("private too", "--private")
    mounts.read_only(repo.path)

    for verb in (["log"], ["read", memory], ["status"], ["export"], ["export", "--all"]):
        assert repo.treering(*verb).returncode == 0, verb
    assert memory in repo.exported()
    for verb in (["remember", "more"], ["forget", memory], ["revise", memory, "--title", "x"]):
        done = repo.treering(*verb, "--json")
        assert done.returncode == 1, verb
        assert json.loads(done.stderr)["error"]["code"] == "storage_failed"
        assert "Read-only" in json.loads(done.stderr)["error"]["message"]

    doctor = repo.treering("doctor", "--json")
    assert "read-only" in [finding["code"] for finding in json.loads(doctor.stdout)["findings"]]
