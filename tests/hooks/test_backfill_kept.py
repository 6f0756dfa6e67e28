"""backfill with real processes: what was captured stays when it is interrupted, and is found."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from treering.actions import backfill as module

COMMITS = 60
#: The program in batches of ten; after each one it says so and waits to be told to go on.
SLOWLY = """
import sys
from treering.actions import backfill, searcher
backfill.BATCH = 10
index = searcher.catch_up
def catch_up(workspace):
    index(workspace)
    print("batch", flush=True)
    sys.stdin.readline()
searcher.catch_up = catch_up
from treering.cli.main import main
sys.exit(main(["backfill"]))
"""


@pytest.fixture
def long(repo: Repo) -> Repo:
    """A repository with a history of some length."""
    stream = "".join(
        f"commit refs/heads/main\ncommitter Ada <a@x> {1_700_000_000 + n * 600} +0000\n"
        f"data 8\nstep {n:03}\n" + ("from refs/heads/main^0\n" if n == 0 else "")
        + f"M 100644 inline f{n}\ndata 1\nx\n"
        for n in range(COMMITS)
    )  # fmt: skip
    repo.git("fast-import", "--quiet", feed=stream)
    return repo


def start(repo: Repo) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SLOWLY],
        cwd=repo.path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def captured(repo: Repo) -> set[str]:
    return {m["title"] for m in repo.tr.exported() if m["type"] == "commit"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_was_captured_stays_and_the_next_call_goes_on(long: Repo, how: signal.Signals) -> None:
    """Nobody knows beforehand how long a history takes."""
    process = start(long)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "batch\n"
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "batch\n"
    process.send_signal(how)
    process.wait(timeout=60)
    _, errors = process.communicate(timeout=60)

    kept = captured(long)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert 20 <= len(kept) < COMMITS
    if how == signal.SIGINT:
        assert "Run `treering backfill` again to continue" in errors

    answer = long.json("backfill")

    assert answer["captured"] == COMMITS + 1 - len(kept)
    assert captured(long) == {"add README.md", *(f"step {n:03}" for n in range(COMMITS))}
    assert long.json("backfill")["captured"] == 0


def test_batches_make_the_same_memories_as_one_go(
    long: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also sessions that go on from one batch into the next."""
    long.git("clone", "-q", str(long.path), str(long.path.parent / "other"))
    other = Repo(long.path.parent / "other")
    long.tr.backfill()
    monkeypatch.setattr(module, "BATCH", 7)
    other.git("config", "user.name", "Ada Lovelace")
    other.git("config", "user.email", "ada@example.org")
    other.tr.backfill()

    assert long.files() == other.files()
    tree = "refs/treering/heads/main^{tree}"
    assert long.git("rev-parse", tree) == other.git("rev-parse", tree)


def index_files(repo: Repo) -> dict[Path, int]:
    folder = repo.path / ".git" / "treering" / "index"
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_it_is_indexed_when_it_is_done(long: Repo) -> None:
    """The next question must not pay for it."""
    long.tr.backfill()
    before = index_files(long)

    assert before
    assert long.json("recall", "step", "--type", "commit")["total"] == COMMITS
    assert index_files(long) == before


def test_what_was_imported_is_indexed(repo: Repo) -> None:
    lines = "".join(json.dumps({"content": f"thought {n} about a topic"}) + "\n" for n in range(60))
    repo.json("import", "-", feed=lines)
    before = index_files(repo)

    assert before
    assert repo.json("recall", "thought")["total"] == 60
    assert index_files(repo) == before


# --- what is left out -----------------------------------------------------------------------------


@pytest.fixture
def noisy(repo: Repo) -> Repo:
    repo.commit_file("a", message="Bump werkzeug from 2.0.1 to 2.1.0")
    repo.commit_file("b", message="update dev dependencies")
    repo.commit_file("c", message="chore(deps): update dependency flask to v3 (#12)")
    repo.commit_file("d", message="fixup! add README.md")
    repo.git("config", "user.name", "renovate[bot]")
    repo.commit_file("e", message="anything")
    repo.git("config", "user.name", "Ada Lovelace")
    repo.commit_file("f", message="Bump werkzeug from 2.0.1 to 2.1.0\n\n2.0 leaks sockets.")
    repo.commit_file("g", message="Update the session when it was changed")
    repo.switch("side", create=True).commit_file("h", message="side work")
    repo.switch("main").commit_file("i", message="main work")
    repo.git("merge", "-q", "--no-edit", "side")
    repo.git("branch", "-D", "side")
    return repo


def test_what_tells_nothing_is_left_out_and_counted(noisy: Repo) -> None:
    """In a repository of some age that is every third commit."""
    answer = noisy.json("backfill")

    assert answer["left_out"] == {"dependency bumps": 3, "fixups": 1, "bots": 1, "merges": 1}
    assert captured(noisy) == {
        "add README.md", "Bump werkzeug from 2.0.1 to 2.1.0",
        "Update the session when it was changed", "side work", "main work",
    }  # fmt: skip
    assert (answer["captured"], answer["skipped"]) == (5, 6)


def test_all_takes_them_in(noisy: Repo) -> None:
    said = noisy.cli("backfill").stdout
    assert "6 commits left out (3 dependency bumps, 1 fixups, 1 bots, 1 merges): --all" in said

    answer = noisy.json("backfill", "--all")

    assert (answer["captured"], answer["left_out"]) == (6, {})
    assert {"update dev dependencies", "anything"} <= captured(noisy)


# --- the bar --------------------------------------------------------------------------------------


def test_progress_only_goes_forward_and_ends_at_the_end(
    long: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit counts when it was read and again when it is searchable."""
    monkeypatch.setattr(module, "BATCH", 25)
    steps: list[tuple[int, int]] = []

    long.tr.backfill(progress=lambda done, total: steps.append((done, total)))

    assert {total for _, total in steps} == {2 * (COMMITS + 1)}
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1][0] == 2 * (COMMITS + 1)


def test_the_bar_does_not_guess_how_long_it_takes(long: Repo) -> None:
    """At a terminal: percent, and no time that is wrong."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(TREERING), "backfill"], cwd=long.path, stdout=subprocess.DEVNULL, stderr=theirs,
        env=os.environ | {"TERM": "xterm"},
    ) as process:  # fmt: skip
        os.close(theirs)
        said = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            said += data
    os.close(ours)

    assert process.returncode == 0
    assert b"100%" in said
    assert b":" not in said.replace(b"capturing", b"")
