"""Credentials in whatever a hook is told: none is stored, and none keeps a branch from its sync."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import Repo
from hooked import Hooked
from treering.capture.commits import CodeCommit, memory_of
from treering.model import document
from treering.model.scope import Scope
from treering.text.masking import mask, mask_branch, mask_memory
from treering.text.secrets import secrets_in

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
MASKED = "[masked: GitHub token]"


@pytest.fixture
def origin(repo: Repo, tmp_path: Path) -> Repo:
    """The repository, with a remote."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "origin.git")], check=True)
    repo.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    return repo


def stored(repo: Repo) -> str:
    """Every commit, tree and blob our refs reach; `keep` refs name the user's own commits."""
    wanted = [name for name in repo.refs() if not name.startswith("refs/treering/keep/")]
    listed = repo.git("rev-list", "--objects", *wanted).splitlines()
    oids = "\n".join(line.partition(" ")[0] for line in listed)
    done = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repo.path,
        input=oids.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode(errors="replace")


def written_down(repo: Repo) -> str:
    """What we wrote beside git's own files: journal, sessions, logs."""
    folder = repo.path / ".git" / "treering"
    files = [file for file in folder.rglob("*") if file.is_file()]
    return "".join(file.read_bytes().decode(errors="replace") for file in files)


def commit_as(repo: Repo, name: str, email: str) -> None:
    repo.git("-c", f"user.name={name}", "-c", f"user.email={email}", "commit", "-q", "-m", "work")


def by_author(repo: Repo) -> None:
    (repo.path / "a.txt").write_text("a", encoding="utf-8")
    repo.git("add", "a.txt")
    commit_as(repo, f"Bob {TOKEN}", "bob@example.org")


def by_address(repo: Repo) -> None:
    (repo.path / "a.txt").write_text("a", encoding="utf-8")
    repo.git("add", "a.txt")
    commit_as(repo, "Bob", f"{TOKEN}@example.org")


def by_user(repo: Repo) -> None:
    """Whoever has it in the configuration writes the memories, too."""
    repo.git("config", "user.name", f"Ada {TOKEN}")
    repo.commit_file("a.txt")


def by_branch(repo: Repo) -> None:
    repo.switch(f"fix/{TOKEN}", create=True)
    repo.commit_file("a.txt")
    repo.commit_file("b.txt")


def by_file(repo: Repo) -> None:
    repo.commit_file(f"keys/{TOKEN}.txt")
    (repo.path / "c.txt").write_text("c", encoding="utf-8")
    repo.git("add", "c.txt")
    repo.git("mv", f"keys/{TOKEN}.txt", f"{TOKEN}.txt")
    repo.git("commit", "-q", "-m", "move it")


def by_message(repo: Repo) -> None:
    repo.commit_file("a.txt", message=f"{TOKEN} in a title\n\nand {TOKEN} below")


def by_trailer(repo: Repo) -> None:
    repo.commit_file(
        "a.txt", message=f"work\n\nUsed-Token: {TOKEN}\nSigned-off-by: {TOKEN} <a@b.c>"
    )


WAYS = [by_author, by_address, by_user, by_branch, by_file, by_message, by_trailer]


@pytest.mark.parametrize("way", WAYS)
def test_a_credential_a_hook_meets_is_stored_nowhere_and_blocks_no_sync(
    origin: Repo, hooked: Hooked, way: Callable[[Repo], None]
) -> None:
    way(origin)
    origin.git("push", "-q", "origin", "--all")
    hooked.settle()

    answer = origin.json("sync")

    assert TOKEN not in stored(origin)
    assert TOKEN not in written_down(origin)
    assert answer["pushed"] >= 1
    assert origin.json("recall", "--type", "commit")["total"] >= 1
    assert origin.json("doctor")["findings"] == []


def test_a_file_whose_name_is_masked_is_named_beside_the_others(repo: Repo, noting: Hooked) -> None:
    """It cannot be looked up any more, so it is not among the files that may grow stale."""
    (repo.path / f"{TOKEN}.txt").write_text("a", encoding="utf-8")
    repo.git("add", f"{TOKEN}.txt")
    repo.commit_file("plain.txt")
    repo.tr.drain()

    (found,) = repo.json("recall", "--type", "commit")["results"]
    memory = repo.json("read", found["id"])
    assert [file["path"] for file in memory["files"]] == ["plain.txt"]
    assert memory["details"]["masked_files"] == [f"{MASKED}.txt"]
    assert memory["details"]["files"] == 2


