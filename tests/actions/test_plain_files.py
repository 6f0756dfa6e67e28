"""Folders that others made: what is linked into them is neither read nor written."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Repo

PRIVATE = "What nobody else should read"
NOTES = {
    "markdown": ("notes", "plain.md", "# Plain\n\nUse WAL mode\n"),
    "adr": ("adr", "0001-wal.md", "# 1. Use WAL mode\n\nStatus: accepted\n"),
    "autology": (".autology", "node.md", "---\nid: a\ntitle: Plain\n---\nUse WAL mode\n"),
    "basic-memory": ("basic", "plain.md", "---\npermalink: a\ntitle: Plain\n---\nUse WAL mode\n"),
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the user's own, outside."""
    folder = tmp_path / "home"
    (folder / "prompts").mkdir(parents=True)
    for name in ("0002-private.md", "private.md"):
        (folder / name).write_text(f"# Private\n\n{PRIVATE}\n", encoding="utf-8")
    (folder / "prompts" / "greet.md").write_text(
        f"---\nname: greet\nkind: prompt\n---\n{PRIVATE}\n", encoding="utf-8"
    )
    return folder


def plant(folder: Path, outside: Path) -> set[str]:
    """Links of every kind; returns their names."""
    (folder / "sub").mkdir()
    links = {
        "0002-file.md": outside / "0002-private.md",
        "file.md": outside / "private.md",
        "sub/file.md": outside / "private.md",
        "folder": outside,
        "prompts": outside / "prompts",
        "sub/up": folder,
        "sub/self": folder / "sub" / "self",
        "sub/self.md": folder / "sub" / "self.md",
        "gone.md": folder / "nowhere.md",
        "picture.png": outside / "private.md",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    return set(links) - {"sub/self", "picture.png"}  # neither is a folder nor a note


@pytest.mark.parametrize("system", NOTES)
@pytest.mark.parametrize("is_said", [True, False])
def test_import_follows_no_link_out_of_the_folder(
    repo: Repo, tmp_path: Path, outside: Path, system: str, is_said: bool
) -> None:
    name, file, text = NOTES[system]
    folder = tmp_path / name
    folder.mkdir()
    (folder / file).write_text(text, encoding="utf-8")
    planted = plant(folder, outside)

    answer = repo.json("import", str(folder), *(["--from", system] if is_said else []))

    assert (answer["imported"], answer["source"]) == (1, system)
    assert {error["where"] for error in answer["errors"]} == planted
    assert {error["code"] for error in answer["errors"]} == {"invalid"}
    assert PRIVATE not in repo.git("grep", "-h", "", "refs/treering/heads/main")


def test_a_folder_of_nodes_that_is_a_link_is_not_followed(
    repo: Repo, tmp_path: Path, outside: Path
) -> None:
    """A cloned project with `.autology` pointing elsewhere."""
    project = tmp_path / "project"
    project.mkdir()
    (project / ".autology").symlink_to(outside)

    said = repo.error("import", str(project), "--from", "autology")
    unsaid = repo.cli("import", str(project), "--json")

    assert (said["code"], "link" in said["message"]) == ("invalid", True)
    assert unsaid.returncode == 1
    assert repo.refs() == {}


@pytest.mark.parametrize("name", ["folder", "note.md", "AGENTS.md", "lines.jsonl"])
def test_a_link_that_was_named_is_followed(repo: Repo, tmp_path: Path, name: str) -> None:
    """Whoever names it means it."""
    real = tmp_path / "real"
    real.mkdir()
    (real / "note.md").write_text("# One\n\nUse WAL mode\n", encoding="utf-8")
    (real / "AGENTS.md").write_text("# One\n\nUse WAL mode\n", encoding="utf-8")
    (real / "lines.jsonl").write_text('{"content": "Use WAL mode"}\n', encoding="utf-8")
    (tmp_path / name).symlink_to(real if name == "folder" else real / name)

    answer = repo.json("import", str(tmp_path / name))

    assert answer["imported"] + answer["skipped"] == (2 if name == "folder" else 1)
    assert answer["errors"] == []


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder deeper than Python calls, which pytest could not remove."""
    made = tmp_path / "notes"
    made.mkdir()
    yield made
    subprocess.run(["rm", "-rf", str(made)], check=True)


def test_a_folder_deeper_than_python_calls_is_read(repo: Repo, deep: Path) -> None:
    (deep / "top.md").write_text("# Top\n\nUse WAL mode\n", encoding="utf-8")
    before = os.open(deep, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=before)
        inner = os.open("d", os.O_RDONLY, dir_fd=before)
        os.close(before)
        before = inner
    os.close(before)

    assert repo.json("import", str(deep), "--from", "markdown")["imported"] == 1


def test_export_writes_through_no_folder_that_is_a_link(
    repo: Repo, tmp_path: Path, outside: Path
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.prompts("save", name="greet", content="Hello")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "main").symlink_to(outside)
    before = sorted(outside.rglob("*"))

    error = repo.error("export", "--markdown", str(folder))

    assert (error["code"], "link" in error["message"]) == ("storage_failed", True)
    assert sorted(outside.rglob("*")) == before


def test_export_puts_files_in_the_place_of_links(repo: Repo, tmp_path: Path, outside: Path) -> None:
    """The link goes; what it led to stays, and so does what lies beside it."""
    stored = repo.tr.remember("Use WAL mode", type="decision")
    folder = tmp_path / "out" / "main"
    folder.mkdir(parents=True)
    for name in (f"{stored.id}.md", f"{stored.id}.md.part"):
        (folder / name).symlink_to(outside / "private.md")

    repo.json("export", "--markdown", str(folder.parent))

    assert PRIVATE in (outside / "private.md").read_text(encoding="utf-8")
    assert "Use WAL mode" in (folder / f"{stored.id}.md").read_text(encoding="utf-8")
    assert sorted(file.name for file in folder.iterdir()) == [
        f"{stored.id}.md",
        f"{stored.id}.md.part",
    ]
    assert not (folder / f"{stored.id}.md").is_symlink()


def test_a_link_beside_the_output_is_not_written_through(
    repo: Repo, tmp_path: Path, outside: Path
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")
    (tmp_path / "all.jsonl.part").symlink_to(outside / "private.md")

    repo.json("export", "--output", str(tmp_path / "all.jsonl"))

    assert PRIVATE in (outside / "private.md").read_text(encoding="utf-8")
    assert "Use WAL mode" in (tmp_path / "all.jsonl").read_text(encoding="utf-8")
