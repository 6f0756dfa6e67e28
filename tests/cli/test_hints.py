"""Every hint is a command that works as it is printed."""

import re
import shlex

import pytest

from conftest import Repo

ERRORS = {
    "an id nobody has": "read zzzz",
    "a memory that was forgotten": "revise {gone} --append x",
    "a link to it": "link {here} relates_to {gone}",
    "a path to it": "graph path {here} {gone}",
    "a prompt nobody saved": "prompts get no-such",
    "a branch nobody has": "recall --branch no-such",
    "an entity nobody knows": "entities get Nobody",
    "a remote for gc": "gc --remote origin",
    "a promotion that never was": "promote main --into other --undo",
    "a sync without a remote": "sync",
    "nothing in the trash": "restore no-such",
    "a commit that has no such memory": "revert {here} --to HEAD",
}


@pytest.mark.parametrize("line", ERRORS.values(), ids=ERRORS)
def test_what_a_hint_names_can_be_run(repo: Repo, line: str) -> None:
    here = repo.tr.remember("Sessions live in Redis", type="decision").id
    gone = repo.tr.remember("Threads made it slower", type="insight").id
    repo.tr.forget([gone])
    repo.git("branch", "other")

    hint = repo.error(*shlex.split(line.format(here=here, gone=gone)))["hint"]

    for command in re.findall(r"`treering ([^`]*)`", hint):
        done = repo.cli(*shlex.split(command))
        assert done.returncode in (0, 1), (command, done.stderr)  # 2 is a command nobody knows
        assert command == "sync" or done.returncode == 0, (command, done.stderr)


def test_what_lies_in_the_trash_comes_back_as_the_answer_says(repo: Repo) -> None:
    repo.switch("idea", create=True)
    repo.commit_file("x.py")
    repo.tr.remember("Bloom filters made the lookup slower", type="insight")
    repo.switch("main")
    repo.git("branch", "-D", "idea")
    repo.tr.gc(force=True)

    answer = repo.json("recall", "bloom filters", "--weak")
    (command,) = [c for note in answer["notes"] for c in re.findall(r"`treering ([^`]*)`", note)]

    assert answer["withheld"]["trash"] == 1
    assert repo.cli(*shlex.split(command)).returncode == 0
    assert [hit["title"] for hit in repo.json("recall", "bloom", "--scope", "all")["results"]] == [
        "Bloom filters made the lookup slower"
    ]
