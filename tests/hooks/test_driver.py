"""One driver: hooks and gc do the same thing, one at a time, and each sees to what others noted."""

import json
import os
import shutil
import signal
import stat
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from hooked import Hooked
from treering.actions import driver
from treering.actions.recall import recall
from treering.actions.workspace import Workspace
from treering.errors import Busy
from treering.git import lock


def _land(repo: Repo, branch: str = "feature") -> str:
    """A branch with a commit and a memory, merged into main and deleted: its commit."""
    repo.switch(branch, create=True)
    commit = repo.commit_file(f"{branch}.txt")
    repo.tr.remember(f"learned on {branch}", type="insight")
    repo.switch("main").commit_file(f"beside-{branch}.txt")
    repo.git("merge", "-q", "--no-ff", "--no-edit", branch)
    repo.git("branch", "-q", "-D", branch)
    return commit


def _heads(repo: Repo) -> list[str]:
    return [name for name in repo.refs() if name.startswith("refs/treering/heads/")]


def _is_landed(repo: Repo, branch: str = "feature") -> bool:
    return f"learned on {branch}" in repo.titles("main") and _heads(repo) == [
        "refs/treering/heads/main"
    ]


# --- gc has the last word -------------------------------------------------------------------------


def test_gc_takes_in_what_hooks_noted_before_it_judges(repo, noting) -> None:
    """Else the last commit of a landed branch is captured after it: the branch lives again."""
    _land(repo)

    (line,) = [line for line in repo.tr.gc().plan if line.branch == "feature"]

    assert (line.verdict, line.action, line.memories) == ("merged", "promote", 2)
    assert _is_landed(repo)
    assert noting.journal.pending() == 0
    assert "add feature.txt" in repo.titles("main")


def test_gc_beside_a_busy_worker_waits_and_has_the_last_word(repo, noting, monkeypatch) -> None:
    """The worker is in the midst of it; that gc waits is what lets it end."""
    _land(repo)
    working, sleep = ExitStack(), time.sleep
    working.enter_context(repo.workspace.store.lock_driver(0))

    def end_work(seconds: float) -> None:
        monkeypatch.setattr(lock.time, "sleep", sleep)
        driver.capture(repo.workspace)
        driver.follow_branches(repo.workspace)
        working.close()

    monkeypatch.setattr(lock.time, "sleep", end_work)

    answer = repo.tr.gc()

    assert {line.branch: line.verdict for line in answer.plan} == {"main": "live"}
    assert _is_landed(repo)
    assert noting.journal.pending() == 0


@pytest.mark.parametrize("times", [2, pytest.param(100, marks=pytest.mark.deep)])
def test_gc_right_after_merge_and_delete_has_the_last_word(repo, hooked, times: int) -> None:
    """In real processes: commits, the merge and the checkouts have each started a worker, which is
    somewhere in its work. What gc says when it returns is so, and no word of it is `live`."""
    for number in range(times):
        _land(repo, f"feature-{number}")

        plan = {line["branch"]: line for line in repo.json("gc")["plan"]}

        line = plan.pop(f"feature-{number}", None)  # or the worker was first
        assert line is None or (line["verdict"], line["action"]) == ("merged", "promote")
        assert {line["verdict"] for line in plan.values()} <= {"live"}
        assert set(plan) <= {"main"}
        assert _is_landed(repo, f"feature-{number}")
        assert f"add feature-{number}.txt" in repo.titles("main")


def _meanwhile(monkeypatch, do) -> None:
    """Between the first plan and its deed, something else happens."""
    plan, planned = driver.make_plan, []

    def plan_then_do(*arguments):
        lines = plan(*arguments)
        planned.append(lines)
        if len(planned) == 1:
            do()
        return lines

    monkeypatch.setattr(driver, "make_plan", plan_then_do)


def test_what_another_did_meanwhile_is_success(repo, monkeypatch) -> None:
    """It was `unsure`, with the words of a ref that moved."""
    _land(repo)
    _meanwhile(monkeypatch, lambda: driver.follow_branches(repo.workspace))

    (line,) = [line for line in repo.tr.gc().plan if line.branch == "feature"]

    assert (line.verdict, line.action, line.into) == ("merged", "promote", "main")
    assert _is_landed(repo)


