"""What a branch learned, put into another scope."""

from collections.abc import Callable
from typing import Any

import pytest

from conftest import Repo
from treering.derived.database import Database
from treering.git import log
from treering.model.scope import HEADS


def test_what_was_promoted_before_is_not_promoted_again(repo: Repo) -> None:
    """Every clone may try: each try would be a commit that says nothing."""
    repo.switch("feat", create=True).commit_file("feat.py")
    repo.tr.remember("Threads are slow", type="insight")
    repo.tr.promote("feat")
    before = repo.refs()[HEADS + "main"]

    repo.tr.promote("feat")

    assert repo.refs()[HEADS + "main"] == before


def test_a_promotion_taken_back_leaves_no_trace(repo: Repo) -> None:
    """Both branches are what they were, also after the next gc, until somebody asks again."""
    repo.switch("feat", create=True).commit_file("f")
    made = repo.tr.remember("Sessions live in Redis")
    repo.switch("main")
    before = _look(repo, made.id)

    back = repo.json("promote", "feat")["back"]
    assert repo.titles() == {"Sessions live in Redis"}
    assert back == "treering promote feat --into main --undo"
    repo.json(*back.split()[1:])

    assert _look(repo, made.id) == before
    repo.git("merge", "-q", "--ff-only", "feat")
    repo.json("gc")
    assert _look(repo, made.id) == before
    repo.json("promote", "feat")
    assert repo.titles() == {"Sessions live in Redis"}
    assert repo.json("promote", "feat", "--undo")["memories"] == 1
    assert _look(repo, made.id) == before


def _look(repo: Repo, memory_id: str) -> object:
    """What each branch shows, and what all of them do."""
    everything = repo.json("recall", "--scope", "all")
    shown = [(one["id"], one["branch"], one["status"]) for one in everything["results"]]
    read = repo.cli("read", memory_id, "--json")
    counts = repo.json("status")["memories"]
    return (
        shown,
        everything["withheld"],
        repo.titles(),
        repo.titles("feat"),
        read.returncode,
        counts,
    )


def test_a_redaction_does_not_confuse_what_was_kept_back(repo: Repo) -> None:
    """It gives commits other names, and its tombstone is nothing that can be kept back."""
    repo.switch("feat", create=True).commit_file("f")
    made = repo.tr.remember("Sessions live in Redis")
    gone = repo.tr.remember("The key is under the mat", type="insight")
    repo.switch("main")
    repo.tr.remember("Of the trunk", type="insight")
    repo.tr.promote("feat")
    repo.tr.promote("feat", undo=True)
    repo.tr.promote("feat")

    repo.tr.redact(gone.id)

    assert repo.titles() == {"Of the trunk", "Sessions live in Redis"}
    assert repo.tr.read(made.id, branch="feat").branch == "main"
    repo.tr.promote("feat", undo=True, ids=[made.id])
    assert repo.titles() == {"Of the trunk"}
    assert repo.tr.read(made.id, branch="feat").branch == "feat"
    assert "under the mat" not in repo.git("log", "--all", "-p", "--format=%B")


def test_what_a_promotion_asks_of_the_rows_does_not_grow_with_what_is_promoted(
    new_repo: Callable[[str], Repo], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[object] = []
    ask = Database.ask

    def count(*arguments: Any) -> Any:
        questions.append(arguments)
        return ask(*arguments)

    monkeypatch.setattr(Database, "ask", count)
    counts = set()
    for memories in (20, 60):
        repo = new_repo(f"of-{memories}")
        repo.commit_file("readme")
        repo.switch("feat", create=True).commit_file("f")
        for number in range(memories):
            repo.tr.remember(f"Part {number} is made of brass", type="insight")
        repo.switch("main").git("merge", "-q", "--squash", "feat")
        repo.git("commit", "-qm", "squash")
        repo.git("branch", "-qD", "feat")
        questions.clear()

        assert [line.memories for line in repo.tr.gc().plan] == [memories]

        counts.add(len(questions))
    assert len(counts) == 1


def test_what_a_promotion_wrote_is_not_read_back(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch that was never shared gets a history of its own: it grows with the branch."""
    repo.switch("feat", create=True).commit_file("f")
    made = [repo.tr.remember(f"Fact number {n}", type="insight").id for n in range(20)]
    repo.switch("main")
    repo.git("merge", "-q", "--squash", "feat")
    repo.git("commit", "-q", "-m", "squashed")
    repo.git("branch", "-q", "-D", "feat")
    repo.tr.recall("fact", scope="all")
    read: list[str] = []
    read_changes = log.read_changes

    def reading(*arguments: Any, **options: Any) -> Any:
        for commit, files in read_changes(*arguments, **options):
            read.append(commit.oid)
            yield commit, files

    monkeypatch.setattr(log, "read_changes", reading)

    repo.tr.gc()

    assert not read
    assert {one.id for one in repo.tr.recall("fact", limit=50).results} == set(made)
