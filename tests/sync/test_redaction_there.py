"""A text that was redacted is on no remote, and nobody brings it there again."""

import shutil

import pytest

from conftest import Repo
from sync.conftest import CLONES, HEADS, VIEWS, Team, own_ref, publish, remote_refs, seen
from sync.test_branches import land
from sync.test_clones import clone_id

SECRET = "swordfish"
TEXT = f"The vault opens with {SECRET}"


def log_of_remote(clone: Team, name: str = "server") -> str:
    """Every version of every memory that can be had from the remote."""
    server = clone(name)
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    return server.git("log", "-p", "--glob=refs/there", "--")


def leave_behind(repo: Repo) -> str:
    """A branch that landed, and whose progress note a promotion did not take: its id."""
    publish(repo, "work", "learned on work", file="work.txt")
    memory = repo.tr.remember(TEXT, type="progress").id
    repo.git("push", "-q", "-u", "origin", "work")
    repo.tr.sync()
    land(repo, "work")
    return memory


def test_one_sync_of_who_redacts_cleans_all_heads_there(clone: Team) -> None:
    """Whosever they are: those who made them may be gone."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(memory, tags_add=["bob"])
    publish(bob, "work", "keep", file="w.txt")
    bob.tr.revise(memory, tags_add=["work"])
    bob.tr.sync()
    ada.tr.sync()
    before = remote_refs(ada)

    ada.tr.redact(memory)
    ada.tr.sync()

    assert SECRET not in log_of_remote(clone)
    assert set(before) == {own_ref(ada), own_ref(bob), own_ref(bob, "work")}
    assert set(before) <= set(remote_refs(ada))


def test_a_redaction_on_a_branch_leaves_a_tombstone_in_the_trunk(clone: Team) -> None:
    """Every clone hears of the trunk, and only some of the branch."""
    ada = clone("ada")
    publish(ada, "work", "keep", file="w.txt")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.tr.sync()

    ada.tr.redact(memory)
    ada.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    stone = fresh.tr.read(memory, branch="main")
    assert (stone.status, stone.content) == ("deleted", "redacted")


def test_a_copy_under_another_name_is_not_pushed_once_the_trunk_has_the_tombstone(
    clone: Team,
) -> None:
    """Bob was away, renamed the branch, and never hears of the one that was redacted."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "keep", file="w.txt")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.git("push", "-q", "-u", "origin", "work")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.switch("work").tr.sync()
    bob.tr.revise(memory, tags_add=["mine"])
    bob.git("branch", "-q", "-m", "work", "other")
    ada.tr.redact(memory)
    ada.tr.sync()
    for ref in remote_refs(ada):
        if ref.endswith("/work"):
            ada.git("push", "-q", "origin", f":{ref}")

    bob.tr.remember("after", type="insight")
    bob.tr.sync()

    assert own_ref(bob, "work") in remote_refs(bob)  # as the branch is called there
    assert SECRET not in log_of_remote(clone)
    assert bob.titles("other") == {"keep", "after"}


@pytest.mark.parametrize("is_fetched", [False, True])
def test_a_text_that_a_promotion_left_behind_is_taken_off_the_remote(
    clone: Team, is_fetched: bool
) -> None:
    """No tip has it, and all that was said since is built on it."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("a rule", type="convention")
    memory = leave_behind(ada)
    ada.tr.gc()
    ada.tr.sync()
    bob.tr.sync()
    names = set(remote_refs(ada))
    assert SECRET in log_of_remote(clone, "before")

    ada.tr.redact(memory)
    if is_fetched:  # an editor, or a hook
        ada.git("fetch", "-q", "origin", f"+{CLONES}*:refs/treering/remotes/origin/clones/*")
    ada.tr.sync()

    assert SECRET not in log_of_remote(clone)
    assert set(remote_refs(ada)) == names
    bob.tr.sync()
    assert bob.titles() == ada.titles() == {"a rule", "learned on work"}
    assert seen(ada) == seen(bob)


def test_who_promoted_it_too_does_not_bring_it_back(clone: Team) -> None:
    """Bob's own chain has the text behind the same promotion, and Bob says more on top of it."""
    ada, bob = clone("ada"), clone("bob")
    memory = leave_behind(ada)
    bob.tr.sync()
    bob.git("pull", "-q", "--prune")
    for repo in (ada, bob):
        repo.tr.remember(f"of {repo.path.name}", type="insight")
        repo.tr.gc()
        repo.tr.sync()
    ada.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync()

    bob.tr.remember("after", type="insight")
    for repo in (bob, ada):
        repo.tr.sync()

    assert SECRET not in log_of_remote(clone)
    assert seen(ada) == seen(bob)
    assert bob.titles() == {"learned on work", "of ada", "of bob", "after"}


