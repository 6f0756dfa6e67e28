"""Names that change and are used again: memories stay with the work they were about."""

import os
import subprocess

import pytest

from conftest import Repo
from treering import Treering
from treering.git.objects import CommitInfo, Objects


def at_once(repo: Repo, *commands: str) -> None:
    """Git and treering commands within one second of the clock."""
    for command in commands:
        verb, *words = command.split()
        if verb == "remember":
            memories = Treering.open(repo.path, clock=lambda: repo.now)
            memories.remember(" ".join(words), type="insight")
        else:
            repo.git(verb, *words)


def test_a_name_used_again_within_the_second_of_a_rename(repo: Repo) -> None:
    """Without hooks: nobody saw the rename when the new branch was written to."""
    repo.switch("feat", create=True).commit_file("a.txt")
    at_once(
        repo,
        "remember of the first",
        "switch -q main",
        "branch -q -m feat renamed",
        "switch -q -c feat main",
        "remember of the second",
    )

    repo.tr.gc()

    assert repo.titles("renamed") == {"of the first"}
    assert repo.titles("feat") == {"of the second"}
    assert [ref for ref in repo.refs() if "%7E" in ref] == []


def test_a_name_that_memories_followed_a_deleted_branch_to(repo: Repo) -> None:
    repo.switch("second", create=True)
    repo.tr.remember("of the second", type="insight")
    repo.git("switch", "-q", "-c", "first", "main")
    repo.tr.remember("of the first", type="insight")
    repo.now += 5
    repo.git("branch", "-m", "first", "name")
    repo.tr.gc()
    repo.switch("main").git("branch", "-D", "name")
    repo.now += 5
    repo.git("branch", "-m", "second", "name")

    assert repo.titles("name") == {"of the second"}


def test_a_rebase_after_the_logs_expired_hides_nothing(repo: Repo) -> None:
    repo.switch("feat", create=True).commit_file("a.txt")
    repo.tr.remember("said before", type="insight")
    repo.switch("main").commit_file("b.txt")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.switch("feat").git("rebase", "-q", "main")

    assert repo.titles() == {"said before"}
    repo.tr.remember("said after", type="insight")
    assert repo.titles() == {"said before", "said after"}


def test_nor_does_a_history_that_was_written_again(repo: Repo) -> None:
    repo.switch("feat", create=True).commit_file("a.txt")
    repo.tr.remember("said before", type="insight")
    words = ["filter-branch", "-f", "--msg-filter", "sed s/add/put/", "--", "main..feat"]
    subprocess.run(
        ["git", *words], cwd=repo.path, check=True, capture_output=True,
        env={**os.environ, "FILTER_BRANCH_SQUELCH_WARNING": "1"},
    )  # fmt: skip
    repo.git("update-ref", "-d", "refs/original/refs/heads/feat")
    repo.git("reflog", "expire", "--expire=now", "--all")

    assert repo.titles() == {"said before"}


def test_a_write_reads_as_many_commits_however_many_were_written_before(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.switch("feat", create=True).commit_file("a.txt")
    counts = []
    read = Objects.commit

    def count(objects: Objects, oid: str) -> CommitInfo:
        counts[-1] += 1
        return read(objects, oid)

    monkeypatch.setattr(Objects, "commit", count)
    for number in range(20):
        counts.append(0)
        repo.tr.remember(f"Part {number} is made of brass", type="insight")

    assert counts[5] == counts[19]


def test_a_branch_that_came_back_at_its_own_commit_keeps_its_memories_when_it_lands(
    repo: Repo,
) -> None:
    """Its log begins after they were written, at a commit that the trunk has by now."""
    own = repo.switch("wip", create=True).commit_file("wip.txt")
    repo.tr.remember("Flags are read once", type="insight")
    repo.now += 60
    repo.switch("main").git("branch", "-D", "wip")
    repo.now += 60
    repo.git("branch", "wip", own)
    repo.now += 60
    repo.git("merge", "-q", "--no-ff", "-m", "land", "wip")

    assert "Flags are read once" in repo.titles("wip")


def test_a_name_that_is_used_again_starts_empty_also_where_the_clock_was_set_back(
    repo: Repo,
) -> None:
    """The trunk's log then begins later than all that happens now."""
    repo.now -= 86_400
    repo.switch("wip", create=True).commit_file("wip.txt")
    repo.tr.remember("Flags are read once", type="insight")
    repo.now += 60
    repo.switch("main").git("branch", "-D", "wip")
    repo.now += 60
    repo.switch("wip", create=True)

    assert "Flags are read once" not in repo.titles("wip")
