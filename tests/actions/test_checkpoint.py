"""Checkpoints: saved on a branch, loaded with what happened since."""

import pytest

from conftest import Repo
from hooked import Hooked
from treering.errors import BlockedSecret, BranchNotFound, Invalid


def test_what_is_saved_is_loaded_with_what_changed_since(repo: Repo) -> None:
    """The contract's answer, in one call."""
    repo.commit_file("src/a.py")
    saved = repo.tr.checkpoint(
        "save",
        summary="Parser works\n\nThe lexer is half done.",
        next_steps=["finish the lexer", "write docs"],
        open_files=["src/a.py", "/etc/hosts"],
        session="s1",
    )
    commit = repo.git("rev-parse", "HEAD")
    repo.commit_file("src/b.py")
    repo.commit_file("src/a.py", "changed\n")

    loaded = repo.tr.checkpoint("load")

    assert saved.type == "checkpoint"
    assert loaded["checkpoint"].id == saved.id
    assert loaded["checkpoint"].commit == commit
    assert loaded["checkpoint"].session == "s1"
    assert loaded["summary"] == "Parser works\n\nThe lexer is half done."
    assert loaded["next_steps"] == ["finish the lexer", "write docs"]
    assert loaded["open_files"] == ["src/a.py", "/etc/hosts"]
    assert loaded["since"] == {"commits": 2, "files": ["src/a.py", "src/b.py"]}
    assert [file.path for file in repo.tr.read(saved.id).files] == ["src/a.py"]


def test_nothing_saved_is_null(repo: Repo) -> None:
    """Said, not left out."""
    assert repo.json("checkpoint", "load") == {
        "checkpoint": None, "summary": "", "next_steps": [], "open_files": [],
        "since": {"commits": 0, "files": []},
    }  # fmt: skip


def test_the_last_one_is_loaded_even_when_its_words_were_said_before(repo: Repo) -> None:
    """Two checkpoints may say the same; they are two moments."""
    repo.tr.checkpoint("save", summary="wip")
    repo.tr.checkpoint("save", summary="other")
    again = repo.tr.checkpoint("save", summary="wip", next_steps=["go on"])

    assert repo.tr.checkpoint("load")["checkpoint"].id == again.id
    assert repo.tr.checkpoint("load")["next_steps"] == ["go on"]


def test_a_retry_is_the_same_checkpoint(repo: Repo) -> None:
    """No pile of copies from an agent that asks twice."""
    first = repo.tr.checkpoint("save", summary="wip", next_steps=["a"])
    second = repo.tr.checkpoint("save", summary="wip", next_steps=["a"])

    assert (second.id, second.duplicate) == (first.id, True)


def test_a_branch_resumes_where_it_was_left(repo: Repo) -> None:
    """Whatever was saved in the trunk meanwhile; a branch without one sees the trunk's."""
    repo.tr.checkpoint("save", summary="on main")
    repo.switch("feature", create=True)
    assert repo.tr.checkpoint("load")["summary"] == "on main"
    repo.tr.checkpoint("save", summary="on feature")
    repo.switch("main")
    repo.tr.checkpoint("save", summary="later on main")

    assert repo.tr.checkpoint("load")["summary"] == "later on main"
    assert repo.tr.checkpoint("load", branch="feature")["summary"] == "on feature"
    assert repo.switch("feature").tr.checkpoint("load")["summary"] == "on feature"


def test_one_of_a_session_can_be_asked_for(repo: Repo) -> None:
    """Two agents work on one branch."""
    repo.tr.checkpoint("save", summary="mine", session="me")
    repo.tr.checkpoint("save", summary="theirs", session="you")

    assert repo.tr.checkpoint("load", session="me")["summary"] == "mine"
    assert repo.tr.checkpoint("load", session="nobody")["checkpoint"] is None


def test_next_steps_are_found_by_searching(repo: Repo) -> None:
    """What was left to do is what people look for."""
    saved = repo.tr.checkpoint("save", summary="wip", next_steps=["rewrite the tokenizer"])

    assert [r.id for r in repo.tr.recall("tokenizer").results] == [saved.id]


def test_a_forgotten_one_is_not_loaded(repo: Repo) -> None:
    """The one before it is."""
    repo.tr.checkpoint("save", summary="first")
    last = repo.tr.checkpoint("save", summary="second")
    repo.tr.forget([last.id])

    assert repo.tr.checkpoint("load")["summary"] == "first"


def test_a_commit_that_is_gone_is_said(repo: Repo) -> None:
    """As after a rebase and gc: nothing is made up."""
    repo.switch("feature", create=True)
    repo.commit_file("a.py")
    gone = repo.git("rev-parse", "HEAD")
    repo.tr.checkpoint("save", summary="wip")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    (repo.path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()

    assert repo.tr.checkpoint("load")["since"] == {"commits": 0, "files": [], "known": False}


def test_an_unborn_branch_has_checkpoints_too(empty_repo: Repo) -> None:
    """Work starts before the first commit."""
    empty_repo.tr.checkpoint("save", summary="nothing committed yet")

    assert empty_repo.tr.checkpoint("load")["summary"] == "nothing committed yet"


def test_bad_input_is_refused(repo: Repo) -> None:
    """And nothing is written."""
    for wrong in ({"op": "save"}, {"op": "nonsense", "summary": "x"}):
        with pytest.raises(Invalid):
            repo.tr.checkpoint(**wrong)
    with pytest.raises(BranchNotFound):
        repo.tr.checkpoint("load", branch="nowhere")
    with pytest.raises(BlockedSecret):
        repo.tr.checkpoint("save", summary="x", next_steps=["use AKIAQWERTYUIOPASDFGH"])
    assert repo.refs() == {}


def test_what_hooks_noted_is_captured_before_a_load(repo: Repo) -> None:
    """Or it is said that something waits."""
    Hooked(repo.path / ".git").install(worker="/bin/true")
    commit = repo.commit_file("a.py")

    with repo.workspace.store.lock():
        assert repo.json("checkpoint", "load")["pending"] == 1
        assert repo.json("context")["pending"] == 1

    assert "pending" not in repo.json("checkpoint", "load")
    assert [r.title for r in repo.tr.recall(type="commit").results] == ["add a.py"]
    assert commit


def test_the_command_line_saves_and_loads(repo: Repo) -> None:
    """Lists as repeated options."""
    saved = repo.json(
        "checkpoint", "save", "--summary", "half done", "--next-step", "a", "--next-steps", "b",
        "--open-file", "README.md",
    )  # fmt: skip

    assert saved["type"] == "checkpoint"
    assert repo.json("checkpoint", "load")["next_steps"] == ["a", "b"]
    text = repo.cli("checkpoint", "load").stdout
    assert "half done" in text
    assert "- a" in text
    assert repo.json("checkpoint", "save", feed="from stdin\n")["title"] == "from stdin"
    assert "No checkpoint" in repo.cli("checkpoint", "load", "--session", "x").stdout
