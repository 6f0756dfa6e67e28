"""The last tips of branches: remembered before git forgets them."""

import subprocess
from pathlib import Path

import pytest

from conftest import Repo
from hooked import Hooked
from treering.branches.tips import last_tips, list_moved_tips, remember_tips
from treering.model.scope import Scope

KEPT = "refs/treering/keep/"
REMOTE = "refs/treering/keep-remote/"


def _remember_tips(repo: Repo) -> int:
    store = repo.workspace.store
    with store.lock() as held:
        return remember_tips(store, held)


@pytest.fixture
def far(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a remote that has main."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "far.git")], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "far.git"))
    repo.git("push", "-q", "origin", "main")
    return repo


def test_a_commit_nobody_captured_is_known_once_its_branch_is_gone(repo: Repo) -> None:
    """A worktree with a branch, squashed and removed with all its logs: the tip is all there is."""
    hooks = Hooked(repo.path / ".git").install()
    repo.git("config", "treering.capture", "none")
    side = repo.path.with_name("side")
    repo.git("worktree", "add", "-q", "-b", "feature", str(side))
    agent = Repo(side)
    agent.now = repo.now
    agent.commit_file("one.txt", "one\n" * 3)
    agent.tr.remember("learned on the branch", type="insight")
    agent.commit_file("two.txt", "two\n" * 3)
    tip = agent.commit_file("three.txt", "three\n" * 3)
    hooks.settle()

    assert repo.refs()[f"{KEPT}feature"] == tip
    repo.git("config", "core.hooksPath", "/dev/null")  # what follows is seen by nobody
    repo.git("merge", "-q", "--squash", "feature")
    repo.git("commit", "-q", "-m", "all three")
    repo.git("worktree", "remove", "--force", str(side))
    repo.git("branch", "-q", "-D", "feature")

    line = next(line for line in repo.tr.gc().plan if line.branch == "feature")
    assert (line.verdict, line.evidence) == ("merged", "squash")
    assert "learned on the branch" in repo.titles("main")


def test_what_a_remote_had_is_remembered_before_a_prune(far: Repo) -> None:
    """Others push on; the host deletes the branch after the squash, and a fetch prunes it."""
    far.switch("team/feature", create=True).commit_file("ours.txt")
    far.tr.remember("learned on the branch")
    ours = far.git("rev-parse", "HEAD")
    theirs = far.git("commit-tree", "-p", "HEAD", "-m", "theirs", "HEAD^{tree}")
    far.git("push", "-q", "origin", f"{theirs}:refs/heads/team/feature")
    far.git("fetch", "-q")
    far.tr.gc()
    far.git("push", "-q", "origin", ":team/feature")
    far.git("fetch", "-q", "--prune")

    assert far.refs()[f"{KEPT}team%2Ffeature"] == ours
    assert far.refs()[f"{REMOTE}origin/team%2Ffeature"] == theirs
    assert last_tips(far.workspace.repository, Scope("team/feature")) == (theirs, ours)


@pytest.mark.parametrize("by", ["gc", "sync", "drain", "event"])
def test_everyone_who_may_write_follows_remote_branches(far: Repo, by: str) -> None:
    far.switch("feature", create=True).commit_file("ours.txt")
    far.tr.remember("learned on the branch")
    far.git("push", "-q", "origin", "feature")
    tip = far.git("rev-parse", "HEAD")

    if by == "event":
        hooks = Hooked(far.path / ".git").install()
        far.switch("main")
        hooks.settle()
    else:
        getattr(far.tr, by)()

    assert far.refs()[f"{REMOTE}origin/feature"] == tip


def test_nothing_is_written_while_nothing_moves(far: Repo) -> None:
    """It is asked after every commit."""
    far.switch("feature", create=True).commit_file("ours.txt")
    far.tr.remember("learned on the branch")
    far.git("push", "-q", "origin", "feature")

    assert _remember_tips(far) == 2
    assert list_moved_tips(far.workspace.store) == []
    assert _remember_tips(far) == 0


def test_only_branches_with_memories_are_followed_and_never_the_trunk(far: Repo) -> None:
    """Keep refs hold code that someone may have wanted gone."""
    far.tr.remember("on the trunk")
    far.git("branch", "quiet")
    far.git("push", "-q", "origin", "quiet")

    assert _remember_tips(far) == 0


def test_odd_names_of_remotes_and_branches_are_told_apart(far: Repo, tmp_path: Path) -> None:
    """`a/b` of the remote `x` and `b` of the remote `x/a` have one path below refs/remotes."""
    branches = ("b", "a/b", "50%")
    for branch in branches:
        far.switch("main").switch(branch, create=True).commit_file(f"{branch}.txt")
        far.tr.remember(f"learned on {branch}")
    tips = {branch: far.git("rev-parse", branch) for branch in branches}
    far.git("remote", "add", "team/x", str(tmp_path / "far.git"))
    far.git("push", "-q", "origin", *branches)
    far.git("push", "-q", "team/x", *branches)
    far.git("fetch", "-q", "--all")

    _remember_tips(far)

    names = {name: tip for name, tip in far.refs().items() if name.startswith(REMOTE)}
    assert names == {
        f"{REMOTE}{remote}/{Scope(branch).component}": tip
        for branch, tip in tips.items()
        for remote in ("origin", "team%2Fx")
    }


def test_a_remote_ref_to_nothing_is_passed_over(far: Repo) -> None:
    """A shallow or broken clone has such; a ref of ours must not be one, too."""
    far.switch("feature", create=True).commit_file("ours.txt")
    far.tr.remember("learned on the branch")
    ref = far.path / ".git" / "refs" / "remotes" / "origin" / "feature"
    ref.parent.mkdir(parents=True, exist_ok=True)
    for planted in ("1" * 40, "ref: refs/heads/feature", "rubbish"):
        ref.write_text(f"{planted}\n")
        far.tr.gc()

    assert [name for name in far.refs() if name.startswith(REMOTE)] == []
    assert f"{KEPT}feature" in far.refs()


def test_kept_tips_go_with_the_scope_they_are_for(far: Repo) -> None:
    far.switch("feature", create=True).commit_file("ours.txt")
    far.tr.remember("learned on the branch")
    far.git("push", "-q", "origin", "feature")
    far.tr.gc()
    far.switch("main").git("merge", "-q", "feature")
    far.git("branch", "-q", "-D", "feature")
    far.git("push", "-q", "origin", ":feature")
    far.git("fetch", "-q", "--prune")

    far.tr.gc()

    kept = [ref for ref in far.refs() if not ref.startswith("refs/treering/landed/")]
    assert kept == ["refs/treering/heads/main"]


def test_last_tips_are_newest_first_whatever_clocks_say(repo: Repo) -> None:
    """What was built on another commit is newer than that one."""
    repo.switch("feature", create=True)
    first = repo.commit_file("a.txt")
    repo.tr.remember("learned on the branch")
    _remember_tips(repo)
    repo.now -= 86_400
    second = repo.commit_file("b.txt")

    assert last_tips(repo.workspace.repository, Scope("feature")) == (second, first)
    assert last_tips(repo.workspace.repository, Scope("nowhere")) == ()
