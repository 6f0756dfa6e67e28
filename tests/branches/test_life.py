"""The life of branches, row by row of the table: nothing lost, nothing leaked."""

import subprocess
import time
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from treering import Treering
from treering.actions.gc import GcAnswer, PlanAnswer
from treering.errors import BranchNotFound, Invalid


def _line(answer: GcAnswer, branch: str) -> PlanAnswer:
    return next(line for line in answer.plan if line.branch == branch)


def _worked_on(repo: Repo, branch: str, memory: str = "learned on the branch") -> Repo:
    """A branch with a commit and a memory of its own."""
    repo.switch("main").switch(branch, create=True)
    repo.commit_file(f"{branch.replace('/', '-')}.txt", "work\n" * 3)
    repo.tr.remember(memory, type="insight")
    return repo


def _squash(repo: Repo, branch: str) -> None:
    repo.switch("main")
    repo.git("merge", "-q", "--squash", branch)
    repo.git("commit", "-q", "-m", f"squashed {branch}")


def test_a_living_branch_keeps_its_memories(repo: Repo) -> None:
    """The commonest case of all."""
    _worked_on(repo, "feature")

    line = _line(repo.tr.gc(), "feature")

    assert (line.verdict, line.action, line.memories) == ("live", "keep", 1)
    assert repo.titles("main") == set()


@pytest.mark.parametrize("how", ["merge", "fast-forward", "squash", "rebase"])
def test_what_landed_is_promoted_and_the_branch_can_go(repo: Repo, how: str) -> None:
    """However it landed, before or after it is deleted."""
    _worked_on(repo, "feature")
    if how != "fast-forward":
        repo.switch("main")
        repo.commit_file("other.txt")
    if how == "squash":
        _squash(repo, "feature")
    elif how == "rebase":
        repo.switch("main")
        repo.git("cherry-pick", "feature")
    else:
        repo.switch("main")
        option = "--ff-only" if how == "fast-forward" else "--no-ff"
        repo.git("merge", "-q", option, "--no-edit", "feature")
    repo.git("branch", "-q", "-D", "feature")

    line = _line(repo.tr.gc(), "feature")

    evidence = {"merge": "ancestor", "fast-forward": "ancestor", "squash": "squash"}
    assert (line.verdict, line.action, line.into) == ("merged", "promote", "main")
    assert line.evidence in (evidence.get(how, "cherry"), "cherry")
    assert repo.titles("main") == {"learned on the branch"}
    assert "refs/treering/heads/feature" not in repo.refs()
    assert repo.tr.gc().plan[0].branch == "main"


def test_promotion_takes_blobs_as_they_are_and_keeps_history(repo: Repo) -> None:
    """So that versions hold, and two clones make the same tree."""
    _worked_on(repo, "feature")
    memory = repo.tr.recall().results[0]
    before = repo.tr.read(memory.id).version
    tip = repo.refs()["refs/treering/heads/feature"]
    _squash(repo, "feature")

    repo.tr.gc()

    after = repo.tr.read(memory.id, history=True)
    assert (after.version, after.branch) == (before, "main")
    assert after.history is not None
    assert [e.op for e in after.history] == ["promote", "remember"]
    assert repo.git("rev-parse", "refs/treering/heads/main") == repo.git(
        "rev-list", "-1", "refs/treering/heads/main"
    )
    assert tip not in repo.git("rev-list", "refs/treering/heads/main").split()  # never shared
    assert (after.details["promoted_from"], after.details["merge_kind"]) == ("feature", "cherry")


def test_a_promoted_branch_that_lives_on_does_not_hide_what_the_trunk_learns(repo: Repo) -> None:
    """Its copy is unchanged since it was promoted, so the trunk's newer one is seen."""
    _worked_on(repo, "feature")
    memory = repo.tr.recall().results[0]
    _squash(repo, "feature")
    repo.tr.gc()
    repo.tr.revise(memory.id, title="revised on main")

    repo.switch("feature")

    assert repo.tr.read(memory.id).title == "revised on main"
    assert repo.tr.gc().plan[0].action == "keep"


