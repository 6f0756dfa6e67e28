"""From `treering init` to a memory that nobody wrote: the whole way, as a user goes it."""

import json
import time
from pathlib import Path

from conftest import Repo


def _wait_for(what):
    """Work goes on in the background; a minute is more than it can take."""
    for _ in range(600):
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("It never came.")


def _commits(repo: Repo) -> list[str]:
    return [memory["title"] for memory in repo.tr.exported() if memory["type"] == "commit"]


def test_a_commit_becomes_a_memory(repo: Repo):
    """The worker that init names is this very program, wherever it is installed."""
    repo.json("init")

    repo.commit_file("src/db.py", message="Use WAL mode\n\nReaders never block.")

    assert _wait_for(lambda: _commits(repo)) == ["Use WAL mode"]


def test_a_commit_in_a_work_tree_behind_a_users_hook(repo: Repo, tmp_path: Path):
    """Two things at once that each have broken other tools."""
    hook = repo.path / ".git" / "hooks" / "post-commit"
    hook.write_text('#!/bin/sh\necho ran >> "$(git rev-parse --git-common-dir)/ran"\nexit 0\n')
    hook.chmod(0o755)
    repo.json("init")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")

    side.commit_file("b.txt", message="On the side")

    assert _wait_for(lambda: _commits(side)) == ["On the side"]
    assert (repo.path / ".git" / "ran").read_text() == "ran\n"
    assert _commits(repo) == []


def test_an_agents_commits_belong_to_its_session(repo: Repo):
    """The client's hook opens the session, git's hook captures the commit."""
    repo.json("init")
    started = json.dumps({"session_id": "s-1", "source": "startup"})
    assert repo.cli("hook", "agent", "claude", "SessionStart", feed=started).returncode == 0
    folder = repo.path / ".git" / "treering" / "state" / "sessions"
    _wait_for(lambda: folder.exists() and list(folder.iterdir()))

    repo.now = time.time()
    repo.commit_file("a.txt", message="By the agent")
    repo.commit_file("b.txt", message="By the agent, too")

    _wait_for(lambda: len(_commits(repo)) == 2)
    (session,) = [
        m for m in repo.tr.exported() if m.get("session") == "s-1" and m["type"] == "session"
    ]
    assert "By the agent" in session["content"]


def test_after_uninstall_nothing_is_captured_and_memories_stay(repo: Repo):
    """As if it had never been there, but for what was remembered."""
    repo.json("init")
    repo.commit_file("a.txt", message="Before")
    _wait_for(lambda: _commits(repo))

    repo.json("uninstall")
    repo.commit_file("b.txt", message="After")

    assert not (repo.path / ".git" / "treering" / "journal").exists()
    assert repo.json("hook", "drain")["captured"] == 0
    assert _commits(repo) == ["Before"]
