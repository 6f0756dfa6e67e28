"""What a clone says on its own head, what it sees, and what it has no reason to say."""

import shutil

from conftest import Repo
from sync.conftest import HEADS, Team, own_ref, remote_refs, remote_scopes, seen
from sync.test_branches import land, work
from sync.test_clones import clone_id


def knows(repo: Repo, one: str, other: str) -> bool:
    """Whether one commit has another in its history."""
    return other in repo.git("rev-list", one).split()


def test_a_change_goes_on_top_of_the_heads_that_have_what_it_changes(clone: Team) -> None:
    """Of those and no others: each more would carry all its trees along with one word."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    cleo.tr.remember("of Cleo", type="insight")
    for repo in (ada, cleo, bob):
        repo.tr.sync()
    bob.tr.remember("of Bob", type="insight")
    first = bob.refs()[f"{HEADS}main"]

    bob.tr.revise(memory, tags_add=["sqlite"])

    own = bob.refs()[f"{HEADS}main"]
    assert knows(bob, own, first)
    assert knows(bob, own, ada.refs()[f"{HEADS}main"])
    assert not knows(bob, own, cleo.refs()[f"{HEADS}main"])


def test_a_join_has_nothing_of_the_clone_it_was_made_in(clone: Team) -> None:
    """So whoever knows the same heads has the same commit, and nobody need share it."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    for repo in (ada, bob):
        repo.tr.remember(f"of {repo.path.name}", type="insight")
        repo.tr.sync()

    cleo.tr.sync()

    heads = sorted(repo.refs()[f"{HEADS}main"] for repo in (ada, bob))
    times = [cleo.git("log", "-1", "--format=%ct", head) for head in heads]
    form = "--format=%P%n%an <%ae>%n%cn <%ce>%n%at %ct%n%s"
    assert cleo.git("log", "-1", form, seen(cleo) or "").splitlines() == [
        " ".join(heads),
        "treering <treering@invalid>",
        "treering <treering@invalid>",
        f"{max(times)} {max(times)}",
        "main",
    ]


def test_a_memory_is_one_commit_however_many_are_at_work(clone: Team) -> None:
    """Who answers what others say with joins makes as many again each round."""
    team = [clone(f"p{number}") for number in range(5)]

    for turn in range(3):
        for repo in team:
            repo.tr.remember(f"{turn} of {repo.path.name}", type="insight")
        for repo in team:
            repo.tr.sync()
    for repo in team:
        repo.tr.sync()

    heads = remote_refs(team[0])
    assert set(heads) == {own_ref(repo) for repo in team}
    assert len(team[0].git("rev-list", *heads.values()).split()) == 15
    assert {len(repo.titles()) for repo in team} == {15}
    assert len({seen(repo) for repo in team}) == 1


def test_each_remote_has_its_own_last_push(clone: Team) -> None:
    """What was pushed to one says nothing of the other, and logs may be gone."""
    ada = clone("ada")
    fork = ada.path.parent / "fork.git"
    ada.git("init", "-q", "--bare", str(fork))
    ada.git("remote", "add", "fork", str(fork))
    ada.git("push", "-q", "fork", "main")
    name = ""
    for number, remote in enumerate(("origin", "fork", "origin", "fork")):
        ada.tr.remember(f"fact {number}", type="insight")
        ada.tr.sync(remote=remote)
        name = name or clone_id(ada)
        shutil.rmtree(ada.path / ".git" / "logs" / "refs" / "treering", ignore_errors=True)

    assert clone_id(ada) == name
    for remote in ("origin", "fork"):
        assert set(remote_refs(ada, remote)) == {own_ref(ada)}


# --- what landed ---------------------------------------------------------------------------------


def test_the_head_of_a_clone_that_is_gone_goes_with_the_promotion_of_all_of_it(clone: Team) -> None:
    """Cloud agents: nobody else would take it off."""
    ada, agent = clone("ada"), clone("agent")
    work(agent, "work", "learned by the agent")
    shutil.rmtree(agent.path)
    ada.git("fetch", "-q")
    ada.switch("work")
    ada.tr.sync()
    assert remote_scopes(ada) == {"work"}
    land(ada, "work")
    ada.tr.gc()

    ada.tr.sync()

    assert set(remote_refs(ada)) == {own_ref(ada)}
    assert ada.titles() == {"learned by the agent"}