def test_a_branch_that_moved_meanwhile_is_planned_again(repo, monkeypatch) -> None:
    """What is written between plan and deed goes along, and gc still says what is so."""
    _land(repo)
    _meanwhile(monkeypatch, lambda: repo.tr.remember("one more", branch="feature"))

    (line,) = [line for line in repo.tr.gc().plan if line.branch == "feature"]

    assert (line.verdict, line.action, line.memories) == ("merged", "promote", 2)
    assert _is_landed(repo)
    assert "one more" in repo.titles("main")


def test_a_branch_that_never_rests_is_left_as_it_is(repo, monkeypatch) -> None:
    """Bounded work: it is said that nothing was done, and nothing was."""
    _land(repo)
    plan, plans = driver.make_plan, []

    def plan_then_write(*arguments):
        lines = plan(*arguments)
        plans.append(lines)
        repo.tr.remember(f"thought {len(plans)}", branch="feature")
        return lines

    monkeypatch.setattr(driver, "make_plan", plan_then_write)

    (line,) = [line for line in repo.tr.gc().plan if line.branch == "feature"]

    assert (line.verdict, line.action) == ("live", "keep")
    assert len(plans) <= 4
    assert repo.titles("main") == set()


def test_a_dry_run_takes_no_lock_drains_nothing_and_says_what_waits(repo, noting) -> None:
    commit = _land(repo)
    waiting, before = noting.events(), repo.refs()

    with repo.workspace.store.lock_driver(0), repo.workspace.store.lock():
        answer = repo.json("gc", "--dry-run")
        text = repo.cli("gc", "--dry-run").stdout

    assert answer["pending"] == len(waiting) > 0
    assert f"{len(waiting)} hook events waiting" in text
    assert (noting.events(), repo.refs()) == (waiting, before)
    assert any(event[2] == commit for event in waiting)
    assert "pending" not in repo.json("gc")


# --- who holds it ---------------------------------------------------------------------------------


def test_gc_that_waited_long_enough_is_busy_and_names_the_holder(repo, monkeypatch) -> None:
    monkeypatch.setattr(driver, "DRIVER_TIMEOUT", 0)
    _land(repo)
    before = repo.refs()

    with repo.workspace.store.lock_driver(0), pytest.raises(Busy) as told:
        repo.tr.gc()

    assert told.value.code == "busy"
    assert f"process {os.getpid()}" in told.value.message
    assert repo.refs() == before


def test_a_holder_that_is_stopped_is_said_to_be(tmp_path) -> None:
    """It holds the lock until someone lets it go on, and nobody would guess."""
    sleeper = subprocess.Popen(["sleep", "300"])
    path = tmp_path / "treering-worker.lock"
    path.write_text(f"{sleeper.pid}\n")
    try:
        assert lock.describe_holder(path) == f"process {sleeper.pid}"
        sleeper.send_signal(signal.SIGSTOP)
        os.waitpid(sleeper.pid, os.WUNTRACED)
        assert lock.describe_holder(path) == f"process {sleeper.pid}, which is stopped"
    finally:
        sleeper.kill()
        sleeper.wait()
    assert lock.describe_holder(path) == "another process"


def test_both_locks_lie_beside_our_folder_with_one_mode(repo, hooked) -> None:
    """People delete that folder, also while someone is at work."""
    repo.commit_file("a.txt")
    hooked.settle()
    repo.tr.gc()

    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (repo.path / ".git").rglob("*.lock")
        if "treering" in path.name
    }
    assert modes == {"treering.lock": 0o600, "treering-worker.lock": 0o600}


def test_init_makes_the_lock_that_shims_take(repo) -> None:
    repo.json("init")

    assert (repo.path / ".git" / "treering-worker.lock").exists()


@pytest.mark.skipif(not shutil.which("flock"), reason="shims look at the lock with flock(1)")
def test_a_shim_starts_nobody_while_someone_holds_the_lock(repo, tmp_path, monkeypatch) -> None:
    """And who holds it sees to the event after letting go."""
    _note_looks(tmp_path / "flock", tmp_path / "looks")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    program = tmp_path / "worker"
    program.write_text(f"#!/bin/sh\necho started >>{tmp_path}/count\n")
    program.chmod(0o755)
    hooks = Hooked(repo.path / ".git").install(program)
    workspace, work_off, rounds = repo.workspace, driver._work_off, []

    def commit_meanwhile(*arguments):
        done = work_off(*arguments)
        rounds.append(done)
        if len(rounds) == 1:
            repo.commit_file("meanwhile.txt")
            _wait_for(tmp_path / "looks")  # the shim looks in the background
        return done

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(driver, "_work_off", commit_meanwhile)
        done = driver.work(workspace)

    assert (done.captured, hooks.journal.pending(), len(rounds)) == (1, 0, 2)
    assert not (tmp_path / "count").exists()


