"""Sharing follows the branch: memories leave when git shows the branch on the remote."""

import subprocess
from pathlib import Path

import pytest

from conftest import Repo
from hooked import Hooked
from sync.conftest import Team, own_ref, publish, remote_refs, remote_scopes


def all_that_is_there(origin: Path) -> str:
    """Every name, message and object that treering's refs on a remote lead to."""
    bare = Repo(origin)
    refs = bare.git("for-each-ref", "--format=%(refname)", "refs/treering")
    if not refs:
        return ""
    objects = bare.git("rev-list", "--objects", "--glob=refs/treering/*").splitlines()
    texts = [bare.git("cat-file", "-p", line.split()[0]) for line in objects]
    return "\n".join([refs, *texts])


def lines(repo: Repo, *options: str) -> dict[str, dict[str, str]]:
    return {line["branch"]: line for line in repo.json("sync", *options)["scopes"]}


def work_on(repo: Repo, branch: str, fact: str, file: str = "") -> None:
    repo.switch(branch, create=True).commit_file(file or f"{branch}.txt", f"{fact}\n" * 4)
    repo.tr.remember(fact, type="decision")


# --- what stays here ------------------------------------------------------------------------------


def test_a_branch_that_was_never_pushed_leaves_no_trace(clone: Team, origin: Path) -> None:
    ada = clone("ada")
    work_on(ada, "skunkworks", "The unannounced merger")
    ada.switch("main").commit_file("more.txt")
    ada.tr.remember("Rule of the trunk", type="convention")
    ada.git("push", "-q", "origin", "main")

    line = lines(ada)["skunkworks"]

    assert (line["status"], bool(line["reason"])) == ("local", True)
    there = all_that_is_there(origin)
    assert "Rule of the trunk" in there
    assert "skunkworks" not in there
    assert "merger" not in there


def test_nor_after_it_was_deleted(clone: Team, origin: Path) -> None:
    """Its failed attempt is kept for whoever deleted it, and for nobody else."""
    ada = clone("ada")
    work_on(ada, "skunkworks", "The unannounced merger")
    failed = ada.tr.remember("Tried a radix tree", type="insight", outcome="failed").id
    ada.switch("main").git("branch", "-q", "-D", "skunkworks")
    ada.tr.gc()

    ada.tr.sync()

    there = all_that_is_there(origin)
    assert not [word for word in ("skunkworks", "merger", "radix") if word in there]
    assert ada.tr.read(failed).private


def test_the_plan_line_has_the_call_that_shares_a_lesson(clone: Team, origin: Path) -> None:
    ada = clone("ada")
    work_on(ada, "idea", "A plan")
    ada.tr.remember("Tried a radix tree", type="insight", outcome="failed")
    ada.switch("main").git("branch", "-q", "-D", "idea")

    line = next(line for line in ada.json("gc")["plan"] if line["branch"] == "idea")
    done = ada.cli(*line["share"].split()[1:])

    assert done.returncode == 0, done.stderr
    ada.tr.sync()
    assert "radix" in all_that_is_there(origin)
    assert "A plan" not in all_that_is_there(origin)


@pytest.mark.parametrize("is_deleted", [False, True])
def test_nor_where_other_work_of_its_name_was_pushed_before(
    clone: Team, origin: Path, is_deleted: bool
) -> None:
    ada = clone("ada")
    publish(ada, "wip", "first work", file="a.txt")
    ada.tr.sync()
    ada.switch("main").git("branch", "-q", "-D", "wip")
    ada.git("push", "-q", "origin", ":wip")
    work_on(ada, "wip", "second work", file="b.txt")
    ada.switch("main").git("merge", "-q", "--squash", "wip")
    ada.git("commit", "-q", "-m", "in one")
    ada.git("push", "-q", "origin", "main")
    ada.switch("wip").commit_file("c.txt")
    ada.tr.remember("The unannounced merger", type="decision")
    ada.tr.remember("Tried a radix tree", type="insight", outcome="failed")
    if is_deleted:
        ada.switch("main").git("branch", "-q", "-D", "wip")

    ada.tr.gc()
    ada.tr.sync()

    there = all_that_is_there(origin)
    assert "second work" in there
    assert not [word for word in ("merger", "radix") if word in there]


