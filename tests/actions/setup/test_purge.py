"""uninstall --purge: memories are taken away, after it was said what goes."""

from pathlib import Path

import pytest

from conftest import Repo
from treering.api import Treering
from treering.errors import Invalid


@pytest.fixture
def shared(repo: Repo, tmp_path: Path) -> Repo:
    """Memories that are here, private, in the trash and on a remote."""
    origin = tmp_path / "origin.git"
    repo.git("init", "-q", "--bare", str(origin))
    repo.git("remote", "add", "origin", str(origin))
    repo.git("push", "-q", "origin", "main")
    repo.tr.remember("Sessions live in Redis", type="decision")
    repo.tr.remember("Ask Ada about the licence", private=True)
    repo.tr.sync()
    return repo


def _refs(repo: Repo, where: str = ".") -> str:
    return repo.git("-C", where, "for-each-ref", "refs/treering")


def test_without_purge_memories_stay_and_it_says_so(shared: Repo) -> None:
    answer = shared.json("uninstall")

    assert "Memories stay" in answer["notes"][-1]
    assert _refs(shared)
    assert (shared.path / ".git/treering").is_dir()


def test_a_dry_run_only_says_what_would_go(shared: Repo) -> None:
    answer = shared.json("uninstall", "--purge", "--remote", "origin", "--dry-run")

    assert "refs/treering/heads/main" in answer["purged"]
    assert [place for place in answer["purged"] if place.startswith("origin: refs/treering/")]
    assert _refs(shared)
    assert _refs(shared, shared.git("remote", "get-url", "origin").strip())


def test_purge_takes_memories_away_here_and_leaves_the_remote(shared: Repo) -> None:
    shared.json("uninstall", "--purge")

    assert _refs(shared) == ""
    assert not (shared.path / ".git/treering").exists()
    assert not (shared.path / ".git/logs/refs/treering").exists()
    assert Treering.open(shared.path).recall().total == 0
    assert _refs(shared, shared.git("remote", "get-url", "origin").strip())
    assert shared.git("status", "--porcelain") == ""


def test_with_a_remote_they_go_there_too(shared: Repo) -> None:
    shared.json("uninstall", "--purge", "--remote", "origin")

    assert _refs(shared, shared.git("remote", "get-url", "origin").strip()) == ""


def test_after_a_purge_one_can_begin_again(shared: Repo) -> None:
    shared.json("uninstall", "--purge")

    made = Treering.open(shared.path).remember("A new start", type="insight")

    assert [hit.id for hit in Treering.open(shared.path).recall().results] == [made.id]


def test_agents_and_slips_of_the_hand_are_refused(shared: Repo) -> None:
    assert shared.error("uninstall", "--remote", "origin")["code"] == "invalid"
    with pytest.raises(Invalid, match="Only a person"):
        Treering.open(shared.path, agent="codex").uninstall(purge=True)
    assert _refs(shared)
