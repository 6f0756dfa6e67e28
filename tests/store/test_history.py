"""The past of memories."""

import json
from pathlib import Path

import pytest

from conftest import Repo
from treering.errors import Invalid, MemoryNotFound


def test_history_lists_every_change_newest_first(repo: Repo) -> None:
    """Who changed what, when."""
    memory = repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.remember("something else")
    repo.tr.revise(memory.id, title="Use WAL")
    repo.tr.forget([memory.id])

    history = repo.tr.read(memory.id, history=True).history

    assert history is not None
    assert [(e.op, e.title) for e in history] == [
        ("forget", "Use WAL"), ("revise", "Use WAL"), ("remember", "Use WAL mode"),
    ]  # fmt: skip


def test_a_past_version_is_read_by_its_commit(repo: Repo) -> None:
    """History is only worth something if it can be read."""
    memory = repo.tr.remember("old text", type="insight")
    repo.tr.revise(memory.id, content="new text")
    entries = repo.tr.log(memory.id).entries

    assert repo.tr.read(memory.id, at=entries[1].commit).content == "old text"
    assert repo.tr.read(memory.id, at=entries[0].commit[:10]).content == "new text"


def test_a_past_version_is_read_by_a_code_commit_or_date(repo: Repo) -> None:
    """`what did we know when v1 was released?`"""
    memory = repo.tr.remember("old text", type="insight")
    released = repo.commit_file("release.txt")
    repo.now += 86400
    repo.tr.revise(memory.id, content="new text")

    assert repo.tr.read(memory.id, at=released).content == "old text"
    assert repo.tr.read(memory.id, at="HEAD").content == "old text"
    assert repo.tr.read(memory.id, at="2026-02-02").content == "old text"
    assert repo.tr.read(memory.id, at="1h").content == "old text"
    with pytest.raises(MemoryNotFound):
        repo.tr.read(memory.id, at="2026-01-01")
    with pytest.raises(Invalid):
        repo.tr.read(memory.id, at="no-such-revision")


def test_a_bulk_import_is_in_the_history_of_its_memories(repo: Repo, tmp_path: Path) -> None:
    """Its commit names no memories, so the trees are compared."""
    file = tmp_path / "many.jsonl"
    file.write_text(
        "".join(json.dumps({"content": f"memory {n}"}) + "\n" for n in range(60)), encoding="utf-8"
    )
    early = repo.tr.remember("here before")
    repo.tr.import_path(file)
    memory_id = next(m["id"] for m in repo.tr.exported() if m["content"] == "memory 7")

    history = repo.tr.read(memory_id, history=True).history
    before = repo.tr.read(early.id, history=True).history

    assert history is not None
    assert before is not None
    assert [(e.op, e.title) for e in history] == [("import", "memory 7")]
    assert [e.op for e in before] == ["remember"]


def test_revert_brings_back_the_version_before(repo: Repo) -> None:
    """As a new change: the mistake stays in history."""
    memory = repo.tr.remember("right", type="insight")
    repo.tr.revise(memory.id, content="wrong")

    answer = repo.tr.revert(memory.id)

    assert answer.changed == ("content", "title")
    assert repo.tr.read(memory.id).content == "right"
    assert [e.op for e in repo.tr.log(memory.id).entries] == ["revert", "revise", "remember"]


def test_revert_to_a_commit(repo: Repo) -> None:
    """Any version of its history."""
    memory = repo.tr.remember("one", type="insight")
    repo.tr.revise(memory.id, content="two")
    repo.tr.revise(memory.id, content="three")
    first = repo.tr.log(memory.id).entries[-1].commit

    repo.tr.revert(memory.id, to=first)

    assert repo.tr.read(memory.id).content == "one"


def test_revert_without_a_past_is_refused(repo: Repo) -> None:
    """A clear error instead of nothing."""
    memory = repo.tr.remember("only version")

    with pytest.raises(Invalid, match="no earlier version"):
        repo.tr.revert(memory.id)
    with pytest.raises(MemoryNotFound):
        repo.tr.revert(memory.id, to="HEAD")


def test_the_log_covers_what_is_seen_from_here(repo: Repo) -> None:
    """The branch and the trunk, not a sibling."""
    repo.tr.remember("on main")
    repo.switch("one", create=True)
    repo.tr.remember("on one")
    repo.switch("two", create=True)
    repo.tr.remember("on two")
    repo.git("config", "branch.two.treeringbase", "main")

    assert [e.title for e in repo.tr.log().entries] == ["on two", "on main"]
    assert {e.title for e in repo.tr.log(all=True).entries} == {"on two", "on one", "on main"}
