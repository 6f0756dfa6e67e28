"""import --from claude-code, codex, gemini: old sessions, once each, and only those of here."""

import hashlib
import json
from pathlib import Path

import pytest

from capture import transcript_samples as samples
from conftest import Repo
from treering.capture.transcripts.transcript import errand_of


def _sessions(repo: Repo) -> dict[str, dict]:
    listed = repo.tr.recall(type="session", scope="all", limit=50).results
    return {hit.title: repo.tr.read(hit.id, branch=hit.branch) for hit in listed}


@pytest.mark.parametrize("system", ["claude-code", "codex", "gemini"])
def test_old_sessions_come_in_once(repo: Repo, tmp_path: Path, system):
    """With their own times, private, and the second time nothing is new."""
    client = system.partition("-")[0]
    path = samples.write(client, tmp_path / "kept", repo.path)

    first = repo.json("import", "--from", system, str(path))
    before = repo.git("rev-parse", "HEAD"), repo.refs()
    again = repo.json("import", "--from", system, str(path))

    assert (first["imported"], first["skipped"], first["errors"]) == (1, 0, [])
    assert first["source"] == system
    assert (again["imported"], again["skipped"]) == (0, 1)
    (session,) = _sessions(repo).values()
    assert session.title == f"Session: {samples.PROMPT}"
    assert session.created.startswith("2026-02-02T02:30:0")
    assert session.private
    assert (repo.git("rev-parse", "HEAD"), repo.refs()) == before


def test_read_again_it_is_the_same_session(repo: Repo, tmp_path: Path):
    """What was noted of files may be lost; a transcript that grew has more to tell."""
    path = samples.write("claude", tmp_path / "kept", repo.path)
    repo.json("import", "--from", "claude-code", str(path))
    noted = repo.path / ".git" / "treering" / "state" / "transcripts.json"
    noted.unlink()
    same = repo.json("import", "--from", "claude-code", str(path))
    more = samples.claude(repo.path, prompt="And the docs", words="Wrote the docs.")
    samples.write_lines(path, samples.claude(repo.path) + more)

    grown = repo.json("import", "--from", "claude-code", str(path))

    assert (same["imported"], same["skipped"]) == (0, 1)
    assert grown["imported"] == 1
    (session,) = _sessions(repo).values()
    assert "Wrote the docs." in session.content


def test_an_interrupt_keeps_what_was_done(repo: Repo, tmp_path: Path):
    """A few are written at a time, and what is there is not read again."""
    for n in range(45):
        samples.write("claude", tmp_path / "kept", repo.path, session=f"s{n}", prompt=f"Step {n}")

    def interrupt(number: int, total: int) -> None:
        if number == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        repo.tr.import_path(tmp_path / "kept", system="claude-code", progress=interrupt)
    kept = len(_sessions(repo))
    rest = repo.tr.import_path(tmp_path / "kept", system="claude-code")

    assert kept == 20
    assert (rest.imported, rest.skipped) == (25, 20)
    assert len(_sessions(repo)) == 45


def test_only_sessions_of_this_repository_are_taken(repo: Repo, tmp_path: Path, monkeypatch):
    """The folder of a client has those of every project."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    projects = home / ".claude" / "projects"
    samples.write("claude", projects / "here", repo.path, session="s1", prompt="In here")
    samples.write("claude", projects / "there", elsewhere, session="s2", prompt="Over there")
    samples.write("claude", projects / "gone", tmp_path / "gone", session="s3", prompt="Gone")
    folder = home / ".gemini" / "tmp" / "x" / "chats"
    project = hashlib.sha256(str(repo.path).encode()).hexdigest()
    samples.write("gemini", folder / "1", repo.path, session="s4", prompt="Twin", project=project)
    samples.write("gemini", folder / "2", repo.path, session="s5", prompt="Not", project="0" * 64)

    answers = [repo.json("import", "--from", system) for system in ("claude-code", "gemini")]
    missing = repo.error("import", "--from", "codex")

    assert [answer["imported"] for answer in answers] == [1, 1]
    assert set(_sessions(repo)) == {"Session: In here", "Session: Twin"}
    assert missing["code"] == "invalid"


def test_a_session_goes_to_its_branch_or_to_the_trunk(repo: Repo, tmp_path: Path):
    repo.git("branch", "feature")
    for branch in ("feature", "long-gone"):
        samples.write(
            "claude", tmp_path / "kept", repo.path, session=branch, branch=branch, prompt=branch
        )

    repo.json("import", "--from", "claude-code", str(tmp_path / "kept"))

    branches = {title: session.branch for title, session in _sessions(repo).items()}
    assert branches == {"Session: feature": "feature", "Session: long-gone": "main"}


def test_off_dry_and_damaged(repo: Repo, tmp_path: Path):
    """Nothing is read where it is off; a dry run writes nothing; a bad file is named."""
    path = samples.write("claude", tmp_path / "kept", repo.path)
    dry = repo.json("import", "--from", "claude-code", str(path), "--dry-run")
    (tmp_path / "bad.txt").write_text("not a transcript")
    bad = repo.cli("import", "--from", "claude-code", str(tmp_path / "bad.txt"), "--json")
    repo.git("config", "treering.transcripts", "off")
    off = repo.error("import", "--from", "claude-code", str(path))

    assert [preview["title"] for preview in dry["preview"]] == [f"Session: {samples.PROMPT}"]
    assert _sessions(repo) == {}
    assert (bad.returncode, json.loads(bad.stdout)["errors"][0]["code"]) == (1, "invalid")
    assert off["code"] == "invalid"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pytest tests/x", "cd app && python -m pytest tests/x -q"),
        ("npm install left-pad", "npm install left-pad --legacy-peer-deps"),
        ("uv run pytest tests/x", ".venv/bin/pytest tests/x"),
        ("FOO=1 make test", "make test | tail -5"),
    ],
)
def test_commands_that_are_for_the_same(one, other):
    assert errand_of(one) == errand_of(other) != ""


@pytest.mark.parametrize("command", ["grep x y", "ls | wc -l", "cd x", "", "&& ;", "FOO=1"])
def test_commands_that_only_look(command):
    assert errand_of(command) == ""


def test_different_errands():
    assert errand_of("npm install") != errand_of("npm test")
