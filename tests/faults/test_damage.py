"""Damaged truth: what is whole is still seen, doctor names the rest and goes back where it can."""

import json
import os
import shutil
import subprocess

import pytest

from treering import Treering
from treering.errors import StorageFailed
from treering.git.objects import Person


@pytest.fixture
def damaged(repo):
    """A repository with three memories whose objects a test may break; fsck will say so."""
    repo.is_damaged = True
    repo.ids = [repo.remember(f"thought {n}") for n in range(3)]
    return repo


def test_a_truncated_ref_hides_only_itself(damaged):
    """A power cut can leave half a ref; its log knows what it was."""
    value = damaged.ref_file().read_bytes()
    damaged.ref_file().write_bytes(value[:17])

    assert damaged.exported() == set(damaged.ids)
    assert _refusal(damaged) == "store_damaged"

    assert _findings(damaged, code=0) == {"broken-ref": True}
    assert damaged.ref_file().read_bytes() == value
    assert damaged.remember("goes on") in damaged.stored()


def test_an_emptied_ref_is_put_back(damaged):
    """The commonest trace of a power cut on ext4: the file is there, its bytes are not."""
    value = damaged.ref_file().read_bytes()
    damaged.ref_file().write_bytes(b"")

    assert damaged.exported() == set(damaged.ids)
    assert _findings(damaged, code=0) == {"broken-ref": True}
    assert damaged.ref_file().read_bytes() == value


@pytest.mark.parametrize("what", ["", "^{tree}", ":memories"])
def test_a_zeroed_tip_goes_back_to_the_newest_whole_one(damaged, what):
    """The last capture is lost with its objects; the ones before it must not be."""
    before = damaged.git("rev-parse", "refs/treering/heads/main~1").strip()
    _zero(damaged, f"refs/treering/heads/main{what}")

    assert damaged.exported() == set(damaged.ids[:2])
    assert _refusal(damaged) == "store_damaged"

    assert _findings(damaged, code=0) == {"broken-ref": True}
    assert damaged.git("rev-parse", "refs/treering/heads/main").strip() == before
    assert damaged.remember("goes on") in damaged.stored()
    assert damaged.remember("thought 2") in damaged.stored()


def test_a_damaged_tip_is_shown_by_reading_verbs_not_hidden_behind_an_error(damaged):
    """One broken branch must not take the others with it."""
    damaged.git("branch", "other")
    damaged.found = damaged.fingerprint()
    other = damaged.remember("on the other branch", "--branch", "other")
    _zero(damaged, "refs/treering/heads/main")

    exported = damaged.treering("export", "--all")
    status = damaged.treering("status", "--json")
    log = damaged.treering("log", "--all", "--json")

    assert exported.returncode == status.returncode == log.returncode == 0
    assert {json.loads(line)["id"] for line in exported.stdout.splitlines()} == {
        *damaged.ids[:2],
        other,
    }


def test_nothing_is_repaired_by_a_dry_run(damaged):
    damaged.ref_file().write_bytes(b"")

    assert _findings(damaged, "--dry-run", code=1) == {"broken-ref": False}
    assert damaged.ref_file().read_bytes() == b""


def test_a_missing_memory_is_named_and_the_rest_is_listed(damaged):
    """One blob gone: one memory gone, by name."""
    lost = damaged.ids[1]
    _zero(damaged, f"refs/treering/heads/main:memories/{lost[:2]}/{lost}.md")

    assert damaged.exported() == set(damaged.ids) - {lost}
    assert _findings(damaged, code=1) == {"broken-blob": False}
    assert lost in damaged.treering("doctor").stdout
    assert damaged.remember("goes on") in damaged.stored()


