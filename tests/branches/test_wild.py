"""What people really do with branches: nothing hidden, nothing leaked, nothing dropped too soon.

Each of these went wrong once.
"""

import pytest

from conftest import Repo
from treering.actions.gc import GcAnswer, PlanAnswer


def _lines(answer: GcAnswer, branch: str) -> list[PlanAnswer]:
    return [line for line in answer.plan if line.branch == branch]


def _work(repo: Repo, branch: str, memory: str, *, off: str = "main") -> None:
    """A branch with a commit and something learned about it."""
    repo.switch(off).switch(branch, create=True)
    repo.commit_file(f"{branch.replace('/', '-')}.txt", f"work on {branch}\n" * 3)
    repo.tr.remember(memory, type="insight")


def _squash(repo: Repo, branch: str, into: str = "main") -> str:
    repo.switch(into)
    repo.now += 60
    repo.git("merge", "-q", "--squash", branch)
    repo.git("commit", "-q", "-m", f"squashed {branch}")
    return repo.git("rev-parse", "HEAD")


# --- thrown away ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", ["reset --hard main", "checkout -q -B feat main", "switch -q -C feat main", "branch -f"]
)
def test_work_thrown_back_to_the_trunk_has_landed_nothing(repo: Repo, how: str) -> None:
    """The branch is in the trunk, but not what it learned."""
    _work(repo, "feat", "of thrown-away work")
    if how == "branch -f":
        repo.switch("main").git("branch", "-q", "-f", "feat", "main")
    else:
        repo.git(*how.split(), *(["-q"] if how.startswith("reset") else []))

    repo.tr.gc()

    assert repo.titles("main") == set()
    assert repo.titles("feat") == {"of thrown-away work"}


def test_other_work_after_a_reset_lands_without_what_was_thrown_away(repo: Repo) -> None:
    _work(repo, "feat", "of thrown-away work")
    repo.git("reset", "-q", "--hard", "main")
    repo.commit_file("second.txt")
    repo.tr.remember("of the second try", type="insight")
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "feat")

    lines = _lines(repo.tr.gc(), "feat")

    assert [(line.verdict, line.action, line.memories) for line in lines] == [
        ("partly", "promote", 1)
    ]
    assert repo.titles("main") == {"of the second try"}
    assert "of thrown-away work" in repo.titles("feat")


