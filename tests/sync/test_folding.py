"""Which heads fold: those that another one of their scope holds on the remote, and no others."""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import (
    CLONES,
    HEADS,
    Team,
    let_months_pass,
    own_ref,
    remote_refs,
    write_to,
)
from treering.sync import folding

STRANGER = f"{CLONES}stranger0000/"


def share(repo: Repo, thought: str) -> str:
    repo.tr.remember(thought, type="insight")
    repo.tr.sync()
    return repo.refs()[f"{HEADS}main"]


def leave_behind(repo: Repo, tip: str) -> None:
    """A head of someone who is gone, and that another one holds: there is something to fold."""
    write_to(repo, tip, f"{CLONES}leftover0000/main")


def test_heads_that_only_look_alike_stay(clone: Team) -> None:
    """Each has all that the other has, and neither has the other in its history. By what they hold
    both would go, each for the sake of the other."""
    ada, bob = clone("ada"), clone("bob")
    first = share(bob, "one")
    second = share(bob, "two")
    leave_behind(bob, first)
    alike = bob.git("commit-tree", f"{second}^{{tree}}", "-m", "the same, said by another")
    write_to(bob, alike, f"{STRANGER}main")
    ada.tr.sync()
    let_months_pass(ada)

    ada.tr.sync()

    assert remote_refs(ada) == {own_ref(bob): second, f"{STRANGER}main": alike}


def test_a_head_of_another_scope_holds_nothing(clone: Team) -> None:
    """A branch and one that was made of it may be at the same commit of memories."""
    ada, bob = clone("ada"), clone("bob")
    first = share(bob, "one")
    second = share(bob, "two")
    leave_behind(bob, first)
    write_to(bob, second, f"{STRANGER}develop")
    ada.tr.sync()
    let_months_pass(ada)

    ada.tr.sync()

    assert set(remote_refs(ada)) == {own_ref(bob), f"{STRANGER}develop"}


def test_agents_that_come_and_go_leave_no_more_heads_than_are_at_work(clone: Team) -> None:
    """Each says one thing and is thrown away. Only Ada stays, and goes on working."""
    ada = clone("ada")
    titles = set()
    for wave in range(3):
        agents = [clone(f"agent{wave}{number}") for number in range(3)]
        for repo in (*agents, ada):
            share(repo, f"{wave} of {repo.path.name}")
            titles.add(f"{wave} of {repo.path.name}")
        let_months_pass(ada)
        for _ in range(2):
            ada.tr.sync()

        assert set(remote_refs(ada)) == {own_ref(ada)}

    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == ada.titles() == titles


def test_two_quiet_heads_are_not_worth_a_push(clone: Team) -> None:
    """What 0.1 pushed does not count: it would be there again after each fold."""
    ada = clone("ada")
    for name in ("ben", "cleo"):
        share(clone(name), f"by {name}")
    old = clone("old")
    old.tr.remember("from before", type="insight")
    write_to(old, old.refs()[f"{HEADS}main"], f"{HEADS}main")
    ada.tr.sync()
    let_months_pass(ada)
    before = remote_refs(ada)

    ada.tr.sync()

    assert remote_refs(ada) == before
    assert f"{HEADS}main" not in ada.refs()


def test_a_join_that_did_not_arrive_holds_nothing(clone: Team, origin: Path) -> None:
    """Asked of what we see, all heads would go for the sake of one that is not there."""
    agents = [clone(f"agent{number}") for number in range(3)]
    for agent in agents:
        share(agent, f"by {agent.path.name}")
    ada = clone("ada")
    ada.tr.sync()
    let_months_pass(ada)
    hook = origin / "hooks" / "update"
    hook.write_text('#!/bin/sh\n! expr "$3" : "0*$" >/dev/null || exit 0\nexit 1\n')
    hook.chmod(0o755)

    ada.tr.sync()

    assert set(remote_refs(ada)) == {own_ref(agent) for agent in agents}


def test_quiet_heads_are_folded(clone: Team) -> None:
    """Cloud agents come and go: their heads become one, and nothing is lost."""
    titles = set()
    for number in range(5):
        agent = clone(f"agent{number}")
        agent.tr.remember(f"by agent {number}", type="insight")
        agent.tr.sync()
        titles.add(f"by agent {number}")
    ada = clone("ada")
    ada.tr.sync()
    let_months_pass(ada)

    ada.tr.sync()

    assert set(remote_refs(ada)) == {own_ref(ada)}
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == ada.titles() == titles
    agent.tr.remember("back again", type="insight")
    agent.tr.sync()
    ada.tr.sync()
    assert ada.titles() == titles | {"back again"}
    assert len(remote_refs(ada)) == 2


def test_of_very_many_quiet_heads_some_go_with_each_sync(
    clone: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits a minute for a sync that had nothing to do."""
    monkeypatch.setattr(folding, "_BATCH_SIZE", 3)
    for number in range(5):
        agent = clone(f"agent{number}")
        agent.tr.remember(f"by agent {number}", type="insight")
        agent.tr.sync()
    ada = clone("ada")
    ada.tr.sync()
    let_months_pass(ada)

    counts = [ada.tr.sync() and len(remote_refs(ada)) for _ in range(3)]

    assert counts == [3, 1, 1]
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {f"by agent {number}" for number in range(5)}


@pytest.mark.parametrize("moment", ["_push_joins", "list_contained_heads"])
def test_two_who_fold_at_once_lose_nothing(
    clone: Team, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """No lease guards a ref that a push leaves alone: each could take what the other relies on.
    Of two that say the same the smaller name stays."""
    agents = [clone(f"agent{number}") for number in range(4)]
    for agent in agents:
        agent.tr.remember(f"by {agent.path.name}", type="insight")
        agent.tr.sync()
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob):
        repo.tr.sync()
    let_months_pass(ada)
    step = getattr(folding, moment)
    waiting = [bob]

    def be_slow(*arguments: object) -> object:
        if waiting:
            waiting.pop().tr.sync()
        return step(*arguments)

    monkeypatch.setattr(folding, moment, be_slow)

    ada.tr.sync()

    is_same = moment == "_push_joins"
    left = {min(own_ref(ada), own_ref(bob)) if is_same else own_ref(ada)}
    assert set(remote_refs(ada)) == left
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {f"by {agent.path.name}" for agent in agents}
    for repo in (bob, ada):
        repo.tr.sync()
    assert set(remote_refs(ada)) == left


def test_who_was_heard_of_lately_is_not_folded(clone: Team) -> None:
    """Folding is for who is gone: those at work would only say it again."""
    for number in range(4):
        agent = clone(f"agent{number}")
        agent.tr.remember(f"by agent {number}", type="insight")
        agent.tr.sync()
    ada = clone("ada")

    for _ in range(3):
        ada.tr.sync()

    assert len(remote_refs(ada)) == 4
    assert own_ref(ada) not in remote_refs(ada)
