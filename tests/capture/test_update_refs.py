"""`git rebase --update-refs`: one command rewrites a stack of branches, and tells of it once."""

from collections import Counter

import pytest

from conftest import Repo
from hooked import Hooked


def _stack(repo: Repo) -> None:
    repo.switch("lower", create=True).commit_file("one.txt")
    repo.commit_file("two.txt")
    repo.switch("upper", create=True).commit_file("three.txt")
    repo.switch("main").commit_file("main.txt")
    repo.switch("upper")


def _active(repo: Repo, branch: str) -> Counter[str]:
    """The commits that active memories seen from a branch are about, and how many of each."""
    found = repo.tr.recall(type="commit", branch=branch, limit=100).results
    return Counter(repo.tr.read(hit.id, branch=branch).commit for hit in found)


@pytest.mark.parametrize("is_prompt", [True, False])
def test_a_commit_of_a_rebased_stack_has_one_memory(repo: Repo, is_prompt: bool) -> None:
    """Whether the worker had seen the commits before, or all of it comes at once."""
    hooks = Hooked(repo.path / ".git").install(only_notes=not is_prompt)
    _stack(repo)
    if is_prompt:
        hooks.settle()
    repo.git("rebase", "-q", "--update-refs", "main")
    if is_prompt:
        hooks.settle()
    repo.tr.drain()
    repo.tr.gc()

    for branch in ("lower", "upper"):
        commits = repo.git("rev-list", f"main..{branch}").split()
        on_main = repo.git("rev-parse", "main")
        assert _active(repo, branch) == Counter([*commits, on_main])
    assert len(repo.tr.recall(type="commit", scope="all", limit=100).results) == 4
