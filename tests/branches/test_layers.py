"""What is seen from where."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from conftest import Repo, make_repo
from treering import Treering
from treering.errors import BranchNotFound, Invalid, MemoryNotFound
from treering.git import refs


def test_a_branch_sees_its_own_and_the_trunks(repo: Repo) -> None:
    """The commonest case."""
    repo.tr.remember("on main")
    repo.switch("feature", create=True)
    repo.tr.remember("on feature")

    assert repo.titles() == {"on main", "on feature"}
    assert repo.titles("main") == {"on main"}


def test_a_sibling_is_not_seen(repo: Repo) -> None:
    """No leak: what one branch tries is not everyone's truth."""
    repo.git("branch", "one")
    repo.git("branch", "two")
    repo.switch("one").tr.remember("secret of one")

    assert repo.switch("two").titles() == set()


def test_the_nearest_copy_wins_and_the_trunk_keeps_its_own(repo: Repo) -> None:
    """A change on a branch is an overlay, with the same id and a note of what it covers."""
    memory = repo.tr.remember("text", type="insight", title="as on main")
    repo.switch("feature", create=True)

    repo.tr.revise(memory.id, title="as on feature")

    assert repo.tr.read(memory.id).title == "as on feature"
    assert repo.tr.read(memory.id, branch="main").title == "as on main"
    body = repo.git("log", "-1", "--format=%B", "refs/treering/heads/feature")
    assert f"Treering-Base: {memory.id} {memory.version}" in body


def test_the_second_change_of_an_overlay_has_no_base(repo: Repo) -> None:
    """Only the first copy was made from the layer below."""
    memory = repo.tr.remember("text", type="insight")
    repo.switch("feature", create=True)
    repo.tr.revise(memory.id, title="one")

    repo.tr.revise(memory.id, title="two")

    assert "Treering-Base" not in repo.git(
        "log", "-1", "--format=%B", "refs/treering/heads/feature"
    )


def test_forgetting_on_a_branch_hides_the_trunks_copy_there_only(repo: Repo) -> None:
    """A tombstone is an overlay too."""
    memory = repo.tr.remember("on main")
    repo.switch("feature", create=True)

    repo.tr.forget([memory.id])

    assert repo.titles() == set()
    assert repo.titles("main") == {"on main"}


def test_worktrees_see_each_their_own_branch(repo: Repo, tmp_path: Path) -> None:
    """Twenty agents, one repository."""
    repo.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "other"))
    other = Repo(tmp_path / "other")
    repo.tr.remember("on main")
    other.now = repo.now
    other.tr.remember("on feature")

    assert repo.titles() == {"on main"}
    assert other.titles() == {"on main", "on feature"}


def test_a_branch_is_looked_up_at_every_call(repo: Repo) -> None:
    """An agent's server lives on while the branch changes under it."""
    server = Treering.open(repo.path, clock=repo.clock)
    server.remember("on main")
    repo.switch("feature", create=True)

    answer = server.remember("on feature")

    assert answer.branch == "feature"


def test_a_stacked_branch_sees_what_it_is_stacked_on(repo: Repo) -> None:
    """git's reflog says which branch it was made from."""
    repo.switch("base", create=True)
    repo.commit_file("base.txt")
    repo.tr.remember("on base")
    repo.switch("top", create=True)

    assert repo.titles() == {"on base"}


def test_a_branch_made_from_a_named_branch_is_stacked_on_it(repo: Repo) -> None:
    """`git branch top base`, without checking out base."""
    repo.git("branch", "base")
    repo.git("branch", "top", "base")
    repo.tr.remember("on base", branch="base")

    assert repo.titles("top") == {"on base"}


def test_a_base_set_by_hand_counts(repo: Repo) -> None:
    """Where reflogs are off or wrong."""
    repo.git("branch", "base")
    repo.git("branch", "top", "main")
    repo.tr.remember("on base", branch="base")
    assert repo.titles("top") == set()

    repo.git("config", "branch.top.treeringbase", "base")

    assert repo.titles("top") == {"on base"}


def test_bases_in_a_circle_end(repo: Repo) -> None:
    """Configuration is anyone's to write."""
    for name in ("a", "b"):
        repo.git("branch", name)
    repo.git("config", "branch.a.treeringbase", "b")
    repo.git("config", "branch.b.treeringbase", "a")

    assert repo.titles("a") == set()


