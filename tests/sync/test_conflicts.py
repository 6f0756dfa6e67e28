"""A conflict is shown by every door until somebody settles it, then by none."""

import pytest

from conftest import Repo
from sync.conftest import Team


def _conflicts(repo: Repo, memory_id: str) -> list[bool]:
    """What recall, read and context say."""
    answer = repo.json("context", "--task", "readers and WAL mode")
    entries = [entry for group in ("high", "medium", "low") for entry in answer[group]]
    hits = repo.json("recall", "WAL mode")["results"]
    found = [repo.json("read", memory_id), *hits, *entries]
    return [item.get("conflict", False) for item in found if item["id"] == memory_id]


@pytest.mark.parametrize("how", ["revise", "keep"])
def test_a_conflict_is_shown_until_it_is_settled(clone: Team, how: str) -> None:
    ada, bob = clone("ada"), clone("bob")
    made = ada.tr.remember("Use WAL mode: readers wait for nobody", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.revise(made, content="Use WAL mode: readers wait for the writer")
    bob.tr.revise(made, content="Use WAL mode: readers wait for checkpoints")
    for repo in (ada, bob, ada):
        repo.tr.sync()
    assert _conflicts(ada, made) == _conflicts(bob, made) == [True] * 3
    assert "conflict" in ada.cli("recall", "WAL").stdout

    if how == "keep":
        ada.json("review", "--keep", made)
    else:
        ada.json("revise", made, "--content", "Use WAL mode: readers wait for both")
    assert _conflicts(ada, made) == [False] * 3
    for repo in (ada, bob, ada):
        repo.tr.sync()

    assert _conflicts(ada, made) == _conflicts(bob, made) == [False] * 3
    assert "merge" not in bob.json("read", made)["details"]
    assert "conflict" not in bob.cli("read", made).stdout
    assert bob.json("review")["by_reason"].get("conflict") is None