def test_a_branch_thrown_away_goes_to_the_trash_and_can_be_restored(repo: Repo) -> None:
    """One ref move, whatever the number of memories; and back."""
    _worked_on(repo, "feature")
    tip = repo.refs()["refs/treering/heads/feature"]
    repo.switch("main").git("branch", "-q", "-D", "feature")

    dry = repo.tr.gc(dry_run=True)
    before = repo.refs()
    line = _line(repo.tr.gc(), "feature")

    assert _line(dry, "feature") == line
    assert (line.verdict, line.action, line.evidence) == ("abandoned", "trash", "none")
    assert repo.titles("main") == set()
    trash = [ref for ref, oid in repo.refs().items() if oid == tip]
    assert len(trash) == 1
    assert trash[0].startswith("refs/treering/trash/feature/")
    assert "refs/treering/heads/feature" in before

    restored = repo.tr.restore("feature")

    assert (restored.branch, restored.memories, restored.trash) == ("feature", 1, trash[0])
    assert repo.titles("feature") == {"learned on the branch"}
    assert _line(repo.tr.gc(), "feature").action == "keep"  # not judged again at once
    with pytest.raises(BranchNotFound):
        repo.tr.restore("feature")


def test_a_dry_run_changes_nothing_at_all(repo: Repo) -> None:
    """Not a ref, not an object."""
    _worked_on(repo, "feature")
    _squash(repo, "feature")
    repo.git("branch", "-q", "-D", "feature")
    files = _list_files(repo)

    assert _line(repo.tr.gc(dry_run=True), "feature").action == "promote"

    assert files == _list_files(repo)


def _list_files(repo: Repo) -> list[Path]:
    """All but locks and what is derived."""
    derived = ("treering.lock", "treering.db")
    files = (repo.path / ".git").rglob("*")
    return sorted(path for path in files if not path.name.startswith(derived))


def test_a_squash_on_the_server_counts_before_it_is_pulled(repo: Repo, tmp_path: Path) -> None:
    """The commonest life of a branch: a pull request, fetch --prune, local main behind."""
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    _worked_on(repo, "feature")
    repo.git("push", "-q", "origin", "feature")
    repo.git("clone", "-q", str(tmp_path / "origin.git"), str(tmp_path / "server"))
    server = Repo(tmp_path / "server")
    server.git("config", "user.name", "B")
    server.git("config", "user.email", "b@example.org")
    server.git("merge", "-q", "--squash", "origin/feature")
    server.git("commit", "-q", "-m", "pull request")
    server.git("push", "-q", "origin", "main", ":feature")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.git("fetch", "-q", "--prune", "origin")

    line = _line(repo.tr.gc(), "feature")

    assert (line.verdict, line.into) == ("merged", "main")
    assert repo.titles("main") == {"learned on the branch"}


def test_a_remote_that_still_has_the_branch_keeps_it(repo: Repo, tmp_path: Path) -> None:
    """Deleted here, alive there."""
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    _worked_on(repo, "feature")
    repo.git("push", "-q", "origin", "feature")
    repo.switch("main").git("branch", "-q", "-D", "feature")

    assert _line(repo.tr.gc(), "feature").verdict == "live"


