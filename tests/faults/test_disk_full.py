"""A full disk: a clear error, nothing acknowledged lost, and work goes on once there is room."""

import json
import os
import re
from pathlib import Path

import pytest

SIZES = ["3m", *(pytest.param(size, marks=pytest.mark.deep) for size in ("2m", "4m", "5m", "6m"))]


@pytest.mark.parametrize("size", SIZES)
def test_a_disk_filled_by_captures_loses_none_of_them(mounts, make_repo, tmp_path, size):
    """libgit2's own way to commit acknowledged the capture that no longer fitted."""
    disk = mounts.tmpfs(tmp_path / "disk", size)
    repo = make_repo(disk / "repo")
    writer = repo.writer()
    writer.wait_until_ready()

    while not writer.errors:
        writer.say(("", f"{os.urandom(1500).hex()}"))
        writer.hear()
    full = repo.treering("remember", os.urandom(20_000).hex(), "--json")

    assert len(writer.acknowledged) > 20
    assert set(writer.acknowledged) <= set(repo.stored())
    assert set(writer.acknowledged) <= repo.exported()
    assert "error storage_failed" in writer.errors[0]
    assert "No space left" in writer.errors[0]
    assert full.returncode == 1
    assert "No space left" in _error(full)["message"]
    assert _error(full)["code"] == "storage_failed"

    mounts.resize(disk, "64m")

    writer.say(("", "room again"))
    assert writer.hear() in repo.stored()
    assert repo.remember("and for the program") in repo.stored()
    assert set(writer.acknowledged) <= set(repo.stored())


def test_a_large_memory_that_fits_in_part_is_told_why(mounts, make_repo, tmp_path):
    """A disk with some room takes a part of a write and says nothing; asked again, it does."""
    disk = mounts.tmpfs(tmp_path / "disk", "2m")
    repo = make_repo(disk / "repo")

    for _ in range(40):
        done = repo.treering("remember", os.urandom(60_000).hex(), "--json")
        if done.returncode:
            break

    assert _error(done)["code"] == "storage_failed"
    assert "No space left" in _error(done)["message"]


@pytest.mark.deep
def test_an_import_that_does_not_fit_leaves_nothing_half_done(mounts, make_repo, tmp_path):
    """It goes through `git fast-import`, in one commit: all of it or nothing."""
    disk = mounts.tmpfs(tmp_path / "disk", "3m")
    repo = make_repo(disk / "repo")
    kept = repo.remember("there from the start")
    records = tmp_path / "many.jsonl"
    with records.open("w", encoding="utf-8") as file:
        for _ in range(400):
            file.write(json.dumps({"content": os.urandom(10_000).hex()}) + "\n")

    full = repo.treering("import", str(records), "--json")

    assert full.returncode == 1
    assert _error(full)["code"] == "storage_failed"
    assert re.search("No space left|Out of diskspace", _error(full)["message"])
    assert repo.stored() == [kept]

    mounts.resize(disk, "64m")

    assert repo.treering("import", str(records)).returncode == 0
    assert len(repo.stored()) == 401


def test_a_command_whose_answer_cannot_be_written_says_so(repo):
    """The memory is there; that nobody was told is an error all the same, and no bug."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = repo.treering("remember", "a thought", "--json", stdout=full)

    assert done.returncode == 1
    assert _error(done)["code"] == "storage_failed"
    assert len(repo.stored()) == 1


def _error(done) -> dict[str, str]:
    return json.loads(done.stderr)["error"]
