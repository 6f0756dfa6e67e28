"""Sessions of agents, told by their clients' hooks, and the commits made in them."""

import os

import pytest

from treering.actions.sessions import Account, record_agent_session
from treering.errors import Invalid


def _tell(repo, event: str, session: str = "abc-123", summary: str = "") -> str:
    repo.now += 30
    told = Account(summary)
    return record_agent_session(repo.workspace, "claude-code", session, event, repo.now, told)


def test_commits_made_in_an_agents_session_are_part_of_it(repo, noting) -> None:
    repo.commit_file("before.txt", message="before")
    memory_id = _tell(repo, "start")
    commit = repo.commit_file("a.txt", message="add a")
    _tell(repo, "stop")
    repo.commit_file("b.txt", message="add b")
    _tell(repo, "end", summary="Added a and b.")
    repo.commit_file("after.txt", message="after")
    repo.tr.drain()

    session = repo.tr.read(memory_id)
    assert (session.type, session.agent, session.session) == ("session", "claude-code", "abc-123")
    assert session.title == "Session: 2 commits on main by claude-code"
    assert "Added a and b." in session.content
    assert session.details["commits"][0] == commit
    inside = repo.tr.recall(type="commit", agent="claude-code").results
    assert {result.title for result in inside} == {"add a", "add b"}


def test_two_agents_and_a_session_that_goes_on(repo, noting) -> None:
    """A session's id stays, so that a client may tell of it as often as it likes."""
    first = _tell(repo, "start")
    other = _tell(repo, "start", session="def-456")
    assert repo.tr.recall(type="session").results == ()
    assert first == _tell(repo, "work", summary="Looked around.")
    assert first != _tell(repo, "work", session="def-456", summary="Looked, too.") == other

    assert len(repo.tr.recall(type="session").results) == 2


def test_that_time_goes_by_is_no_news(repo, noting) -> None:
    """An agent stops after every turn."""
    _tell(repo, "work", summary="Looked around.")
    before = repo.refs()

    _tell(repo, "work", summary="Looked around.")

    assert repo.refs() == before


def test_session_is_seen_on_the_branch_its_agent_went_to(repo, noting) -> None:
    _tell(repo, "start")
    repo.switch("feature", create=True)
    _tell(repo, "prompt")
    repo.commit_file("a.txt", message="add a")
    repo.tr.drain()

    (commit,) = repo.tr.recall(type="commit").results
    assert commit.agent == "claude-code"


def test_agent_that_died_is_forgotten_in_time(repo, noting) -> None:
    memory_id = _tell(repo, "start")
    mark = noting.folder / "state" / "sessions" / memory_id
    old = mark.stat().st_mtime - 5 * 3600
    os.utime(mark, (old, old))
    repo.commit_file("a.txt", message="add a")
    repo.tr.drain()

    (commit,) = repo.tr.recall(type="commit").results
    assert commit.agent is None
    assert not mark.exists()


def test_secrets_in_a_summary_are_masked(repo, noting) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    memory_id = _tell(repo, "end", summary=f"Used {token}.")

    assert token not in repo.tr.read(memory_id).content


def test_session_needs_names(repo, noting) -> None:
    with pytest.raises(Invalid):
        record_agent_session(repo.workspace, "", "x", "start", repo.now)
