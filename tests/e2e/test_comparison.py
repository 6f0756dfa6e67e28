"""The treering column of docs/explanation/comparison.md, one test a row, through the program."""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import TREERING, Repo

PAGE = Path(__file__).parents[2] / "docs/explanation/comparison.md"


@pytest.fixture
def two(repo: Repo) -> Repo:
    """One memory on main, one on feat/auth, which has a commit of its own."""
    repo.json("remember", "Known on main", "--type", "decision")
    repo.switch("feat/auth", create=True)
    repo.commit_file("auth.py")
    repo.json("remember", "Known on the branch", "--type", "decision")
    return repo


def _seen(repo: Repo, *options: str) -> set[str]:
    return {hit["title"] for hit in repo.json("recall", *options)["results"]}


def test_read_on_its_own_branch(two: Repo) -> None:
    assert _seen(two) == {"Known on main", "Known on the branch"}


def test_detached_head_at_the_same_commit(two: Repo) -> None:
    two.git("switch", "-q", "--detach", "feat/auth")

    answer = two.json("recall")

    assert {hit["title"] for hit in answer["results"]} == {"Known on main"}
    assert answer["withheld"]["other_branches"] == 1
    assert "Known on the branch" in _seen(two, "--branch", "feat/auth")


def test_git_branch_m(two: Repo) -> None:
    two.git("branch", "-m", "feat/auth", "feat/login")

    assert "Known on the branch" in _seen(two)


def test_another_branch_named_feat_auth(two: Repo) -> None:
    two.git("switch", "-q", "-c", "feat-auth", "main")

    assert _seen(two) == {"Known on main"}


def test_a_branch_named_my_feature(two: Repo) -> None:
    two.git("switch", "-q", "-c", "My_Feature", "main")
    two.json("remember", "Known on My_Feature", "--type", "decision")

    assert "Known on My_Feature" in _seen(two)


def test_squashed_into_main_branch_deleted(two: Repo) -> None:
    two.switch("main").git("merge", "-q", "--squash", "feat/auth")
    two.git("commit", "-q", "-m", "squashed")
    two.git("branch", "-q", "-D", "feat/auth")

    two.json("gc")

    assert "Known on the branch" in _seen(two)


def test_a_new_memory_of_main_seen_from_an_older_branch(two: Repo) -> None:
    two.json("remember", "New on main", "--type", "decision", "--branch", "main")

    assert "New on main" in _seen(two)


def test_eight_writers_at_once(two: Repo) -> None:
    writers = [
        subprocess.Popen([str(TREERING), "remember", f"Writer {n}"], cwd=two.path) for n in range(8)
    ]

    assert [writer.wait() for writer in writers] == [0] * 8
    assert {f"Writer {n}" for n in range(8)} <= _seen(two, "--limit", "50")


def test_every_row_of_the_page_has_a_test() -> None:
    """A row without one would be a claim."""
    table = PAGE.read_text(encoding="utf-8").split("| event |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (?!---)(.+?) \|", table, re.MULTILINE)

    names = [name for name in globals() if name.startswith("test_")]

    assert len(rows) == len(names) - 1 == 8