@pytest.mark.parametrize("what", ["^{tree}", ":memories/SHARD", ":PATH"])
def test_an_object_that_was_lost_before_is_not_taken_for_written(damaged, what):
    """libgit2 writes no object whose file is there, be it empty; acknowledged means readable."""
    ref = "refs/treering/heads/main"
    memory = _remembered_at_one_moment(damaged)
    _zero(damaged, ref + what.replace("SHARD", memory[:2]).replace("PATH", _path(memory)))
    damaged.git("update-ref", ref, f"{ref}~1")

    try:
        _remembered_at_one_moment(damaged)
    except StorageFailed:
        return  # an error is allowed, a memory that cannot be read is not

    assert "the same thought" in damaged.git("show", f"{ref}:{_path(memory)}")


def _remembered_at_one_moment(repo) -> str:
    """The id of a memory that has the same bytes each time."""
    person = Person("Ada Lovelace", "ada@example.org")
    treering = Treering.open(repo.path, clock=lambda: 1_770_000_000.0, person=person)
    return treering.remember("the same thought").id


def test_a_foreign_file_in_the_tree_is_told_and_left_alone(damaged):
    """A fetched tree may hold anything; what is not ours is neither read nor removed."""
    foreign = {"memories/README": b"hello", "notes.txt": b"mine"}
    _commit_files(damaged, foreign)

    assert damaged.exported() == set(damaged.ids)
    assert _findings(damaged, code=0) == {"foreign-entry": False}

    damaged.remember("goes on")
    tree = damaged.git("ls-tree", "-r", "--name-only", "refs/treering/heads/main").splitlines()
    assert set(foreign) <= set(tree)


@pytest.mark.parametrize("document", [b"no front matter", b"\xff\xfe"])
def test_a_bad_document_is_named_and_the_rest_is_listed(damaged, document):
    """Someone else's tool wrote it; the others are none the worse."""
    _commit_files(damaged, {"memories/00/000000000000.md": document})

    assert damaged.exported() == set(damaged.ids)
    assert _findings(damaged, code=1) == {"bad-document": False}
    assert "000000000000" in damaged.treering("doctor").stdout
    damaged.remember("goes on")


def test_a_tip_without_a_log_goes_back_to_what_a_fetch_saw(damaged):
    """A clone whose reflog is gone still has what it last fetched."""
    ref, fetched = "refs/treering/heads/main", "refs/treering/remotes/origin/heads/main"
    damaged.git("update-ref", fetched, f"{ref}~1")
    (damaged.git_dir / "logs" / ref).unlink()
    _zero(damaged, ref)

    assert _findings(damaged, code=0) == {"broken-ref": True, "gone-remote": False}
    assert damaged.git("rev-parse", ref) == damaged.git("rev-parse", fetched)
    assert damaged.remember("goes on") in damaged.stored()


def test_a_ref_nobody_can_put_back_is_named_with_the_next_step(damaged):
    """Nothing to go back to: say so, change nothing, exit 1 until someone acts."""
    ref = "refs/treering/heads/main"
    (damaged.git_dir / "logs" / ref).unlink()
    _zero(damaged, ref)
    before = damaged.ref_file().read_bytes()

    assert _findings(damaged, code=1) == {"broken-ref": False}
    assert damaged.ref_file().read_bytes() == before


def test_a_lost_older_version_is_named(damaged):
    """What is seen now is whole, but history, revert and push are not."""
    damaged.treering("revise", damaged.ids[0], "--content", "another thought")
    _zero(damaged, f"refs/treering/heads/main~1:{_path(damaged.ids[0])}")

    assert damaged.exported() == set(damaged.ids)
    assert _findings(damaged, code=1) == {"broken-history": False}


def test_fetched_refs_are_looked_at_too(damaged):
    """What a remote sent is shown and merged: damage in it is ours to tell."""
    damaged.git("update-ref", "refs/treering/remotes/origin/heads/x", "refs/treering/heads/main")
    _commit_files(damaged, {"memories/00/000000000000.md": b"no front matter"})
    damaged.git("update-ref", "refs/treering/remotes/origin/heads/y", "refs/treering/heads/main")

    done = damaged.treering("doctor", "--json")

    told = [f["message"] for f in json.loads(done.stdout)["findings"]]
    assert any("remotes/origin/heads/y" in message for message in told)


