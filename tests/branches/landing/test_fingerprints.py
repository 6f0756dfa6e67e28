"""Fingerprints that travel: a clone that never had a branch judges it."""

import pytest

from branches.landing.landings import edit, feature, squash, targets_of
from conftest import Repo
from treering.branches.landing import fingerprints
from treering.branches.landing.judge import Judge, fingerprints_of
from treering.git.repository import Repository


def printed(repo: Repo, tip: str) -> str:
    found = fingerprints_of(Repository.discover(repo.path), tip, targets_of(repo))
    assert found
    return str(found)


def clone(repo: Repo, tmp_path) -> Repo:
    """Only main, as one who never fetched the branch has it."""
    repo.git("clone", "-q", "--single-branch", "--no-local", "-b", "main", ".", "../clone")
    return Repo(tmp_path / "clone")


def judged(repo: Repo, text: str):
    found = fingerprints.parse(text)
    assert found
    judge = Judge(Repository.discover(repo.path))
    return judge.landing_of_fingerprints(found, targets_of(repo))


def test_squash_is_known_where_the_branch_never_was(repo, tmp_path):
    """The cloud agent's clone is gone, and its branch with it."""
    tip = feature(repo)
    text = printed(repo, tip)
    edit(repo, 12, "near")
    commit = squash(repo)
    other = clone(repo, tmp_path)

    found = judged(other, text)

    assert other.git("cat-file", "--batch-check", feed=tip).endswith("missing")
    assert ("squash", "main", commit) == found[:3]


def test_rebase_is_known_where_the_branch_never_was(repo, tmp_path):
    """Each of its commits is there."""
    text = printed(repo, feature(repo))
    repo.git("cherry-pick", "main..feature")
    commit = repo.commit_file("later.txt") and repo.git("rev-parse", "main~1")

    found = judged(clone(repo, tmp_path), text)

    assert ("cherry", "main", commit) == found[:3]


def test_branch_that_did_not_land_is_not_found(repo, tmp_path):
    """Before its squash nothing is there; after one of its commits was picked, a part is."""
    text = printed(repo, feature(repo))
    before = judged(repo, text)
    repo.git("cherry-pick", "feature~2")

    after = judged(clone(repo, tmp_path), text)

    assert (before.evidence, before.is_partial) == ("none", False)
    assert (after.evidence, after.is_partial) == ("none", True)


def test_moved_lines_are_known_by_their_patch(repo, tmp_path):
    """Lines that only moved say nothing by themselves."""
    lines = [f"line {number}\n" for number in range(60)]
    repo.commit_file("code.txt", "".join(lines))
    repo.switch("feature", create=True)
    tip = repo.commit_file("code.txt", "".join(lines[10:20] + lines[:10] + lines[20:]))
    repo.switch("main").commit_file("trunk.txt")
    text = printed(repo, tip)
    commit = squash(repo)

    found = judged(clone(repo, tmp_path), text)

    assert ("cherry", commit) == (found.evidence, found.merged_as)


def test_merge_with_code_of_its_own_needs_the_whole(repo, tmp_path):
    """Its commits alone are not all of it."""
    feature(repo)
    repo.switch("feature").git("merge", "-q", "--no-commit", "--no-ff", "main")
    (repo.path / "own.txt").write_text("made in the merge\n", encoding="utf-8")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "merge")
    (repo.path / "code.txt").write_text("all\nnew\n", encoding="utf-8")
    repo.git("commit", "-q", "-a", "--amend", "--no-edit")
    text = printed(repo, repo.git("rev-parse", "HEAD"))
    repo.switch("main")
    for back in ("feature^1~2", "feature^1~1", "feature^1"):
        repo.git("cherry-pick", back)

    found = judged(clone(repo, tmp_path), text)

    assert found.evidence == "none"


def test_unknown_base_is_said(repo, new_repo):
    """Another history, or a shallow one: nothing can be told, and nothing is trashed for it."""
    text = printed(repo, feature(repo))
    other = new_repo("other")
    other.commit_file("else.txt")

    found = judged(other, text)

    assert found.evidence == "none"
    assert found.bound


def test_text_is_stable_and_bounded(repo):
    """Other settings and other paths to the same commits give the same text."""
    tip = feature(repo)
    before = printed(repo, tip)
    repo.git("config", "diff.algorithm", "patience")
    repo.git("config", "diff.context", "0")
    repo.commit_file("later.txt")

    after = printed(repo, tip)

    assert before == after
    assert fingerprints.parse(before) == fingerprints.parse(str(fingerprints.parse(before)))
    assert len(before) < 800


def test_long_branch_is_told_by_its_whole_alone(repo, monkeypatch):
    """The text does not grow with the branch."""
    monkeypatch.setattr("treering.branches.landing.judge.MOST_COMMITS", 2)
    text = printed(repo, feature(repo))
    commit = squash(repo)

    found = judged(repo, text)

    assert "own-are-missing 3" in text
    assert ("squash", commit) == (found.evidence, found.merged_as)


@pytest.mark.parametrize(
    "text",
    ["", "hello", "x" * 100_000, "treering-fingerprints 2\n", "treering-fingerprints 1\nbase x\n"],
)
def test_other_texts_are_none(text):
    """What is fetched is anyone's."""
    assert fingerprints.parse(text) is None
