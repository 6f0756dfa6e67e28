"""The review queue at the command line: what is doubtful, and the command that settles it."""

import shlex

from conftest import Repo


def test_each_memory_is_listed_with_the_command_that_settles_it(repo: Repo):
    made = repo.tr.remember("Perhaps sessions live in Redis", confidence=0.1, type="insight")

    said = repo.cli("review").stdout

    assert made.title in said
    assert "low-confidence" in said
    command = said.rpartition("next: ")[2].strip()
    assert repo.cli(*shlex.split(command)[1:]).returncode == 0
    assert repo.tr.review().total == 0


def test_of_two_that_say_the_same_the_next_step_merges_them(repo: Repo):
    text = "Sessions live in Redis because the database could not keep up with the many writes of "
    for extra in ("the shop on busy days in winter", "the shop on busy days in winter again"):
        repo.tr.remember(text + extra, type="decision")

    (item,) = repo.json("review")["items"]

    assert item["next"].startswith("treering maintain merge --ids ")


def test_nothing_to_do(repo: Repo):
    assert "Nothing to review on main." in repo.cli("review").stdout
