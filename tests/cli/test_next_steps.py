"""The first minute: init and status lead on, with counts, and stop when there is nothing left."""

from pathlib import Path

import pytest

from conftest import Repo, make_repo
from treering.actions.setup.clients import CLIENTS, whole


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Claude Code on it, and no other client."""
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")


@pytest.mark.usefixtures("claude")
def test_init_leads_on_to_history_clients_and_sharing(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit_file(f"{number}.txt")
    repo.git("remote", "add", "origin", str(make_repo(tmp_path / "origin", "--bare").path))

    said = repo.cli("init").stdout.partition("Next:\n")[2].splitlines()

    assert [line.split("  ")[1] for line in said] == [
        "treering backfill", "treering init --client claude", "treering init --sync",
    ]  # fmt: skip
    assert "4 commits" in said[0]


@pytest.mark.usefixtures("claude")
def test_status_names_the_next_step_until_it_is_done(repo: Repo) -> None:
    repo.commit_file("a.txt")

    before = repo.cli("status").stdout
    repo.cli("init", "--client", "claude")
    repo.cli("backfill")
    after = repo.cli("status").stdout

    assert "treering init  " in before
    assert "treering backfill  " in before
    assert "Next:" not in after


def test_status_counts_what_a_backfill_would_capture(repo: Repo) -> None:
    for number in range(2):
        repo.commit_file(f"{number}.txt")

    assert repo.json("status")["backfill"] == {"commits": 3, "seconds": 1}
    repo.json("backfill")
    assert "backfill" not in repo.json("status")


def test_who_wants_no_commits_is_not_asked_again(repo: Repo) -> None:
    repo.cli("config", "capture", "none")

    assert "backfill" not in repo.json("status")


def test_init_fits_on_one_screen(repo: Repo) -> None:
    repo.commit_file("a.txt")

    assert repo.cli("init").stdout.count("\n") < 24


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "opencode"])
def test_hooks_in_shared_files_are_silent_without_treering(client: str, tmp_path: Path) -> None:
    """A teammate who has not installed it must not notice a thing."""
    import json
    import subprocess

    files = [whole(a) for a in CLIENTS[client].additions if a.path.endswith(".json")]
    commands = [c for text in files for c in _list_commands(json.loads(text).get("hooks", {}))]

    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=tmp_path, env={"PATH": str(tmp_path)},
            input="{}", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert commands or client == "vscode"


def _list_commands(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [c for part in value.values() for c in _list_commands(part)]
    return [c for part in value for c in _list_commands(part)] if isinstance(value, list) else []
