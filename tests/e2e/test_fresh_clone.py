"""Who starts with a clone is told of memories that a remote has, and gets them."""

import subprocess
from pathlib import Path

import pytest

from conftest import Repo, make_repo


@pytest.fixture
def fresh(tmp_path: Path) -> Repo:
    """A clone of a remote that has memories of two branches."""
    origin = make_repo(tmp_path / "origin.git", "--bare")
    dev = make_repo(tmp_path / "dev")
    dev.git("remote", "add", "origin", str(origin.path))
    dev.commit_file("readme")
    dev.tr.remember("Use WAL mode", type="decision")
    dev.switch("feat", create=True).commit_file("feature")
    dev.tr.remember("Sessions live in Redis", type="decision")
    dev.git("push", "-q", "origin", "main", "feat")
    dev.tr.sync()
    path = tmp_path / "fresh"
    subprocess.run(["git", "clone", "-q", str(origin.path), str(path)], check=True)
    return Repo(path)


def has_memories(repo: Repo) -> dict[str, bool | str]:
    return {remote["name"]: remote["memories"] for remote in repo.json("status")["remotes"]}


def test_status_says_where_memories_may_be(fresh: Repo) -> None:
    """A remote is not asked here: status works without a network."""
    assert has_memories(fresh) == {"origin": "unknown"}
    assert "origin may have memories: `treering sync fetch" in fresh.cli("status").stdout


def test_status_says_what_a_remote_told(fresh: Repo, tmp_path: Path) -> None:
    """A push asks the remote, too, and takes nothing that is not ours."""
    fresh.git("remote", "add", "empty", str(make_repo(tmp_path / "e.git", "--bare").path))
    fresh.tr.sync("push")
    fresh.tr.sync("fetch", remote="empty")

    assert has_memories(fresh) == {"origin": True, "empty": False}
    said = fresh.cli("status").stdout
    assert "origin has memories: `treering sync fetch --remote origin` gets them" in said
    assert "empty" not in said


def test_status_is_silent_once_they_are_here(fresh: Repo) -> None:
    fresh.git(
        "fetch", "-q", "origin", "refs/treering/clones/*:refs/treering/remotes/origin/clones/*"
    )

    assert has_memories(fresh) == {"origin": True}
    assert "sync fetch" not in fresh.cli("status").stdout


def test_init_fetches_memories(fresh: Repo) -> None:
    done = fresh.json("init")

    assert "Fetched 2 memories of 2 branches from origin." in done["notes"]
    assert fresh.json("status")["memories"]["visible"] == 1
    assert [hit["title"] for hit in fresh.json("recall", "wal")["results"]] == ["Use WAL mode"]
    assert not any("Fetched" in note for note in fresh.json("init")["notes"])


def test_init_without_a_network_does_all_else(fresh: Repo, tmp_path: Path) -> None:
    fresh.git("remote", "set-url", "origin", str(tmp_path / "nowhere.git"))

    done = fresh.json("init")

    assert "post-commit" in done["hooks"]
    assert any("Could not fetch memories from origin" in note for note in done["notes"])
    assert any("`treering sync fetch --remote origin`" in note for note in done["notes"])


def test_a_dry_init_asks_nobody(fresh: Repo) -> None:
    fresh.json("init", "--dry-run")

    assert has_memories(fresh) == {"origin": "unknown"}
    assert fresh.refs() == {}
