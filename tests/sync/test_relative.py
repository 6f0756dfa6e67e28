"""A remote whose url is a relative path: git reads it from the top of the work tree."""

import os
import subprocess
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from sync.conftest import Team, own_ref
from treering.hooks.worker import share_in_background


@pytest.fixture
def ada(clone: Team) -> Repo:
    """A clone whose remote is `../origin.git`, with a memory that waits to be shared."""
    ada = clone("ada")
    ada.git("remote", "set-url", "origin", "../origin.git")
    ada.tr.remember("Use WAL mode", type="decision")
    return ada


def list_files(origin: Path, of: Repo) -> list[str]:
    """The memories a clone has on the remote, as git itself lists them."""
    return Repo(origin).git("ls-tree", "-r", "--name-only", own_ref(of)).splitlines()


def test_a_sync_from_a_subfolder(ada: Repo, origin: Path) -> None:
    below = ada.path / "src" / "deep"
    below.mkdir(parents=True)

    done = subprocess.run([str(TREERING), "sync"], cwd=below, capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert len(list_files(origin, ada)) == 1


def test_a_push_in_the_background(ada: Repo, origin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker stands at the root, so that it holds back nobody's folder."""
    ada.git("config", "treering.sync", "true")
    workspace = ada.workspace
    monkeypatch.chdir(os.sep)

    share_in_background(workspace, "origin")

    assert len(list_files(origin, ada)) == 1


def test_a_sync_from_a_linked_work_tree(ada: Repo, origin: Path, tmp_path: Path) -> None:
    """From there the path may lead nowhere; it was written for the main one."""
    linked = Repo(tmp_path / "elsewhere" / "linked")
    ada.git("worktree", "add", "-q", "--detach", str(linked.path))

    linked.tr.sync()

    assert len(list_files(origin, ada)) == 1


def test_a_sync_of_a_work_tree_that_is_gone(ada: Repo, origin: Path, tmp_path: Path) -> None:
    linked = Repo(tmp_path / "linked")
    ada.git("worktree", "add", "-q", "--detach", str(linked.path))
    tr = linked.tr
    linked.path.rename(tmp_path / "moved")

    tr.sync()

    assert len(list_files(origin, ada)) == 1
