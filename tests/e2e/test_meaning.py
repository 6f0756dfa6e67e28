"""Meaning through the program: as installed, in a real repository."""

from pathlib import Path
from typing import Any

import pytest


def recall(repo: Any, question: str, *options: str) -> Any:
    return repo.json("recall", question, *options)


@pytest.fixture
def taught(repo: Any) -> Any:
    for text in (
        "Passwords are hashed with bcrypt and a salt of their own",
        "The nightly dump of all tables is kept for a week",
        "Pages are rendered on the server",
    ):
        repo.cli("remember", text, "--type", "decision")
    return repo


def test_hybrid_is_the_default_and_means_it(taught: Any) -> None:
    """No word of the question is in the memory."""
    answer = recall(taught, "protecting login credentials", "--weak")

    assert answer["results"][0]["title"].startswith("Passwords are hashed")
    assert "semantic" in answer["results"][0]["why"]


def test_vectors_that_are_lost_are_made_again(taught: Any) -> None:
    before = recall(taught, "protecting login credentials", "--weak")["results"]
    (taught.path / ".git" / "treering" / "treering.db").write_bytes(b"\0" * 100)

    assert recall(taught, "protecting login credentials", "--weak")["results"] == before


def test_off_is_words_alone(taught: Any) -> None:
    taught.cli("config", "semantic", "off")

    answer = recall(taught, "protecting login credentials", "--weak")

    assert answer["results"] == []


def test_a_file_of_the_work_tree_has_the_projects_words(taught: Any) -> None:
    """Plain data, wherever it comes from; one that leads out of the work tree is not read."""
    (taught.path / "words.txt").write_text("heron, pages\n", encoding="utf-8")
    taught.cli("config", "synonyms", "words.txt")

    (hit, *_) = recall(taught, "heron")["results"]

    assert hit["title"] == "Pages are rendered on the server"
    assert hit["why"][0] == "synonym"


@pytest.mark.parametrize("place", ["/nowhere/at/all", "models/minilm"])
def test_a_model_that_is_not_there_is_refused_when_it_is_named(taught: Any, place: str) -> None:
    """Silently going on with the table would look as if it were the model."""
    error = taught.error("config", "semantic", place)

    assert error["code"] == "invalid"
    assert "config semantic table" in error["hint"]


def test_reindex_says_that_a_model_is_gone(
    taught: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else is there again by then."""
    (tmp_path / ".gitconfig").write_text("[treering]\n\tsemantic = /nowhere/at/all\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")

    error = taught.error("reindex")

    assert "no model.onnx in /nowhere/at/all" in error["message"]
    assert recall(taught, "protecting login credentials", "--weak")["results"]
