"""Files of ours are open to no one the repository is closed to."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import TREERING, Repo


@pytest.fixture
def umask_77() -> Iterator[None]:
    old = os.umask(0o077)
    yield
    os.umask(old)


def _open_to(path: Path, who: int) -> list[str]:
    return [
        str(file.relative_to(path))
        for file in path.rglob("*")
        if not file.is_symlink() and stat.S_IMODE(file.stat().st_mode) & who
    ]


def _used(path: Path) -> None:
    for arguments in (
        ["remember", "Use WAL mode"],
        ["remember", "mine alone", "--private"],
        ["recall", "mode"],
        ["recall", "--limit", "1"],
        ["gc"],
        ["doctor"],
    ):
        subprocess.run([str(TREERING), *arguments], cwd=path, check=True, capture_output=True)


def test_a_closed_repository_stays_closed(tmp_path: Path, umask_77: None) -> None:
    """Index, cache, lock, private memories, logs: none is readable by others."""
    path = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)

    _used(path)

    assert _open_to(path / ".git", 0o077) == []


def test_private_memories_are_closed_in_an_open_repository(repo: Repo) -> None:
    """Even where everyone may read the code."""
    old = os.umask(0o022)
    try:
        _used(repo.path)
    finally:
        os.umask(old)

    private = repo.path / ".git" / "treering" / "private.git"
    assert stat.S_IMODE(private.stat().st_mode) & 0o077 == 0
    lock = repo.path / ".git" / "treering.lock"
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_a_shared_repository_can_be_written_by_the_group(tmp_path: Path) -> None:
    """What one member remembers, another must be able to add to."""
    path = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", "--shared=group", str(path)], check=True)
    old = os.umask(0o022)
    try:
        _used(path)
    finally:
        os.umask(old)

    git_dir = path / ".git"
    for ours in (git_dir / "refs" / "treering" / "heads", git_dir / "treering.lock"):
        assert stat.S_IMODE(ours.stat().st_mode) & 0o060 == 0o060, ours
    objects = [p for p in (git_dir / "objects").iterdir() if p.is_dir() and len(p.name) == 2]
    assert all(stat.S_IMODE(p.stat().st_mode) & 0o060 == 0o060 for p in objects)


def test_doctor_closes_what_was_left_open(repo: Repo) -> None:
    repo.cli("remember", "mine alone", "--private")
    (repo.path / ".git" / "objects").chmod(0o750)
    private = repo.path / ".git" / "treering" / "private.git"
    private.chmod(0o755)

    answer = repo.json("doctor")

    assert "open-to-all" in [f["code"] for f in answer["findings"] if f["fixed"]]
    assert stat.S_IMODE(private.stat().st_mode) & 0o007 == 0


@pytest.mark.parametrize("name", ["private.git", "private.git.new"])
def test_private_memories_go_into_no_repository_of_another_user(repo: Repo, name: str) -> None:
    """In a repository that a group shares, whoever made it first would read them."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    planted = repo.path / ".git" / "treering" / name
    repo.tr.remember("Use WAL mode")
    subprocess.run(["git", "init", "-q", "--bare", str(planted)], check=True)
    planted.chmod(0o777)
    os.chown(planted, 4711, -1)

    error = repo.error("remember", "mine alone", "--private")

    assert error["code"] == "storage_failed"
    assert repo.titles() == {"Use WAL mode"}
    assert not list((planted / "refs").rglob("main"))
    if name == "private.git":
        codes = {finding.code for finding in repo.tr.doctor().findings}
        assert "foreign-private" in codes  # what is in it is left out, and not in silence


@pytest.mark.parametrize("name", ["treering", "treering/private.git", "treering/private.git.new"])
def test_private_memories_go_behind_no_link(repo: Repo, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "-q", "--bare", str(elsewhere)], check=True)
    before = sorted(elsewhere.rglob("*"))
    (repo.path / ".git" / name).parent.mkdir(exist_ok=True)
    (repo.path / ".git" / name).symlink_to(elsewhere, target_is_directory=True)

    error = repo.error("remember", "mine alone", "--private")

    assert error["code"] == "storage_failed"
    assert sorted(elsewhere.rglob("*")) == before
