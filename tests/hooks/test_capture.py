"""From a git command to a memory: real git, real hooks, the real worker."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from hooked import Hooked


def _commits(repo: Repo, **given) -> dict[str, str]:
    """Commit memories seen from here, by the commit they name."""
    found = repo.tr.recall(type="commit", limit=500, **given).results
    memories = [repo.tr.read(result.id, **given) for result in found]
    assert len(memories) == len({memory.commit for memory in memories}), "a commit is there twice"
    return {memory.commit: memory.title for memory in memories}


def _sessions(repo: Repo, **given) -> list:
    found = repo.tr.recall(type="session", order="oldest", limit=500, **given).results
    return [repo.tr.read(result.id, **given) for result in found]


def test_commit_becomes_a_memory(repo, hooked) -> None:
    """Subject, body, trailers, files with their blobs, the size of the change, the author."""
    message = "Use WAL mode\n\nReaders never block.\n\nSigned-off-by: Ada <ada@example.org>"
    commit = repo.commit_file("src/db.py", "a\nb\n", message)
    hooked.settle()

    (result,) = repo.tr.recall(type="commit").results
    memory = repo.tr.read(result.id)
    assert (memory.title, memory.content) == ("Use WAL mode", message)
    assert (memory.commit, memory.author) == (commit, "Ada Lovelace <ada@example.org>")
    assert memory.created == "2026-02-02T02:42:00Z"
    assert memory.files == ((("src/db.py", repo.git("rev-parse", "HEAD:src/db.py"))),)
    assert memory.details == {
        "files": 1,
        "insertions": 2,
        "deletions": 0,
        "trailers": {"Signed-off-by": ["Ada <ada@example.org>"]},
    }
    assert memory.stale is None
    assert (memory.session, memory.links) == ("", ())
    assert _sessions(repo) == []  # it could only repeat the commit


def test_a_second_commit_makes_a_session_of_both(repo, noting) -> None:
    """One commit alone has no session; it becomes part of it when there is one."""
    first = repo.commit_file("a.txt", message="add a")
    repo.tr.drain()
    before = _sessions(repo)
    second = repo.commit_file("b.txt", message="add b")
    repo.tr.drain()

    (session,) = _sessions(repo)
    assert before == []
    assert session.title == "Session: 2 commits on main by Ada Lovelace"
    assert session.details["commits"] == [first, second]
    for result in repo.tr.recall(type="commit").results:
        commit = repo.tr.read(result.id)
        assert [(n.relation, n.id) for n in commit.links] == [("part_of", session.id)]
        assert commit.session == session.id


def test_secrets_in_messages_are_masked(repo, noting) -> None:
    """The commit is there anyway; the memory need not repeat what is in it."""
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    repo.commit_file("a.txt", message=f"Use a token\n\nIt is {token} for now")
    repo.tr.drain()

    (result,) = repo.tr.recall(type="commit", detail="full").results
    assert "GitHub token" in result.content
    assert token not in repo.git("grep", "-h", "", "refs/treering/heads/main")


def test_amend_leaves_one_memory(repo, noting) -> None:
    old = repo.commit_file("a.txt", message="first try")
    repo.tr.drain()
    repo.git("commit", "-q", "--amend", "-m", "second try")
    repo.tr.drain()
    repo.git("commit", "-q", "--amend", "-m", "third try")
    repo.tr.drain()

    assert _commits(repo) == {repo.git("rev-parse", "HEAD"): "third try"}
    assert _sessions(repo) == []
    repo.commit_file("b.txt", message="another")
    repo.tr.drain()
    (session,) = _sessions(repo)
    assert session.details["commits"] == repo.git("rev-list", "--reverse", "-n2", "HEAD").split()
    assert session.details["count"] == 2
    assert old not in session.content


def test_amend_before_anyone_looked_leaves_no_trace(repo, noting) -> None:
    repo.commit_file("a.txt", message="first try")
    repo.git("commit", "-q", "--amend", "-m", "second try")
    repo.git("commit", "-q", "--amend", "-m", "third try")

    repo.tr.drain()

    assert repo.titles() == {"third try"}


def test_amend_seen_between_its_two_hooks(repo, noting) -> None:
    """git runs post-commit and then post-rewrite; someone may look in between."""
    repo.commit_file("a.txt", message="first try")
    repo.tr.drain()
    repo.git("commit", "-q", "--amend", "-m", "second try")
    commit, rewrite = noting.journal.events()
    held = rewrite.path.read_bytes()
    rewrite.path.unlink()
    repo.tr.drain()
    assert len(_commits(repo)) == 2

    rewrite.path.write_bytes(held)
    repo.tr.drain()

    assert _commits(repo) == {commit.commit: "second try"}
    for session in _sessions(repo):
        assert session.details["commits"] == [commit.commit]


def test_rebase_of_many_commits(repo, noting) -> None:
    """Each commit is there once, under the commit it is now; notes made beside them follow."""
    repo.switch("feature", create=True)
    for n in range(30):
        repo.commit_file(f"f{n}.txt", message=f"step {n}")
        if n == 10:
            note = repo.tr.remember("Step ten was hard", type="insight").id
    repo.switch("main").commit_file("m.txt", message="on main")
    repo.switch("feature")
    repo.tr.drain()

    repo.git("rebase", "-q", "main")
    repo.tr.drain()

    own = repo.git("rev-list", "--reverse", "main..feature").split()
    expected = {oid: f"step {n}" for n, oid in enumerate(own)}
    assert _commits(repo) == expected | {repo.git("rev-parse", "main"): "on main"}
    assert repo.tr.read(note).commit == own[10]
    assert sorted(s.details["count"] for s in _sessions(repo)) == [30]


def test_conflict_resolved_by_hand_follows_too(repo, noting) -> None:
    """The patch is another one afterwards: only git's pairs tell."""
    repo.commit_file("a.txt", "one\n", "base")
    repo.switch("feature", create=True).commit_file("a.txt", "two\n", "mine")
    note = repo.tr.remember("Two is better", type="insight").id
    repo.switch("main").commit_file("a.txt", "three\n", "theirs")
    repo.switch("feature")
    subprocess.run(["git", "rebase", "-q", "main"], cwd=repo.path, capture_output=True, check=False)
    (repo.path / "a.txt").write_text("four\n")
    repo.git("add", "a.txt")
    repo.git("-c", "core.editor=true", "rebase", "--continue")
    repo.tr.drain()

    assert _commits(repo)[repo.git("rev-parse", "HEAD")] == "mine"
    assert repo.tr.read(note).commit == repo.git("rev-parse", "HEAD")