def test_a_detached_head_in_trunk_writes_to_the_trunk(repo: Repo) -> None:
    """CI checks out a commit of main."""
    repo.git("checkout", "-q", "--detach")

    assert repo.tr.remember("seen in CI").branch == "main"


def test_a_detached_head_outside_trunk_has_a_scope_of_its_own(repo: Repo) -> None:
    """Half-done work in a detached worktree must not become everyone's."""
    repo.git("checkout", "-q", "--detach")
    commit = repo.commit_file("wip.txt")

    answer = repo.tr.remember("half done")

    assert answer.branch == f"@{commit[:12]}"
    assert f"refs/treering/heads/%40{commit[:12]}" in repo.refs()
    assert repo.titles() == {"half done"}
    repo.commit_file("more.txt")
    assert repo.titles() == {"half done"}
    repo.switch("main")
    assert repo.titles() == set()
    assert repo.titles(f"@{commit[:12]}") == {"half done"}


def test_a_branch_that_takes_a_detached_commit_sees_its_memories(repo: Repo) -> None:
    """`git switch -c` after working detached."""
    repo.git("checkout", "-q", "--detach")
    repo.commit_file("wip.txt")
    repo.tr.remember("half done")

    repo.switch("rescued", create=True)

    assert repo.titles() == {"half done"}


def test_an_unborn_branch_remembers(empty_repo: Repo) -> None:
    """Before the first commit."""
    empty_repo.tr.remember("first thought")

    empty_repo.commit_file("first.txt")

    assert empty_repo.titles() == {"first thought"}


def test_a_bare_repository_remembers(tmp_path: Path) -> None:
    """Servers and mirrors."""
    bare = make_repo(tmp_path / "bare.git", "--bare")

    answer = bare.tr.remember("on the server")

    assert answer.branch == "main"
    assert bare.titles() == {"on the server"}


@pytest.mark.parametrize("trunk", ["master", "develop"])
def test_the_trunk_is_found(new_repo, trunk: str) -> None:
    """Whatever it is called."""
    repo = new_repo("repo")
    repo.git("symbolic-ref", "HEAD", f"refs/heads/{trunk}")
    repo.commit_file("a.txt")
    repo.tr.remember("on trunk")
    repo.git("config", "init.defaultBranch", trunk)

    repo.switch("feature", create=True)

    assert repo.titles() == {"on trunk"}
    assert repo.tr.status()["repository"]["trunk"] == trunk


def test_the_remotes_head_names_the_trunk(repo: Repo, tmp_path: Path) -> None:
    """A clone knows the trunk of its remote."""
    repo.git("branch", "-m", "trunk")
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")

    assert clone.tr.status()["repository"]["trunk"] == "trunk"


def test_memories_fetched_from_a_remote_can_be_read(repo: Repo, tmp_path: Path) -> None:
    """CI has a fresh clone and one fetch."""
    repo.tr.remember("shared")
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    clone.git(
        "fetch", "-q", "origin", "refs/treering/heads/*:refs/treering/remotes/origin/clones/b/*"
    )

    assert clone.titles() == {"shared"}
    clone.git("config", "user.name", "B")
    clone.git("config", "user.email", "b@example.org")
    clone.tr.remember("mine")
    assert clone.titles() == {"shared", "mine"}
    assert clone.git("rev-list", "--count", "refs/treering/heads/main") == "1"  # our own alone
    assert clone.git("rev-list", "--count", "refs/treering/views/main") == "3"


def test_an_unknown_branch_is_an_error_and_a_known_scope_is_not(repo: Repo) -> None:
    """A branch that is gone but has memories can still be asked."""
    repo.git("branch", "gone")
    repo.tr.remember("left behind", branch="gone")
    repo.git("branch", "-D", "gone")

    assert repo.titles("gone") == {"left behind"}
    with pytest.raises(BranchNotFound):
        repo.workspace.view("never")
    with pytest.raises(Invalid):
        repo.workspace.view("no\nname")


