"""Memories that git itself fetched are seen by the next read, without a sync."""

import pytest

from conftest import Repo
from sync.conftest import Team
from treering.actions import drain


@pytest.fixture
def team(clone: Team) -> tuple[Repo, Repo]:
    """Two clones that have said something about main, and let git fetch memories."""
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob, ada):
        repo.tr.remember(f"known to {repo.path.name}", type="insight")
        repo.tr.config("sync", "true")
        repo.tr.sync()
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    return ada, bob


@pytest.mark.parametrize("how", [["fetch"], ["pull"], ["pull", "--rebase"]], ids=" ".join)
def test_what_git_fetched_is_seen(team, how: list[str]) -> None:
    """Also where there was no commit to pull, so that no hook ran."""
    _, bob = team

    bob.git(how[0], "-q", *how[1:])

    assert [hit.title for hit in bob.tr.recall("WAL mode").results] == ["Use WAL mode"]
    assert "known to bob" in bob.titles("main")


def test_a_redaction_waits_for_a_sync_which_names_it(team) -> None:
    ada, bob = team
    bob.tr.sync()
    (hit,) = ada.tr.recall("WAL mode").results
    ada.tr.redact(hit.id)
    ada.tr.sync()
    bob.git("fetch", "-q")

    assert "Use WAL mode" in bob.titles("main")

    assert any("redact" in note for note in bob.tr.sync().notes or ())


def test_a_fetch_is_looked_at_once(team, monkeypatch) -> None:
    _, bob = team
    bob.git("fetch", "-q")
    monkeypatch.setattr(drain, "_FETCH_SECONDS", -1.0)
    bob.tr.recall("WAL mode")
    looks = []
    monkeypatch.setattr("treering.actions.sync.take_in_fetched", looks.append)

    bob.tr.recall("WAL mode")

    assert looks == []