def test_commit_made_by_hand_in_the_middle_of_a_rebase(repo, noting) -> None:
    repo.switch("feature", create=True)
    for n in range(2):
        repo.commit_file(f"f{n}.txt", message=f"step {n}")
    repo.switch("main").commit_file("m.txt", message="on main")
    repo.switch("feature")
    editor = "sed -i -e '1s/^pick/edit/'"
    repo.git("-c", f"sequence.editor={editor}", "rebase", "-q", "-i", "main")
    repo.commit_file("extra.txt", message="by hand")
    repo.git("-c", "core.editor=true", "rebase", "--continue")
    repo.tr.drain()

    assert set(_commits(repo).values()) == {"on main", "step 0", "by hand", "step 1"}


def test_rebase_that_is_given_up_leaves_nothing(repo, noting) -> None:
    repo.commit_file("a.txt", "one\n", "base")
    repo.switch("feature", create=True).commit_file("f.txt", message="fine")
    repo.commit_file("a.txt", "two\n", "mine")
    repo.switch("main").commit_file("a.txt", "three\n", "theirs")
    repo.switch("feature")
    repo.tr.drain()
    before = _commits(repo)

    subprocess.run(["git", "rebase", "-q", "main"], cwd=repo.path, capture_output=True, check=False)
    repo.git("rebase", "--abort")
    repo.tr.drain()

    assert _commits(repo) == before


def test_autosquash_replaces_both(repo, noting) -> None:
    repo.switch("feature", create=True).commit_file("a.txt", message="add a")
    (repo.path / "a.txt").write_text("fixed\n")
    repo.git("commit", "-q", "-a", "--fixup", "HEAD")
    repo.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "main")
    repo.tr.drain()

    assert _commits(repo) == {repo.git("rev-parse", "HEAD"): "add a"}


def test_cherry_picks_are_commits(repo, noting) -> None:
    repo.switch("feature", create=True)
    for n in range(10):
        repo.commit_file(f"f{n}.txt", message=f"step {n}")
    repo.switch("main").commit_file("m.txt", message="on main")
    repo.git("cherry-pick", "main..feature")
    repo.tr.drain()

    picked = repo.git("rev-list", "-n", "11", "main").split()
    assert set(picked) <= set(_commits(repo))