def test_private_memories_are_in_a_repository_of_their_own(repo: Repo, tmp_path: Path) -> None:
    """`git push --mirror` sends every ref there is."""
    memory = repo.tr.remember("just for me", private=True)
    repo.tr.revise(memory.id, tags_add=["mine"])
    make_repo(tmp_path / "mirror.git", "--bare")

    repo.git("push", "-q", "--mirror", str(tmp_path / "mirror.git"))

    assert repo.titles() == set()  # not exported either
    assert repo.tr.read(memory.id).private
    assert repo.refs() == {}
    mirror = Repo(tmp_path / "mirror.git")
    assert mirror.refs() == {}
    assert (repo.path / ".git" / "treering" / "private.git").stat().st_mode & 0o077 == 0


def test_what_was_private_can_be_shared(repo: Repo) -> None:
    """Remembering it again without --private is no duplicate."""
    repo.tr.remember("now for everyone", private=True)

    answer = repo.tr.remember("now for everyone")

    assert not answer.duplicate
    assert repo.titles() == {"now for everyone"}
    assert repo.tr.remember("now for everyone", private=True).duplicate


def test_a_prefix_must_be_unique_among_what_is_seen(repo: Repo) -> None:
    """Four characters are enough, until they are not."""
    memory = repo.tr.remember("text")

    assert repo.tr.read(memory.id[:4]).id == memory.id
    with pytest.raises(MemoryNotFound):
        repo.tr.read("zzzz")


def test_a_branch_name_that_is_not_utf8_is_refused_clearly(repo: Repo) -> None:
    """JSON could not carry it; a branch of that name elsewhere must not disturb the others."""
    name = "caf\udce9"
    repo.tr.remember("on main")
    repo.git("branch", name)
    repo.git("update-ref", f"refs/treering/heads/{name}", "refs/treering/heads/main")
    assert repo.tr.status()["memories"]["visible"] == 1

    repo.git("symbolic-ref", "HEAD", f"refs/heads/{name}")

    with pytest.raises(Invalid, match="UTF-8"):
        repo.tr.remember("text")
    assert repo.error("status")["code"] == "invalid"


def test_a_symbolic_link_with_the_name_of_a_memory_is_not_one(repo: Repo) -> None:
    """Only plain files are ours, whether listed or looked up."""
    memory = repo.tr.remember("real")
    blob = repo.git("rev-parse", f"refs/treering/heads/main:{repo.files()[0]}")
    shard = repo.git("mktree", feed=f"120000 blob {blob}\t{memory.id}.md\n")
    memories = repo.git("mktree", feed=f"040000 tree {shard}\t{memory.id[:2]}\n")
    root = repo.git("mktree", feed=f"040000 tree {memories}\tmemories\n")
    tip = repo.git("commit-tree", root, feed="x\n")
    repo.git("update-ref", "refs/treering/heads/main", tip)

    assert repo.titles() == set()
    with pytest.raises(MemoryNotFound):
        repo.tr.read(memory.id)


def test_a_past_version_says_whose_it_was(repo: Repo) -> None:
    """The trunk's version, read from a branch."""
    memory = repo.tr.remember("text")
    commit = repo.tr.log(memory.id).entries[0].commit
    repo.switch("feature", create=True)
    repo.tr.revise(memory.id, title="other")

    past = repo.tr.read(memory.id, at=commit)

    assert (past.branch, past.layer) == ("main", "trunk")


def test_stacking_survives_renames_on_both_sides(repo: Repo) -> None:
    """The logs speak of the names of that day."""
    repo.switch("base", create=True)
    repo.commit_file("base.txt")
    repo.tr.remember("on base")
    repo.switch("top", create=True)
    repo.git("branch", "-q", "-m", "top", "tip")
    repo.git("branch", "-q", "-m", "base", "ground")

    assert repo.titles("tip") == {"on base"}


def test_many_known_scopes_are_listed_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others have costs one look, however many branches that are."""
    repo.tr.remember("the one and only fact", type="insight")
    tip = repo.refs()["refs/treering/heads/main"]
    repo.git("remote", "add", "origin", "nowhere")
    counts = []
    for most in (3, 30):
        for number in range(most):
            name = f"refs/treering/remotes/origin/clones/abcdefabcdef/feat{number}"
            repo.git("update-ref", name, tip)
        repo.tr.recall("fact")
        with monkeypatch.context() as patch:
            look = Mock(wraps=refs.list_refs)
            patch.setattr(refs, "list_refs", look)
            repo.tr.recall("fact")
        counts.append(look.call_count)

    assert counts[0] == counts[1]
