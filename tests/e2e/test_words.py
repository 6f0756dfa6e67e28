"""What the program says, in words that a person who meets it for the first time understands."""

import subprocess
from pathlib import Path

import pytest

from conftest import Repo, make_repo


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Repo, Repo]:
    """Two clones of a remote, of which the first has a memory that both know."""
    origin = make_repo(tmp_path / "origin.git", "--bare")
    first = make_repo(tmp_path / "first")
    first.git("remote", "add", "origin", str(origin.path))
    first.commit_file("readme")
    first.git("push", "-q", "origin", "main")
    subprocess.run(["git", "clone", "-q", str(origin.path), str(tmp_path / "second")], check=True)
    second = Repo(tmp_path / "second")
    second.git("config", "user.name", "Ben")
    second.git("config", "user.email", "ben@example.org")
    return first, second


def test_one_is_not_several(repo: Repo) -> None:
    repo.cli("remember", "Use WAL mode")

    said = repo.cli("status").stdout
    assert "1 memory visible, 1 stored in all branches" in said


def test_what_is_withheld_is_counted_in_words(repo: Repo) -> None:
    """`1 other branches` counts memories, not branches."""
    repo.switch("feature", create=True).cli("remember", "Use WAL mode")
    repo.switch("main")

    said = repo.cli("recall", "wal").stdout

    assert "1 more on other branches (--scope all)" in said


def test_what_is_to_be_pushed_is_named(clones: tuple[Repo, Repo]) -> None:
    first, _ = clones
    first.cli("remember", "Use WAL mode")

    assert "origin: 1 change to push: `treering sync`" in first.cli("status").stdout


def test_a_promotion_by_hand_is_not_called_merged(repo: Repo) -> None:
    repo.switch("feature", create=True).cli("remember", "Use WAL mode")

    said = repo.cli("promote", "feature").stdout

    assert "merged" not in said
    assert "feature  promote into main  1 memory  Asked for by hand." in said


def test_the_star_stays_at_the_branch_that_is_checked_out(repo: Repo) -> None:
    repo.cli("remember", "Use WAL mode")
    repo.switch("feature", create=True).cli("remember", "Sessions live in Redis")

    lines = repo.cli("status", "--branch", "main").stdout.splitlines()

    assert lines[0].startswith("Seen from main (trunk: main): 1 memory")
    assert [line for line in lines if line.startswith("*")] == ["* feature  1  live"]
    assert repo.cli("status").stdout.startswith("On feature (trunk: main)")


def test_an_id_is_said_as_it_was_typed(repo: Repo) -> None:
    """Look-alikes mean the digit, but nobody typed a zero."""
    assert repo.error("forget", "nope")["message"] == "No memory nope is visible on main"


def test_the_other_wording_of_a_conflict_can_be_read(clones: tuple[Repo, Repo]) -> None:
    """A person is told the command, and it works."""
    first, second = clones
    memory_id = first.json("remember", "Sessions live in memory")["id"]
    first.cli("sync")
    second.cli("sync")
    second.cli("revise", memory_id, "--content", "Sessions live in Postgres, says Ben")
    first.cli("revise", memory_id, "--content", "Sessions live in Redis, says Ada")
    second.cli("sync")
    notes = first.cli("sync").stdout

    said = first.cli("read", memory_id).stdout
    command = next(line for line in said.splitlines() if "the other wording: " in line)
    words = command.partition("the other wording: ")[2].split()
    assert "{" not in said
    assert words[:4] == ["treering", "read", memory_id, "--at"]
    contents = {
        first.json("read", memory_id)["content"],
        first.json("read", memory_id, "--at", words[-1])["content"],
    }
    assert contents == {"Sessions live in Postgres, says Ben", "Sessions live in Redis, says Ada"}
    assert f"`treering read {memory_id} --at " in notes


def test_a_version_of_another_memory_is_not_shown_as_this_one(repo: Repo) -> None:
    one, two = (repo.json("remember", text) for text in ("first thing", "second matter"))

    error = repo.error("read", one["id"], "--at", two["version"])

    assert error["code"] == "memory_not_found"
    assert repo.json("read", one["id"], "--at", one["version"][:12])["content"] == "first thing"


def test_what_is_no_revision_is_not_called_a_date(repo: Repo) -> None:
    made = repo.json("remember", "text")

    message = repo.error("read", made["id"], "--at", "2571ddfc")["message"]

    assert message == "'2571ddfc' is neither a revision nor a date."


# --- files ----------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_stored_with_a_warning(repo: Repo) -> None:
    """It may be about to be made. More often it is mistyped."""
    repo.commit_file("src/auth/session.py")

    made = repo.json("remember", "Tokens are rotated", "--file", "src/auth/sesion.py")

    assert [f["path"] for f in repo.json("read", made["id"])["files"]] == ["src/auth/sesion.py"]
    assert made["warnings"] == [
        "There is no file src/auth/sesion.py here. Did you mean src/auth/session.py?"
    ]
    said = repo.cli("remember", "Another matter", "--file", "session.py").stdout
    assert "warning: There is no file session.py here. Did you mean src/auth/session.py?" in said


def test_files_that_are_there_are_taken_without_a_word(repo: Repo) -> None:
    """Committed, only in the work tree, a folder, or deleted but in HEAD."""
    repo.commit_file("src/a.py")
    repo.commit_file("src/gone.py")
    (repo.path / "src/gone.py").unlink()
    (repo.path / "new.py").write_text("x\n", encoding="utf-8")

    names = ("src/a.py", "src/gone.py", "new.py", "src")
    made = repo.json("remember", "All of these", *(f"--file={name}" for name in names))

    assert "warnings" not in made


def test_a_file_of_another_branch_is_looked_for_there(repo: Repo) -> None:
    repo.switch("feature", create=True).commit_file("only_here.py")
    repo.switch("main")

    there = repo.json("remember", "On the branch", "--file", "only_here.py", "-b", "feature")
    here = repo.json("remember", "On the trunk", "--file", "only_here.py")

    assert "warnings" not in there
    assert "There is no file only_here.py here." in here["warnings"][0]


def test_revise_warns_of_missing_files_too(repo: Repo) -> None:
    made = repo.json("remember", "text")

    revised = repo.json("revise", made["id"], "--file", "README.mdd")

    assert revised["warnings"] == ["There is no file README.mdd here. Did you mean README.md?"]


# --- a new teammate -------------------------------------------------------------------------------


def test_a_search_in_a_fresh_clone_says_how_to_get_memories(clones: tuple[Repo, Repo]) -> None:
    """Nothing is found because nothing was fetched."""
    first, second = clones
    first.cli("remember", "Use WAL mode")
    first.cli("sync")

    done = second.cli("recall", "wal")

    assert "No memories found on main." in done.stdout
    hint = "hint: This clone has no memories yet. `treering sync fetch` gets those that origin has."
    assert hint in done.stderr
    second.cli("sync", "fetch")
    assert "Use WAL mode" in second.cli("recall", "wal").stdout
    assert second.cli("recall", "zebra").stderr == ""


def test_init_says_what_teammates_need(repo: Repo) -> None:
    """The files of a client are everybody's once they are committed."""
    notes = repo.json("init", "--client", "claude")["notes"]

    note = next(note for note in notes if "teammates" in note)
    assert ".mcp.json and .claude/settings.json" in note
    assert not any("teammates" in note for note in repo.json("init")["notes"])