def _note_looks(program: Path, looks: Path) -> None:
    """A flock(1) that notes when it has looked."""
    real = shutil.which("flock")
    program.write_text(
        f'#!/bin/sh\n"{real}" "$@"\ncode=$?\necho "$code" >>"{looks}"\nexit "$code"\n'
    )
    program.chmod(0o755)


def _wait_for(path: Path) -> None:
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_worker_that_finds_another_at_it_leaves(repo, noting) -> None:
    repo.commit_file("a.txt")

    with repo.workspace.store.lock_driver(0):
        done = repo.cli("hook", "work", "post-commit")

    assert (done.returncode, done.stdout, done.stderr, noting.log()) == (0, "", "", "")
    assert noting.journal.pending() == 1


def test_a_descriptor_that_is_not_the_lock_is_not_taken_for_it(repo, noting) -> None:
    """The environment may say anything."""
    repo.commit_file("a.txt")
    env = os.environ | {"TREERING_LOCK": "1"}

    with repo.workspace.store.lock_driver(0):
        subprocess.run([TREERING, "hook", "work"], cwd=repo.path, env=env, check=True)

    assert noting.journal.pending() == 1


# --- readers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [["recall"], ["context"], ["read", "missing-id"]])
def test_a_read_right_after_a_merge_does_not_keep_memories_from_following(
    repo, noting, verb
) -> None:
    """It took the event that said "look now" and did not look: nobody promoted until the next."""
    repo.switch("feature", create=True).commit_file("feature.txt")
    repo.tr.remember("learned on feature", type="insight")
    repo.switch("main")
    repo.git("merge", "-q", "feature")

    repo.cli(*verb)
    noting.settle()

    assert "learned on feature" in repo.titles("main")


def test_a_read_with_hooks_at_work_ends_promoted(repo, hooked) -> None:
    for number in range(3):
        branch = f"feature-{number}"
        repo.switch(branch, create=True).commit_file(f"{branch}.txt")
        repo.tr.remember(f"learned on {branch}", type="insight")
        repo.switch("main")
        repo.git("merge", "-q", branch)
        repo.json("recall")
    hooked.settle()

    assert {f"learned on feature-{number}" for number in range(3)} <= repo.titles("main")


def test_a_reader_takes_commits_in_and_leaves_what_asks_for_the_driver(repo, noting) -> None:
    """The library starts no process: the next worker, read at a door, or gc sees to it."""
    repo.switch("feature", create=True).commit_file("feature.txt")
    repo.switch("main").commit_file("main.txt")
    repo.git("merge", "-q", "--no-edit", "feature")

    answer = repo.tr.recall(type="commit")

    assert answer.pending is None
    assert "add main.txt" in {hit.title for hit in answer.results}
    assert noting.journal.events() == []
    names = {event.name for event in noting.journal.captured()}
    assert names == {"post-checkout", "post-merge"}
    assert repo.tr.drain().pending == 0
    assert "add feature.txt" in repo.titles("main")


def test_a_reader_beside_a_driver_starts_no_other(repo, noting) -> None:
    """And one for the same events only once: what cannot be seen to must not fill the machine."""
    repo.switch("feature", create=True)
    started = []
    workspace = Workspace.open(repo.path, driver=started.append)

    with workspace.store.lock_driver(0):
        recall(workspace)
    assert started == []

    recall(workspace)
    recall(workspace)
    assert started == [workspace.repository.common_dir]


def test_a_commit_made_while_a_reader_looks_at_the_lock_is_seen_to(
    repo, noting, monkeypatch
) -> None:
    """Its shim finds the lock taken, by the look, and starts nobody: the reader has to."""
    repo.switch("feature", create=True)
    repo.tr.drain()
    repo.commit_file("before.txt")
    started, is_held = [], lock.is_held
    workspace = Workspace.open(repo.path, driver=started.append)

    def commit_meanwhile(path):
        if not started and noting.journal.pending() == 0:
            repo.commit_file("meanwhile.txt")
        return is_held(path)

    monkeypatch.setattr(lock, "is_held", commit_meanwhile)
    recall(workspace)

    assert started == [workspace.repository.common_dir]