def test_merge_lets_memories_follow(repo, hooked) -> None:
    """Nobody has to run gc: the worker looks what became of the branch."""
    repo.switch("feature", create=True).commit_file("a.txt", message="add a")
    repo.tr.remember("WAL mode is on", type="decision")
    repo.switch("main").commit_file("m.txt")
    repo.git("merge", "-q", "--no-edit", "feature")
    hooked.settle()

    assert {"WAL mode is on", "add a"} <= repo.titles("main")
    assert not any(title.startswith("Merge") for title in repo.titles("main"))


def test_commits_rewritten_on_a_branch_stay_behind(repo, hooked) -> None:
    """A branch that was rebased every day would fill the trunk with what never landed."""
    repo.switch("feature", create=True).commit_file("a.txt", message="first try")
    hooked.settle()
    repo.git("commit", "-q", "--amend", "-m", "second try")
    hooked.settle()
    repo.switch("main")
    repo.git("merge", "-q", "--ff-only", "feature")
    hooked.settle()

    assert "second try" in repo.titles("main")
    assert "first try" not in repo.titles("main")


def test_squash_merge_lets_memories_follow(repo, hooked) -> None:
    repo.switch("feature", create=True).commit_file("a.txt", message="add a")
    repo.tr.remember("WAL mode is on", type="decision")
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "feature, squashed")
    repo.git("branch", "-D", "feature")
    repo.switch("other", create=True)
    hooked.settle()

    assert {"WAL mode is on", "feature, squashed"} <= repo.titles("main")


def test_branch_thrown_away_is_left_to_gc(repo, hooked) -> None:
    """What puts memories out of sight happens when someone asks for it."""
    repo.switch("feature", create=True).commit_file("a.txt", message="add a")
    repo.switch("main")
    repo.git("branch", "-D", "feature")
    repo.switch("other", create=True)
    hooked.settle()

    assert any(ref.startswith("refs/treering/heads/feature") for ref in repo.refs())
    repo.tr.gc()
    assert any(ref.startswith("refs/treering/trash/feature") for ref in repo.refs())


def test_rename_is_followed(repo, hooked) -> None:
    repo.switch("feature", create=True).commit_file("a.txt", message="add a")
    hooked.settle()
    repo.git("branch", "-m", "better")
    commit = repo.commit_file("b.txt", message="add b")
    repo.switch("main")
    hooked.settle()

    assert "refs/treering/heads/better" in repo.refs()
    assert _commits(repo, branch="better")[commit] == "add b"
    assert "add a" in _commits(repo, branch="better").values()


def test_detached_commit_is_seen_from_there_only(repo, noting) -> None:
    repo.git("checkout", "-q", "--detach")
    commit = repo.commit_file("a.txt", message="half done")
    repo.tr.drain()

    assert _commits(repo) == {commit: "half done"}
    repo.switch("main")
    assert _commits(repo) == {}
    repo.tr.drain()


def test_what_is_drained_late_goes_where_it_happened(repo, noting) -> None:
    """By then the name may be another branch's."""
    repo.switch("feature", create=True)
    repo.commit_file("a.txt", message="of the first feature")
    repo.switch("main")
    repo.git("branch", "-D", "feature")
    repo.switch("feature", create=True)
    commit = repo.commit_file("b.txt", message="of the second feature")

    repo.tr.drain()

    assert _commits(repo) == {commit: "of the second feature"}


def test_commits_in_several_worktrees_at_once(repo, hooked, tmp_path) -> None:
    """Twenty agents on one repository: no commit is missed, none is there twice."""
    sides = []
    for n in range(4):
        repo.git("worktree", "add", "-q", "-b", f"side{n}", str(tmp_path / f"w{n}"))
        sides.append(tmp_path / f"w{n}")
    loop = 'for i in 1 2 3 4 5 6 7 8; do git commit -q --allow-empty -m "$0 $i" || exit 1; done'
    running = [subprocess.Popen(["sh", "-c", loop, side.name], cwd=side) for side in sides]
    assert [process.wait(120) for process in running] == [0] * 4
    hooked.settle()

    for n in range(4):
        titles = set(_commits(repo, branch=f"side{n}").values())
        assert titles == {f"w{n} {i}" for i in range(1, 9)}
        (session,) = _sessions(repo, branch=f"side{n}")
        assert session.details["count"] == 8


