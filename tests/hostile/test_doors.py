"""What a repository that was handed over, or an agent, must not be able to do."""

import os
import subprocess
from pathlib import Path

import pytest

from conftest import TREERING, Repo
from treering.actions.workspace import Workspace
from treering.api import Treering
from treering.errors import Invalid
from treering.mcp.call import call
from treering.mcp.protocol import Progress
from treering.mcp.repository import ServedRepository
from treering.verbs import find_verb


def test_a_hub_named_by_the_repository_itself_is_not_used(repo: Repo, tmp_path: Path) -> None:
    """Its server would be handed the user's password."""
    repo.git("config", "treering.hub", str(tmp_path / "evil"))
    mine = tmp_path / "gitconfig"
    mine.write_text(f"[treering]\n\thub = {tmp_path / 'mine'}\n")

    by_repository = repo.json("hub", "status")["place"]
    env = os.environ | {"GIT_CONFIG_GLOBAL": str(mine)}
    words = [TREERING, "hub", "status", "--json"]
    by_user = subprocess.run(words, cwd=repo.path, env=env, capture_output=True, text=True)

    assert str(tmp_path / "evil") not in by_repository
    assert str(tmp_path / "mine") in by_user.stdout


def test_a_model_named_by_the_repository_itself_is_not_loaded(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "treering.semantic", str(tmp_path))

    assert repo.tr.status(view="health")["semantic"]["setting"] == "auto"
    repo.git("config", "treering.semantic", "off")
    assert Treering.open(repo.path).status(view="health")["semantic"]["setting"] == "off"


def test_an_agent_cannot_delete_the_trash_for_good(repo: Repo) -> None:
    agent = Treering(Workspace.open(repo.path, clock=repo.clock), "codex")

    assert agent.gc(purge=True, dry_run=True).dry_run
    with pytest.raises(Invalid, match="for people"):
        agent.gc(purge=True)
    with pytest.raises(Invalid, match="for people"):
        agent.maintain("gc", purge=True, dry_run=False)
    unnamed = call(
        ServedRepository(repo.path),
        find_verb("maintain"),
        {"op": "gc", "purge": True, "dry_run": False},
        "",
        Progress(print),
    )
    assert unnamed.is_error
    assert "for people" in unnamed.text
    repo.tr.gc(purge=True)


def test_what_is_shared_is_not_replaced_by_what_is_private(repo: Repo) -> None:
    """Others would see a memory replaced by nothing."""
    shared = repo.tr.remember("Sessions live in Redis", type="decision")
    private = repo.tr.remember("Sessions live in PostgreSQL", type="decision", private=True)

    with pytest.raises(Invalid, match="replaced by nothing"):
        repo.tr.revise(shared.id, supersede_with=private.id)
    with pytest.raises(Invalid, match="replaced by nothing"):
        repo.tr.remember("Sessions live in Valkey", private=True, supersedes=[shared.id])

    assert repo.tr.read(shared.id).status == "active"


def test_agents_md_as_a_link_into_git_is_left_alone(repo: Repo) -> None:
    (repo.path / "AGENTS.md").symlink_to(repo.path / ".git" / "config")
    before = (repo.path / ".git" / "config").read_bytes()

    repo.cli("init", "--agents-md", "--no-hooks")

    assert b"treering:start" not in (repo.path / ".git" / "config").read_bytes()
    assert before in (repo.path / ".git" / "config").read_bytes()


def test_a_branch_name_is_quoted_before_a_shell_gets_it(repo: Repo) -> None:
    """What completion puts on the command line is run when somebody presses Enter."""
    repo.git("branch", "feature$(touch${IFS}x)")
    env = os.environ | {
        "_TREERING_COMPLETE": "bash_complete", "COMP_WORDS": "treering recall -b fea",
        "COMP_CWORD": "3",
    }  # fmt: skip

    said = subprocess.run([TREERING], cwd=repo.path, env=env, capture_output=True, text=True)

    assert said.stdout.splitlines() == ["plain,'feature$(touch${IFS}x)'"]


def test_a_pipe_is_not_imported_and_nobody_waits_for_it(repo: Repo) -> None:
    os.mkfifo(repo.path / "notes")

    assert repo.error("import", "notes")["code"] == "invalid"