def test_a_branch_without_commits_of_its_own_is_kept_in_doubt(repo: Repo) -> None:
    """It is an ancestor of main, and landed nothing."""
    repo.switch("feature", create=True)
    repo.tr.remember("a thought before any code", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feature")

    line = _line(repo.tr.gc(), "feature")

    assert (line.verdict, line.action) == ("unsure", "keep")
    assert repo.titles("main") == set()
    assert _line(repo.tr.gc(force=True), "feature").action == "trash"


def test_memories_made_before_the_first_commit_land_with_it(repo: Repo) -> None:
    """Nothing was captured later; git's own logs know that there were commits."""
    repo.switch("feature", create=True)
    repo.tr.remember("a thought before any code", type="insight")
    repo.commit_file("work.txt")
    repo.switch("main").git("merge", "-q", "--ff-only", "feature")
    repo.git("branch", "-q", "-d", "feature")

    assert _line(repo.tr.gc(), "feature").verdict == "merged"
    assert repo.titles("main") == {"a thought before any code"}


@pytest.mark.parametrize("name", ["new/name", "x]y", "Feature"])
def test_a_rename_is_followed_by_reads_at_once_and_by_the_next_write(repo: Repo, name: str) -> None:
    """git logs it; a config section with `]` in it would not have moved."""
    _worked_on(repo, "feature")
    repo.git("branch", "-q", "-m", "feature", name)

    assert repo.titles() == {"learned on the branch"}
    assert repo.tr.recall().results[0].branch == name
    repo.tr.remember("and more", type="insight")

    assert repo.titles() == {"learned on the branch", "and more"}
    assert "refs/treering/heads/feature" not in repo.refs()
    assert len(repo.files(name)) == 2


def test_gc_renames_too_and_chains_are_followed(repo: Repo) -> None:
    """Renamed twice before anyone looked."""
    _worked_on(repo, "one")
    repo.git("branch", "-q", "-m", "one", "two")
    repo.git("branch", "-q", "-m", "two", "three")

    line = _line(repo.tr.gc(), "one")

    assert (line.verdict, line.action, line.into) == ("renamed", "rename", "three")
    assert repo.titles("three") == {"learned on the branch"}


def test_rename_then_recreate_keeps_the_two_apart(repo: Repo) -> None:
    """The old name is a new branch: it inherits nothing."""
    _worked_on(repo, "feature")
    repo.git("branch", "-q", "-m", "feature", "feature-old")
    repo.switch("main").switch("feature", create=True)

    assert repo.titles("feature") == set()


def test_a_name_used_again_inherits_neither_memories_nor_trash(repo: Repo) -> None:
    """Deleted and made anew between two looks."""
    _worked_on(repo, "feature")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.switch("feature", create=True)

    assert repo.titles() == set()
    repo.tr.remember("of the new branch", type="insight")

    assert repo.titles() == {"of the new branch"}
    assert _line(repo.tr.gc(), "feature").verdict == "live"
    assert repo.titles() == {"of the new branch"}


def test_a_clock_that_was_set_back_hides_nothing(repo: Repo) -> None:
    """The branch's log begins later than what was remembered on it, but the commit that the memory
    names is one that the branch made."""
    repo.now += 3600
    repo.switch("feature", create=True).commit_file("feature.txt")
    repo.now -= 7200

    repo.tr.remember("said after all", type="insight")
    repo.tr.remember("and more", type="insight")

    assert repo.titles() == {"said after all", "and more"}
    assert _line(repo.tr.gc(), "feature").verdict == "live"
    assert repo.titles() == {"said after all", "and more"}


def test_an_amended_or_rebased_branch_is_still_itself(repo: Repo) -> None:
    """Its log holds what it was."""
    _worked_on(repo, "feature")
    repo.git("commit", "-q", "--amend", "-m", "amended")
    assert repo.titles() == {"learned on the branch"}

    repo.switch("main")
    repo.commit_file("other.txt")
    repo.switch("feature").git("rebase", "-q", "main")

    assert repo.titles() == {"learned on the branch"}
    assert _line(repo.tr.gc(), "feature").verdict == "live"


def test_a_branch_that_comes_back_gets_its_memories_back(repo: Repo) -> None:
    """The same commits under the same name."""
    _worked_on(repo, "feature")
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.tr.gc()
    repo.git("branch", "feature", tip)

    line = _line(repo.tr.gc(), "feature")

    assert (line.verdict, line.action) == ("revived", "revive")
    assert repo.titles("feature") == {"learned on the branch"}


def test_a_deleted_base_goes_into_the_branch_stacked_on_it(repo: Repo) -> None:
    """Its code lives on there."""
    _worked_on(repo, "base", "learned on base")
    repo.switch("top", create=True)
    repo.commit_file("top.txt")
    repo.tr.remember("learned on top", type="insight")
    repo.git("branch", "-q", "-D", "base")

    line = _line(repo.tr.gc(), "base")

    assert (line.verdict, line.into) == ("merged", "top")
    assert repo.titles("top") == {"learned on base", "learned on top"}
    assert repo.titles("main") == set()


def test_a_copied_branch_is_stacked_on_the_old_one(repo: Repo) -> None:
    """`git branch -c`."""
    _worked_on(repo, "feature")
    repo.git("branch", "-q", "-c", "feature", "copy")

    repo.tr.gc()

    assert repo.titles("copy") == {"learned on the branch"}


def test_changes_on_both_sides_are_merged_by_field(repo: Repo) -> None:
    """The branch changed the title, the trunk the tags."""
    memory = repo.tr.remember("text", type="insight", title="title", tags=["a"])
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.revise(memory.id, title="title of the branch")
    repo.tr.revise(memory.id, tags_add=["b"], branch="main")
    _squash(repo, "feature")

    repo.tr.gc()

    merged = repo.tr.read(memory.id, branch="main")
    assert (merged.title, merged.tags) == ("title of the branch", ("a", "b"))


def test_forgotten_on_the_branch_is_forgotten_on_the_trunk_unless_edited_there(repo: Repo) -> None:
    """A deletion loses to an edit that did not know of it."""
    untouched = repo.tr.remember("untouched", type="insight")
    edited = repo.tr.remember("edited", type="insight")
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.forget([untouched.id, edited.id])
    repo.tr.revise(edited.id, tags_add=["still true"], branch="main")
    _squash(repo, "feature")

    repo.tr.gc()

    assert repo.tr.read(untouched.id, branch="main").status == "deleted"
    kept = repo.tr.read(edited.id, branch="main")
    assert (kept.status, kept.tags) == ("needs-review", ("still true",))


def test_checkpoints_and_progress_do_not_come_along(repo: Repo) -> None:
    """They speak of work that is over."""
    _worked_on(repo, "feature")
    repo.tr.remember("half done", type="progress")
    repo.tr.remember("stopped at parser", type="checkpoint")
    _squash(repo, "feature")
    repo.git("branch", "-q", "-D", "feature")

    repo.tr.gc()

    assert repo.titles("main") == {"learned on the branch"}


def test_private_memories_go_the_same_way_in_their_own_repository(repo: Repo) -> None:
    """And never into the shared one."""
    _worked_on(repo, "feature")
    repo.tr.remember("mine", type="insight", private=True)
    _squash(repo, "feature")
    repo.git("branch", "-q", "-D", "feature")

    repo.tr.gc()

    assert {r.title: r.layer for r in repo.tr.recall().results} == {
        "learned on the branch": "trunk", "mine": "private_trunk",
    }  # fmt: skip


def test_lessons_of_an_abandoned_branch_can_be_kept(repo: Repo) -> None:
    """We tried this."""
    _worked_on(repo, "feature")
    repo.tr.remember("Caching here made it slower", type="insight", outcome="failed")
    repo.switch("main").git("branch", "-q", "-D", "feature")

    repo.tr.gc(keep_lessons=True)

    kept = {hit.title: hit.layer for hit in repo.tr.recall().results}
    assert kept == {"Caching here made it slower": "private_trunk"}


def test_promoting_by_hand(repo: Repo) -> None:
    """Whatever the code did."""
    _worked_on(repo, "feature")

    line = repo.tr.promote("feature")

    assert (line.action, line.into, line.memories) == ("promote", "main", 1)
    assert repo.titles("main") == {"learned on the branch"}
    with pytest.raises(Invalid):
        repo.tr.promote("main")


def test_old_trash_is_purged_on_request_only(repo: Repo) -> None:
    """And only when it is old enough."""
    _worked_on(repo, "feature")
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.tr.gc()

    assert repo.tr.gc(purge=True).purged == ()
    repo.now += 40 * 86400
    assert len(repo.tr.gc(purge=True, dry_run=True).purged) == 1
    assert len(repo.tr.gc(purge=True).purged) == 1
    with pytest.raises(BranchNotFound):
        repo.tr.restore("feature")


def test_applying_twice_changes_nothing(repo: Repo) -> None:
    """Idempotent, so that hooks, gc and sync can all run it."""
    _worked_on(repo, "landed")
    _squash(repo, "landed")
    _worked_on(repo, "dropped", "tried")
    repo.switch("main").git("branch", "-q", "-D", "dropped")
    repo.tr.gc()
    before = repo.refs()

    repo.tr.gc()

    assert repo.refs() == before


def test_a_detached_scope_is_taken_over_by_the_branch_that_has_its_commit(repo: Repo) -> None:
    """`git switch -c` after working detached."""
    repo.git("checkout", "-q", "--detach")
    repo.commit_file("wip.txt")
    repo.tr.remember("half done", type="insight")
    repo.switch("rescued", create=True)

    repo.tr.gc()

    assert repo.titles("rescued") == {"half done"}
    assert [r for r in repo.refs() if "%40" in r] == []


def test_a_detached_scope_a_worktree_is_at_is_left_alone(repo: Repo) -> None:
    """Its work is not over."""
    repo.git("checkout", "-q", "--detach")
    commit = repo.commit_file("wip.txt")
    repo.tr.remember("half done", type="insight")

    assert _line(repo.tr.gc(), f"@{commit[:12]}").verdict == "live"


def test_the_trunk_renamed_keeps_its_memories(new_repo) -> None:
    """master -> main."""
    repo = new_repo("repo")
    repo.git("symbolic-ref", "HEAD", "refs/heads/master")
    repo.commit_file("a.txt")
    repo.tr.remember("on the trunk", type="insight")

    repo.git("branch", "-q", "-m", "master", "main")

    assert repo.titles() == {"on the trunk"}
    repo.tr.gc()
    assert "refs/treering/heads/main" in repo.refs()
    assert repo.titles() == {"on the trunk"}


@pytest.mark.parametrize("how", ["amend", "rebase", "both"])
def test_memories_follow_their_commit_through_amend_and_rebase(repo: Repo, how: str) -> None:
    """The commit they name would otherwise be one nobody can find."""
    _worked_on(repo, "feature")
    memory = repo.tr.recall().results[0]
    old = repo.git("rev-parse", "HEAD")
    assert repo.tr.read(memory.id).commit == old
    if how in ("amend", "both"):
        (repo.path / "feature.txt").write_text("amended\n", encoding="utf-8")
        repo.git("commit", "-q", "-a", "--amend", "-m", "amended")
    if how in ("rebase", "both"):
        repo.switch("main")
        repo.commit_file("other.txt")
        repo.switch("feature").git("rebase", "-q", "main")

    repo.tr.gc()

    assert repo.tr.read(memory.id).commit == repo.git("rev-parse", "HEAD") != old
    before = repo.refs()
    repo.tr.gc()
    assert repo.refs() == before


# --- names used again, and branches on branches ---


def test_a_stacked_branch_that_is_renamed_stays_stacked(repo: Repo) -> None:
    """The logs know it under the name it had when it was made."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    assert repo.titles() == {"of base"}
    repo.git("branch", "-q", "-m", "top", "top2")
    assert repo.titles() == {"of base"}


def test_a_branch_stays_stacked_on_a_base_that_is_renamed(repo: Repo) -> None:
    """The base goes on under another name."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.git("branch", "-q", "-m", "base", "base2")
    assert repo.titles() == {"of base"}


def test_a_new_branch_with_the_name_of_the_base_is_not_the_base(repo: Repo) -> None:
    """Its memories would leak into a branch that has nothing to do with it."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.commit_file("top.txt")
    repo.git("branch", "-q", "-D", "base")
    repo.tr.gc()
    repo.now += 5
    repo.switch("main").switch("base", create=True)
    repo.commit_file("other.txt")
    repo.tr.remember("of the new base", type="insight")
    assert "of the new base" not in repo.titles("top")


def test_a_branch_renamed_to_a_name_with_left_over_memories_keeps_its_own(repo: Repo) -> None:
    """What a deleted branch left under that name must not cover them."""
    _worked_on(repo, "a", "of a")
    _worked_on(repo, "b", "of b")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "a")
    repo.git("branch", "-q", "-m", "b", "a")
    assert repo.titles("a") == {"of b"}


def test_gc_clears_a_name_before_another_branch_gets_it(repo: Repo) -> None:
    """Else two branches' memories end up in one scope."""
    _worked_on(repo, "z", "of z")
    _worked_on(repo, "b", "of b")
    repo.switch("main")
    repo.git("branch", "-q", "-D", "z")
    repo.git("branch", "-q", "-m", "b", "z")
    repo.tr.gc()

    assert repo.titles("z") == {"of b"}
    assert any("/heads/z%7E" in ref for ref in repo.refs())


def test_a_merge_of_an_earlier_branch_of_that_name_proves_nothing(repo: Repo) -> None:
    """The trunk's log says `merge x`, but of the x before."""
    _worked_on(repo, "x", "first")
    repo.switch("main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "x")
    repo.git("branch", "-q", "-D", "x")
    repo.tr.gc()
    repo.now += 5
    repo.switch("x", create=True)
    repo.tr.remember("second", type="insight")
    repo.tr.gc()
    assert repo.titles("main") == {"first"}


def test_a_renamed_branch_does_not_take_what_its_old_name_learned_later(repo: Repo) -> None:
    """The second branch of that name is a sibling."""
    repo.switch("x", create=True)
    repo.commit_file("x.txt")
    repo.now += 5
    repo.git("branch", "-q", "-m", "x", "y")
    repo.now += 5
    _worked_on(repo, "x", "of the second x")
    repo.switch("y")
    repo.git("branch", "-q", "-D", "x")
    assert repo.titles("y") == set()


def test_a_stacked_branch_without_commits_does_not_land_with_its_base(repo: Repo) -> None:
    """The commits in its history are the base's."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.tr.remember("of top", type="insight")
    repo.switch("main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "base")
    repo.tr.gc()
    assert repo.titles("main") == {"of base"}


def test_a_deleted_stacked_branch_without_commits_does_not_go_into_its_base(repo: Repo) -> None:
    """It had no commits of its own, so nothing landed: in doubt, it is kept."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.tr.remember("of top", type="insight")
    repo.switch("base")
    repo.git("branch", "-q", "-D", "top")
    repo.tr.gc()
    assert repo.titles("base") == {"of base"}


def test_a_renamed_branch_that_takes_over_its_base_keeps_its_own_memories(repo: Repo) -> None:
    """Names are followed before anything is promoted; the dry run says what is then done."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.commit_file("top.txt")
    repo.tr.remember("of top", type="insight")
    repo.git("branch", "-q", "-D", "base")
    repo.git("branch", "-q", "-m", "top", "top2")
    dry = repo.tr.gc(dry_run=True)
    assert repo.tr.gc().plan == dry.plan
    assert repo.titles("top2") == {"of base", "of top"}


def test_a_branch_that_came_back_gets_its_memories_back_though_it_learned_more(repo: Repo) -> None:
    """A write before the next gc must not leave the old ones in the trash."""
    _worked_on(repo, "x", "first")
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main").git("branch", "-q", "-D", "x")
    repo.tr.gc()
    repo.git("branch", "x", tip)
    repo.tr.remember("second", type="insight", branch="x")
    repo.tr.gc()
    assert repo.titles("x") == {"first", "second"}


def test_restoring_under_the_name_of_a_renamed_branch_keeps_both(repo: Repo) -> None:
    """The restored scope must not cover the one still under the old name."""
    _worked_on(repo, "x", "of x")
    repo.switch("main").git("branch", "-q", "-D", "x")
    repo.tr.gc()
    repo.switch("y", create=True)
    repo.tr.remember("of y", type="insight")
    repo.git("branch", "-q", "-m", "y", "x")
    repo.tr.restore("x")
    assert repo.titles("x") == {"of x", "of y"}


def test_a_renamed_branch_keeps_its_memories_when_its_old_name_is_used_again(repo: Repo) -> None:
    """Though nobody looked in between, and the new branch has the same commits."""
    repo.switch("old", create=True)
    repo.tr.remember("of the first", type="insight")
    repo.git("branch", "-q", "-m", "old", "new")
    repo.now += 5
    repo.switch("main").switch("old", create=True)

    assert (repo.titles("new"), repo.titles("old")) == ({"of the first"}, set())
    repo.tr.remember("of the second", type="insight")
    repo.tr.gc()

    assert (repo.titles("new"), repo.titles("old")) == ({"of the first"}, {"of the second"})


def test_a_branch_renamed_to_the_name_of_one_without_commits_keeps_its_own(repo: Repo) -> None:
    """The left-over memories were written at a commit that is in its history, too."""
    repo.switch("gone", create=True)
    repo.tr.remember("of the one that is gone", type="insight")
    _worked_on(repo, "mine", "mine")
    repo.git("branch", "-q", "-D", "gone")
    repo.now += 5
    repo.git("branch", "-q", "-m", "mine", "gone")

    assert repo.titles("gone") == {"mine"}
    repo.tr.gc()
    assert repo.titles("gone") == {"mine"}


def test_gc_after_a_rename_has_nothing_left_to_do(repo: Repo) -> None:
    """The tip is kept under the new name at once, not by the next run."""
    _worked_on(repo, "one")
    repo.git("branch", "-q", "-m", "one", "two")
    repo.tr.gc()
    before = repo.refs()

    repo.tr.gc()

    assert repo.refs() == before


def _share(repo: Repo) -> None:
    """Let a remote have all branches, and all that was remembered."""
    host = repo.path.with_name("host.git")
    if not host.exists():
        repo.git("init", "-q", "--bare", "-b", "main", str(host))
        repo.git("remote", "add", "origin", str(host))
    repo.git("push", "-q", "origin", "--all")
    repo.tr.sync(remote="origin")


def test_gc_after_the_rename_of_a_branch_that_was_synced_comes_to_an_end(repo: Repo) -> None:
    """What a fetch saw under the former name is the branch's own, and no branch that is gone."""
    _worked_on(repo, "one")
    _share(repo)
    repo.now += 5
    repo.switch("main").git("branch", "-q", "-m", "one", "two")
    repo.tr.gc()
    before = repo.refs()

    line = _line(repo.tr.gc(), "one")

    assert (line.verdict, line.action, line.into) == ("renamed", "keep", "two")
    assert repo.refs() == before
    assert repo.titles("two") == {"learned on the branch"}


def test_a_new_branch_does_not_show_what_a_remote_has_of_the_renamed_one(repo: Repo) -> None:
    """Both had the name; what we pushed under it is with the branch that was renamed."""
    repo.switch("one", create=True)
    repo.tr.remember("of the first", type="insight")
    _share(repo)
    repo.now += 5
    repo.switch("main").git("branch", "-q", "-m", "one", "two")
    repo.commit_file("by-mistake.txt")
    repo.git("branch", "-q", "one")
    repo.git("reset", "-q", "--hard", "HEAD~1")

    repo.tr.gc()

    assert (repo.titles("one"), repo.titles("two")) == (set(), {"of the first"})


def test_of_two_branches_renamed_from_one_name_the_first_has_what_was_said_by_then(
    repo: Repo,
) -> None:
    """The second one was made after the first had given the name away."""
    repo.switch("wip", create=True)
    repo.tr.remember("of the first", type="insight")
    repo.now += 5
    repo.git("branch", "-q", "-m", "wip", "first")
    repo.now += 5
    repo.switch("main").switch("wip", create=True)
    repo.now += 5
    repo.git("branch", "-q", "-m", "wip", "second")

    assert (repo.titles("first"), repo.titles("second")) == ({"of the first"}, set())
    repo.tr.gc()
    assert (repo.titles("first"), repo.titles("second")) == ({"of the first"}, set())


def test_what_is_promoted_into_a_renamed_branch_does_not_take_its_name_away(repo: Repo) -> None:
    """A promotion is as old as what it takes: it says nothing of who had the name then."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.commit_file("top.txt", "top\n" * 3)
    repo.tr.remember("of top", type="insight")
    _share(repo)
    repo.now += 5
    repo.git("branch", "-q", "-m", "top", "new")
    repo.tr.gc()
    repo.switch("main").git("branch", "-q", "-D", "base")
    repo.git("push", "-q", "origin", ":base")
    repo.tr.gc()
    before = repo.refs()

    repo.tr.gc()

    assert repo.refs() == before
    assert repo.titles("new") == {"of base", "of top"}


def test_one_gc_follows_a_rename_and_promotes_what_landed(repo: Repo) -> None:
    """Else main would not know until someone runs it again."""
    _worked_on(repo, "one")
    repo.git("branch", "-q", "-m", "one", "two")
    _squash(repo, "two")
    dry = repo.tr.gc(dry_run=True)

    assert repo.tr.gc().plan == dry.plan
    assert repo.titles("main") == {"learned on the branch"}


def test_a_stacked_branch_without_commits_does_not_land_with_its_squashed_base(repo: Repo) -> None:
    """The patches that are found are the base's."""
    _worked_on(repo, "base", "of base")
    repo.now += 5
    repo.switch("top", create=True)
    repo.tr.remember("of top", type="insight")
    _squash(repo, "base")

    repo.tr.gc()

    assert repo.titles("main") == {"of base"}


def test_code_of_a_branch_in_doubt_is_not_held_for_ever(repo: Repo) -> None:
    """The keep ref pins commits that someone may have deleted on purpose; 30 days are enough."""
    repo.switch("feature", create=True)
    repo.tr.remember("a thought before any code", type="insight")
    repo.tr.gc()
    assert "refs/treering/keep/feature" in repo.refs()
    repo.switch("main").git("branch", "-q", "-D", "feature")
    repo.tr.gc()
    assert "refs/treering/keep/feature" in repo.refs()

    # git and libgit2 stamp reflogs with the wall clock, which the tests do not turn.
    later = Treering.open(repo.path, clock=lambda: time.time() + 31 * 86400)
    assert _line(later.gc(), "feature").verdict == "unsure"

    assert "refs/treering/keep/feature" not in repo.refs()
    assert repo.titles("feature") == {"a thought before any code"}


def test_two_processes_collecting_at_once_do_no_harm(repo: Repo) -> None:
    """Hooks, people and agents may all run it."""
    for n in range(4):
        _worked_on(repo, f"landed-{n}", f"landed {n}")
        _squash(repo, f"landed-{n}")
        _worked_on(repo, f"dropped-{n}", f"dropped {n}")
        repo.switch("main").git("branch", "-q", "-D", f"landed-{n}", f"dropped-{n}")

    both = [
        subprocess.Popen([str(TREERING), "gc"], cwd=repo.path, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
        for _ in range(3)
    ]  # fmt: skip
    said = [process.communicate()[1] for process in both]

    assert [process.returncode for process in both] == [0, 0, 0], said
    assert repo.titles("main") == {f"landed {n}" for n in range(4)}
    trash = [ref for ref in repo.refs() if ref.startswith("refs/treering/trash/")]
    assert len(trash) == 4
    assert repo.git("fsck", "--no-dangling") == ""


@pytest.mark.parametrize("is_gc", [True, False])
def test_names_handed_on_from_branch_to_branch_keep_memories_apart(repo: Repo, is_gc: bool) -> None:
    """One gets the name the next one had, and a new branch the first, before anyone looked."""
    _worked_on(repo, "a", "of a")
    _worked_on(repo, "b", "of b")
    repo.now += 5
    repo.git("branch", "-q", "-m", "b", "c")
    repo.now += 5
    repo.git("branch", "-q", "-m", "a", "b")
    repo.now += 5
    repo.switch("main").switch("a", create=True)

    if is_gc:
        dry = repo.tr.gc(dry_run=True)
        assert repo.tr.gc().plan == dry.plan
    repo.tr.remember("of the new a", type="insight")

    assert [repo.titles(name) for name in "abc"] == [{"of the new a"}, {"of a"}, {"of b"}]


def test_a_trunk_commit_dated_later_is_not_taken_for_the_tip_of_a_deleted_branch(
    repo: Repo,
) -> None:
    """Clocks differ; the branch left the trunk there, and went on."""
    repo.now += 1_000_000
    repo.commit_file("from-a-fast-clock.txt")
    repo.now -= 1_000_000
    repo.switch("feature", create=True)
    repo.switch("main").switch("feature")
    repo.commit_file("work.txt")
    repo.tr.remember("thrown away", type="insight")
    repo.git("branch", "-q", "-m", "feature", "other")
    repo.switch("main").git("branch", "-q", "-D", "other")

    assert _line(repo.tr.gc(), "feature").verdict == "abandoned"
    assert repo.titles("main") == set()
