"""What hooks told agents is kept for a while, and shown with what it cost."""

import json
import stat
import time
from pathlib import Path

import pytest

from conftest import Repo
from treering.actions.handover import list_told, note_told
from web.pages import Browser


def log_of(repo: Repo) -> Path:
    return repo.path / ".git" / "treering" / "state" / "told.jsonl"


def note(repo: Repo, text: str, *, is_missed: bool = False) -> None:
    note_told(
        repo.workspace, "claude-code", "s1", "prompt", text,
        seconds=0.2, limit=1.0, is_missed=is_missed,
    )  # fmt: skip


def start_session(repo: Repo, monkeypatch: pytest.MonkeyPatch, seconds: str) -> None:
    """A client asks at the start of a session; what was told is written once nobody waits."""
    monkeypatch.setenv("TREERING_HOOK_SECONDS", seconds)
    repo.cli("hook", "agent", "claude", "SessionStart", feed='{"session_id": "s1"}')
    until = time.monotonic() + 30
    while not log_of(repo).exists() and time.monotonic() < until:
        time.sleep(0.05)


def test_what_a_hook_said_is_shown(
    browse: Browser, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.tr.remember("Use WAL mode", type="decision")

    start_session(repo, monkeypatch, "30")

    page = browse.get("/told")
    assert "At the start of a session" in page.text
    assert "Use WAL mode" in page.html
    id = repo.tr.recall().results[0].id
    assert page.link(id) == f"/memory/{id}"
    assert "claude-code" in page.text
    assert "too late" not in page.text
    assert stat.S_IMODE(log_of(repo).stat().st_mode) == 0o600


def test_what_came_too_late_is_shown(
    browse: Browser, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent heard nothing, and nobody would know."""
    repo.tr.remember("Use WAL mode", type="decision")

    start_session(repo, monkeypatch, "0.0001")

    assert "1 time too late" in browse.get("/told").text


def test_nothing_is_kept_where_that_is_not_wanted(browse: Browser, repo: Repo) -> None:
    repo.tr.config("told", "false")

    note(repo, "Use WAL mode")

    assert not log_of(repo).exists()
    assert "Nothing is kept" in browse.get("/told").text


def test_no_credential_is_kept(repo: Repo) -> None:
    note(repo, "the key is ghp_" + "a1B2" * 9)

    text = log_of(repo).read_text()
    assert "ghp_a1B2" not in text


def test_the_log_stays_small(repo: Repo) -> None:
    for number in range(80):
        note(repo, f"{number} " + "word " * 1500)

    entries = list_told(repo.workspace)
    assert log_of(repo).stat().st_size < 300_000
    assert entries[0].text.startswith("79 ")
    assert len(entries) > 10


def test_a_log_that_is_no_log_is_passed_over(browse: Browser, repo: Repo) -> None:
    note(repo, "Use WAL mode")
    lines = [b"\xff\xfe", b"[]", b"{}", b"null", b'{"when": 1}', json.dumps(["x"]).encode()]
    with log_of(repo).open("ab") as log:
        log.write(b"\n".join(lines) + b"\n")

    assert [entry.text for entry in list_told(repo.workspace)] == ["Use WAL mode"]
    assert browse.get("/told").status == 200
