"""Who holds an object; sync/test_redact.py tests it with the command it is for."""

from conftest import Repo
from treering.git import reach


def test_a_file_that_is_only_staged_is_held_by_the_index(repo: Repo) -> None:
    (repo.path / "note.md").write_text("a secret\n")
    repo.git("add", "note.md")
    blob = repo.git("rev-parse", ":note.md")

    found = reach.find_holders(repo.path / ".git", [blob])

    assert [(str(holder), holder.is_checked_out) for holder in found] == [
        ("staged file note.md", True)
    ]


def test_nothing_is_held_by_nobody(repo: Repo) -> None:
    """git shows every commit when it is asked for those with none of the objects."""
    assert reach.find_holders(repo.path / ".git", []) == []


def test_a_text_that_came_with_a_merge_is_found(repo: Repo) -> None:
    """What stands in a merge and in neither parent is in no plain difference."""
    repo.switch("side", create=True).commit_file("side.txt")
    repo.switch("main").commit_file("main.txt")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "side")
    (repo.path / "note.md").write_text("a secret\n")
    repo.git("add", "note.md")
    repo.git("commit", "-q", "-m", "merge with more")
    blob = repo.git("rev-parse", "HEAD:note.md")

    found = reach.find_holders(repo.path / ".git", [blob])

    assert str(found[0]) == "refs/heads/main"


def test_the_first_commit_counts_whatever_the_log_is_told_to_show(repo: Repo) -> None:
    """log.showRoot=false hides the files of a commit without parents."""
    repo.git("config", "log.showRoot", "false")
    blob = repo.git("rev-parse", "HEAD:README.md")

    names = {str(holder) for holder in reach.find_holders(repo.path / ".git", [blob])}

    assert "refs/heads/main" in names
