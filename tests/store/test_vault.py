"""The write path, judged by git itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering.errors import FormatTooNew, StorageFailed
from treering.git import refs
from treering.git.objects import Objects


def test_a_memory_is_one_file_in_one_commit(repo: Repo) -> None:
    """The format: shard, id, trailers."""
    answer = repo.tr.remember("Use WAL mode", type="decision")

    assert repo.files() == [f"memories/{answer.id[:2]}/{answer.id}.md"]
    body = repo.git("log", "-1", "--format=%B", "refs/treering/heads/main")
    head = repo.git("rev-parse", "HEAD")
    assert body.splitlines() == [
        f"remember decision {answer.id}: Use WAL mode",
        "",
        "Treering-Op: remember",
        f"Treering-Memory: {answer.id}",
        "Code-Branch: main",
        f"Code-Head: {head}",
        f"Code-Base: {head}",
    ]
    assert repo.git("log", "-1", "--format=%an <%ae>", "refs/treering/heads/main") == (
        "Ada Lovelace <ada@example.org>"
    )
    assert answer.version == repo.git("rev-parse", f"refs/treering/heads/main:{repo.files()[0]}")


def test_nothing_of_the_users_is_touched(repo: Repo) -> None:
    """Not the branches, not the index, not the work tree, not the configuration."""
    before = (repo.git("status", "--porcelain"), repo.git("for-each-ref", "refs/heads"))
    config = (repo.path / ".git" / "config").read_bytes()
    index = (repo.path / ".git" / "index").read_bytes()

    memory = repo.tr.remember("Use WAL mode")
    repo.tr.revise(memory.id, tags_add=["db"])
    repo.tr.forget([memory.id])

    assert (repo.git("status", "--porcelain"), repo.git("for-each-ref", "refs/heads")) == before
    assert (repo.path / ".git" / "config").read_bytes() == config
    assert (repo.path / ".git" / "index").read_bytes() == index


def test_a_write_costs_objects_on_the_changed_path_only(repo: Repo) -> None:
    """Blob, shard, memories, root, commit: whatever the number of memories."""
    for n in range(20):
        repo.tr.remember(f"memory {n}")
    before = int(repo.git("count-objects").split()[0])

    repo.tr.remember("one more")

    assert int(repo.git("count-objects").split()[0]) - before == 5


def test_a_failed_object_write_is_an_error_and_changes_nothing(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk must never look like success."""
    repo.tr.remember("first")
    before = repo.refs()

    def full(*_: object) -> str:
        raise StorageFailed("A commit could not be written: No space left on device")

    monkeypatch.setattr(Objects, "write_commit", full)
    with pytest.raises(StorageFailed, match="No space left"):
        repo.tr.remember("second")

    assert repo.refs() == before


