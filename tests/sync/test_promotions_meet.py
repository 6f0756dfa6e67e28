"""Promotions in several clones: made alike by all who judge alike, and of what landed alone."""

import time

import pytest

from conftest import Repo
from sync.conftest import HEADS, Team, own_ref, remote_refs, seen, write_to
from sync.test_branches import land, work
from treering.errors import Conflict


def read_promotions(repo: Repo, branch: str = "main") -> list[str]:
    grep = f"--grep=^Promoted-Into: {branch}"
    return repo.git("log", "--format=%H", grep, f"{HEADS}{branch}").split()


def moment_of(repo: Repo, commit: str) -> float:
    return float(repo.git("log", "-1", "--format=%ct", commit))


def format_moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def test_a_promotion_has_all_heads_of_the_branch_as_parents_and_no_others(clone: Team) -> None:
    """And its tree has what landed, and nothing of the trunk: it says by itself what it took."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("of the trunk", type="insight")
    work(ada, "work", "of Ada")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.remember("of Bob", type="insight")
    for repo in (bob, ada):
        repo.tr.sync()
    heads = sorted([remote_refs(ada)[own_ref(repo, "work")] for repo in (ada, bob)])
    times = [moment_of(ada, head) for head in heads]
    land(ada, "work")

    ada.tr.gc()

    (promotion,) = read_promotions(ada)
    assert ada.git("log", "-1", "--format=%P", promotion).split() == heads
    assert moment_of(ada, promotion) == max(times)
    assert len(ada.git("ls-tree", "-r", "--name-only", promotion).splitlines()) == 2
    assert ada.titles("main") == {"of the trunk", "of Ada", "of Bob"}


def test_two_who_were_at_work_on_a_branch_make_one_promotion(clone: Team) -> None:
    """Each has a head of its own in it, and something of its own in the trunk."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "of Ada")
    bob.git("fetch", "-q")
    bob.switch("work")
    bob.tr.remember("of Bob", type="insight")
    for repo in (bob, ada):
        repo.tr.sync()
        repo.tr.remember(f"trunk of {repo.path.name}", type="insight", branch="main")
    land(ada, "work")
    bob.switch("main").git("pull", "-q", "--prune")
    bob.git("branch", "-q", "-D", "work")

    for repo in (ada, bob):
        repo.tr.gc()

    assert read_promotions(ada) == read_promotions(bob)
    assert len(read_promotions(ada)) == 1


