"""Branches that end in one clone and live on in another."""

from pathlib import Path

from conftest import Repo
from sync.conftest import Team, own_ref, remote_refs, remote_scopes, seen, seen_scopes


def statuses(answer: object) -> dict[str, str]:
    return {line.branch: line.status for line in answer.scopes}  # type: ignore[attr-defined]


def work(repo: Repo, branch: str, thought: str) -> None:
    """A branch with a commit, a memory, pushed and shared."""
    repo.switch(branch, create=True).commit_file(f"{branch}.txt")
    repo.tr.remember(thought, type="insight")
    repo.git("push", "-q", "-u", "origin", branch)
    repo.tr.sync()


def land(repo: Repo, branch: str) -> None:
    """Squashed into main, pushed, and deleted everywhere."""
    repo.switch("main").git("pull", "-q")
    repo.git("merge", "-q", "--squash", branch)
    repo.git("commit", "-q", "-m", f"squashed {branch}")
    repo.git("push", "-q", "origin", "main", f":{branch}")
    repo.git("branch", "-q", "-D", branch)


def test_a_promoted_scope_leaves_the_remote_with_the_push_that_brings_it(clone: Team) -> None:
    """And the other clones let go of theirs."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned on work")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    assert seen_scopes(bob) == {"work"}
    land(ada, "work")
    ada.tr.gc()

    answer = ada.tr.sync()

    assert statuses(answer) == {"main": "pushed", "work": "dropped"}
    assert remote_scopes(ada) == {"main"}
    bob.switch("main").git("pull", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")
    assert statuses(bob.tr.sync()) == {"main": "new", "work": "dropped"}
    assert seen_scopes(bob) == {"main"}
    assert bob.titles() == {"learned on work"}
    assert statuses(ada.tr.sync()) == {"main": "unchanged"}


def test_what_a_promotion_leaves_behind_keeps_no_ref(clone: Team) -> None:
    """A progress note speaks of work that is over: nobody would ever take it over."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned on work")
    ada.tr.remember("half way", type="progress")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.switch("work").tr.sync()
    land(ada, "work")
    ada.tr.gc()
    bob.switch("main").git("pull", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")

    for repo in (ada, bob):
        repo.tr.sync()

    for repo in (ada, bob):
        assert seen_scopes(repo) == {"main"}
        assert repo.titles() == {"learned on work"}
    assert remote_scopes(ada) == {"main"}


def test_what_someone_wrote_meanwhile_is_not_removed(clone: Team) -> None:
    """The remote's scope is newer than the one that was promoted: it stays, and is known."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned by Ada")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    bob.tr.remember("learned by Bob", type="insight")
    bob.tr.sync()
    land(ada, "work")
    ada.tr.gc()

    ada.tr.sync()

    assert remote_scopes(ada) == {"main", "work"}
    assert ada.titles("work") == {"learned by Ada", "learned by Bob"}
    assert ada.titles() == {"learned by Ada"}
    bob.tr.remember("more by Bob", type="insight")
    bob.tr.sync()
    assert bob.titles() == {"learned by Ada", "learned by Bob", "more by Bob"}


def test_promotions_in_two_clones_are_one(clone: Team) -> None:
    """Each has the scope as second parent; after a sync all agree, and nothing is doubled."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned on work")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    land(ada, "work")
    bob.switch("main").git("pull", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")
    ada.tr.remember("on main by Ada", type="insight")
    bob.tr.remember("on main by Bob", type="insight")
    ada.tr.gc()
    bob.tr.gc()

    for repo in (ada, bob, ada, bob):
        repo.tr.sync()

    assert seen_scopes(ada) == seen_scopes(bob) == remote_scopes(ada) == {"main"}
    assert seen(ada) == seen(bob)
    assert ada.titles() == {"learned on work", "on main by Ada", "on main by Bob"}
    assert ada.titles() == bob.titles()


def test_a_branch_thrown_away_here_lives_on_there(clone: Team) -> None:
    """Trash is a clone's own affair."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "learned on work")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    bob.git("push", "-q", "origin", ":work")
    ada.git("fetch", "-q", "--prune")
    ada.switch("main").git("branch", "-q", "-D", "work")
    ada.tr.gc()
    assert seen_scopes(ada) == set()

    ada.tr.sync()
    bob.git("push", "-q", "origin", "work")
    bob.tr.remember("more", type="insight")
    bob.tr.sync()
    ada.tr.sync()

    assert seen_scopes(ada) == set()
    assert bob.titles() == {"learned on work", "more"}
    assert remote_scopes(ada) == {"work"}


def test_purging_removes_a_scope_from_the_remote_only_when_told(clone: Team) -> None:
    ada = clone("ada")
    work(ada, "work", "learned on work")
    ada.git("push", "-q", "origin", ":work")
    ada.git("fetch", "-q", "--prune")
    ada.switch("main").git("branch", "-q", "-D", "work")
    ada.tr.gc()

    ada.tr.gc(purge=True, older_than="0d")
    assert remote_scopes(ada) == {"work"}

    ada.git("update-ref", "refs/treering/trash/work/20200101T000000Z", _tip(ada, "work"))
    done = ada.tr.gc(purge=True, older_than="1d", remote="origin")

    there = f"origin:{own_ref(ada, 'work')}"
    assert done.purged == ("refs/treering/trash/work/20200101T000000Z", there)
    assert remote_scopes(ada) == set()


def _tip(repo: Repo, branch: str) -> str:
    return remote_refs(repo)[own_ref(repo, branch)]


def test_a_mirror_push_that_deletes_everything_is_made_good(clone: Team, origin: Path) -> None:
    """A scope that has vanished is not a deletion."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.tr.sync()
    ada.git("clone", "-q", "--bare", str(origin), str(origin.parent / "bare.git"))
    Repo(origin.parent / "bare.git").git("push", "-q", "--mirror", str(origin))
    assert remote_scopes(ada) == set()

    assert statuses(bob.tr.sync()) == {"main": "pushed"}
    assert statuses(ada.tr.sync()) == {"main": "unchanged"}
    assert ada.titles() == {"Use WAL mode"}


def test_a_rename_in_both_clones_keeps_all(clone: Team) -> None:
    """One has renamed the scope and pushed it; the other's follows before the two meet."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "old", "learned by Ada")
    bob.git("fetch", "-q")
    bob.switch("old")
    bob.tr.sync()
    bob.tr.remember("learned by Bob", type="insight")
    ada.git("branch", "-q", "-m", "old", "new")
    ada.tr.remember("as new", type="insight")
    ada.git("push", "-q", "origin", "new", ":old")
    ada.git("fetch", "-q", "--prune")
    assert statuses(ada.tr.sync()) == {"new": "pushed", "old": "dropped"}
    bob.git("fetch", "-q", "--prune")
    bob.git("branch", "-q", "-m", "old", "new")

    bob.tr.sync()
    ada.tr.sync()

    assert ada.titles() == bob.titles() == {"learned by Ada", "learned by Bob", "as new"}
    assert remote_scopes(ada) == {"new"}


def test_a_name_used_again_after_a_sync_starts_empty(clone: Team) -> None:
    """What came from the remote last belongs to the branch that is gone."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "old work")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.sync()
    ada.git("push", "-q", "origin", ":work")
    bob.switch("main").git("fetch", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")
    bob.commit_file("other.txt")

    bob.switch("work", create=True)

    assert bob.titles() == set()


def test_memories_changed_on_a_branch_and_below_meet_at_promotion_as_in_a_sync(
    clone: Team,
) -> None:
    """One rule for both, so that it does not matter which happens first."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("Use WAL mode\n\nReaders never block.", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.revise(memory, title="WAL", tags_add=["branch"])
    bob.tr.revise(memory, tags_add=["trunk"], confidence=0.95)
    bob.tr.sync()
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")
    ada.tr.gc()  # promoted before Bob's edit is known
    ada.tr.sync()
    bob.tr.sync()

    for repo in (ada, bob):
        found = repo.tr.read(memory, branch="main")
        assert (found.title, found.confidence) == ("WAL", 0.95)
        assert set(found.tags) == {"branch", "trunk"}


def test_a_remote_set_up_as_a_mirror_gets_memories_and_loses_nothing(
    clone: Team, origin: Path
) -> None:
    """`git push` to such a remote sends every ref and deletes those that are not here."""
    ada, grace = clone("ada"), clone("grace")
    grace.switch("feature", create=True)
    grace.commit_file("feature.txt")
    grace.git("push", "-q", "origin", "feature")
    grace.tr.remember("Known to Grace")
    grace.tr.sync()
    ada.git("remote", "add", "--mirror=push", "mirror", str(origin))
    ada.tr.remember("Known to Ada")

    done = ada.tr.sync(remote="mirror")

    there = Repo(origin).git("for-each-ref", "--format=%(refname)").splitlines()
    assert done.pushed == 1
    assert {"refs/heads/feature", own_ref(ada), own_ref(grace, "feature")} <= set(there)