def test_a_commit_that_is_not_there_after_writing_is_an_error(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libgit2 once returned an id and wrote nothing; so the tip is read back."""
    monkeypatch.setattr(Objects, "exists", lambda *_: False)

    with pytest.raises(StorageFailed, match="not on disk"):
        repo.tr.remember("lost?")


def test_a_ref_moved_by_git_meanwhile_means_looking_again(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fetch or another tool knows nothing of our lock."""
    from treering.git import refs

    other = repo.tr.remember("written by another tool", type="insight")
    rival = repo.refs()["refs/treering/heads/main"]
    repo.git("update-ref", "-d", "refs/treering/heads/main")
    moved = refs.move
    calls: list[int] = []

    def interfered(*args: object, **kwargs: object) -> None:
        if not calls:
            repo.git("update-ref", "refs/treering/heads/main", rival)
        calls.append(1)
        moved(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(refs, "move", interfered)
    mine = repo.tr.remember("written by us", type="insight")

    assert len(calls) == 2
    assert {f"memories/{m.id[:2]}/{m.id}.md" for m in (other, mine)} == set(repo.files())


def test_a_newer_format_is_read_but_not_written(repo: Repo) -> None:
    """An older program must not undo what a newer one knows."""
    memory = repo.tr.remember("from the future")
    tip = repo.refs()["refs/treering/heads/main"]
    newer = repo.git(
        "commit-tree", f"{tip}^{{tree}}", "-p", tip,
        feed="upgrade\n\nTreering-Op: upgrade\nTreering-Format: 2\n",
    )  # fmt: skip
    repo.git("update-ref", "refs/treering/heads/main", newer)

    assert repo.tr.read(memory.id).title == "from the future"
    with pytest.raises(FormatTooNew, match="format 2"):
        repo.tr.remember("from the past")


def test_many_at_once_are_one_commit_and_one_pack(repo: Repo, tmp_path: Path) -> None:
    """Thousands of loose objects would take 25 times the space."""
    file = tmp_path / "many.jsonl"
    file.write_text(
        "".join(
            json.dumps({"content": f"memory {n}", "type": "insight"}) + "\n" for n in range(500)
        ),
        encoding="utf-8",
    )

    answer = repo.tr.import_path(file)

    assert answer.imported == 500
    assert len(repo.files()) == 500
    assert repo.git("rev-list", "--count", "refs/treering/heads/main") == "1"
    assert "Treering-Bulk: 500" in repo.git("log", "-1", "--format=%B", "refs/treering/heads/main")
    assert len(list((repo.path / ".git" / "objects" / "pack").glob("*.pack"))) == 1
    assert repo.git("fsck", "--no-dangling") == ""


ALIKE = ("topic", "Topic", "topic-x", "100%", "日本/é", "x]y", "we$(touch${IFS}pwn)ird;'\"&|")


def test_the_tree_of_what_was_written_is_found_and_no_other(repo: Repo) -> None:
    """A promotion of all that a scope holds writes no tree; one of a part, or of a tree with
    something else in it, is a tree of its own."""
    for number in range(40):
        repo.tr.remember(f"Part {number} is made of brass", type="insight")
    vault, tip = repo.workspace.store.shared, repo.refs()["refs/treering/heads/main"]
    blobs = {memory_id: blob for memory_id, (_, blob) in vault.diff(None, tip).items() if blob}
    some = dict(list(blobs.items())[1:])

    assert vault.find_tree(blobs) == vault.write_tree(None, blobs) == vault.tree_of(tip)
    assert vault.find_tree(some) is None
    assert vault.find_tree(some | {"000000000000": "0" * 40}) is None
    assert vault.write_tree(None, some) == vault.find_tree(some)


def test_branches_named_alike_have_scopes_of_their_own(repo: Repo) -> None:
    """`a` and `a-b` and `A` and `a/b`-like names must never share or block each other."""
    for branch in ALIKE:
        repo.switch(branch, create=True)
        repo.tr.remember(f"on {branch}")

    for branch in ALIKE:
        assert f"on {branch}" in repo.titles(branch)
        assert len(repo.files(branch)) == 1


def test_a_branch_name_of_255_bytes_works(repo: Repo) -> None:
    """The escaped name would not fit into a file name with .lock."""
    name = "f/" + "é" * 100 + "x" * 40
    repo.git("branch", name)

    memory = repo.tr.remember("long", branch=name)

    assert repo.tr.read(memory.id, branch=name).branch == name
    assert name in [b["branch"] for b in repo.tr.status(view="branches")["branches"]]
    assert (
        repo.git("log", "-1", "--format=%(trailers:key=Code-Branch,valueonly)", *repo.refs())
        == name
    )


def _meddle(monkeypatch: pytest.MonkeyPatch, after: Callable[[str, str], object]) -> None:
    """Let something that does not know our lock do something right after the next move of a ref."""
    plain = refs.move

    def move(handle: Any, folder: Path, name: str, new: str | None, **rest: Any) -> None:
        plain(handle, folder, name, new, **rest)
        monkeypatch.undo()
        after(name, new or "")

    monkeypatch.setattr(refs, "move", move)


def test_a_write_that_others_went_on_from_is_acknowledged(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on disk and in the history: whoever moved the ref since did so on top of it."""

    def go_on(name: str, tip: str) -> None:
        on_top = repo.git("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "on top of it")
        repo.git("update-ref", name, on_top, tip)

    repo.tr.remember("there before")
    _meddle(monkeypatch, go_on)
    answer = repo.tr.remember("Use WAL mode")

    assert not answer.duplicate
    assert repo.git("log", "-1", "--format=%s", "refs/treering/heads/main") == "on top of it"
    assert repo.tr.read(answer.id).content == "Use WAL mode"


def test_a_write_that_was_taken_back_is_written_again(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not in the history any more must not be acknowledged."""
    repo.tr.remember("there before")
    _meddle(monkeypatch, lambda name, tip: repo.git("update-ref", name, f"{tip}^", tip))

    answer = repo.tr.remember("Use WAL mode")

    assert not answer.duplicate
    assert answer.id in "".join(repo.files())
