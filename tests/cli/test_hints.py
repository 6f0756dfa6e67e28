"""Every hint is a command that works as it is printed."""

import json
import re
import shlex

import pytest

from conftest import Repo
from treering.errors import PathNotFound
from treering.mcp.replies import advise

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
    "an answer that is no longer kept": "read out:0123456789ab",
    "an id that is another memory's": "remember Other --id {here}",
    "a prompt without a name": "remember 'Review it' --type prompt",
    "a link that was not there": "revise {here} --supersede-with zzzz",
    "an entity merged into a private one": "entities merge {ada} {grace} --canonical {ada} --apply",
    "tidying what was forgotten": "maintain merge --id {here} --id {gone} --content x",
    "a setting nobody knows": "config no-such on",
    "a range that is none": "guard no-such..HEAD",
    "a range of dots": "guard ....",
    "a range without dots": "guard main",
    "a verb nobody knows": "no-such",
    "two relations": "link {here} relates_to {gone} x",
}


@pytest.mark.parametrize("line", ERRORS.values(), ids=ERRORS)
def test_what_a_hint_names_can_be_run(repo: Repo, line: str) -> None:
    here = repo.tr.remember("Sessions live in Redis", type="decision").id
    gone = repo.tr.remember("Threads made it slower", type="insight").id
    repo.tr.forget([gone])
    repo.git("branch", "other")
    ada = repo.tr.remember("Ada (person)", type="entity", title="Ada", private=True).id
    grace = repo.tr.entities("add", name="Grace", kind="person")["id"]

    words = shlex.split(line.format(here=here, gone=gone, ada=ada, grace=grace))
    done = repo.cli(*words, "--json")
    hint = json.loads(done.stderr)["error"]["hint"]

    for command in re.findall(r"`treering ([^`]*)`", hint):
        if not re.search(r"\b[A-Z]{2,}\b|\.\.\.", command):  # which somebody has to fill in
            done = repo.cli(*shlex.split(command))
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


def test_a_hint_about_an_option_is_spelled_by_each_door(repo: Repo) -> None:
    ids = [repo.tr.remember(text).id for text in ("Use WAL mode", "Name things twice")]

    with pytest.raises(PathNotFound) as refused:
        repo.tr.graph("path", id=ids[0], to=ids[1])

    assert "`--depth`" in repo.error("graph", "path", *ids)["hint"]
    assert "`depth`" in advise(refused.value.hint)