@pytest.mark.parametrize("how", ["squash", "merge", "rebase"])
def test_a_promotion_shares_what_landed_and_nothing_else(
    clone: Team, origin: Path, how: str
) -> None:
    """The branch landed locally, and was never pushed itself."""
    ada = clone("ada")
    ada.switch("skunkworks", create=True)
    landed = ada.tr.remember("first draft of the rule", type="decision").id
    ada.commit_file("a.txt", "one\n" * 5)
    ada.tr.revise(landed, content="The rule that landed", title="The rule that landed")
    land(ada, how)
    ada.tr.gc()
    ada.switch("skunkworks").commit_file("b.txt", "two\n" * 5)
    ada.tr.remember("The unannounced merger", type="decision")
    ada.switch("main").git("push", "-q", "origin", "main")

    ada.tr.sync()

    there = all_that_is_there(origin)
    assert "The rule that landed" in there
    assert not [word for word in ("skunkworks", "merger") if word in there]
    ben = clone("ben")
    ben.tr.sync()
    assert ben.titles() == {"The rule that landed"}
    history = ben.tr.read(landed, history=True).history
    assert history
    assert ada.titles("skunkworks") == {"The rule that landed", "The unannounced merger"}


def test_captured_commits_of_a_squashed_branch_are_not_named(clone: Team, origin: Path) -> None:
    """Their subjects never were on the remote."""
    ada = clone("ada")
    hooked = Hooked(ada.path / ".git").install()
    ada.switch("skunkworks", create=True)
    for number in range(3):
        ada.commit_file("a.txt", f"{number}\n" * 5, f"Prepare the merger, part {number}")
    ada.tr.remember("The rule that landed", type="decision")
    hooked.settle()
    land(ada, "squash")
    hooked.settle()
    ada.git("branch", "-q", "-D", "skunkworks")
    ada.tr.gc()
    ada.git("push", "-q", "origin", "main")

    ada.tr.sync()

    there = all_that_is_there(origin)
    sessions = {hit.title: hit.private for hit in ada.tr.recall(type="session").results}
    assert sessions["Session: 3 commits on skunkworks by Ada"]  # seen by Ada alone
    assert "The rule that landed" in there
    assert not [word for word in ("skunkworks", "merger") if word in there]


def land(repo: Repo, how: str) -> None:
    repo.switch("main").commit_file("other.txt", "other\n")
    if how == "rebase":
        repo.switch("skunkworks").git("rebase", "-q", "main")
        repo.switch("main").git("merge", "-q", "--ff-only", "skunkworks")
    elif how == "merge":
        repo.git("merge", "-q", "--no-ff", "-m", "take it in", "skunkworks")
    else:
        repo.git("merge", "-q", "--squash", "skunkworks")
        repo.git("commit", "-q", "-m", "squashed")


def test_everything_below_main_is_listed_as_pushed(clone: Team, origin: Path) -> None:
    """No object that was pushed belongs to a memory that is not listed as pushed."""
    ada = clone("ada")
    ada.tr.remember("on main", type="insight")
    work_on(ada, "local", "stays here")
    work_on(ada.switch("main"), "shared", "goes out")
    ada.git("push", "-q", "-u", "origin", "shared")

    answer = lines(ada)

    pushed = {branch for branch, line in answer.items() if line["status"] == "pushed"}
    assert pushed == {"main", "shared"}
    assert remote_scopes(ada) == pushed
    assert "stays here" not in all_that_is_there(origin)


def test_private_memories_stay(clone: Team, origin: Path) -> None:
    ada = clone("ada")
    ada.tr.remember("for me alone", type="insight", private=True)
    ada.tr.remember("for all", type="insight")

    ada.tr.sync()

    assert "for me alone" not in all_that_is_there(origin)