def test_what_is_said_after_a_reset_does_not_speak_of_what_was_thrown_away(repo: Repo) -> None:
    """Its commit is still to come: it stays, though the branch was once further on."""
    _work(repo, "feat", "of thrown-away work")
    repo.commit_file("more.txt")
    repo.tr.gc()
    repo.git("reset", "-q", "--hard", "main")
    repo.tr.remember("of the commit to come", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feat")

    line = _lines(repo.tr.gc(), "feat")[0]

    assert (line.verdict, line.action) == ("unsure", "keep")


# --- landed piece by piece ------------------------------------------------------------------------


def test_a_branch_that_goes_on_keeps_what_it_learned_since(repo: Repo) -> None:
    """Squashed, and then one more commit."""
    _work(repo, "feat", "first")
    _squash(repo, "feat")
    repo.switch("feat").commit_file("more.txt")
    repo.tr.remember("second", type="insight")

    repo.tr.gc()

    assert repo.titles("main") == {"first"}
    assert repo.titles("feat") == {"first", "second"}


def test_what_is_left_of_a_branch_of_which_a_part_landed_stays_in_sight(repo: Repo) -> None:
    """Until a person says that it may go; it can be restored then, too."""
    _work(repo, "feat", "first")
    _squash(repo, "feat")
    repo.switch("feat").commit_file("more.txt")
    repo.tr.remember("second", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feat")

    first, second = (_lines(repo.tr.gc(), "feat")[0] for _ in range(2))
    titles = repo.titles("feat")
    forced = _lines(repo.tr.gc(force=True), "feat")[0]

    assert (first.verdict, first.action) == ("partly", "promote")
    assert (second.verdict, second.action) == ("partly", "keep")
    assert repo.titles("main") == {"first"}
    assert "second" in titles
    assert (forced.verdict, forced.action) == ("partly", "trash")


@pytest.mark.parametrize("how", ["squash", "cherry-pick", "merge", "fast-forward"])
def test_a_part_that_landed_is_known_without_memories_of_it(repo: Repo, how: str) -> None:
    """All that was learned was learned at the last commit, which did not land."""
    repo.switch("feat", create=True).commit_file("one.txt", "one\ntwo\nthree\n")
    repo.commit_file("two.txt", "four\nfive\nsix\n")
    landed = repo.git("rev-parse", "HEAD")
    repo.commit_file("three.txt", "seven\neight\nnine\n" * 9)
    repo.tr.remember("at the tip", type="insight")
    repo.switch("main")
    if how == "fast-forward":
        repo.git("merge", "-q", "--ff-only", landed)
    else:
        repo.commit_file("other.txt")
    if how == "squash":
        repo.git("merge", "-q", "--squash", landed)
        repo.git("commit", "-q", "-m", "squash")
    elif how == "merge":
        repo.git("merge", "-q", "--no-edit", landed)
    elif how == "cherry-pick":
        repo.git("cherry-pick", landed)
    repo.git("branch", "-q", "-D", "feat")

    line = _lines(repo.tr.gc(), "feat")[0]

    assert (line.verdict, line.action) == ("partly", "keep")
    assert repo.titles("main") == set()
    assert repo.titles("feat") == {"at the tip"}


def test_what_is_said_before_the_commit_lands_with_it(repo: Repo) -> None:
    """Its code is the next commit: while only the one before has landed, it stays."""
    _work(repo, "feat", "of the first commit")
    first = repo.git("rev-parse", "HEAD")
    repo.path.joinpath("next.txt").write_text("half done\n", encoding="utf-8")
    repo.tr.remember("of the commit to come", type="insight")
    repo.commit_file("next.txt", "done\n")
    repo.tr.remember("after it", type="insight")
    repo.switch("main").git("cherry-pick", first)
    repo.tr.gc()
    before = repo.titles("main")
    repo.git("merge", "-q", "--no-ff", "--no-edit", "feat")

    repo.tr.gc()

    assert before == {"of the first commit"}
    assert repo.titles("main") == {"of the first commit", "of the commit to come", "after it"}


def test_an_unlanded_edit_never_enters_the_trunk_with_a_later_join(repo: Repo) -> None:
    """The promotion takes one memory of a branch. Behind it lies an edit of another one."""
    api = repo.tr.remember("The API answers in 200 ms", type="decision").id
    _work(repo, "feat", "landed fact")
    landed = repo.git("rev-parse", "HEAD")
    repo.commit_file("slow.txt")
    repo.tr.revise(api, content="The API answers in 999 ms, unlanded")
    repo.switch("main").git("cherry-pick", landed)
    repo.tr.gc()

    repo.tr.revise(api, tags_add=["fast"])
    _work(repo, "other", "another fact")
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "other")
    repo.tr.gc()

    assert "landed fact" in repo.titles("main")
    assert "200 ms" in repo.tr.read(api, branch="main").content
    assert "999 ms" in repo.tr.read(api, branch="feat").content


def test_a_promotion_holds_exactly_what_landed(repo: Repo) -> None:
    """Whoever judges the same makes the same commit: of clone and moment nothing is in it."""
    _work(repo, "feat", "fact")
    source = repo.git("rev-parse", "refs/treering/heads/feat")
    repo.git("update-ref", "refs/treering/pushed/origin/feat", source)  # it was shared
    squash = _squash(repo, "feat")
    repo.tr.gc()

    promotion = repo.git(
        "log", "--format=%H", "--grep=^Promoted-Into: main", "refs/treering/heads/main"
    )
    assert repo.git("log", "-1", "--format=%P %an %cn", promotion) == f"{source} treering treering"
    assert f"Merged-As: {squash}" in repo.git("log", "-1", "--format=%B", promotion)
    assert len(repo.git("ls-tree", "-r", "--name-only", promotion).splitlines()) == 1


# --- several long-lived branches ------------------------------------------------------------------


@pytest.fixture
def flow(repo: Repo) -> Repo:
    """A repository with `develop` beside the trunk."""
    repo.git("branch", "develop")
    return repo


@pytest.mark.parametrize("how", ["squash", "cherry-pick", "merge"])
def test_what_lands_in_develop_is_known_there_and_then_on_the_trunk(flow: Repo, how: str) -> None:
    _work(flow, "feat", "fact", off="develop")
    if how == "squash":
        _squash(flow, "feat", "develop")
    elif how == "cherry-pick":
        flow.switch("develop").git("cherry-pick", "feat")
    else:
        flow.switch("develop").git("merge", "-q", "--no-ff", "--no-edit", "feat")
    flow.git("branch", "-q", "-D", "feat")
    line = _lines(flow.tr.gc(), "feat")[0]
    on_develop, on_trunk = flow.titles("develop"), flow.titles("main")
    flow.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "develop")

    flow.tr.gc()

    assert (line.verdict, line.action, line.into) == ("merged", "promote", "develop")
    assert (on_develop, on_trunk) == ({"fact"}, set())
    assert flow.titles("main") == {"fact"}


