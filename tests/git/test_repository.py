"""Every shape a repository comes in."""

import sys
from pathlib import Path

import pytest

from conftest import Repo, make_repo
from treering.errors import NotARepository, UnsupportedRepository
from treering.git.repository import Head, Repository


def test_a_plain_repository_is_found_from_inside(repo: Repo) -> None:
    """People run commands in sub-folders."""
    (repo.path / "src" / "deep").mkdir(parents=True)

    found = Repository.discover(repo.path / "src" / "deep")

    assert found.common_dir == repo.path / ".git"
    assert found.head() == Head("main", repo.git("rev-parse", "HEAD"), is_detached=False)


def test_an_unborn_branch_has_a_name_and_no_commit(empty_repo: Repo) -> None:
    """The first thing a new project does may be to remember something."""
    assert Repository.discover(empty_repo.path).head() == Head("main", None, is_detached=False)


def test_worktrees_share_the_common_dir_and_have_their_own_head(repo: Repo, tmp_path: Path) -> None:
    """Identity is the common dir, never the top level."""
    repo.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "other"))

    other = Repository.discover(tmp_path / "other")

    assert other.common_dir == repo.path / ".git"
    assert other.head().branch == "feature"
    assert other.worktrees() == 2


def test_a_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path) -> None:
    """Its memories belong to it, not to the project around it."""
    inner = make_repo(tmp_path / "inner")
    inner.commit_file("lib.py")
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib"
    )

    found = Repository.discover(repo.path / "lib")

    assert found.common_dir == repo.path / ".git" / "modules" / "lib"


def test_a_bare_repository_opens(tmp_path: Path) -> None:
    """Servers and mirrors have no work tree."""
    bare = make_repo(tmp_path / "bare.git", "--bare")

    found = Repository.discover(bare.path)

    assert found.is_bare
    assert found.workdir is None
    assert found.head().branch == "main"


def test_a_shallow_clone_opens(repo: Repo, tmp_path: Path) -> None:
    """CI clones with depth 1."""
    repo.commit_file("more.txt")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))

    assert Repository.discover(tmp_path / "shallow").is_shallow


def test_a_rebase_in_progress_still_is_about_its_branch(repo: Repo) -> None:
    """HEAD is detached for minutes or days; what is learned belongs to the branch."""
    repo.switch("feature", create=True)
    repo.commit_file("file.txt", "mine\n")
    repo.switch("main")
    repo.commit_file("file.txt", "theirs\n")
    repo.switch("feature")
    with pytest.raises(AssertionError):
        repo.git("rebase", "main")

    head = Repository.discover(repo.path).head()

    assert head.is_detached
    assert head.branch == "feature"


def test_a_bisect_in_progress_still_is_about_its_branch(repo: Repo) -> None:
    """The same for bisect."""
    first = repo.git("rev-parse", "HEAD")
    for n in range(4):
        repo.commit_file(f"{n}.txt")
    repo.git("bisect", "start", "HEAD", first)

    head = Repository.discover(repo.path).head()

    assert head.is_detached
    assert head.branch == "main"


def test_a_detached_head_has_a_commit_and_no_branch(repo: Repo) -> None:
    """Agent tools start detached worktrees."""
    repo.git("checkout", "-q", "--detach")

    head = Repository.discover(repo.path).head()

    assert head == Head(None, repo.git("rev-parse", "HEAD"), is_detached=True)


def test_sha256_is_refused_clearly(tmp_path: Path) -> None:
    """libgit2 cannot open it; the user must hear why."""
    made = make_repo(tmp_path / "sha256", "--object-format=sha256")

    with pytest.raises(UnsupportedRepository, match="sha256"):
        Repository.discover(made.path)


def test_reftable_is_refused_clearly(repo: Repo) -> None:
    """The same for the newer ref backend."""
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.refstorage", "reftable")

    with pytest.raises(UnsupportedRepository):
        Repository.discover(repo.path)


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_no_repository_is_a_clear_error(tmp_path: Path, name: str) -> None:
    """The hint names --repo."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(NotARepository) as caught:
        Repository.discover(tmp_path / name)

    assert "--repo" in caught.value.hint


def test_settings_are_read_anew_when_they_change(repo: Repo) -> None:
    """A server lives for days and must see `git config` at once."""
    found = Repository.discover(repo.path)
    assert found.config("treering.trunk") is None

    repo.git("config", "treering.trunk", "develop")

    assert found.config("Treering.Trunk") == "develop"


def test_settings_are_read_like_git_does(repo: Repo) -> None:
    """A key that stands alone is true, and bytes that are no text take no other value away."""
    config = repo.path / ".git" / "config"
    config.write_bytes(
        config.read_bytes() + b"[treering]\n\tquiet\n\ttrunk = one\n\ttrunk = two\n\todd = \xff\n"
    )

    found = Repository.discover(repo.path)

    assert found.config_values("treering.trunk") == ["one", "two"]
    assert found.config("treering.quiet") == "true"
    assert found.config("treering.odd") == "\ufffd"


def test_a_broken_configuration_is_named_with_its_line(repo: Repo) -> None:
    """The repository is there: to look for another one would not help."""
    with (repo.path / ".git" / "config").open("a") as config:
        config.write("[broken\n")

    with pytest.raises(NotARepository, match=r"config:\d+") as caught:
        Repository.discover(repo.path)

    assert "git config --list" in caught.value.hint


def test_a_name_that_was_looked_up_is_let_go(repo: Repo) -> None:
    """pygit2 keeps the string it is given for ever: a server asks for the same ref for days."""
    handle = Repository.discover(repo.path).handle
    handle.lookup_reference("/".join(("refs", "heads", "main")))
    name = "/".join(("refs", "heads", "main"))
    before = sys.getrefcount(name)

    handle.lookup_reference(name)

    assert sys.getrefcount(name) == before