def test_who_only_saw_it_does_not_say_it_again_as_lost(clone: Team) -> None:
    """What a remote has no longer is said again, but not what lies behind a history that was
    written again."""
    ada, bob = clone("ada"), clone("bob")
    memory = leave_behind(ada)
    ada.tr.gc()
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync()

    for _ in range(2):
        bob.tr.sync()

    assert SECRET not in log_of_remote(clone)
    assert set(remote_refs(ada)) == {own_ref(ada)}


@pytest.mark.parametrize("branch", ["main", "work"])
def test_what_a_redaction_put_away_is_not_pushed_though_it_is_restored(
    clone: Team, branch: str
) -> None:
    """It is in the trash, where anyone can bring it back from."""
    ada, bob = clone("ada"), clone("bob")
    if branch != "main":
        ada.switch(branch, create=True).commit_file("w.txt")
        ada.git("push", "-q", "-u", "origin", branch)
        bob.git("fetch", "-q")
        bob.switch(branch)
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(memory, tags_add=["mine"])
    ada.tr.redact(memory)
    ada.tr.sync()
    bob.tr.sync()
    assert [ref for ref in bob.refs() if ref.endswith("-redacted")]

    bob.tr.restore(branch)
    bob.tr.remember("after", type="insight")
    for _ in range(2):
        bob.tr.sync()

    assert SECRET not in log_of_remote(clone)
    ada.tr.sync()
    assert ada.titles(branch) == bob.titles(branch) == {"after"}
    assert seen(ada, branch) == seen(bob, branch)


def test_who_agrees_with_a_redaction_cleans_what_the_redactor_could_not(clone: Team) -> None:
    """Ada redacts, tells Bob through another remote, and is gone."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.tr.sync()
    fork = ada.path.parent / "fork.git"
    ada.git("init", "-q", "--bare", str(fork))
    for repo in (ada, bob):
        repo.git("remote", "add", "fork", str(fork))
    ada.git("push", "-q", "fork", "main")
    bob.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync(remote="fork")
    shutil.rmtree(ada.path)

    bob.tr.sync(remote="fork")
    bob.tr.redact(memory)
    bob.tr.sync(remote="origin")

    assert SECRET not in log_of_remote(clone)


@pytest.mark.parametrize("branch", ["main", "side"])
def test_a_text_that_comes_there_after_its_redaction_is_taken_off_again(
    clone: Team, branch: str
) -> None:
    """Who only pushes hears of nothing. Who redacted it takes it off again."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync()
    if branch != "main":
        publish(bob, branch)
    bob.tr.revise(memory, tags_add=["mine"])
    bob.tr.sync("push")
    assert SECRET in log_of_remote(clone, "before")

    ada.tr.sync()

    assert SECRET not in log_of_remote(clone)
    assert own_ref(bob, branch) in remote_refs(ada)


