"""Whose word a memory is."""

from dataclasses import replace

from conftest import Repo
from treering.actions.origin import origin_of


def test_yours_a_teammates_and_a_strangers_are_told_apart(repo: Repo) -> None:
    """Known are the people whose commits are in the code."""
    repo.git("config", "user.email", "bob@example.org")
    repo.commit_file("bob.txt")
    repo.git("config", "user.email", "ada@example.org")
    made = repo.tr.remember("Use WAL mode", type="decision").id
    workspace = repo.workspace
    memory = workspace.view().find(made).memory()

    def by(author: str) -> str:
        return origin_of(workspace, replace(memory, author=author))

    assert origin_of(workspace, memory) == "you"
    assert by("Bob <BOB@example.org>") == "teammate"
    assert by("Mallory <mallory@example.org>") == "unverified"
    assert by("Ada Lovelace") == by("") == "unverified"


def test_a_stranger_becomes_a_teammate_with_the_first_commit(repo: Repo) -> None:
    """In another process, too, which finds what this one kept."""
    made = repo.tr.remember("Use WAL mode", type="decision").id
    workspace = repo.workspace
    memory = workspace.view().find(made).memory()
    theirs = replace(memory, author="Cyd <cyd@example.org>")
    assert origin_of(workspace, theirs) == "unverified"

    repo.git("-c", "user.email=cyd@example.org", "commit", "-q", "--allow-empty", "-m", "hello")

    assert origin_of(repo.workspace, theirs) == "teammate"


def test_recall_and_read_say_it(repo: Repo) -> None:
    memory = repo.tr.remember("Use WAL mode", type="decision").id

    assert repo.json("recall", "mode")["results"][0]["origin"] == "you"
    assert repo.json("read", memory)["origin"] == "you"
