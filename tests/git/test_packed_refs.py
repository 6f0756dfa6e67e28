"""Thousands of refs at once: written as git writes them, or not at all."""

from pathlib import Path

import pytest

from conftest import Repo
from treering.git import packed_refs

PLACE = "refs/treering/remotes/origin/clones/"


@pytest.fixture
def common_dir(repo: Repo) -> Path:
    repo.commit_file("a.txt")
    return repo.path / ".git"


def test_git_reads_what_was_added_beside_what_was_there(repo: Repo, common_dir: Path) -> None:
    repo.git("tag", "-a", "-m", "first", "v1")
    repo.git("branch", "other")
    repo.git("pack-refs", "--all")
    before = repo.git("for-each-ref")
    tip = repo.git("rev-parse", "HEAD")
    refs = {f"{PLACE}{name}/main": tip for name in ("b", "a", "c-d", "c")}

    assert packed_refs.add(common_dir, refs)

    listed = repo.git("for-each-ref", "--format=%(refname) %(objectname)", PLACE).splitlines()
    assert listed == [f"{name} {tip}" for name in sorted(refs)]
    assert set(before.splitlines()) < set(repo.git("for-each-ref").splitlines())
    assert repo.git("rev-parse", "v1^{commit}") == tip
    assert repo.git("fsck", "--strict") == ""
    repo.git("update-ref", "-d", f"{PLACE}a/main")  # which writes the file again
    assert len(repo.git("for-each-ref", PLACE).splitlines()) == 3


def test_a_value_that_was_there_is_replaced(repo: Repo, common_dir: Path) -> None:
    old, new = repo.git("rev-parse", "HEAD"), repo.commit_file("b.txt")
    packed_refs.add(common_dir, {f"{PLACE}a/main": old})

    assert packed_refs.add(common_dir, {f"{PLACE}a/main": new})

    assert repo.git("rev-parse", f"{PLACE}a/main") == new


@pytest.mark.parametrize("name", [f"{PLACE}a", f"{PLACE}a/main/x"])
def test_no_name_is_in_the_way_of_another(repo: Repo, common_dir: Path, name: str) -> None:
    """A remote chooses the names, and git could read neither."""
    tip = repo.git("rev-parse", "HEAD")
    packed_refs.add(common_dir, {f"{PLACE}a/main": tip, f"{PLACE}a-b/main": tip})
    before = (common_dir / "packed-refs").read_bytes()

    assert not packed_refs.add(common_dir, {name: tip})

    assert (common_dir / "packed-refs").read_bytes() == before
    assert not (common_dir / "packed-refs.lock").exists()


def test_who_holds_the_lock_is_left_alone(repo: Repo, common_dir: Path) -> None:
    lock = common_dir / "packed-refs.lock"
    lock.touch()

    assert not packed_refs.add(common_dir, {f"{PLACE}a/main": repo.git("rev-parse", "HEAD")})

    assert lock.exists()


def test_a_file_of_another_shape_is_left_alone(repo: Repo, common_dir: Path) -> None:
    """As some other tool, or a git of long ago, may have written it."""
    tip = repo.git("rev-parse", "HEAD")
    text = f"# pack-refs with: peeled \n{tip} refs/heads/old\n"
    (common_dir / "packed-refs").write_text(text, encoding="ascii")

    assert not packed_refs.add(common_dir, {f"{PLACE}a/main": tip})

    assert (common_dir / "packed-refs").read_text(encoding="ascii") == text
