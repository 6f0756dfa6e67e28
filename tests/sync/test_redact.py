"""A memory's text taken out of history: here, on the remote, and in the other clones."""

import subprocess

from conftest import Repo
from sync.conftest import Team
from treering.model.scope import REMOTES

HEADS = "refs/treering/heads/"
SECRET = "correct horse battery staple"


def texts(repo: Repo) -> bytes:
    """Every object there is, reachable or not."""
    done = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch", "--buffer"],
        cwd=repo.path,
        capture_output=True,
        check=True,
    )
    return done.stdout


def reachable(repo: Repo) -> str:
    return repo.git("log", "-p", "--format=%B", "--glob=refs/treering/heads", "--")


def test_the_text_is_gone_from_every_history(repo: Repo) -> None:
    """Branches, trash, private memories, logs, loose objects, and the index."""
    keep = repo.tr.remember("Use WAL mode", type="decision").id
    memory = repo.tr.remember(f"The password is {SECRET}", type="config").id
    repo.tr.revise(memory, append=f"Again: {SECRET}")
    repo.switch("work", create=True).commit_file("work.txt")
    repo.tr.revise(memory, append="on a branch")
    repo.switch("main").git("branch", "-q", "-D", "work")
    repo.tr.gc()
    repo.tr.remember("after it", type="insight")
    repo.tr.recall("password")
    shown = repo.tr.redact(memory, dry_run=True)
    before = repo.refs()
    assert shown.versions == 3
    assert len(shown.refs) == 2

    done = repo.tr.redact(memory[:8])

    assert (done.id, done.versions, done.left) == (memory, 3, ())
    assert before != repo.refs()
    assert SECRET.encode() not in texts(repo)
    found = [str(p) for p in (repo.path / ".git").rglob("*") if p.is_file()
             and any(word in p.read_bytes() for word in (b"horse", b"battery"))]  # fmt: skip
    assert found == []
    assert repo.titles() == {"Use WAL mode", "after it"}
    stone = repo.tr.read(memory, history=True)
    assert (stone.status, stone.content, stone.title) == ("deleted", "redacted", "redacted")
    assert {entry.title for entry in stone.history or ()} == {"redacted"}
    assert repo.tr.recall("password").results == ()
    assert repo.tr.read(keep).title == "Use WAL mode"
    repo.git("fsck", "--strict", "--no-dangling")
    assert not [f for f in repo.tr.doctor().findings if f.is_left_to_do]


def test_private_memories_are_redacted_too(repo: Repo) -> None:
    memory = repo.tr.remember(f"The password is {SECRET}", type="config", private=True).id

    repo.tr.redact(memory)

    assert repo.tr.read(memory).content == "redacted"
    private = Repo(repo.path / ".git" / "treering" / "private.git")
    assert SECRET not in private.git("log", "-p", "--all")


def test_what_no_history_holds_is_not_found(repo: Repo) -> None:
    repo.tr.remember("Use WAL mode", type="decision")

    assert repo.error("redact", "0" * 12)["code"] == "memory_not_found"
    assert repo.error("redact", "zzzzz")["code"] == "memory_not_found"


def test_redaction_reaches_the_remote_and_the_other_clones(clone: Team) -> None:
    """Each writes its own history again and comes to the same commits; unshared work stays."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.remember("after it", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.remember("not shared yet", type="insight")
    bob.tr.revise(memory, tags_add=["mine"])

    told = ada.tr.redact(memory)
    assert any("origin still has it" in line for line in told.left)
    assert not [ref for ref in ada.refs() if ref.startswith(REMOTES)]
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.sync()

    assert ada.refs()[HEADS + "main"] == bob.refs()[HEADS + "main"]
    assert ada.titles() == bob.titles() == {"Use WAL mode", "after it", "not shared yet"}
    for repo in (ada, bob):
        assert SECRET not in reachable(repo)
        assert repo.tr.read(memory).content == "redacted"
    server = clone("fresh")
    server.git("fetch", "-q", "origin", f"{HEADS}*:{HEADS}*")
    assert SECRET not in reachable(server)


def test_the_command_tells_what_it_cannot_do(clone: Team) -> None:
    ada = clone("ada")
    memory = ada.tr.remember(f"The password is {SECRET}", type="config").id
    ada.tr.sync()

    shown = ada.json("redact", memory, "--dry-run")
    said = ada.cli("redact", memory).stdout

    assert shown["dry_run"] is True
    assert "cannot be called back" in said
    assert SECRET not in said