def test_only_what_the_release_holds_goes_on_to_the_trunk(flow: Repo) -> None:
    _work(flow, "one", "first", off="develop")
    _squash(flow, "one", "develop")
    release = flow.git("rev-parse", "HEAD")
    _work(flow, "two", "second", off="develop")
    _squash(flow, "two", "develop")
    flow.tr.gc()
    flow.switch("main").git("merge", "-q", "--no-ff", "--no-edit", release)

    flow.tr.gc()

    assert flow.titles("develop") == {"first", "second"}
    assert flow.titles("main") == {"first"}


def test_what_landed_on_the_trunk_is_not_covered_by_an_older_copy_in_between(flow: Repo) -> None:
    """A branch off develop revised what develop knows; only the trunk has taken that over."""
    fact = flow.switch("develop").tr.remember("fact", type="insight").id
    flow.switch("feat", create=True).tr.revise(fact, tags_add=["sure"])
    flow.commit_file("feat.txt")
    flow.now += 60
    flow.switch("main").git("cherry-pick", "feat")

    flow.tr.gc()

    assert flow.tr.read(fact, branch="main").tags == ("sure",)
    assert flow.tr.read(fact, branch="feat").tags == ("sure",)
    assert flow.tr.read(fact, branch="develop").tags == ()


def test_a_memory_of_the_trunk_does_not_follow_a_picked_copy_of_its_commit(flow: Repo) -> None:
    commit = flow.commit_file("fix.txt")
    fact = flow.tr.remember("fact", type="insight").id
    flow.switch("develop").git("cherry-pick", commit)
    flow.tr.revise(fact, tags_add=["sure"])

    for _ in range(3):
        flow.tr.gc()

    assert flow.tr.read(fact, branch="main").commit == commit
    assert flow.tr.read(fact, branch="develop").commit == commit


# --- merged into each other -----------------------------------------------------------------------


def test_what_landed_does_not_go_into_every_branch_made_since(repo: Repo) -> None:
    _work(repo, "feat", "fact")
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "feat")
    repo.git("branch", "-q", "-D", "feat")
    repo.now += 60
    repo.switch("later", create=True).commit_file("later.txt")

    lines = _lines(repo.tr.gc(), "feat")

    assert [line.into for line in lines] == ["main"]
    assert not any("later" in ref for ref in repo.refs())