def test_what_a_push_asks_for_is_left_to_the_worker(repo, noting, tmp_path) -> None:
    """It asks for the network, which neither a read nor gc waits for."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "far.git")], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "far.git"))
    repo.git("push", "-q", "origin", "main")

    repo.tr.recall()
    repo.tr.gc()

    assert [event.name for event in noting.journal.captured()] == ["pre-push"]


def test_events_of_one_name_are_kept_apart(repo, noting) -> None:
    """A shim takes a name that is free again: the event that had it before still waits."""
    folder = noting.folder / "journal"
    for name in ("post-merge", "pre-push"):
        (folder / "4711.0").write_text(f"{name}\nref: refs/heads/main\n\n.\n")
        repo.tr.recall()

    assert sorted(event.name for event in noting.journal.captured()) == ["post-merge", "pre-push"]


def test_an_event_waits_until_it_was_seen_to(repo, noting, monkeypatch) -> None:
    """A worker that is killed while it judges leaves it for the next one."""
    _land(repo)
    monkeypatch.setattr(driver, "make_plan", lambda *_: json.loads("killed"))

    with pytest.raises(ValueError, match="Expecting value"):
        driver.work(repo.workspace)
    monkeypatch.undo()

    assert {event.name for event in noting.journal.captured()} == {"post-checkout", "post-merge"}
    driver.work(repo.workspace)
    assert _is_landed(repo)


# --- a branch that git deleted, which no hook is told of ------------------------------------------


def _try_and_drop(repo: Repo) -> None:
    """A branch with a failed attempt and another memory, never shared, and deleted."""
    repo.switch("idea", create=True).commit_file("idea.txt")
    repo.tr.remember("A radix tree was slower", type="insight", outcome="failed")
    repo.tr.remember("Radix trees live in tree.py", type="component")
    repo.switch("main").git("branch", "-q", "-D", "idea")


def test_a_deleted_branch_leaves_its_lesson_at_the_next_commit(repo, hooked) -> None:
    _try_and_drop(repo)
    hooked.settle()

    repo.commit_file("later.txt")
    hooked.settle()

    (hit,) = repo.tr.recall("radix tree slower", branch="main").results
    assert (hit.title, hit.private) == ("A radix tree was slower", True)
    (line,) = [line for line in repo.tr.gc(dry_run=True).plan if line.branch == "idea"]
    assert (line.verdict, line.action) == ("abandoned", "trash")
    assert line.share.startswith("treering promote idea --id ")


def test_a_landed_branch_is_promoted_at_the_next_commit(repo, hooked) -> None:
    _land(repo)
    hooked.settle()

    repo.commit_file("later.txt")
    hooked.settle()

    assert _is_landed(repo)


def test_restore_works_for_what_waits_for_gc(repo, hooked) -> None:
    _try_and_drop(repo)
    repo.commit_file("later.txt")
    hooked.settle()

    answer = repo.tr.restore("idea")

    assert (answer.branch, answer.memories, answer.lessons) == ("idea", 3, 1)
    assert "A radix tree was slower" not in repo.titles("main")
    (line,) = [line for line in repo.tr.gc().plan if line.branch == "idea"]
    assert line.action == "keep"


def test_a_branch_that_waits_for_gc_is_judged_once(repo, noting, monkeypatch) -> None:
    """Each commit asks for a list of refs, not for another plan."""
    _try_and_drop(repo)
    repo.commit_file("later.txt")
    workspace = Workspace.open(repo.path)
    driver.work(workspace)
    plans = []
    monkeypatch.setattr(driver, "follow_branches", lambda workspace: plans.append(workspace))

    for number in range(3):
        repo.commit_file(f"more-{number}.txt")
        driver.work(workspace)

    assert plans == []


def test_a_lesson_that_was_shared_is_not_kept_privately_again(repo, noting) -> None:
    _try_and_drop(repo)
    repo.commit_file("later.txt")
    driver.work(Workspace.open(repo.path))
    (line,) = [line for line in repo.tr.gc(dry_run=True).plan if line.branch == "idea"]

    repo.cli(*line.share.split()[1:])
    driver.follow_branches(Workspace.open(repo.path))

    (hit,) = repo.tr.recall("radix tree slower", branch="main").results
    assert not hit.private