def test_an_edit_that_did_not_land_enters_no_trunk_when_clones_meet(clone: Team) -> None:
    """It lies behind a promotion of something else, and another clone changed the same memory."""
    ada, bob = clone("ada"), clone("bob")
    api = ada.tr.remember("The API answers in 200 ms", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.switch("feat", create=True).commit_file("f.txt")
    ada.tr.remember("a fact that landed", type="insight")
    landed = ada.git("rev-parse", "HEAD")
    ada.commit_file("slow.txt")
    ada.tr.revise(api, content="The API answers in 999 ms")
    ada.switch("main").git("cherry-pick", landed)
    ada.tr.gc()
    bob.tr.revise(api, tags_add=["fast"])

    for repo in (bob, ada, bob):
        repo.tr.sync()

    assert seen(ada) == seen(bob)
    for repo in (ada, bob):
        shown = repo.tr.read(api, branch="main")
        assert ("200 ms" in shown.content, "999 ms" in shown.content) == (True, False)
        assert shown.tags == ("fast",)
        assert "a fact that landed" in repo.titles("main")


def test_edits_of_both_a_branch_and_a_trunk_meet_without_what_did_not_land(clone: Team) -> None:
    """The promotion took one version of a memory, and the branch went on with it."""
    ada, bob = clone("ada"), clone("bob")
    api = ada.tr.remember("The API answers in 200 ms", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.switch("feat", create=True).commit_file("f.txt")
    ada.tr.revise(api, tags_add=["landed"])
    landed = ada.git("rev-parse", "HEAD")
    ada.commit_file("slow.txt")
    ada.tr.revise(api, tags_add=["unlanded"])
    ada.switch("main").git("cherry-pick", landed)
    ada.tr.gc()
    bob.tr.revise(api, tags_add=["fast"])

    for repo in (bob, ada, bob):
        repo.tr.sync()

    for repo in (ada, bob):
        assert set(repo.tr.read(api, branch="main").tags) == {"landed", "fast"}
    assert seen(ada) == seen(bob)


# --- at a date -----------------------------------------------------------------------------------


def test_at_a_date_all_heads_tell_what_had_been_said(clone: Team) -> None:
    """Which of them is the first parent of a join is a matter of their ids."""
    ada, bob = clone("ada"), clone("bob")
    moments = []
    for number in range(2):
        for repo in (ada, bob):
            repo.tr.remember(f"{number} of {repo.path.name}", type="insight")
            moments.append(moment_of(repo, f"{HEADS}main"))
    for repo in (ada, bob, ada):
        repo.tr.sync()

    titles = []
    for moment in moments:
        shown = ada.tr.recall(at=format_moment(moment), limit=10).results
        titles.append({hit.title for hit in shown})

    names = ["0 of ada", "0 of bob", "1 of ada", "1 of bob"]
    assert titles == [set(names[: count + 1]) for count in range(4)]


def test_at_a_date_before_a_promotion_the_trunk_has_nothing_of_the_branch(clone: Team) -> None:
    """What lies behind a promotion was said elsewhere."""
    ada = clone("ada")
    ada.tr.remember("of the trunk", type="insight")
    ada.switch("work", create=True).commit_file("w.txt")
    ada.tr.remember("first on work", type="insight")
    moment = moment_of(ada, f"{HEADS}work")
    ada.tr.remember("second on work", type="insight")
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "work")
    ada.git("branch", "-q", "-D", "work")
    ada.tr.gc()

    then = ada.tr.recall(at=format_moment(moment), branch="main", limit=10).results

    assert {hit.title for hit in then} == {"of the trunk"}
    assert ada.titles("main") == {"of the trunk", "first on work", "second on work"}


def test_what_one_clone_takes_back_no_other_brings_again(clone: Team) -> None:
    """Others made the same promotion, and know it from the one who took it back: whoever meets
    whom first, it is gone from the trunk of all, and of its own branch."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "of Ada")
    (fact,) = (hit.id for hit in ada.tr.recall("Ada").results)
    ada.tr.sync()
    bob.git("fetch", "-q")
    for repo in (ada, bob):
        repo.switch("main")
        repo.tr.remember(f"trunk of {repo.path.name}", type="insight")
        repo.tr.sync()
        repo.tr.promote("work")
    bob.tr.sync()

    ada.tr.promote("work", undo=True)
    for repo in (ada, bob, ada, bob):
        repo.tr.sync()
        repo.tr.gc()

    for repo in (ada, bob):
        assert repo.titles("main") == {"trunk of ada", "trunk of bob"}
        assert repo.titles("work") == {"of Ada", "trunk of ada", "trunk of bob"}
        assert repo.tr.read(fact, branch="work").branch == "work"
    assert seen(ada) == seen(bob)
    bob.tr.promote("work")
    for repo in (bob, ada):
        repo.tr.sync()
        assert "of Ada" in repo.titles("main")


def test_what_was_changed_in_the_trunk_since_is_not_taken_back(clone: Team) -> None:
    """An edit that did not know of it outlives it."""
    ada, bob = clone("ada"), clone("bob")
    work(ada, "work", "of Ada")
    (fact,) = (hit.id for hit in ada.tr.recall("Ada").results)
    ada.switch("main").tr.promote("work")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(fact, append="Seen by Bob.", branch="main")
    with pytest.raises(Conflict):
        bob.tr.promote("work", undo=True)
    bob.tr.sync()

    ada.tr.promote("work", undo=True)
    for repo in (ada, bob, ada):
        repo.tr.sync()

    for repo in (ada, bob):
        assert "Seen by Bob." in repo.tr.read(fact, branch="main").content


def test_what_no_promotion_brought_cannot_be_taken_back_by_a_word(clone: Team) -> None:
    """Anyone who may push could write it down of any memory."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("of Ada", type="insight")
    ada.tr.sync()
    tip = ada.refs()[f"{HEADS}main"]
    path, blob = ada.files("main")[0], ada.git("rev-parse", f"{tip}:{ada.files('main')[0]}")
    text = (
        f"keep back\n\nTreering-Op: promote-undo\nTreering-Memory: {path[-15:-3]}\n"
        f"Kept-Back: {path[-15:-3]} {blob}\nCode-Branch: main\n"
    )
    empty = ada.git("mktree", feed="")
    forged = ada.git("commit-tree", empty, "-p", tip, feed=text)
    write_to(ada, forged, own_ref(ada))

    bob.tr.sync()

    assert bob.titles("main") == {"of Ada"}
