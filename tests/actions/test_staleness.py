"""Whether the code a memory names is still what it was."""

from conftest import Repo


def _state(repo: Repo, memory_id: str) -> str | None:
    stale = repo.tr.read(memory_id).stale
    return stale.state if stale else None


def test_a_memory_without_files_has_no_staleness(repo: Repo) -> None:
    """Nothing to compare with."""
    assert _state(repo, repo.tr.remember("text").id) is None


def test_fresh_changed_and_gone_are_told_apart(repo: Repo) -> None:
    """By blob id, not by date."""
    repo.commit_file("src/a.py", "one\n")
    memory = repo.tr.remember("about a", files=["src/a.py"])
    assert _state(repo, memory.id) == "fresh"

    repo.commit_file("src/a.py", "two\n")
    assert _state(repo, memory.id) == "changed"

    repo.git("rm", "-q", "src/a.py")
    repo.git("commit", "-q", "-m", "remove")
    assert _state(repo, memory.id) == "gone"


def test_a_renamed_file_is_moved(repo: Repo) -> None:
    """And the answer says where to."""
    repo.commit_file("src/a.py", "a long enough text\n" * 20)
    memory = repo.tr.remember("about a", files=["src/a.py"])
    repo.git("mv", "src/a.py", "src/b.py")
    repo.git("commit", "-q", "-m", "move")

    stale = repo.tr.read(memory.id).stale

    assert stale is not None
    assert (stale.files[0].state, stale.files[0].now) == ("moved", "src/b.py")


def test_what_is_edited_now_is_fresh_once_committed(repo: Repo) -> None:
    """edit, remember, commit: the order agents work in."""
    repo.commit_file("src/a.py", "one\n")
    (repo.path / "src/a.py").write_text("two\n", encoding="utf-8")
    memory = repo.tr.remember("about the new text", files=["src/a.py"])

    repo.git("commit", "-q", "-a", "-m", "edit")

    assert _state(repo, memory.id) == "fresh"


def test_staleness_is_against_the_branch_asked_about(repo: Repo) -> None:
    """The same memory can be fresh here and stale there."""
    repo.commit_file("src/a.py", "one\n")
    memory = repo.tr.remember("about a", files=["src/a.py"])
    repo.switch("feature", create=True)
    repo.commit_file("src/a.py", "two\n")

    assert _state(repo, memory.id) == "changed"
    stale = repo.tr.read(memory.id, branch="main").stale
    assert stale is not None
    assert stale.state == "fresh"


def test_a_memory_is_as_stale_as_its_worst_file(repo: Repo) -> None:
    """One changed file is reason to look."""
    repo.commit_file("a.py", "one\n")
    repo.commit_file("b.py", "one\n")
    memory = repo.tr.remember("about both", files=["a.py", "b.py"])

    repo.commit_file("b.py", "two\n")

    assert _state(repo, memory.id) == "changed"


def test_words_that_are_no_longer_in_the_files_are_named(repo: Repo) -> None:
    """A file changes for many reasons; that what a memory speaks of is gone is a good one to
    doubt it."""
    repo.commit_file("client.py", "MAX_RETRIES = 3\ndef send_all(): ...\n")
    made = repo.tr.remember(
        "The client gives up after MAX_RETRIES in send_all()", files=["client.py"]
    )
    plain = repo.tr.remember("The client is written by hand", files=["client.py"])

    repo.commit_file("client.py", "ATTEMPTS = 3\ndef send_all(): ...\n")

    stale = repo.tr.read(made.id).stale
    assert stale is not None
    assert (stale.state, stale.lost) == ("changed", ("MAX_RETRIES",))
    other = repo.tr.read(plain.id).stale
    assert other is not None
    assert other.lost is None
    (doubt,) = [item for item in repo.tr.review().items if item.id == made.id]
    assert "no longer in its files: MAX_RETRIES" in [reason.detail for reason in doubt.reasons]
    answer = repo.tr.context(files=["client.py"])
    entries = {e["id"]: e for group in ("high", "medium", "low") for e in answer[group]}
    assert "words gone" in entries[made.id]["why"]
    assert entries[made.id]["score"] < entries[plain.id]["score"]