@pytest.mark.parametrize("branch", ["feature/ünï", "$(touch${IFS}pwned)", "-n", "%s", "x" * 200])
def test_hostile_branch_names(repo, noting, branch) -> None:
    repo.git("update-ref", f"refs/heads/{branch}", "HEAD")
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    commit = repo.commit_file("a.txt", message="here")
    repo.tr.drain()

    assert _commits(repo) == {commit: "here"}
    assert not list(repo.path.rglob("pwned"))


def test_hostile_messages_paths_and_authors(repo, noting) -> None:
    """Anything git lets into a commit; none of it may stop the others from being captured."""
    messages = ["---\nid: x\n---\n", "\x1b[31mred\x07", "a" * 5000, "ref: refs/heads/x\n.\n"]
    for n, message in enumerate(messages):
        (repo.path / f"we ird\n{n}\t'\"").write_text("x")
        repo.git("add", "-A")
        repo.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-m", message)
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    repo.git(
        "commit", "-q", "--allow-empty", "-m", "by someone",
        "--author", f"{'N' * 2000} \u202e <x@y>",
    )  # fmt: skip
    repo.tr.drain()

    assert len(_commits(repo)) == 6


def test_sparing_all_and_none(repo, noting) -> None:
    def captured(setting: str) -> set[str]:
        repo.git("config", "treering.capture", setting)
        repo.switch(f"on-{setting}", create=True)
        repo.commit_file(f"{setting}.txt", message=f"plain {setting}")
        repo.git("commit", "-q", "--allow-empty", "-m", f"fixup! plain {setting}")
        repo.git(
            "commit", "-q", "--allow-empty", "-m", f"bump {setting}",
            "--author", "dependabot[bot] <support@github.com>",
        )  # fmt: skip
        repo.switch(f"side-{setting}", create=True).commit_file(f"s{setting}.txt")
        repo.switch(f"on-{setting}")
        repo.git("merge", "-q", "--no-ff", "-m", f"Merge {setting}", f"side-{setting}")
        repo.tr.drain()
        titles = {m["title"] for m in repo.tr.exported(branch=f"on-{setting}")}
        repo.switch("main")
        return {title for title in titles if setting in title and "Session" not in title}

    assert captured("sparing") == {"plain sparing"}
    assert captured("all") == {"plain all", "fixup! plain all", "bump all", "Merge all"}
    assert captured("none") == set()


# --- sessions -------------------------------------------------------------------------------------


def test_session_ends_with_a_long_pause(repo, noting) -> None:
    for n, pause in enumerate((0, 600, 5 * 3600, 600)):
        repo.now += pause
        repo.commit_file(f"{n}.txt", message=f"step {n}")
        repo.tr.drain()

    assert [s.details["count"] for s in _sessions(repo)] == [2, 2]
    repo.git("config", "treering.sessiongap", "5min")
    for n in range(4, 6):
        repo.now += 600
        repo.commit_file(f"{n}.txt", message=f"step {n}")
    repo.tr.drain()
    assert [s.details["count"] for s in _sessions(repo)] == [2, 2]


def test_session_ends_where_the_branch_is_left(repo, noting) -> None:
    repo.commit_file("a.txt", message="before")
    repo.git("switch", "-q", "-c", "elsewhere")
    repo.switch("main")
    repo.commit_file("b.txt", message="after")
    repo.commit_file("c.txt", message="after that")

    repo.tr.drain()

    assert [s.details["count"] for s in _sessions(repo)] == [2]


def test_session_is_one_authors(repo, noting) -> None:
    for n in range(2):
        repo.commit_file(f"{n}.txt")
    for n in range(2):
        hers = ("--allow-empty", "-m", f"hers {n}", "--author", "Grace <g@example.org>")
        repo.git("commit", "-q", *hers)

    repo.tr.drain()

    assert {s.author for s in _sessions(repo)} == {
        "Ada Lovelace <ada@example.org>",
        "Grace <g@example.org>",
    }


def test_session_goes_on_over_what_is_passed_over(repo, noting) -> None:
    repo.commit_file("a.txt", message="one")
    repo.git("commit", "-q", "--allow-empty", "-m", "fixup! one")
    repo.commit_file("b.txt", message="two")

    repo.tr.drain()

    assert [s.details["count"] for s in _sessions(repo)] == [2]