def test_a_branch_of_several_that_landed_elsewhere_is_over_for_all(clone: Team) -> None:
    """For who said something on it, and for who only saw what others did."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    work(ada, "work", "of Ada")
    for repo in (bob, cleo):
        repo.git("fetch", "-q")
        repo.switch("work")
    bob.tr.remember("of Bob", type="insight")
    for repo in (bob, ada, cleo):
        repo.tr.sync()
    land(ada, "work")
    ada.tr.gc()
    ada.tr.sync()

    for repo in (bob, cleo):
        repo.switch("main").git("pull", "-q", "--prune")
        repo.git("branch", "-q", "-D", "work")
        lines = {line.branch: line.status for line in repo.tr.sync().scopes}

        assert lines["work"] == "dropped"
        assert [line["branch"] for line in repo.tr.status()["branches"]] == ["main"]
        assert repo.titles() == {"of Ada", "of Bob"}


def test_what_landed_stays_there_while_its_branch_does(clone: Team) -> None:
    """Others may be at work on it, and are to see the same."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "learned by Bob")
    ada.git("fetch", "-q")
    ada.switch("work").tr.sync()
    ada.switch("main").git("merge", "-q", "--no-edit", "work")
    ada.git("push", "-q", "origin", "main")
    ada.tr.gc()

    ada.tr.sync()

    assert ada.titles("main") == {"learned by Bob"}
    assert set(remote_refs(ada)) == {own_ref(ada), own_ref(bob, "work")}


def test_who_sees_that_another_promoted_its_work_takes_its_head_away(clone: Team) -> None:
    """Ada keeps the branch, so she leaves Bob's head alone. For Bob it is over."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "learned by Bob")
    ada.git("fetch", "-q")
    ada.switch("work").tr.sync()
    ada.switch("main").git("merge", "-q", "--no-edit", "work")
    ada.git("push", "-q", "origin", "main", ":work")
    ada.tr.gc()
    ada.tr.sync()
    bob.switch("main").git("pull", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")
    assert own_ref(bob, "work") in remote_refs(ada)

    bob.tr.sync()

    assert remote_scopes(bob) == {"main"}
    assert bob.titles() == {"learned by Bob"}


def test_what_landed_and_was_cleared_away_is_said_again_by_nobody(clone: Team) -> None:
    """Bob said something on it himself, and still has the branch."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "of Ada")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    bob.tr.remember("of Bob", type="insight")
    bob.tr.sync()
    ada.tr.sync()
    land(ada, "work")
    ada.tr.gc()
    ada.tr.sync()
    assert remote_scopes(ada) == {"main"}
    bob.git("fetch", "-q", "--prune")

    for _ in range(3):
        bob.tr.sync()
        assert remote_scopes(ada) == {"main"}

    assert bob.titles("main") == bob.titles("work") == {"of Ada", "of Bob"}


def test_who_keeps_a_branch_that_landed_keeps_what_was_said_on_it(clone: Team) -> None:
    """Its ref waits for the branch to go."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "of Bob")
    ada.git("fetch", "-q")
    ada.switch("work").tr.sync()
    land(ada, "work")
    ada.tr.gc()
    ada.tr.sync()
    assert remote_scopes(ada) == {"main"}
    bob.git("fetch", "-q", "--prune")

    bob.tr.sync()

    assert f"{HEADS}work" in bob.refs()
    assert bob.titles("main") == bob.titles("work") == {"of Bob"}


def test_what_landed_and_was_cleared_away_is_no_branch_for_who_only_saw_it(clone: Team) -> None:
    """It is known where it landed, and not shown as work that a remote has lost."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned on work")
    bob.tr.sync()
    land(ada, "work")
    ada.tr.gc()
    ada.tr.sync()

    bob.tr.sync()

    assert [line["branch"] for line in bob.tr.status()["branches"]] == ["main"]
    assert not [ref for ref in bob.refs() if "/lost/" in ref]