def test_share_trunk_keeps_branches_here(clone: Team) -> None:
    ada = clone("ada")
    ada.tr.remember("on main", type="insight")
    work_on(ada, "feat", "on feat")
    ada.git("push", "-q", "-u", "origin", "feat")
    ada.json("config", "share", "trunk")

    answer = lines(ada)

    assert answer["feat"]["status"] == "local"
    assert remote_scopes(ada) == {"main"}


def test_an_upstream_that_is_long_lived_says_nothing(clone: Team) -> None:
    """`git switch -c idea origin/main` sets one."""
    ada = clone("ada")
    ada.git("switch", "-q", "-c", "idea", "origin/main")
    ada.commit_file("idea.txt")
    ada.tr.remember("an idea", type="decision")

    assert lines(ada)["idea"]["status"] == "local"
    assert remote_scopes(ada) == set()


def test_a_branch_of_that_name_without_our_commits_is_somebody_elses(clone: Team) -> None:
    """Everyone has a `wip`."""
    ada, ben = clone("ada"), clone("ben")
    work_on(ada, "wip", "of Ada", "a.txt")
    ada.git("push", "-q", "-u", "origin", "wip")
    ada.tr.sync()
    ben.git("fetch", "-q")
    ben.git("switch", "-q", "--no-track", "-c", "wip", "origin/main")
    ben.commit_file("b.txt")
    ben.tr.remember("of Ben", type="decision")

    answer = lines(ben)

    assert answer["wip"]["status"] == "local"
    assert (ben.titles(), ada.titles()) == ({"of Ben"}, {"of Ada"})
    everywhere = {hit.title: hit.branch for hit in ben.tr.recall("of", scope="all").results}
    assert everywhere == {"of Ben": "wip", "of Ada": "origin/wip"}
    assert ben.titles("origin/wip") == {"of Ada"}
    assert "origin/wip" in ben.cli("status").stdout
    ben.tr.remember("more of Ben", type="decision")
    assert ben.titles() == {"of Ben", "more of Ben"}


# --- what is shared -------------------------------------------------------------------------------


def test_the_first_push_shares_what_was_said_before(clone: Team) -> None:
    ada, ben = clone("ada"), clone("ben")
    ada.switch("feat", create=True)
    ada.tr.remember("said before the first commit", type="decision")
    ada.tr.sync()
    assert remote_scopes(ada) == set()
    ada.commit_file("a.txt")
    ada.git("push", "-q", "-u", "origin", "feat")

    ada.tr.sync()
    ben.tr.sync()

    assert ben.titles("feat") == {"said before the first commit"}


def test_on_the_remote_a_scope_bears_the_name_of_the_branch_there(clone: Team) -> None:
    ada, ben = clone("ada"), clone("ben")
    ada.switch("mine", create=True).commit_file("a.txt")
    ada.git("push", "-q", "-u", "origin", "mine:theirs")
    ada.tr.remember("of Ada", type="decision")
    ada.tr.sync()
    assert remote_scopes(ada) == {"theirs"}
    ben.git("fetch", "-q")
    ben.switch("theirs")
    ben.tr.sync()
    ben.tr.remember("of Ben", type="decision")
    ben.tr.sync()

    ada.tr.sync()

    assert ada.titles() == ben.titles() == {"of Ada", "of Ben"}
    ada.tr.sync()
    assert len(remote_refs(ada)) == 2


def test_a_rebased_branch_is_still_the_one_that_was_pushed(clone: Team) -> None:
    """The remote-tracking log shows that the remote held a commit of it."""
    ada = clone("ada")
    work_on(ada, "feat", "first")
    ada.git("push", "-q", "-u", "origin", "feat")
    ada.switch("main").commit_file("more.txt")
    ada.switch("feat").git("rebase", "-q", "main")
    ada.tr.remember("second", type="decision")

    assert lines(ada)["feat"]["status"] == "pushed"