def test_what_went_into_another_branch_is_that_ones_though_it_is_younger(repo: Repo) -> None:
    """It was said before the other branch was made, from the trunk."""
    _work(repo, "feat", "fact")
    repo.switch("main")
    repo.now += 60
    repo.switch("other", create=True).commit_file("other.txt")
    repo.git("merge", "-q", "--no-edit", "feat")
    repo.git("branch", "-q", "-D", "feat")

    for _ in range(3):
        repo.tr.gc()

    assert repo.titles("other") == {"fact"}
    assert repo.titles("main") == set()


# --- judged again ---------------------------------------------------------------------------------


def test_trash_is_judged_again(repo: Repo) -> None:
    """gc before the pull is not final."""
    _work(repo, "feat", "fact")
    tip = repo.git("rev-parse", "feat")
    repo.switch("main").git("branch", "-q", "-D", "feat")
    repo.tr.gc()
    in_trash = any("/trash/" in ref for ref in repo.refs())
    repo.git("merge", "-q", "--squash", tip)
    repo.git("commit", "-q", "-m", "squashed on the host")

    repo.tr.gc()

    assert in_trash
    assert repo.titles("main") == {"fact"}
    assert not any("/trash/" in ref for ref in repo.refs())


@pytest.mark.parametrize("how", ["squash", "merge", "fast-forward"])
@pytest.mark.parametrize("is_rebased", [False, True])
def test_reworked_code_is_known_though_the_log_of_its_branch_is_gone(
    repo: Repo, is_rebased: bool, how: str
) -> None:
    """Amended, landed and deleted before anyone looked: the log of HEAD still tells."""
    _work(repo, "feat", "fact")
    repo.path.joinpath("feat.txt").write_text("done in another way\n" * 3, encoding="utf-8")
    repo.git("commit", "-q", "-a", "--amend", "-m", "reworked")
    if is_rebased:
        repo.switch("main").commit_file("meanwhile.txt")
        repo.switch("feat").git("rebase", "-q", "main")
    if how == "squash":
        _squash(repo, "feat")
    else:
        option = "--ff-only" if how == "fast-forward" else "--no-ff"
        repo.switch("main").git("merge", "-q", option, "--no-edit", "feat")
    repo.git("branch", "-q", "-D", "feat")

    repo.tr.gc()

    assert repo.titles("main") == {"fact"}


def test_a_branch_that_landed_is_promoted_while_the_remote_still_has_it(repo: Repo) -> None:
    """Hosts leave the branch of a pull request where it is."""
    _work(repo, "feat", "fact")
    repo.git("remote", "add", "origin", ".")
    repo.git("update-ref", "refs/remotes/origin/feat", "feat")
    _squash(repo, "feat")
    repo.git("branch", "-q", "-D", "feat")

    line = _lines(repo.tr.gc(), "feat")[0]

    assert (line.verdict, line.action) == ("merged", "promote")
    assert repo.titles("main") == {"fact"}


# --- names ----------------------------------------------------------------------------------------


def test_a_trunk_whose_history_was_rewritten_keeps_its_memories(repo: Repo) -> None:
    """A commit made on main by mistake and moved elsewhere."""
    repo.tr.remember("a rule of the trunk", type="convention")
    repo.commit_file("mistake.txt")
    repo.tr.remember("said on the mistake", type="insight")
    repo.git("branch", "elsewhere")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")

    repo.tr.remember("after it", type="insight")
    repo.tr.gc()

    assert repo.titles("main") == {"a rule of the trunk", "said on the mistake", "after it"}


def test_a_name_used_again_starts_empty_and_the_old_memories_move_aside(repo: Repo) -> None:
    _work(repo, "wip", "of the first")
    oldest = repo.git("rev-parse", "refs/treering/heads/wip")[:12]
    repo.switch("main").git("branch", "-q", "-D", "wip")
    repo.now += 60
    repo.switch("wip", create=True)
    repo.tr.remember("of the second", type="insight")

    aside = f"wip~{oldest}"
    assert repo.titles() == {"of the second"}
    assert repo.titles(aside) == {"of the first"}
    assert not any("/trash/" in ref for ref in repo.refs())
    line = _lines(repo.tr.gc(), aside)[0]
    assert (line.verdict, line.action) == ("recreated", "keep")