@pytest.mark.parametrize("has_landed", [True, False])
def test_what_a_redaction_put_away_is_neither_promoted_nor_revived(
    clone: Team, has_landed: bool
) -> None:
    """Trash is judged again, but not this: its branch is there, and its code may land."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "keep", file="w.txt")
    memory = ada.tr.remember(TEXT, type="insight").id
    ada.git("push", "-q", "-u", "origin", "work")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.switch("work").tr.sync()
    bob.tr.revise(memory, tags_add=["mine"])
    ada.tr.redact(memory)
    ada.tr.sync()
    bob.tr.sync()
    trash = [ref for ref in bob.refs() if ref.endswith("-redacted")]
    assert SECRET in bob.git("log", "-p", *trash)
    if has_landed:
        bob.switch("main").git("merge", "-q", "--no-edit", "work")

    bob.tr.gc()

    assert SECRET not in bob.git("log", "-p", f"--glob={HEADS}", f"--glob={VIEWS}", "--")
    assert [ref for ref in bob.refs() if ref.endswith("-redacted")] == trash
    assert ("keep" in bob.titles("main")) == has_landed


def test_a_redaction_rewrites_every_head_there(clone: Team) -> None:
    """Also of a clone that is gone, and of a branch that nobody here has."""
    ada, dead, bob = clone("ada"), clone("dead"), clone("bob")
    publish(ada, "work", "keep", file="w.txt")
    memory = ada.tr.remember("The vault opens with swordfish", type="insight").id
    ada.git("push", "-q", "-u", "origin", "work")
    ada.tr.sync()
    for repo in (dead, bob):
        repo.git("fetch", "-q")
        repo.switch("work")
        repo.tr.sync()
    dead.tr.revise(memory, tags_add=["vault"])
    dead.tr.sync()
    shutil.rmtree(dead.path)

    ada.tr.sync()
    ada.tr.redact(memory)
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.remember("after", type="insight")
    bob.tr.sync()
    ada.tr.sync()

    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert "swordfish" not in server.git("log", "-p", "--glob=refs/there", "--")
    assert "swordfish" not in bob.git("log", "-p", f"--glob={HEADS}", f"--glob={VIEWS}", "--")
    assert bob.titles() == ada.titles() == {"keep", "after"}
    assert memory in server.git(
        "ls-tree", "-r", "--name-only", f"refs/there/clones/{clone_id(ada)}/main"
    )


def test_nobody_pushes_a_text_that_was_redacted_elsewhere(clone: Team) -> None:
    """Bob was offline: his branch still has a copy when the tombstone comes in by the trunk."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("The vault opens with swordfish", type="insight").id
    ada.tr.sync()
    bob.tr.sync()
    bob.switch("side", create=True).commit_file("s.txt")
    bob.tr.revise(memory, tags_add=["mine"])
    ada.tr.redact(memory)
    ada.tr.sync()

    bob.tr.sync()

    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert "swordfish" not in server.git("log", "-p", "--glob=refs/there", "--")


def test_nor_where_a_promotion_brought_the_tombstone_first(clone: Team) -> None:
    """A plain fetch brings Bob the branch without the text, and gc promotes it over the text that
    his trunk has: what he sees is redacted then, and what he says is built on the text."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    other = ada.tr.remember("known to all", type="insight").id
    publish(ada, "work", "The vault opens with swordfish", file="w.txt")
    memory = ada.tr.recall("vault").results[0].id
    ada.git("push", "-q", "-u", "origin", "work")
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")
    ada.git("push", "-q", "origin", "main")
    ada.tr.gc()
    for repo in (ada, bob, cleo):
        repo.git("pull", "-q")
        repo.tr.sync()
    bob.tr.revise(other, tags_add=["mine"])
    cleo.tr.redact(memory)
    cleo.tr.sync()
    bob.git("fetch", "-q", "origin", f"+{CLONES}*:refs/treering/remotes/origin/clones/*")
    bob.tr.gc()

    bob.tr.sync()

    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert "swordfish" not in server.git("log", "-p", "--glob=refs/there", "--")
    assert bob.tr.read(other).tags == ("mine",)


def test_a_tombstone_in_the_trunk_reaches_a_branch_nobody_else_has(clone: Team) -> None:
    """Whatever became of the branch there: the trunk is what every clone hears of."""
    ada, bob = clone("ada"), clone("bob")
    publish(bob, "feat", "the password is hunter2", file="f.txt")
    bob.tr.sync()
    ada.tr.sync()
    memory = bob.tr.recall("password").results[0].id
    ada.tr.redact(memory)
    ada.tr.sync()
    ada.git("push", "-q", "origin", f":{own_ref(bob, 'feat')}")

    bob.tr.sync()

    assert "hunter2" not in bob.git("log", "-p", f"{HEADS}feat")
    assert "hunter2" not in bob.git("log", "-p", "--glob=refs/treering/remotes")
