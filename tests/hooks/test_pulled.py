"""Commits of teammates who do not use treering are captured once they are pulled."""

import pytest

from conftest import Repo
from hooked import Hooked
from sync.conftest import Team
from treering.actions import backfill, driver
from treering.actions.workspace import Workspace


@pytest.fixture
def team(clone: Team) -> tuple[Repo, Repo, Hooked]:
    """Ben, who has no treering; Ada with hooks that only note."""
    ben, ada = clone("ben"), clone("ada")
    return ben, ada, Hooked(ada.path / ".git").install(only_notes=True)


def _push(repo: Repo, *names: str, branch: str = "main") -> None:
    for name in names:
        repo.commit_file(f"{name}.txt", message=name)
    repo.git("push", "-q", "-u", "origin", branch)


def _captured(repo: Repo, branch: str = "main") -> set[str]:
    driver.work(Workspace.open(repo.path))
    exported = repo.tr.exported(branch=branch)
    return {memory["title"] for memory in exported if memory["type"] == "commit"}


@pytest.mark.parametrize("how", [["--ff-only"], ["--rebase"], ["--no-rebase", "--no-edit"]])
@pytest.mark.parametrize("is_ahead", [False, True])
def test_what_a_pull_brings_is_captured(team, how: list[str], is_ahead: bool) -> None:
    ben, ada, _ = team
    if is_ahead and how == ["--ff-only"]:
        return
    _push(ben, "one", "two")
    if is_ahead:
        ada.commit_file("mine.txt", message="mine")

    ada.git("pull", "-q", *how)

    assert _captured(ada) == {"one", "two"} | ({"mine"} if is_ahead else set())


def test_a_branch_that_is_checked_out_is_captured(team) -> None:
    ben, ada, _ = team
    ben.switch("feature", create=True)
    _push(ben, "theirs", branch="feature")
    ada.git("fetch", "-q")

    ada.git("checkout", "-q", "feature")

    assert _captured(ada, "feature") == {"theirs"}


def test_a_reset_is_made_up_for_by_the_next_hook(team) -> None:
    ben, ada, _ = team
    _push(ben, "one")
    ada.git("fetch", "-q")
    ada.git("reset", "-q", "--hard", "origin/main")

    ada.git("checkout", "-q", "-b", "other")

    assert _captured(ada) == {"one"}


def test_sync_captures_what_no_hook_told_of(team) -> None:
    ben, ada, _ = team
    _push(ben, "one")
    ada.git("fetch", "-q")
    ada.git("reset", "-q", "--hard", "origin/main")

    ada.tr.sync()

    assert "one" in ada.titles("main")


def test_commits_of_people_who_share_memories_are_left_to_them(team) -> None:
    ben, ada, _ = team
    ben.tr.remember("Ben uses it, too", type="insight")
    ben.tr.sync()
    ada.tr.sync()
    _push(ben, "one")

    ada.git("pull", "-q")

    assert _captured(ada) == set()


def test_history_from_before_the_hooks_is_left_to_backfill(team) -> None:
    _ben, ada, _ = team

    ada.git("checkout", "-q", "-b", "other")

    assert _captured(ada) == set()


def test_of_very_many_commits_the_newest_are_captured(team, monkeypatch) -> None:
    monkeypatch.setattr(backfill, "MOST_PULLED", 2)
    ben, ada, _ = team
    _push(ben, "one", "two", "three")

    ada.git("pull", "-q")

    assert _captured(ada) == {"two", "three"}


def test_a_pull_is_looked_at_once(team, monkeypatch) -> None:
    ben, ada, _ = team
    _push(ben, "one")
    ada.git("pull", "-q")
    _captured(ada)
    asked = []
    monkeypatch.setattr(backfill, "_list_brought", lambda *a: asked.append(a) or [])

    ada.git("checkout", "-q", "--detach")
    _captured(ada)

    assert asked == []
