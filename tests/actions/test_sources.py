"""What people bring along from other systems: kept whole, linked, and never twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering.actions.imports import imports
from treering.errors import Invalid


def _memories(repo: Repo) -> dict[str, Any]:
    return {memory["title"]: memory for memory in repo.tr.exported(all=True)}


@pytest.fixture
def autology(tmp_path: Path) -> Path:
    nodes = tmp_path / "project" / ".autology" / "nodes"
    (nodes / "decisions").mkdir(parents=True)
    (nodes / "components").mkdir()
    (nodes / "decisions" / "d-1.md").write_text(
        "---\nid: d-1\ntype: decision\ntitle: Tokens are signed\ntags:\n  - auth\nconfidence: 0.9\n"
        "created: 2026-02-08T10:00:00Z\nmodified: 2026-02-09T10:00:00Z\nstatus: active\n"
        "source: manual\nrelations:\n  - type: affects\n    target: c-1\n    confidence: 0.85\n"
        "  - type: affects\n    target: never-written\nreferences:\n  - src/auth.py\n---\n\n"
        "# Tokens are signed\n\nNo lookup per request.\n"
    )
    (nodes / "components" / "c-1.md").write_text(
        "---\nid: c-1\ntype: component\ntitle: The gateway\n---\nChecks tokens at the edge.\n"
    )
    return tmp_path / "project"


def test_an_autology_folder_keeps_its_relations_files_and_dates(repo: Repo, autology: Path) -> None:
    answer = repo.tr.import_path(autology)

    assert (answer.source, answer.imported, answer.errors) == ("autology", 2, ())
    found = _memories(repo)
    decision, gateway = found["Tokens are signed"], found["The gateway"]
    assert decision["created"] == "2026-02-08T10:00:00Z"
    assert decision["files"] == [{"path": "src/auth.py"}]
    assert decision["details"]["imported_id"] == "d-1"
    assert [(x["relation"], x["target"], x["confidence"]) for x in decision["links"]] == [
        ("affects", gateway["id"], 0.85)
    ]
    assert decision["details"]["dangling"] == ["affects never-written"]


def test_importing_twice_adds_nothing(repo: Repo, autology: Path) -> None:
    repo.tr.import_path(autology)
    before = repo.refs()

    answer = repo.tr.import_path(autology)

    assert (answer.imported, answer.skipped) == (0, 2)
    assert repo.refs() == before


def test_basic_memory_notes_keep_their_wiki_links(repo: Repo, tmp_path: Path) -> None:
    notes = tmp_path / "notes" / "design"
    notes.mkdir(parents=True)
    (notes / "auth.md").write_text(
        "---\ntitle: Authentication\ntype: guide\ntags: [backend]\npermalink: design/auth\n---\n"
        "# Authentication\n\n- [decision] Tokens expire after a quarter of an hour #security\n"
        "- depends on [[User Table]]\n- [[Missing Page]]\n"
    )
    (notes / "users.md").write_text(
        "---\ntitle: User Table\ntype: note\npermalink: design/users\n---\nOne row a person.\n"
    )

    answer = repo.tr.import_path(tmp_path / "notes")

    assert (answer.source, answer.imported) == ("basic-memory", 2)
    found = _memories(repo)
    auth = found["Authentication"]
    assert (auth["tags"], auth["topic"]) == (["backend", "security"], "design")
    assert auth["links"][0]["relation"] == "depends_on"
    assert auth["links"][0]["target"] == found["User Table"]["id"]
    assert auth["details"]["dangling"] == ["relates_to Missing Page"]
    assert auth["details"]["imported_type"] == "guide"


def test_the_memory_servers_entities_and_relations_arrive(repo: Repo, tmp_path: Path) -> None:
    lines = [
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes proofs"]},
        {"type": "entity", "name": "Engine", "entityType": "component", "observations": ["Brass"]},
        {"type": "relation", "from": "Ada", "to": "Engine", "relationType": "writes for"},
        {"what": "is this"},
    ]
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))

    answer = repo.tr.import_path(file)

    assert (answer.source, answer.imported) == ("server-memory", 2)
    assert [(error.line, error.code) for error in answer.errors] == [(4, "invalid")]
    found = _memories(repo)
    assert (found["Ada"]["type"], found["Ada"]["details"]["kind"]) == ("entity", "person")
    assert "Likes proofs" in found["Ada"]["content"]
    assert found["Engine"]["type"] == "component"
    assert found["Ada"]["links"][0]["relation"] == "writes_for"
    assert found["Ada"]["links"][0]["target"] == found["Engine"]["id"]


def test_decision_records_keep_status_date_and_succession(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# Index\n")
    (folder / "0001-use-sqlite.md").write_text(
        "# 1. Use SQLite\n\nDate: 2025-03-01\n\n## Status\n\n"
        "Superseded by [2](0002-use-postgres.md)\n"
    )
    (folder / "0002-use-postgres.md").write_text(
        "# 2. Use Postgres\n\nDate: 2025-06-01\n\n## Status\n\nAccepted\n\n"
        "Supersedes [1. Use SQLite](0001-use-sqlite.md)\n"
    )

    answer = repo.tr.import_path(folder)

    assert (answer.source, answer.imported) == ("adr", 2)
    found = _memories(repo)
    assert found["Use SQLite"]["status"] == "superseded"
    assert found["Use Postgres"]["type"] == "decision"
    assert found["Use Postgres"]["created"].startswith("2025-06-01")
    assert found["Use Postgres"]["links"] == [
        {"relation": "supersedes", "target": found["Use SQLite"]["id"], "confidence": 0.8,
         "by": "import"}
    ]  # fmt: skip


def test_the_sections_of_an_instruction_file_become_memories(repo: Repo, tmp_path: Path) -> None:
    """A heading inside a code block is code, and our own block is not news."""
    file = tmp_path / "CLAUDE.md"
    file.write_text(
        "# Project\n\n## Style\n\n### Naming\n\nAlways name tests as sentences.\n\n"
        "## Build\n\n```sh\n# not a heading\nmake\n```\n"
        "<!-- treering:start -->\n## Memory\nours\n<!-- treering:end -->\n"
    )

    answer = repo.tr.import_path(file)

    found = _memories(repo)
    assert (answer.source, set(found)) == ("agents", {"Naming", "Build"})
    assert found["Naming"]["topic"] == "style"
    assert found["Naming"]["type"] == "convention"
    assert "# not a heading" in found["Build"]["content"]
    assert found["Build"]["details"]["imported_from"] == "CLAUDE.md:9"


def test_notes_on_commits_become_memories_about_them(repo: Repo) -> None:
    commit = repo.git("rev-parse", "HEAD")
    repo.git("notes", "add", "-m", "The flaky test was a clock that went back.")

    answer = repo.json("import", "--from", "git-notes")

    assert (answer["source"], answer["imported"]) == ("git-notes", 1)
    found = _memories(repo)["The flaky test was a clock that went back."]
    assert found["commit"] == commit


def test_a_memory_kept_in_git_notes_lands_on_its_branches(repo: Repo) -> None:
    held = {
        "a1": {"d": {"decision": "REST", "reason": "caches"}, "e": ["rest"], "t": "decision",
               "g": ["api"], "i": "h", "b": "feature/api", "c": "2026-01-05T10:00:00.5",
               "u": "2026-01-05T10:00:00.5", "a": 0}
    }  # fmt: skip
    repo.git("notes", "--ref", "mem-feature-api", "add", "-m", json.dumps(held))
    repo.git("notes", "--ref", "ent-feature-api", "add", "-m", "{}")
    repo.git("branch", "feature/api")

    answer = repo.tr.import_path("", system="git-notes")

    assert (answer.imported, answer.errors) == (1, ())
    (found,) = _memories(repo).values()
    assert found["content"] == "decision: REST\nreason: caches"
    assert (found["branch"], found["type"], found["confidence"]) == ("feature/api", "decision", 0.9)
    assert found["created"] == "2026-01-05T10:00:00Z"


def test_a_preview_shows_what_would_come_and_changes_nothing(repo: Repo, autology: Path) -> None:
    before = repo.refs()

    said = repo.cli("import", str(autology), "--dry-run")

    assert "would import 2 from autology" in said.stdout
    assert "decision" in said.stdout
    assert "Tokens are signed" in said.stdout
    assert repo.refs() == before


def test_an_unknown_system_is_named_with_the_known_ones(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as error:
        repo.tr.import_path(tmp_path, system="notepad")

    assert "basic-memory" in error.value.hint


@pytest.mark.parametrize("system", ["autology", "basic-memory", "server-memory", "adr", "agents"])
def test_garbage_is_reported_and_never_a_traceback(repo: Repo, tmp_path: Path, system: str) -> None:
    file = tmp_path / "0001-x.md"
    file.write_bytes(b"---\na: &b [*b]\n---\n\xff\xfe[[[[")

    done = repo.cli("import", str(file), "--from", system, "--json")

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not repo.refs()


def test_a_line_for_a_branch_that_cannot_be_is_reported_and_the_rest_goes_in(
    repo: Repo, tmp_path: Path
) -> None:
    names = ("a", "../../x", "b", "-x y", "c.lock", "@{-1}", "nul\0", "x" * 5000 + "/..", "")
    file = tmp_path / "memories.jsonl"
    lines = [{"content": f"text {n}", "branch": name} for n, name in enumerate(names)]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    answer = repo.tr.import_path(str(file))

    assert answer.imported == 3
    assert [(error.line, error.code) for error in answer.errors] == [
        (number, "invalid") for number in (2, 4, 5, 6, 7, 8)
    ]
    assert (repo.titles("a"), repo.titles("b")) == ({"text 8", "text 0"}, {"text 8", "text 2"})
    assert repo.error("import", str(file), "--branch", "../../x")["code"] == "invalid"


def test_a_memory_that_cannot_be_written_is_reported_and_the_rest_goes_in(
    repo: Repo, tmp_path: Path
) -> None:
    """Its header has more values than a document may have."""
    file = tmp_path / "notes.jsonl"
    many = {"content": "Everything", "tags": [f"t{number}" for number in range(5000)]}
    lines = [{"content": "Use WAL mode"}, many, {"content": "Retry with jitter"}]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    answer = repo.tr.import_path(str(file))

    assert [(error.line, error.code) for error in answer.errors] == [(2, "invalid")]
    assert repo.titles() == {"Use WAL mode", "Retry with jitter"}


def test_records_beyond_a_bound_are_left_out_and_named(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "MAX_RECORDS", 2)
    file = tmp_path / "notes.jsonl"
    file.write_text("".join(f'{{"content": "note {number}"}}\n' for number in range(9)))

    answer = repo.tr.import_path(str(file))

    assert [(error.line, error.code) for error in answer.errors] == [(3, "invalid")]
    assert repo.titles() == {"note 0", "note 1"}


def test_a_line_that_is_too_long_is_reported_and_the_rest_goes_in(
    repo: Repo, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    long = f'{{"content": "long"{" " * 1024 * 1024}}}'
    file.write_text(f'{{"content": "short"}}\n{long}\n{{"content": "end"}}\n', encoding="utf-8")

    answer = repo.tr.import_path(str(file))

    assert (answer.imported, [error.line for error in answer.errors]) == (2, [2])
