"""status, diff, config and doctor."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from treering.actions.history import markdown
from treering.errors import Invalid


def test_status_counts_what_is_seen(repo: Repo) -> None:
    """In the contract's words."""
    one = repo.tr.remember("We decided on WAL", tags=["db"], topic="backend/db", type="decision")
    repo.tr.remember("other", type="insight", links=[f"uses:{one.id}"], tags=["db", "x"])
    repo.switch("feature", create=True)
    gone = repo.tr.remember("gone", type="insight")
    repo.tr.forget([gone.id])

    status = repo.tr.status()

    assert status["repository"] == {
        "branch": "feature", "checked_out": "feature", "trunk": "main", "detached": False,
        "bare": False, "worktrees": 1,
    }  # fmt: skip
    assert status["memories"]["visible"] == 2
    assert status["memories"]["total"] == 3
    assert status["memories"]["by_type"] == {"decision": 1, "insight": 1}
    assert status["memories"]["by_status"] == {"active": 2, "deleted": 1}
    assert status["links"] == {"total": 1, "by_relation": {"uses": 1}}
    assert status["top_tags"] == [{"tag": "db", "count": 2}, {"tag": "x", "count": 1}]
    assert status["branches"] == [
        {"branch": "feature", "memories": 1, "state": "live"},
        {"branch": "main", "memories": 2, "state": "live"},
    ]
    assert status["format"] == 1


def test_status_views(repo: Repo) -> None:
    """Types with descriptions, topics with their parents."""
    repo.tr.remember(
        "text", topic="backend/db/wal", type="decision", confidence=0.5, files=["a.py"]
    )
    repo.tr.remember("no topic", type="insight")

    topics = repo.tr.status(view="topics")["topics"]
    types = repo.tr.status(view="types")["types"]

    assert [(t["topic"], t["count"]) for t in topics] == [
        ("(none)", 1), ("backend", 1), ("backend/db", 1), ("backend/db/wal", 1),
    ]  # fmt: skip
    assert len(types) == 20
    assert repo.tr.status(view="files")["files"] == [{"path": "a.py", "count": 1}]
    with pytest.raises(Invalid):
        repo.tr.status(view="nonsense")


def test_diff_shows_what_a_branch_knows(repo: Repo) -> None:
    """For reviewers: learned, changed, forgotten."""
    kept = repo.tr.remember("kept", type="insight")
    dropped = repo.tr.remember("dropped", type="insight")
    repo.tr.remember("same", type="insight")
    repo.switch("feature", create=True)
    repo.tr.remember("learned", type="insight")
    repo.tr.revise(kept.id, title="kept, changed")
    repo.tr.forget([dropped.id])

    difference = repo.tr.diff("main..feature")

    assert [d.title for d in difference.added] == ["learned"]
    assert [d.title for d in difference.changed] == ["kept, changed"]
    assert [d.title for d in difference.forgotten] == ["dropped"]
    assert repo.tr.diff("main..") == difference
    assert "### Learned" in markdown(difference)
    with pytest.raises(Invalid):
        repo.tr.diff("main")


def test_diff_leaves_private_memories_out_unless_asked(repo: Repo) -> None:
    """It is made to be published; who asks for them sees which ones they are."""
    repo.commit_file("db.py", "timeout = 30\n")
    repo.tr.remember("Thirty, for my eyes", type="decision", files=["db.py"], private=True)
    repo.switch("feature", create=True)
    repo.commit_file("db.py", "timeout = 60\n")
    shared = repo.tr.remember("Sessions live in Redis", type="decision")
    kept = repo.tr.remember("The plan I keep to myself", type="decision", private=True)
    repo.tr.revise(shared.id, title="Sessions live in Redis, for now")

    for options in ((), ("--markdown",), ("--json",)):
        said = repo.cli("diff", "main..feature", *options).stdout
        assert "Sessions live" in said
        assert "myself" not in said
        assert "my eyes" not in said
    asked = repo.json("diff", "main..feature", "--private")

    assert {item["id"]: item.get("private") for item in asked["added"]} == {
        shared.id: None,
        kept.id: True,
    }
    text = repo.cli("diff", "main..feature", "--private", "--markdown").stdout
    assert "- **The plan I keep to myself** (decision, `" in text
    assert ", private)" in text


def test_exported_private_memories_are_marked_and_come_back_private(
    repo: Repo, new_repo: Callable[[str], Repo], tmp_path: Path
) -> None:
    repo.tr.remember("Sessions live in Redis", type="decision")
    repo.tr.remember("The plan I keep to myself", type="decision", private=True)
    assert "myself" not in repo.cli("export").stdout

    repo.cli("export", "--private", "--output", str(tmp_path / "all.jsonl"))
    other = new_repo("other")
    other.json("import", str(tmp_path / "all.jsonl"))

    found = {hit.title: hit.private for hit in other.tr.recall().results}
    assert found == {"Sessions live in Redis": False, "The plan I keep to myself": True}


def test_settings_are_shown_set_and_unset(repo: Repo) -> None:
    """They live in git's own configuration."""
    repo.tr.config("trunk", "develop")
    assert repo.git("config", "treering.trunk") == "develop"
    assert repo.tr.config("treering.trunk").settings[0].value == "develop"

    repo.tr.config("trunk", unset=True)
    assert repo.tr.config("trunk").settings[0].value == ""
    for key, value in (("nonsense", "1"), ("fsync", "maybe"), ("sessiongap", "long")):
        with pytest.raises(Invalid):
            repo.tr.config(key, value)


