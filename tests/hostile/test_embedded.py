"""A folder of a clone that is itself a bare repository: whoever made the commits wrote its
configuration, its hooks and its index, and the files belong to whoever cloned them."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from conftest import TREERING, Repo, make_repo
from hostile.trap import Trap
from mcp import Client, StdioServerParameters
from treering.errors import NotARepository
from treering.git.repository import Repository


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "trap")


@pytest.fixture
def clone(tmp_path: Path, trap: Trap) -> Repo:
    """A clone with a memory of its own, whose folder docs/ is a bare repository full of traps."""
    origin = make_repo(tmp_path / "origin")
    _plant_bare_repository(origin.path / "docs", trap)
    origin.git("add", "--all", "--force")
    origin.git("commit", "-q", "-m", "docs")
    subprocess.run(["git", "clone", "-q", origin.path, tmp_path / "clone"], check=True)
    cloned = Repo(tmp_path / "clone")
    cloned.json("remember", "The outer project uses WAL mode")
    return cloned


def _plant_bare_repository(folder: Path, trap: Trap) -> None:
    bare = make_repo(folder, "--bare")
    tree = bare.git("mktree", feed="")
    bare.git("update-ref", "refs/heads/main", bare.git("commit-tree", tree, "-m", "root"))
    bare.json("remember", "The embedded one says: trust docs", "--repo", str(folder))
    (folder / "treering" / "journal").mkdir(parents=True)
    (folder / "treering" / "journal" / ".kept").touch()  # git keeps no empty folder
    (folder / "treering" / "worker").write_text(trap.program("worker") + "\n")
    (folder / "treering" / "index").mkdir(exist_ok=True)
    (folder / "treering" / "index" / "CURRENT").write_text("data-x\n")
    for key in ("core.fsmonitor", "core.sshCommand", "treering.writer.command", "core.pager"):
        bare.git("config", key, trap.program(key))
    for hook in ("reference-transaction", "post-index-change", "pre-auto-gc", "post-commit"):
        (folder / "hooks").mkdir(exist_ok=True)
        shutil.copy(trap.program(hook), folder / "hooks" / hook)


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("below", ["docs", "docs/refs/heads"])
def test_a_bare_repository_among_the_files_of_a_clone_is_not_used(
    clone: Repo, trap: Trap, below: str
) -> None:
    """Neither is the outer one: which of the two a write is for, only a person can say."""
    before = _files(clone.path / "docs")

    refused = Repo(clone.path / below).error("recall", "trust")

    assert refused["code"] == "not_a_repository"
    assert str(clone.path / "docs") in refused["message"]
    assert str(clone.path) in refused["hint"]
    assert _files(clone.path / "docs") == before
    assert trap.ran() == []


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop"])
def test_an_agents_hook_says_and_writes_nothing_there(
    clone: Repo, trap: Trap, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client calls it wherever the agent happens to be."""
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")
    docs = clone.path / "docs"
    before = _files(docs)
    told = {"session_id": "1234", "cwd": str(docs), "prompt": "trust docs"}

    for place in (docs, clone.path):
        done = Repo(place).cli("hook", "agent", "claude", event, feed=json.dumps(told))

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert _files(docs) == before
    assert trap.ran() == []


def test_a_server_started_there_says_which_to_name(clone: Repo, trap: Trap) -> None:
    """The client chose the folder; nobody named a repository."""

    async def story() -> str:
        server = StdioServerParameters(
            command=str(TREERING),
            args=["mcp"],
            cwd=clone.path / "docs",
            env=dict(os.environ),
        )
        async with Client(server) as client:
            (content,) = (await client.call_tool("recall", {"query": "trust"})).content
            return str(content.text)

    error = json.loads(anyio.run(story))["error"]

    assert error["code"] == "not_a_repository"
    assert "was not named" in error["message"]
    assert trap.ran() == []


def test_a_bare_repository_that_is_named_is_used(clone: Repo) -> None:
    """By --repo or GIT_DIR, as with git: whoever names it means it."""
    named = clone.json("recall", "trust", "--repo", "docs")

    assert [hit["title"] for hit in named["results"]] == ["The embedded one says: trust docs"]


def test_git_dir_names_a_bare_repository(clone: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """So `git --git-dir=docs treering` does, too."""
    monkeypatch.setenv("GIT_DIR", str(clone.path / "docs"))

    assert clone.json("recall", "trust")["results"]


def test_a_folder_below_a_bare_repository_names_nothing(clone: Repo) -> None:
    """Only the very folder is a name; one inside it is searched upwards, like the one we are in."""
    assert clone.error("recall", "trust", "--repo", "docs/refs")["code"] == "not_a_repository"


# --- bare repositories of one's own ---------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "own.git", "--bare")


@pytest.mark.parametrize("below", [".", "refs"])
def test_inside_a_bare_repository_of_ones_own_it_is_used(bare: Repo, below: str) -> None:
    """As git does by default."""
    assert Repo(bare.path / below).json("remember", "Bare, and fine")["id"]


def test_the_user_can_ask_for_bare_repositories_to_be_named(
    bare: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safe.bareRepository=explicit is for those who look into strangers' archives."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    refused = bare.error("recall", "anything")

    assert refused["code"] == "not_a_repository"
    assert "safe.bareRepository" in refused["message"]
    assert bare.json("recall", "anything", "--repo", str(bare.path))["results"] == []


def test_a_repository_does_not_say_itself_that_it_is_safe(
    bare: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the user's own configuration counts."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tbareRepository = explicit\n")
    bare.git("config", "safe.bareRepository", "all")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    assert bare.error("recall", "anything")["code"] == "not_a_repository"


def test_the_git_folder_of_a_work_tree_is_no_stranger(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No clone has files below `.git`, so that one is the user's own."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    assert Repo(repo.path / ".git" / "refs").json("recall", "anything")["results"] == []


def test_a_bare_repository_beside_its_own_work_trees_is_used(tmp_path: Path, repo: Repo) -> None:
    """A well-known layout: `.git` is a file that names the bare repository beside it."""
    home = tmp_path / "home"
    home.mkdir()
    repo.git("clone", "-q", "--bare", ".", str(home / ".bare"))
    (home / ".git").write_text("gitdir: ./.bare\n")

    assert Repository.discover(home / ".bare").git_dir == home / ".bare"


# --- whose files they are -------------------------------------------------------------------------


@pytest.fixture
def strangers(repo: Repo) -> Iterator[Repo]:
    """A repository that belongs to another user."""
    try:
        os.chown(repo.path, 12345, -1)
    except PermissionError:
        pytest.skip("LOUDLY: only root can give a repository away; ownership was not tested.")
    yield repo
    os.chown(repo.path, os.geteuid(), -1)


@pytest.mark.parametrize("below", [".", ".git"])
def test_a_repository_of_another_user_is_not_opened(strangers: Repo, below: str) -> None:
    """It could name programs that we would run; git refuses it, too."""
    refused = strangers.error("recall", "anything", "--repo", below)

    assert refused["code"] == "not_a_repository"
    assert "safe.directory" in refused["hint"]


def test_safe_directory_trusts_it(strangers: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own word, from the user's own file."""
    home = strangers.path.parent / "user"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {strangers.path}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME")

    assert strangers.json("recall", "anything")["results"] == []


def test_a_repository_cannot_call_itself_safe(strangers: Repo) -> None:
    """Its own configuration is what is not trusted."""
    config = strangers.path / ".git" / "config"
    config.write_text(config.read_text() + f"[safe]\n\tdirectory = {strangers.path}\n")

    with pytest.raises(NotARepository):
        Repository.discover(strangers.path)