def test_sync_says_that_the_name_of_a_branch_goes_out_as_it_is(
    origin: Repo, noting: Hooked
) -> None:
    """The ref is the branch's name: there is nothing that could be taken out of it."""
    by_branch(origin)
    origin.git("push", "-q", "origin", "--all")
    origin.tr.drain()

    answer = origin.json("sync")

    (note,) = answer["notes"]
    assert MASKED in note
    assert TOKEN not in note
    assert origin.json("sync").get("notes") is None  # once it is there it is no news


def test_commits_on_a_masked_branch_are_one_session_and_follow_it(
    origin: Repo, noting: Hooked
) -> None:
    """What is compared with the branch's name still finds it: sessions, the trunk, the way back."""
    by_branch(origin)
    origin.tr.drain()
    (session,) = origin.json("recall", "--type", "session")["results"]
    assert origin.json("read", session["id"])["details"]["count"] == 2

    origin.switch("main")
    origin.git("merge", "-q", "--no-ff", "-m", "merge it", f"fix/{TOKEN}")
    origin.git("branch", "-q", "-D", f"fix/{TOKEN}")
    origin.json("hook", "drain")
    origin.json("gc")

    assert origin.json("recall", "--type", "commit")["total"] == 2
    assert TOKEN not in stored(origin)
    assert origin.json("sync")["remote"] == "origin"


def test_a_masked_branch_comes_back_from_the_trash(origin: Repo, noting: Hooked) -> None:
    by_branch(origin)
    origin.tr.drain()
    origin.switch("main")
    origin.git("branch", "-q", "-D", f"fix/{TOKEN}")
    origin.json("gc")
    origin.git("branch", "-q", f"fix/{TOKEN}", "main")

    restored = origin.json("restore", f"fix/{TOKEN}")

    assert restored["memories"] == 3
    assert TOKEN not in stored(origin)


def test_a_name_too_long_for_a_ref_keeps_its_memories(repo: Repo, noting: Hooked) -> None:
    """Its ref holds a part of it, so the commit has to hold the whole; masked, nobody could tell
    which branch these memories belong to."""
    branch = f"{'long/' * 44}{TOKEN}"
    repo.switch(branch, create=True)
    repo.commit_file("a.txt")
    repo.tr.drain()

    assert repo.json("recall", "--type", "commit", "--branch", branch)["total"] == 1
    assert mask_branch(branch) == branch
    assert "%+" in Scope(branch).component


@pytest.mark.parametrize("client", ["claude", "cursor"])
def test_an_agents_session_id_is_masked(
    origin: Repo, hooked: Hooked, monkeypatch: pytest.MonkeyPatch, client: str
) -> None:
    """In its session and its checkpoint; two ids are two sessions all the same."""
    monkeypatch.setenv("TREERING_HOOK_SECONDS", "60")
    for text in ("closed", "open"):
        (origin.path / f"{TOKEN}.py").write_text(text, encoding="utf-8")
        (origin.path / "open.py").write_text(text, encoding="utf-8")
        if text == "closed":
            origin.git("add", ".")
            origin.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "tracked")
    names = {
        "claude": ("SessionStart", "PreCompact", "SessionEnd"),
        "cursor": ("sessionStart", "preCompact", "sessionEnd"),
    }
    other = "ghp_" + "Z9y8X7w6V5u4" * 3
    for number, token in enumerate((TOKEN, other), 1):
        for event in names[client]:
            if event == names[client][2]:  # a session in which nothing happened is not kept
                origin.now = time.time() + 60
                for part in range(2):  # without a file, which a late checkpoint would find open
                    origin.git("commit", "--quiet", "--allow-empty", "-m", f"{number}-{part}")
                hooked.settle()
            told = {"session_id": token, "custom_instructions": f"keep {token}"}
            done = origin.cli("hook", "agent", client, event, feed=json.dumps(told))
            assert (done.returncode, done.stderr) == (0, "")
        _wait(lambda number=number: len(_found(origin, "session")) == number)
        _wait(lambda: len(_found(origin, "checkpoint")) >= 1)
    hooked.settle()

    checkpoint = origin.json("checkpoint", "load")
    origin.json("sync")

    assert checkpoint["open_files"] == ["open.py"]
    assert checkpoint["checkpoint"]["session"] == MASKED
    for token in (TOKEN, other):
        assert token not in stored(origin)
        assert token not in written_down(origin)


