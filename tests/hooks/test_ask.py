"""An agent that stops is asked once to remember what it learned, where somebody wants that."""

import json
from pathlib import Path
from typing import Any

import pytest

from capture import transcript_samples as samples
from conftest import Repo
from hooks.test_agent import EVENTS, call

CLIENTS = {"claude": "block", "codex": "block", "gemini": "deny"}


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")


@pytest.fixture
def asking(repo: Repo) -> Repo:
    repo.json("init", "--no-hooks")
    repo.git("config", "treering.ask", "once")
    return repo


def stop(repo: Repo, path: Path, client: str = "claude", **told: Any) -> str:
    return call(repo, client, EVENTS[client][3], transcript_path=str(path), **told)


@pytest.mark.parametrize("client", CLIENTS)
def test_asked_once_a_session(asking: Repo, tmp_path: Path, client: str):
    """In the form that sends the agent on, in one sentence, and never again."""
    path = samples.write(client, tmp_path, asking.path)

    first = json.loads(stop(asking, path, client))
    again = stop(asking, path, client)
    other = json.loads(stop(asking, path, client, session_id="another"))

    assert first["decision"] == CLIENTS[client]
    assert "remember" in first["reason"]
    assert len(first["reason"]) < 200
    assert again == ""
    assert other == first


def test_not_unless_somebody_wants_it(asking: Repo, tmp_path: Path):
    """It is off by default, and where transcripts are not read nothing is known."""
    path = samples.write("claude", tmp_path, asking.path)
    asking.git("config", "treering.transcripts", "off")
    unread = stop(asking, path)
    asking.git("config", "--unset", "treering.transcripts")
    asking.git("config", "--unset", "treering.ask")

    assert (unread, stop(asking, path)) == ("", "")


def test_not_where_init_was_not_run(repo: Repo, tmp_path: Path):
    repo.git("config", "treering.ask", "once")
    path = samples.write("claude", tmp_path, repo.path)

    assert stop(repo, path) == ""


def test_not_while_it_goes_on_because_of_a_hook(asking: Repo, tmp_path: Path):
    """Else the agent would never stop."""
    path = samples.write("claude", tmp_path, asking.path)

    assert stop(asking, path, stop_hook_active=True) == ""


@pytest.mark.parametrize(
    "name", ["mcp__treering__remember", "remember", "treering__revise", "mcp_treering_remember"]
)
def test_not_when_it_has_remembered_something(asking: Repo, tmp_path: Path, name: str):
    entries = samples.claude(asking.path)
    use = {"type": "tool_use", "id": "z", "name": name, "input": {"content": "x"}}
    entries.append({"type": "assistant", "message": {"content": [use]}})
    path = samples.write_lines(tmp_path / "x.jsonl", entries)

    assert stop(asking, path) == ""


def test_not_when_it_has_remembered_by_hand(asking: Repo, tmp_path: Path):
    entries = samples.claude(asking.path)
    told = {"command": "treering remember 'The cookie needs a path'"}
    use = {"type": "tool_use", "id": "z", "name": "Bash", "input": told}
    entries.append({"type": "assistant", "message": {"content": [use]}})

    assert stop(asking, samples.write_lines(tmp_path / "x.jsonl", entries)) == ""


def test_not_when_nothing_was_changed_or_solved(asking: Repo, tmp_path: Path):
    """A question and its answer are no reason to be held up."""
    entries = [
        entry
        for entry in samples.claude(asking.path)
        if "tool_use" not in json.dumps(entry) and "tool_result" not in json.dumps(entry)
    ]

    assert stop(asking, samples.write_lines(tmp_path / "x.jsonl", entries)) == ""


def test_init_offers_it(repo: Repo):
    """And says that transcripts are read; to whom it does not matter, nothing is said."""
    claude = repo.json("init", "--no-hooks", "--client", "claude")["notes"]
    cursor = repo.json("init", "--no-hooks", "--client", "cursor")["notes"]
    repo.json("config", "ask", "once")
    chosen = repo.json("init", "--no-hooks", "--client", "claude")["notes"]

    assert [sum("treering config" in note for note in notes) for notes in (claude, cursor)] == [
        2,
        0,
    ]
    assert not any("config ask" in note for note in chosen)
    assert repo.error("config", "ask", "always")["code"] == "invalid"
    assert repo.error("config", "transcripts", "public")["code"] == "invalid"
