"""Containment is not content: a commit that names a scope's tip as parent has taken nothing over
unless its tree says so."""

from conftest import Repo
from sync.conftest import Aim, Team, own_ref, remote_scopes, write_to
from sync.test_branches import land, work

MAIN = "refs/treering/heads/main"
WORK = "refs/treering/heads/work"


def pretend_to_promote(repo: Repo, victim: Repo, onto: str, *, and_delete: bool = True) -> None:
    """A commit on main with work's tip as parent and main's tree; work's scope is removed."""
    main, there = own_ref(victim), own_ref(victim, "work")
    repo.git("fetch", "-q", "origin", f"+{main}:refs/m", f"+{there}:refs/w")
    repo.clock()
    said = "promote 1 memories of work\n\nTreering-Op: promote\nCode-Branch: main\n"
    said += "Promoted-From: work\nMerge-Kind: squash"
    made = repo.git("commit-tree", "refs/m^{tree}", "-p", "refs/m", "-p", "refs/w", "-m", said)
    write_to(repo, made, onto)
    if and_delete:
        write_to(repo, "", there)


def shared(clone: Team) -> tuple[Repo, Repo]:
    ada, mallory = clone("ada"), clone("mallory")
    ada.tr.remember("known to all", type="insight")
    work(ada, "work", "learned on work")
    return ada, mallory


def test_a_scope_that_was_not_taken_over_is_not_dropped(clone: Team, aim: Aim) -> None:
    """Its branch is gone here and there, and main's history holds it: its memory nobody has."""
    ada, mallory = shared(clone)
    pretend_to_promote(mallory, ada, aim(ada))
    ada.git("push", "-q", "origin", ":work")
    ada.switch("main").git("branch", "-q", "-D", "work")

    answer = ada.tr.sync()

    assert "dropped" not in {line.status for line in answer.scopes}
    assert WORK in ada.refs()
    assert ada.titles("work") == {"known to all", "learned on work"}


def test_a_branch_still_shows_what_nobody_took_over(clone: Team, aim: Aim) -> None:
    """The copy here is covered by nothing below."""
    ada, mallory = shared(clone)
    pretend_to_promote(mallory, ada, aim(ada), and_delete=False)

    ada.tr.sync()

    assert ada.titles("work") == {"known to all", "learned on work"}
    assert [r.title for r in ada.tr.recall("learned", branch="work").results] == ["learned on work"]


def test_code_that_landed_brings_what_was_only_said_to_be_there(clone: Team, aim: Aim) -> None:
    ada, mallory = shared(clone)
    pretend_to_promote(mallory, ada, aim(ada))
    land(ada, "work")
    ada.tr.sync()

    ada.tr.gc()

    assert WORK not in ada.refs()
    assert ada.titles("main") == {"known to all", "learned on work"}


def test_a_branch_thrown_away_after_it_goes_to_the_trash(clone: Team, aim: Aim) -> None:
    """Not simply dropped: it can be restored."""
    ada, mallory = shared(clone)
    pretend_to_promote(mallory, ada, aim(ada))
    ada.git("push", "-q", "origin", ":work")
    ada.switch("main").git("branch", "-q", "-D", "work")
    ada.tr.sync()

    ada.tr.gc()
    ada.tr.restore("work")

    assert ada.titles("work") == {"known to all", "learned on work"}


def test_a_scope_of_others_is_not_removed_from_the_remote_for_it(clone: Team, aim: Aim) -> None:
    """Whoever pushes main next must not tidy up work's scope."""
    ada, mallory = shared(clone)
    pretend_to_promote(mallory, ada, aim(ada), and_delete=False)
    ada.git("push", "-q", "origin", ":work")
    bob = clone("bob")
    bob.tr.sync()
    bob.tr.remember("by Bob", type="insight")

    bob.tr.sync()

    assert "work" in remote_scopes(bob)


def test_nor_by_who_builds_on_it(clone: Team, aim: Aim) -> None:
    """Bob's head of main has the scope's tip in its history from then on."""
    ada, mallory = shared(clone)
    memory = next(m["id"] for m in ada.tr.exported() if m["title"] == "known to all")
    pretend_to_promote(mallory, ada, aim(ada), and_delete=False)
    ada.git("push", "-q", "origin", ":work")
    bob = clone("bob")
    bob.tr.sync()
    bob.tr.revise(memory, tags_add=["seen"])
    assert ada.refs()[WORK] in bob.git("rev-list", MAIN).split()

    bob.tr.sync()

    assert "work" in remote_scopes(bob)


def test_a_promotion_that_merged_is_one(clone: Team) -> None:
    """A memory changed on both sides is in the target with new bytes: nothing is left to do."""
    ada = clone("ada")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.revise(memory, tags_add=["branch"])
    ada.tr.revise(memory, tags_add=["trunk"], branch="main")
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")

    ada.tr.gc()
    tip = ada.refs()[MAIN]

    assert [line.action for line in ada.tr.gc().plan] == ["keep", "keep"]
    assert ada.refs()[MAIN] == tip
    assert set(ada.tr.read(memory, branch="work").tags) == {"branch", "trunk"}
    ada.git("branch", "-q", "-D", "work")
    ada.tr.gc()
    assert WORK not in ada.refs()
    assert not [ref for ref in ada.refs() if "trash" in ref]