def test_what_lies_aside_is_promoted_once_its_code_lands(repo: Repo) -> None:
    _work(repo, "wip", "of the first")
    tip = repo.git("rev-parse", "HEAD")
    repo.switch("main").git("branch", "-q", "-D", "wip")
    repo.now += 60
    repo.switch("wip", create=True)
    repo.tr.remember("of the second", type="insight")
    repo.switch("main").git("merge", "-q", "--no-ff", "-m", "after all", tip)

    repo.tr.gc()

    assert repo.titles("main") == {"of the first"}
    assert not any("%7E" in ref for ref in repo.refs())


@pytest.mark.parametrize("is_written_to", [False, True])
def test_what_lies_aside_is_known_by_where_its_branch_was_left(
    repo: Repo, is_written_to: bool
) -> None:
    """Said before the commit, which nothing wrote down while the branch was there: but HEAD's log
    tells where it was last, and when the name was used again."""
    repo.switch("wip", create=True)
    repo.tr.remember("of the first", type="insight")
    repo.commit_file("first.txt")
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "wip")
    repo.git("branch", "-q", "-D", "wip")
    repo.now += 5
    repo.switch("wip", create=True)
    repo.commit_file("second.txt")
    if is_written_to:
        repo.tr.remember("of the second", type="insight")

    repo.tr.gc()
    repo.tr.gc()

    assert repo.titles("main") == {"of the first"}
    assert repo.titles("wip") == {"of the first", *(["of the second"] if is_written_to else [])}


def test_the_new_branch_of_a_name_says_nothing_of_the_old_memories(repo: Repo) -> None:
    """Nothing is written before gc: the tip that is kept for the name must not become theirs."""
    repo.switch("wip", create=True).tr.remember("of the first", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "wip")
    repo.now += 60
    repo.switch("wip", create=True).commit_file("second.txt")
    repo.tr.gc()
    repo.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "wip")

    repo.tr.gc()

    assert repo.titles("main") == set()
    assert repo.titles("wip") == set()


def test_a_branch_deleted_by_mistake_and_brought_back_has_its_memories(repo: Repo) -> None:
    _work(repo, "feat", "fact")
    tip = repo.git("rev-parse", "feat")
    repo.switch("main").git("branch", "-q", "-D", "feat")
    repo.now += 60
    repo.git("branch", "feat", tip)

    assert repo.titles("feat") == {"fact"}


# --- lessons --------------------------------------------------------------------------------------


def test_failed_attempts_of_an_abandoned_branch_are_kept_for_the_trunk(repo: Repo) -> None:
    _work(repo, "feat", "fact")
    failed = repo.tr.remember("Tried to cache the tokens", type="insight", outcome="failed")
    repo.switch("main").git("branch", "-q", "-D", "feat")

    line = _lines(repo.tr.gc(), "feat")[0]

    assert (line.verdict, line.action) == ("abandoned", "trash")
    assert repo.tr.read(failed.id, branch="main").private


def test_lessons_can_be_left_behind(repo: Repo) -> None:
    _work(repo, "feat", "fact")
    repo.tr.remember("Tried to cache the tokens", type="insight", outcome="failed")
    repo.switch("main").git("branch", "-q", "-D", "feat")

    repo.tr.gc(keep_lessons=False)

    assert repo.titles("main") == set()


def test_a_name_used_again_and_then_changed_brings_nothing_along(repo: Repo) -> None:
    """The branch's log tells that it was made after all that stands under the name it had."""
    repo.commit_file("README.md")
    repo.switch("a", create=True).tr.remember("of the first", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "a")
    repo.now += 60
    repo.switch("a", create=True)

    repo.git("branch", "-q", "-m", "a", "b")

    assert repo.titles("b") == set()
    repo.tr.remember("of the second", type="insight")
    repo.tr.gc()
    assert repo.titles("b") == {"of the second"}
    assert "of the first" in repo.titles("a")
