"""Refs: listed exactly, moved only from where they are expected."""

import os
import time
from pathlib import Path

import pytest

from conftest import Repo
from treering.git import refs
from treering.git.refs import RefMoved
from treering.git.repository import Repository

REF = "refs/treering/heads/main"


def _two_commits(repo: Repo) -> tuple[str, str]:
    return repo.git("rev-parse", "HEAD"), repo.commit_file("second.txt")


def test_loose_refs_win_over_packed_ones(repo: Repo) -> None:
    """A ref moved after packing exists twice."""
    one, two = _two_commits(repo)
    repo.git("update-ref", REF, one)
    repo.git("update-ref", "refs/treering/heads/a%2Fb", one)
    repo.git("pack-refs", "--all")
    repo.git("update-ref", REF, two)

    found = refs.list_refs(repo.path / ".git", "refs/treering/heads/")

    assert found == {REF: two, "refs/treering/heads/a%2Fb": one}


def test_a_ref_packed_while_refs_are_listed_is_not_missed(repo: Repo, monkeypatch) -> None:
    """git writes packed-refs, then takes the loose file away: whoever reads the first before and
    the second after sees the ref in neither. Here git packs between our two looks."""
    (one, two), looks = _two_commits(repo), []
    repo.git("update-ref", REF, one)
    repo.git("pack-refs", "--all")
    repo.git("update-ref", REF, two)
    repo.git("update-ref", "refs/treering/heads/other", one)

    def packing_after(look):
        def packed_after(*arguments):
            found = list(look(*arguments))
            looks.append(look)
            if len(looks) == 1:
                repo.git("pack-refs", "--all", "--prune")
            return iter(found)

        return packed_after

    for name in ("_read_packed", "_loose"):
        monkeypatch.setattr(refs, name, packing_after(getattr(refs, name)))

    found = refs.list_refs(repo.path / ".git", "refs/treering/heads/")

    assert found == {REF: two, "refs/treering/heads/other": one}
    assert len(looks) == 2


def test_a_move_from_the_wrong_value_is_refused(repo: Repo) -> None:
    """Someone else's commit must not be lost under ours."""
    one, two = _two_commits(repo)
    repo.git("update-ref", REF, two)
    opened = Repository.discover(repo.path)

    with pytest.raises(RefMoved):
        refs.move(opened.handle, opened.common_dir, REF, one, old=None, why="test")
    with pytest.raises(RefMoved):
        refs.move(opened.handle, opened.common_dir, REF, two, old=one, why="test")

    assert refs.read(opened.handle, REF) == two


def test_every_move_is_in_the_reflog(repo: Repo) -> None:
    """doctor goes back to an earlier tip by it; git keeps none for our refs by itself."""
    one, two = _two_commits(repo)
    opened = Repository.discover(repo.path)

    refs.move(opened.handle, opened.common_dir, REF, one, old=None, why="first")
    refs.move(opened.handle, opened.common_dir, REF, two, old=one, why="second")

    assert refs.reflog(opened.common_dir, REF) == [two, one]


def test_a_stale_lock_is_removed_and_the_move_goes_on(repo: Repo) -> None:
    """kill -9 leaves one in about one round of ten; it would block every later writer."""
    one, _ = _two_commits(repo)
    opened = Repository.discover(repo.path)
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    os.utime(lock, (time.time() - 60, time.time() - 60))

    refs.move(opened.handle, opened.common_dir, REF, one, old=None, why="test")

    assert refs.read(opened.handle, REF) == one
    assert not lock.exists()


def test_a_young_lock_is_waited_for(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """git itself may hold it for a moment; only age tells it from a dead one."""
    one, _ = _two_commits(repo)
    opened = Repository.discover(repo.path)
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            lock.unlink()

    monkeypatch.setattr(refs.time, "sleep", sleep)
    refs.move(opened.handle, opened.common_dir, REF, one, old=None, why="test")

    assert len(slept) == 3


def test_an_unreadable_ref_is_damage_not_absence(repo: Repo, tmp_path: Path) -> None:
    """Taking it for absent would start a new history over the old one."""
    from treering.errors import StoreDamaged

    path = repo.path / ".git" / REF
    path.parent.mkdir(parents=True)
    path.write_text("garbage\n", encoding="utf-8")

    with pytest.raises(StoreDamaged):
        refs.read(Repository.discover(repo.path).handle, REF)


@pytest.mark.parametrize("is_packed", [True, False])
def test_a_ref_that_goes_leaves_no_folder_behind(repo: Repo, is_packed: bool) -> None:
    """Clones come and go, each with a folder of its own, and every look goes through all."""
    tip = repo.commit_file("a.txt")
    names = [f"refs/treering/remotes/origin/clones/{name}/main" for name in ("a", "b")]
    for name in names:
        repo.git("update-ref", name, tip)
    if is_packed:
        repo.git("pack-refs", "--all")
    common_dir = repo.path / ".git"
    handle = repo.workspace.repository.handle

    refs.move(handle, common_dir, names[0], None, old=tip, why="test")

    assert not (common_dir / names[0]).parent.exists()
    assert not (common_dir / "logs" / names[0]).parent.exists()
    assert repo.git("rev-parse", names[1]) == tip
    refs.move(handle, common_dir, names[1], None, old=tip, why="test")
    assert not list((common_dir / names[1]).parent.parent.iterdir())