def test_a_healthy_store_has_nothing_to_report(repo: Repo) -> None:
    """Silence is an answer."""
    repo.tr.remember("fine")
    repo.tr.remember("fine too", private=True)

    assert repo.tr.doctor().findings == ()


def test_doctor_removes_what_dead_processes_left(repo: Repo) -> None:
    """Locks and half-written objects, by age."""
    repo.tr.remember("fine")
    git = repo.path / ".git"
    lock = git / "refs" / "treering" / "heads" / "main.lock"
    half = git / "objects" / "17" / "tmp_object_git2_abc"
    half.parent.mkdir(exist_ok=True)
    for path in (lock, half):
        path.touch()
        os.utime(path, (time.time() - 7200, time.time() - 7200))

    only_look = repo.tr.doctor(dry_run=True)
    assert (only_look.ok, lock.exists()) == (False, True)
    repaired = repo.tr.doctor()

    assert {f.code for f in repaired.findings} == {"stale-lock", "temporary-objects"}
    assert repaired.ok
    assert not lock.exists()
    assert not half.exists()


def test_a_damaged_tip_hides_only_its_own_change(repo: Repo) -> None:
    """Reading goes on from the reflog, doctor repairs, writing works again."""
    kept = repo.tr.remember("kept")
    repo.tr.remember("lost with the tip")
    tip = repo.refs()["refs/treering/heads/main"]
    _damage(repo, tip)

    assert repo.titles() == {"kept"}
    diagnosis = repo.tr.doctor()

    assert [(f.code, f.fixed) for f in diagnosis.findings] == [("broken-ref", True)]
    assert repo.tr.doctor().ok
    assert repo.tr.remember("life goes on").id
    assert repo.tr.read(kept.id).title == "kept"


def test_a_truncated_ref_is_repaired_from_its_log(repo: Repo) -> None:
    """A power cut can leave an empty ref."""
    repo.tr.remember("kept")
    tip = repo.refs()["refs/treering/heads/main"]
    (repo.path / ".git" / "refs" / "treering" / "heads" / "main").write_text("", encoding="ascii")

    diagnosis = repo.tr.doctor()

    assert diagnosis.ok
    assert [f.code for f in diagnosis.findings] == ["broken-ref"]
    assert repo.refs()["refs/treering/heads/main"] == tip


def test_bad_documents_and_foreign_entries_are_named(repo: Repo) -> None:
    """A fetched tree may hold anything; the good memories stay readable."""
    good = repo.tr.remember("good")
    bad = repo.git("hash-object", "-w", "--stdin", feed="no front matter\n")
    tree = repo.git(
        "mktree", feed=f"100644 blob {bad}\t7k2m9qx4c0wd.md\n120000 blob {bad}\tlink.md\n"
    )
    mine = repo.git("rev-parse", f"refs/treering/heads/main:memories/{good.id[:2]}")
    memories = repo.git(
        "mktree", feed=f"040000 tree {tree}\t7k\n040000 tree {mine}\t{good.id[:2]}\n"
    )
    root = repo.git("mktree", feed=f"040000 tree {memories}\tmemories\n100755 blob {bad}\trun.sh\n")
    tip = repo.git("commit-tree", root, "-p", "refs/treering/heads/main", feed="x\n")
    repo.git("update-ref", "refs/treering/heads/main", tip)

    diagnosis = repo.tr.doctor()

    found = sorted((f.code, f.severity) for f in diagnosis.findings)
    assert found == [
        ("bad-document", "error"),
        ("foreign-entry", "info"),
        ("foreign-entry", "info"),
    ]
    assert not diagnosis.ok
    assert repo.titles() == {"good"}
    assert repo.tr.status()["memories"]["unreadable"] == 1


def _damage(repo: Repo, oid: str) -> None:
    path = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"")


def test_a_bad_document_can_be_reverted_as_doctor_says(repo: Repo) -> None:
    """The advice must work."""
    memory = repo.tr.remember("good")
    bad = repo.git("hash-object", "-w", "--stdin", feed="no front matter\n")
    shard = repo.git("mktree", feed=f"100644 blob {bad}\t{memory.id}.md\n")
    memories = repo.git("mktree", feed=f"040000 tree {shard}\t{memory.id[:2]}\n")
    tree = repo.git("mktree", feed=f"040000 tree {memories}\tmemories\n")
    message = f"x\n\nTreering-Op: revise\nTreering-Memory: {memory.id}\nCode-Branch: main\n"
    tip = repo.git("commit-tree", tree, "-p", "refs/treering/heads/main", feed=message)
    repo.git("update-ref", "refs/treering/heads/main", tip)
    finding = repo.tr.doctor().findings[0]
    assert (finding.code, finding.fix) == ("bad-document", f"treering revert {memory.id}")

    repo.tr.revert(memory.id)

    assert repo.tr.read(memory.id).content == "good"
    assert repo.tr.doctor().ok


def test_git_says_false_in_several_ways(repo: Repo) -> None:
    """And doctor tells that memories are not synced."""
    for word in ("false", "no", "off", "0"):
        repo.git("config", "treering.fsync", word)
        assert [f.code for f in repo.tr.doctor().findings] == ["no-fsync"]
