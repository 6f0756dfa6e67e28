"""What takes time is done before the lock is taken."""

from typing import Any

import pytest

from conftest import Repo
from treering.actions.neighbourhood import Neighbourhood
from treering.actions.workspace import Workspace
from treering.git import lock


def _count(monkeypatch: pytest.MonkeyPatch, events: list[str]) -> None:
    look, write = Neighbourhood.find_link_clues, Workspace.write

    def looking(*arguments: Any, **options: Any) -> Any:
        events.append("look")
        return look(*arguments, **options)

    def writing(*arguments: Any, **options: Any) -> Any:
        events.append("lock")
        return write(*arguments, **options)

    monkeypatch.setattr(Neighbourhood, "find_link_clues", looking)
    monkeypatch.setattr(Workspace, "write", writing)


def test_links_are_looked_for_before_the_lock(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others wait for the lock, and a look reads up to a hundred memories."""
    events: list[str] = []
    _count(monkeypatch, events)

    repo.tr.remember("Use WAL mode", type="decision")

    assert events == ["look", "lock"]


def test_what_was_written_meanwhile_is_looked_at_again(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tip is checked under the lock: a copy that came in between is found."""
    events: list[str] = []
    treering, hold = repo.tr, lock.hold

    def meanwhile(*arguments: Any, **options: Any) -> Any:
        if events == ["look", "lock"]:
            events.append("other")
            repo.tr.remember("Use WAL mode", type="decision")
        return hold(*arguments, **options)

    _count(monkeypatch, events)
    monkeypatch.setattr(lock, "hold", meanwhile)

    answer = treering.remember("Use WAL mode", type="decision")

    assert answer.duplicate
    assert repo.titles() == {"Use WAL mode"}