def _found(repo: Repo, kind: str) -> list[object]:
    return [memory for memory in repo.tr.exported() if memory["type"] == kind]


def _wait(for_it: Callable[[], bool]) -> None:
    """Agents' hooks write after they have answered."""
    until = time.monotonic() + 60
    while not for_it():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_log_of_the_hooks_is_masked(repo: Repo, hooked: Hooked) -> None:
    """What goes wrong on a branch is logged with its name."""
    from treering.hooks.worker import log

    log(hooked.folder, f"fix/{TOKEN}: no such thing")

    assert hooked.log().endswith(f"fix/{MASKED}: no such thing\n")
    (hooked.folder / "hook.log").unlink()


_PARTS = st.sampled_from(
    [TOKEN, "AKIA" + "Q7" * 8, "aws_secret_access_key = ", "q7" * 20, "0f" * 20, " ", "\n", "\n\n",
     "password: ", "'", "Xk29fjQ8sLw0vNz1", "curl -u me:", "https://me:", "@host", "Token: ",
     "machine h login l password ", "Authorization: Bearer ", "\u200b", "word", "[masked: ", "]"]
)  # fmt: skip


@given(parts=st.lists(_PARTS, max_size=12), who=st.lists(_PARTS, max_size=3))
@example(parts=["aws_secret_access_key = ", "q7" * 20, " ", "0f" * 20], who=[])
@example(parts=["password: ", "machine h login l password ", "@host"], who=[])
def test_what_was_masked_is_found_clean_by_the_sync(parts: list[str], who: list[str]) -> None:
    """The name of a kind may itself make what follows it look like a credential."""
    text = "".join(parts)
    author = mask(" ".join("".join(who).split()))
    commit = CodeCommit("0f" * 20, (), f"{author} <a@b.c>", 0, mask(text))

    memory = mask_memory(memory_of(commit, session="a" * 12))

    assert secrets_in(mask(text)) == ()
    assert secrets_in(document.dump(memory).decode()) == ()


def test_what_only_the_front_matter_makes_a_credential_blocks_no_sync(
    origin: Repo, noting: Hooked
) -> None:
    """A quote around a title is one character more."""
    origin.commit_file("a.txt", message="password: machine h login l password @host")
    origin.git("push", "-q", "origin", "--all")
    origin.tr.drain()

    assert origin.json("sync")["pushed"] == 1
    (found,) = origin.json("recall", "--type", "commit")["results"]
    assert found["title"] == "[masked]"


def test_a_masked_name_that_is_used_again_inherits_nothing(repo: Repo) -> None:
    """Whose memories stand under a name is told by what their commit says it was written for."""
    repo.switch(f"old-{TOKEN}", create=True)
    repo.tr.remember("of the first", type="insight")
    repo.git("branch", "-q", "-m", f"old-{TOKEN}", "new")
    repo.now += 5
    repo.switch("main").switch(f"old-{TOKEN}", create=True)

    assert (repo.titles("new"), repo.titles(f"old-{TOKEN}")) == ({"of the first"}, set())


def test_lessons_of_a_masked_branch_are_kept_without_its_name(repo: Repo) -> None:
    repo.switch(f"try-{TOKEN}", create=True)
    repo.commit_file("a.txt")
    repo.tr.remember("It did not work", type="insight", outcome="failed")
    repo.switch("main")
    repo.git("branch", "-q", "-D", f"try-{TOKEN}")

    repo.json("gc", "--keep-lessons")

    assert {hit.title for hit in repo.tr.recall().results} == {"It did not work"}
    assert TOKEN not in stored(repo)
