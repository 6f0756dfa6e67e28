"""What agents' clients keep for themselves, imported: private, and with a way back."""

from pathlib import Path

import pytest

from conftest import Repo

NOTE = "# Database\n\nUse WAL mode, the nightly export reads while we write.\n"


@pytest.mark.parametrize("folder", [".claude/projects/-home-me-app/memory", ".codex/memories"])
def test_a_clients_own_memory_comes_in_private_and_goes_again(
    repo: Repo, tmp_path: Path, folder: str
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    (place / "MEMORY.md").write_text(NOTE, encoding="utf-8")

    said = repo.cli("import", str(place)).stdout

    (card,) = repo.tr.recall("WAL").results
    assert card.private
    assert "from agent-memory" in said
    (undo,) = [line for line in said.splitlines() if line.startswith("undo: ")]
    assert repo.cli(*undo.split("treering ")[1].rstrip("`").split()).returncode == 0
    assert repo.tr.recall("WAL").results == ()


def test_the_rules_of_a_cursor_folder_are_one_memory_per_section(repo: Repo) -> None:
    rules = repo.path / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (rules / "db.mdc").write_text(f"---\nalwaysApply: true\n---\n{NOTE}", encoding="utf-8")

    assert repo.json("import", ".cursor/rules")["source"] == "agents"

    (card,) = repo.tr.recall("WAL").results
    assert not card.private


def test_claudes_memory_of_this_repository_is_found(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude" / ".claude"))
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(repo.path))
    place = tmp_path / "claude" / ".claude" / "projects" / name / "memory"
    assert repo.error("import", "--from", "agent-memory")["code"] == "invalid"
    place.mkdir(parents=True)
    (place / "MEMORY.md").write_text(NOTE, encoding="utf-8")

    assert repo.json("import", "--from", "agent-memory")["imported"] == 1
