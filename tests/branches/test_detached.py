"""Work on a detached HEAD, and on branches made from a stash: followed where the commits went."""

import pytest

from conftest import Repo


def _detach(repo: Repo) -> str:
    """A commit on a detached HEAD, and something learned about it."""
    repo.git("checkout", "-q", "--detach")
    commit = repo.commit_file("work.txt", "work\n" * 4)
    repo.tr.remember("learned", type="insight")
    return commit


def _amend(repo: Repo) -> None:
    repo.now += 10
    repo.git("commit", "-q", "--amend", "-m", "better")


def _rebase(repo: Repo) -> None:
    repo.now += 10
    here = repo.git("rev-parse", "HEAD")
    repo.switch("main").commit_file("other.txt")
    repo.git("checkout", "-q", here)
    repo.git("rebase", "-q", "main")


@pytest.mark.parametrize("rewrite", [_amend, _rebase])
def test_a_detached_commit_that_is_rewritten_keeps_its_memories(repo: Repo, rewrite) -> None:  # type: ignore[no-untyped-def]
    _detach(repo)
    rewrite(repo)
    rewrite(repo) if rewrite is _amend else None

    seen = repo.titles()
    repo.tr.gc()

    assert seen == {"learned"}
    assert repo.titles() == {"learned"}
    assert repo.titles("main") == set()


@pytest.mark.parametrize("rewrite", [_amend, _rebase])
def test_a_branch_made_there_takes_them_over(repo: Repo, rewrite) -> None:  # type: ignore[no-untyped-def]
    _detach(repo)
    rewrite(repo)
    repo.switch("feat", create=True)

    before = repo.titles()
    repo.switch("main")
    repo.tr.gc()

    assert before == {"learned"}
    assert repo.titles("feat") == {"learned"}
    assert repo.titles("main") == set()


def test_what_was_thrown_away_on_a_detached_head_is_not_seen_elsewhere(repo: Repo) -> None:
    """A reset is not a rewrite."""
    _detach(repo)
    repo.git("reset", "-q", "--hard", "main")
    repo.commit_file("else.txt")

    assert repo.titles() == set()


def test_a_branch_made_from_a_stash_sees_what_the_branch_it_came_from_learned(repo: Repo) -> None:
    repo.switch("feat", create=True)
    repo.commit_file("work.txt", "work\n")
    repo.tr.remember("learned", type="insight")
    repo.path.joinpath("work.txt").write_text("more\n", encoding="utf-8")
    repo.now += 10
    repo.git("stash")
    repo.switch("main")
    repo.now += 10
    repo.git("stash", "branch", "rescue")

    assert repo.titles("rescue") == {"learned"}


def test_a_branch_made_at_a_commit_is_not_stacked_on_one_that_came_there_later(repo: Repo) -> None:
    """Fast-forwarded since: what that one learns is none of this branch's business."""
    repo.git("branch", "-q", "other")
    repo.switch("feature", create=True)
    commit = repo.commit_file("feature.txt")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.now += 5
    repo.git("branch", "-q", "feature", commit)
    repo.now += 5
    repo.switch("other").git("merge", "-q", "--ff-only", commit)

    repo.tr.remember("of the other", type="insight")

    assert repo.titles("feature") == set()