# --- faults ---------------------------------------------------------------------------------------


def test_drained_twice_is_captured_once(repo, noting) -> None:
    """A kill after the write and before the unlink means that an event is looked at again."""
    for n in range(3):
        repo.commit_file(f"{n}.txt")
    repo.git("commit", "-q", "--amend", "-m", "amended")
    events = {e.path: (e.path.read_bytes(), e.when) for e in noting.journal.events()}
    repo.tr.drain()
    ref = repo.refs()

    for path, (text, when) in events.items():
        path.write_bytes(text)
        os.utime(path, (when, when))
    assert repo.tr.drain().captured == 0

    assert repo.refs() == ref


def test_worker_killed_at_any_moment_loses_nothing(repo, noting) -> None:
    """Killed again and again, the next one ends what the last one began."""
    expected = {repo.commit_file(f"{n}.txt", message=f"step {n}") for n in range(25)}
    repo.git("commit", "-q", "--amend", "-m", "amended")
    expected = set(repo.git("rev-list", "HEAD", "-n", "25").split())
    for round_ in range(12):
        worker = subprocess.Popen(
            [str(TREERING), "hook", "work", "post-commit", "-C", str(repo.path)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(0.05 + 0.03 * round_)
        worker.send_signal(signal.SIGKILL)
        worker.wait()

    repo.tr.drain()

    assert set(_commits(repo)) == expected
    (session,) = _sessions(repo)
    assert session.details["count"] == 25
    assert repo.git("fsck", "--full", "--strict", "--no-dangling") == ""


def test_half_an_event_waits_for_its_writer_and_not_for_ever(repo, noting) -> None:
    commit = repo.commit_file("a.txt")
    (path,) = (noting.folder / "journal").iterdir()
    path.write_text(f"post-commit\nref: refs/heads/main\n{commit}\n")

    assert repo.tr.drain().pending == 1
    old = time.time() - 700
    os.utime(path, (old, old))
    assert repo.tr.drain().pending == 0

    assert set(_commits(repo)) == {commit}


def test_rubbish_in_the_journal_harms_nobody(repo, noting) -> None:
    commit = repo.commit_file("a.txt")
    journal = noting.folder / "journal"
    (journal / "empty").write_text("")
    (journal / "bytes").write_bytes(bytes(range(256)) + b"\n.\n")
    (journal / "unknown").write_text("post-everything\nref: refs/heads/main\nxyz\n.\n")
    (journal / "gone").write_text(f"post-commit\nref: refs/heads/main\n{'1' * 40}\n.\n")
    (journal / "pairs").write_text(
        f"post-rewrite\nref: refs/heads/main\n{commit}\nrebase\nx y\n{'1' * 40} {'2' * 40}\n.\n"
    )
    (journal / "link").symlink_to("/etc/passwd")
    (journal / "folder").mkdir()

    done = repo.tr.drain()

    assert (done.captured, done.errors) == (1, ())
    assert sorted(path.name for path in journal.iterdir()) == ["empty", "folder", "link"]


def test_locked_repository_is_left_for_later(repo, noting) -> None:
    commit = repo.commit_file("a.txt")
    with repo.workspace.store.lock():
        answer = repo.json("recall")
        assert (answer["results"], answer["pending"]) == ([], 1)
        assert repo.json("status")["journal"]["pending"] == 1

    answer = repo.json("recall", "--type", "commit")

    assert "pending" not in answer
    assert answer["results"][0]["title"] == "add a.txt"
    assert set(_commits(repo)) == {commit}


def test_status_only_counts_and_drain_does_it_by_hand(repo, noting) -> None:
    repo.commit_file("a.txt")
    repo.commit_file("b.txt")

    assert repo.json("status")["journal"] == {"pending": 2}
    assert repo.json("status")["journal"] == {"pending": 2}
    answer = repo.json("hook", "drain")
    assert (answer["captured"], answer["pending"]) == (2, 0)
    assert repo.json("status")["journal"] == {"pending": 0}


def test_read_drains_too(repo, noting) -> None:
    commit = repo.commit_file("a.txt")
    from treering.capture.commits import memory_id

    assert repo.json("read", memory_id(commit))["commit"] == commit


def test_many_events_are_one_commit_of_memories(repo, noting) -> None:
    for n in range(20):
        repo.commit_file(f"{n}.txt")

    repo.tr.drain()

    assert repo.git("rev-list", "--count", "refs/treering/heads/main") == "1"


def test_reader_stops_in_time_and_says_what_is_left(repo, noting, monkeypatch) -> None:
    """A reader waits a moment at most; what it did not get to is still there for the worker."""
    for n in range(30):
        repo.commit_file(f"{n}.txt")
    monkeypatch.setattr("treering.actions.drain._BRIEFLY", 0.000_001)

    answer = repo.tr.recall()

    assert answer.pending == 30
    monkeypatch.undo()
    repo.tr.drain()
    assert len(_commits(repo)) == 30


def test_worker_on_a_repository_that_cannot_be_written(repo, noting) -> None:
    repo.commit_file("a.txt")
    noting.lock.unlink()
    noting.lock.mkdir()  # what no one can open for writing

    done = repo.cli("hook", "work", "post-commit")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert noting.journal.pending() == 1
    assert "cannot be written" in noting.log()


def test_log_stays_small(tmp_path) -> None:
    from treering.hooks.worker import log

    for n in range(300):
        log(tmp_path, f"{n} " + "x" * 1000)

    text = (tmp_path / "hook.log").read_text()
    assert len(text) < 80_000
    assert "299 x" in text


def test_worker_leaves_no_process_and_no_pid(repo, hooked) -> None:
    repo.commit_file("a.txt")
    hooked.settle()

    derived = ("index", "state", "treering.db")
    names = (path.name for path in hooked.folder.iterdir())
    assert sorted(n for n in names if not n.startswith(derived)) == ["journal", "worker"]
    assert hooked.lock.read_text() == ""


def test_hooks_load_neither_server_nor_index(repo, noting) -> None:
    """Start-up is most of what a worker costs."""
    repo.commit_file("a.txt")
    code = (
        "import os, sys; leave = os._exit\n"
        "def tell(code): print('LOADED', *sys.modules, flush=True); leave(code)\n"
        "os._exit = tell\n"
        "from treering.cli.start import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "hook", "work", "post-commit"],
        cwd=repo.path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.rpartition("LOADED")[2].split())

    assert "treering.hooks.worker" in loaded
    assert not {"mcp", "pydantic", "whoosh", "pygit2.repository"} & loaded
    assert noting.journal.pending() == 0


def test_sessions_of_a_submodule_stay_there(tmp_path, repo) -> None:
    """Its git dir is inside another one; memories go to the repository the commit is in."""
    from conftest import ADA, make_repo

    outer = make_repo(tmp_path / "outer")
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "s"
    )
    inner = Repo(outer.path / "s")
    inner.git("config", "user.name", ADA.name)
    inner.git("config", "user.email", ADA.email)
    hooks = Hooked(outer.path / ".git" / "modules" / "s").install()
    commit = inner.commit_file("a.txt", message="inside")
    hooks.settle()

    assert _commits(inner) == {commit: "inside"}
    assert outer.refs() == {}
    assert Path(outer.path / ".git" / "treering.lock").exists() is False


def test_doctor_names_events_nobody_looks_at_and_a_worker_that_is_gone(repo, noting) -> None:
    repo.commit_file("a.txt")
    (event,) = noting.journal.events()
    os.utime(event.path, (event.when - 7200, event.when - 7200))
    (noting.folder / "worker").write_text("/nowhere/treering\n")

    found = {finding.code for finding in repo.tr.doctor().findings}

    assert {"journal-pending", "worker-gone"} <= found
    repo.tr.drain()
    assert "journal-pending" not in {finding.code for finding in repo.tr.doctor().findings}


def test_a_worker_writes_as_who_git_was_told_to_commit_as(repo, hooked, monkeypatch) -> None:
    """Machines set the committer in the environment. The author is whoever wrote the commit."""
    for role, name in (("AUTHOR", "Ada"), ("COMMITTER", "Ben")):
        monkeypatch.setenv(f"GIT_{role}_NAME", name)
        monkeypatch.setenv(f"GIT_{role}_EMAIL", f"{name}@example.org")

    repo.commit_file("f.txt", message="Read flags once")
    hooked.settle()

    assert repo.git("log", "-1", "--format=%an", "refs/treering/heads/main") == "Ben"