def test_a_ref_that_is_none_of_ours_is_named(damaged):
    damaged.git("update-ref", "refs/treering/other/thing", "HEAD")

    assert _findings(damaged, code=1) == {"foreign-ref": False}
    damaged.git("update-ref", "-d", "refs/treering/other/thing")


def test_a_damaged_index_is_dropped_and_built_anew(damaged):
    damaged.treering("recall", "thought")
    for file in (damaged.git_dir / "treering" / "index").glob("knowledge_*.seg"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    assert _findings(damaged, "--dry-run", code=1) == {"index-damaged": False}
    assert _findings(damaged, "--fix", code=0) == {"index-damaged": True}
    found = json.loads(damaged.treering("recall", "thought", "--json").stdout)
    assert found["total"] == 3
    assert _findings(damaged, code=0) == {}


def test_a_private_repository_that_cannot_be_opened_is_named(damaged):
    """And the shared memories are still looked at."""
    damaged.remember("mine", "--private")
    shutil.rmtree(damaged.git_dir / "treering" / "private.git" / "objects")
    damaged.ref_file().write_bytes(b"")

    assert _findings(damaged, code=1) == {"broken-private": False, "broken-ref": True}


def test_halves_left_by_dead_processes_are_removed(damaged):
    """Old ones only: a young one may be in the making."""
    folder = damaged.git_dir / "treering"
    folder.mkdir(exist_ok=True)
    half, young = folder / "private.git.new", damaged.git_dir / "objects" / "00"
    half.mkdir()
    young.mkdir(exist_ok=True)
    (young / "tmp_object_git2_a").write_bytes(b"")
    os.utime(half, (1, 1))
    (young / "tmp_object_git2_b").write_bytes(b"")
    os.utime(young / "tmp_object_git2_b", (1, 1))

    assert _findings(damaged, code=0) == {"temporary-files": True, "temporary-objects": True}
    assert not half.exists()
    assert [file.name for file in young.glob("tmp_*")] == ["tmp_object_git2_a"]


def test_a_flood_of_findings_is_counted_not_listed(damaged):
    """A fetched tree may hold a million files that are not ours."""
    _commit_files(damaged, {f"memories/junk{n}": b"" for n in range(120)})

    findings = json.loads(damaged.treering("doctor", "--json").stdout)["findings"]

    assert len(findings) == 51
    assert findings[-1]["message"] == "70 more with the code foreign-entry."


# --- how things break ---------------------------------------------------------------------------


def _zero(repo, revision: str) -> None:
    """Empty the file of a loose object, as an unsynced one is after a power cut."""
    oid = repo.git("rev-parse", revision).strip()
    file = repo.git_dir / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"")


def _commit_files(repo, files: dict[str, bytes]) -> None:
    """Add files to the memories of main with git alone."""
    env = repo.env | {"GIT_INDEX_FILE": str(repo.path.with_name("scratch-index"))}

    def git(*arguments: str, feed: bytes | None = None) -> str:
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=repo.path, env=env, input=feed, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    git("read-tree", "refs/treering/heads/main")
    for path, data in files.items():
        blob = git("hash-object", "-w", "--stdin", feed=data)
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    tree = git("write-tree")
    commit = git("commit-tree", tree, "-p", "refs/treering/heads/main", "-m", "by another tool")
    git("update-ref", "refs/treering/heads/main", commit)


def _findings(repo, *options: str, code: int) -> dict[str, bool]:
    """What doctor found, and whether it has seen to it."""
    done = repo.treering("doctor", "--json", *options)
    assert done.returncode == code, done.stdout
    return {found["code"]: found["fixed"] for found in json.loads(done.stdout)["findings"]}


def _refusal(repo) -> str:
    """The code of the error a capture gets."""
    done = repo.treering("remember", "not now", "--json")
    assert done.returncode == 1
    return json.loads(done.stderr)["error"]["code"]


def _path(memory_id: str) -> str:
    return f"memories/{memory_id[:2]}/{memory_id}.md"
