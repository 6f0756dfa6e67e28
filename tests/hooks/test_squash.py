"""Squashed commits: one memory on the trunk stands for them, and theirs stay behind."""

from dataclasses import replace

import pytest

from conftest import Repo


def _land(repo: Repo, *, is_deleted: bool = True) -> str:
    """A branch of three commits and a root cause, squashed into main."""
    repo.switch("feature", create=True)
    for number in range(3):
        repo.commit_file("cookie.py", f"{number}\n" * 3, message=f"wip ({number})")
    repo.tr.remember("Cookies were lost because the path was not set", type="root-cause")
    _share(repo)
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "Set the path of the cookie")
    if is_deleted:
        repo.git("branch", "-q", "-D", "feature")
    return repo.git("rev-parse", "HEAD")


def _share(repo: Repo) -> None:
    """As if the branch's memories had been pushed: what was never shared is not named."""
    repo.tr.recall("anything")  # which takes in what hooks noted
    tip = repo.refs()["refs/treering/heads/feature"]
    repo.git("update-ref", "refs/treering/pushed/origin/feature", tip)


def _on_main(repo: Repo) -> dict[str, str]:
    results = repo.tr.recall(branch="main", limit=50).results
    return {hit.title: hit.type for hit in results}


@pytest.mark.parametrize("is_deleted", [True, False])
def test_the_squash_stands_for_its_commits(repo: Repo, noting, is_deleted: bool):
    """`recall cookie` put the root cause seventh, behind five of them."""
    commit = _land(repo, is_deleted=is_deleted)

    repo.tr.gc()

    titles = {title: kind for title, kind in _on_main(repo).items() if kind != "session"}
    assert titles == {
        "Set the path of the cookie": "commit",
        "Cookies were lost because the path was not set": "insight",
    }
    (hit,) = repo.tr.recall(type="commit", branch="main").results
    memory = repo.tr.read(hit.id, branch="main")
    assert memory.commit == commit
    assert [line.partition(" ")[2] for line in memory.details["squashed"]] == [
        "wip (0)",
        "wip (1)",
        "wip (2)",
    ]


def test_a_dry_run_shows_what_is_done(repo: Repo, noting):
    """A squash is planned once: what stays behind is not counted, its memory is."""
    _land(repo)
    repo.tr.recall("anything")  # which takes in what hooks noted

    shown, done = (
        [line for line in repo.tr.gc(dry_run=is_dry).plan if line.branch == "feature"]
        for is_dry in (True, False)
    )

    assert [replace(line, back="") for line in shown] == [replace(line, back="") for line in done]


def test_nothing_is_lost(repo: Repo, noting):
    """What stays behind is still in the history of the trunk's memories."""
    _land(repo)

    repo.tr.gc()

    history = repo.git("log", "-p", "refs/treering/heads/main")
    assert all(f"wip ({number})" in history for number in range(3))
    assert [line for line in repo.tr.gc().plan if line.action == "promote"] == []


def test_a_squash_nobody_captured_gets_its_memory(repo: Repo, noting):
    """One made on a server is fetched, and no hook tells of it."""
    commit = _land(repo)
    for event in noting.journal.events():
        if event.commit == commit:
            event.path.unlink()

    repo.tr.gc()

    (hit,) = repo.tr.recall(type="commit", branch="main").results
    assert hit.title == "Set the path of the cookie"


def test_a_branch_that_was_only_commits(repo: Repo, noting):
    """Its memories would be lost with its ref, were there nothing to promote."""
    repo.switch("feature", create=True)
    for number in range(3):
        repo.commit_file("a.py", f"{number}\n", message=f"wip ({number})")
    _share(repo)
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "All of it")
    repo.git("branch", "-q", "-D", "feature")

    repo.tr.gc()

    assert "All of it" in _on_main(repo)
    assert "wip (1)" not in _on_main(repo)
    assert "wip (1)" in repo.git("log", "-p", "refs/treering/heads/main")


def test_merged_commits_go_along(repo: Repo, noting):
    """They are in the trunk as they were made."""
    repo.switch("feature", create=True)
    for number in range(2):
        repo.commit_file(f"{number}.py", message=f"step {number}")
    repo.switch("main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "feature")
    repo.git("branch", "-q", "-D", "feature")

    repo.tr.gc()

    assert {"step 0", "step 1"} <= set(_on_main(repo))
