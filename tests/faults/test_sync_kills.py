"""A sync that ends anywhere: the next one goes on, and nothing is lost or said twice."""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import Team, remote_refs, seen
from sync.conftest import clone as clone
from sync.conftest import origin as origin
from treering.git import refs


class Killed(BaseException):
    """Not an error anyone handles."""


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """End the process, as it were, before or after the nth move of a ref."""
    move = refs.move

    def arm(number: int) -> None:
        counter = itertools.count()

        def moved(*arguments: object, **options: object) -> None:
            at = next(counter)
            if at * 2 == number:
                raise Killed
            move(*arguments, **options)  # type: ignore[arg-type]
            if at * 2 + 1 == number:
                raise Killed

        monkeypatch.setattr(refs, "move", moved)

    def disarm_or_arm(number: int) -> None:
        monkeypatch.setattr(refs, "move", move)
        if number >= 0:
            arm(number)

    return disarm_or_arm


def test_a_sync_may_end_at_every_move_of_a_ref(
    clone: Team, origin: Path, tmp_path: Path, kill_at: Callable[[int], None]
) -> None:
    """Both sides have news, a branch was renamed, another one promoted, and a head has vanished."""
    ada, bob = clone("ada"), clone("bob")
    shared = ada.tr.remember("shared", type="insight").id
    ada.switch("old", create=True).commit_file("o.txt")
    ada.tr.remember("on old", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(shared, tags_add=["bob"])
    bob.tr.remember("by Bob", type="insight")
    bob.tr.sync()
    ada.git("branch", "-q", "-m", "old", "new")
    ada.switch("main")
    ada.tr.remember("by Ada", type="insight")
    start = tmp_path / "start"
    for part in (ada.path, origin):
        shutil.copytree(part, start / part.name, symlinks=True)
    ends = set()
    for number in itertools.count():
        for part in (ada.path, origin):
            shutil.rmtree(part)
            shutil.copytree(start / part.name, part, symlinks=True)
        kill_at(number)
        try:
            ada.tr.sync()
            break
        except Killed:
            kill_at(-1)
        ada.tr.gc()
        ada.tr.sync()
        assert ada.titles("main") == {"shared", "by Bob", "by Ada"}, number
        assert ada.titles("new") == {"shared", "by Bob", "by Ada", "on old"}, number
        assert ada.tr.read(shared).tags == ("bob",)
        ends.add((len(remote_refs(ada)), _tree(ada)))
    kill_at(-1)

    assert number >= 8
    assert len(ends) == 1


def _tree(repo: Repo) -> str:
    return repo.git("rev-parse", f"{seen(repo)}^{{tree}}")