def test_a_branch_deleted_on_the_remote_is_left_as_it_is_there(clone: Team) -> None:
    ada, ben = clone("ada"), clone("ben")
    work_on(ada, "feat", "first")
    ada.git("push", "-q", "-u", "origin", "feat")
    ada.tr.sync()
    before = remote_refs(ada)
    ada.git("push", "-q", "origin", ":feat")
    ada.tr.remember("second", type="decision")

    line = lines(ada)["feat"]

    assert line["status"] == "local"
    assert "gone" in line["reason"]
    assert remote_refs(ada) == before
    assert ada.titles() == {"first", "second"}
    assert "feat" in ada.cli("status").stdout
    ben.tr.sync()
    assert ben.titles("feat") == {"first"}


def test_a_detached_commit_is_shared_where_a_branch_there_holds_it(clone: Team) -> None:
    ada = clone("ada")
    ada.git("checkout", "-q", "--detach")
    ada.commit_file("a.txt")
    ada.tr.remember("learned detached", type="decision")
    at = f"@{ada.git('rev-parse', 'HEAD')[:12]}"
    assert lines(ada)[at]["status"] == "local"
    ada.git("push", "-q", "origin", "HEAD:refs/heads/pushed")

    assert lines(ada)[at]["status"] == "pushed"


def test_a_trunk_the_remote_does_not_have_stays_here(clone: Team, tmp_path: Path) -> None:
    ada = clone("ada")
    empty = tmp_path / "empty.git"
    subprocess.run(["git", "init", "-q", "--bare", str(empty)], check=True)
    ada.git("remote", "add", "fork", str(empty))
    ada.tr.remember("on main", type="insight")
    assert lines(ada, "--remote", "fork")["main"]["status"] == "local"
    ada.git("push", "-q", "fork", "main")

    assert lines(ada, "--remote", "fork")["main"]["status"] == "pushed"


# --- the plan -------------------------------------------------------------------------------------


def test_a_dry_run_and_a_run_list_the_same(clone: Team) -> None:
    ada = clone("ada")
    ada.tr.remember("on main", type="insight")
    ada.tr.remember("on main, too", type="insight")
    work_on(ada, "local", "stays here")
    work_on(ada.switch("main"), "shared", "goes out")
    ada.git("push", "-q", "-u", "origin", "shared")
    before = ada.refs()

    planned = ada.json("sync", "--dry-run")
    assert ada.refs() == before
    assert remote_refs(ada) == {}
    done = ada.json("sync")

    assert planned["scopes"] == done["scopes"]
    assert (planned["pushed"], planned["memories_pushed"]) == (2, 3)
    assert (done["pushed"], done["memories_pushed"]) == (2, 3)
    ben = clone("ben")
    fetched = ben.json("sync")
    assert (fetched["fetched"], fetched["memories_fetched"]) == (2, 3)


def test_over_mcp_a_sync_only_shows_until_it_is_told(clone: Team) -> None:
    ada = clone("ada")
    ada.tr.remember("on main", type="insight")

    shown = ada.tr.maintain("sync")
    assert shown.dry_run
    assert remote_refs(ada) == {}
    ada.tr.maintain("sync", dry_run=False)

    assert set(remote_refs(ada)) == {own_ref(ada)}


def test_the_push_that_starts_a_name_anew_carries_what_moved_aside(clone: Team) -> None:
    """The ref of the name has other work from then on. What was there stays known, everywhere under
    one name."""
    ada, ben = clone("ada"), clone("ben")
    publish(ada, "wip", "first work", file="a.txt")
    ada.tr.sync()
    ada.switch("main").git("branch", "-q", "-D", "wip")
    ada.git("push", "-q", "origin", ":wip")
    publish(ada, "wip", "second work", file="b.txt")

    ada.tr.sync()
    ben.tr.sync()

    aside = next(scope for scope in remote_scopes(ben) if scope.startswith("wip%7E"))
    assert remote_scopes(ben) == {"wip", aside}
    assert ada.titles() == ben.titles("wip") == {"second work"}
    name = aside.replace("%7E", "~")
    assert ada.titles(name) == ben.titles(name) == {"first work"}
