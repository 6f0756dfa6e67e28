"""What is thrown away in one clone: its own affair, until it is withdrawn for everyone."""

from sync.conftest import (
    HEADS,
    Clone,
    Team,
    let_months_pass,
    own_ref,
    publish,
    remote_refs,
    remote_scopes,
)
from sync.test_branches import work
from sync.test_clones import copy


def throw_away(repo: Clone, branch: str) -> None:
    """Delete a branch here and on the remote, and let gc see it."""
    if repo.git("ls-remote", "--heads", "origin", branch):
        repo.git("push", "-q", "origin", f":{branch}")
    repo.switch("main").git("branch", "-q", "-D", branch)
    repo.tr.gc()


def test_trash_takes_no_head_of_another_clone_off_the_remote(clone: Team) -> None:
    """Though all of it is in our trash, below what we said on top of it."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "of Bob")
    memory = bob.tr.recall("Bob").results[0].id
    ada.git("fetch", "-q")
    ada.switch("work").tr.sync()
    ada.tr.revise(memory, tags_add=["seen"])
    ada.tr.sync()
    throw_away(ada, "work")

    ada.tr.sync()

    assert set(remote_refs(ada)) == {own_ref(bob, "work")}


def test_what_was_written_since_is_not_withdrawn(clone: Team) -> None:
    """A head that says more than what lies in the trash is somebody's work."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "of Ada")
    memory = ada.tr.recall("Ada").results[0].id
    bob.git("fetch", "-q")
    bob.switch("work").tr.sync()
    bob.tr.revise(memory, tags_add=["still in use"])
    for repo in (bob, ada):
        repo.tr.sync()
    throw_away(ada, "work")
    let_months_pass(ada)

    ada.tr.gc(purge=True, remote="origin")

    assert set(remote_refs(ada)) == {own_ref(bob, "work")}


def test_a_withdrawal_is_of_one_scope(clone: Team) -> None:
    """Who goes on with the same memories under another name shares them on."""
    ada = clone("ada")
    publish(ada, "work", "of Ada", file="w.txt")
    ada.tr.sync()
    twin = copy(ada, "twin")
    throw_away(ada, "work")
    let_months_pass(ada)
    ada.tr.gc(purge=True, remote="origin")
    ada.tr.sync()
    assert remote_scopes(ada) == {"main"}
    twin.git("branch", "-q", "-m", "work", "kept")
    twin.git("push", "-q", "-u", "origin", "kept")
    twin.tr.gc()

    twin.tr.sync()

    assert remote_scopes(ada) == {"main", "kept"}


def test_what_another_clone_says_is_not_trashed_here(clone: Team) -> None:
    """The remote's branch is gone, and did not land. Bob may still be at work on it."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "of Bob")
    ada.git("fetch", "-q")
    ada.tr.sync()
    bob.git("push", "-q", "origin", ":work")
    ada.git("fetch", "-q", "--prune")

    ada.tr.gc()
    ada.tr.sync()

    assert not [ref for ref in ada.refs() if "/trash/" in ref]
    assert ada.titles("work") == {"of Bob"}
    assert set(remote_refs(ada)) == {own_ref(bob, "work")}


def test_trash_takes_our_head_off_the_remote_and_a_fetch_brings_nothing_back(clone: Team) -> None:
    ada = clone("ada")
    publish(ada, "work", "thrown away", file="w.txt")
    ada.tr.sync()
    throw_away(ada, "work")

    ada.tr.sync()

    assert remote_scopes(ada) == set()
    ada.tr.sync()
    assert ada.tr.recall("thrown", scope="all").results == ()
    ada.tr.restore("work")
    ada.git("switch", "-q", "-c", "work", "HEAD@{1}")
    ada.git("push", "-q", "-u", "origin", "work")
    ada.tr.sync()
    assert remote_scopes(ada) == {"work"}


def test_what_was_purged_from_the_remote_is_pushed_by_nobody(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "thrown away", file="w.txt")
    ada.tr.sync()
    bob.tr.sync()
    throw_away(ada, "work")
    let_months_pass(ada)

    ada.tr.gc(purge=True, remote="origin")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.sync()

    assert remote_scopes(ada) == {"main"}
    said = ada.git("log", "-1", "--format=%B", f"{HEADS}main")
    assert "Withdrawn: work " in said


def test_a_withdrawal_is_heard_by_who_has_pushed_before(clone: Team) -> None:
    """What was read of the trunk is kept, and what is new there is read."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "thrown away", file="w.txt")
    ada.tr.sync()
    bob.tr.remember("by bob", type="insight")
    bob.tr.sync()
    throw_away(ada, "work")
    let_months_pass(ada)

    ada.tr.gc(purge=True, remote="origin")
    ada.tr.sync()
    bob.tr.remember("more by bob", type="insight")
    bob.tr.sync()
    bob.tr.remember("yet more by bob", type="insight")
    bob.tr.sync()

    assert remote_scopes(ada) == {"main"}
