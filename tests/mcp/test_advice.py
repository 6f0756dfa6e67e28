"""Errors speak to whom they answer: tools and arguments to agents, commands to people."""

import json

import pytest

from treering.call import Advice, Call, Option
from treering.mcp.replies import advise


@pytest.mark.parametrize(
    ("call", "command", "tool"),
    [
        (Call("recall", scope="all"), "treering recall --scope all", 'recall(scope="all")'),
        (Call("recall", "two", "words"), "treering recall two words", 'recall(query="two words")'),
        (Call("recall"), "treering recall", "recall"),
        (Call("forget", "7k2m", "8x3n", restore=True), "treering forget 7k2m 8x3n --restore",
         'forget(ids=["7k2m", "8x3n"], restore=true)'),
        (Call("prompts", "list"), "treering prompts list", 'prompts(op="list")'),
        (Call("sync"), "treering sync", 'maintain(op="sync")'),
        (Call("restore", "a b", before_sync=True), "treering restore 'a b' --before-sync",
         'maintain(op="restore", branch="a b", before_sync=true)'),
        (Call("promote", "a", undo=True, id=["7k2m"]), "treering promote a --undo --id 7k2m",
         'maintain(op="promote", branch="a", undo=true, ids=["7k2m"], dry_run=false)'),
        (Call("maintain", "merge", ids=["a", "b"], content="x", apply=True),
         "treering maintain merge --ids a --ids b --content x --apply",
         'maintain(op="merge", ids=["a", "b"], content="x", dry_run=false)'),
        (Call("read", "7k2m", at="1a2b", branch=""), "treering read 7k2m --at 1a2b",
         'read(id="7k2m", at="1a2b")'),
        # What is no tool stays a command: an agent may tell its user.
        (Call("doctor"), "treering doctor", "treering doctor"),
        (Call("hub", "list"), "treering hub list", "treering hub list"),
        (Option("into"), "--into", "into"),
        (Option("domain", "user"), "--domain user", 'domain="user"'),
        (Option("summary", is_word=True), "SUMMARY", "summary"),
    ],
)  # fmt: skip
def test_a_call_is_spelled_by_each_door(call, command, tool):
    advice = Advice("Try {}.", call)

    assert (str(advice), advise(advice)) == (f"Try `{command}`.", f"Try `{tool}`.")


def test_what_is_no_advice_stays():
    assert advise("`treering recall` and --scope") == "`treering recall` and --scope"


def _errors(agent, *calls):
    async def story(it):
        return [await it.error(tool, **arguments) for tool, arguments in calls]

    return agent(story)


def test_no_error_of_the_server_gives_advice_for_the_command_line(agent, repo):
    """Of those an agent meets most."""
    gone = repo.tr.remember("Gone", type="insight").id
    here = repo.tr.remember("Here", type="insight").id
    repo.tr.forget([gone])
    repo.tr.prompts("save", name="greet", content="Hello {{name}}", domain="project")

    errors = _errors(
        agent,
        ("read", {"id": "zzzz"}),
        ("revise", {"id": gone, "append": "x"}),
        ("link", {"source": here, "target": gone}),
        ("graph", {"op": "path", "id": here, "to": gone}),
        ("remember", {"content": "   "}),
        ("remember", {"content": "x" * 300_000}),
        ("remember", {"content": "x", "id": "short"}),
        ("prompts", {"op": "run", "name": "greet"}),
        ("prompts", {"op": "get", "name": "no-such"}),
        ("prompts", {"op": "delete", "name": "greet"}),
        ("recall", {"branch": "no-such"}),
        ("recall", {"type": "no-such"}),
        ("maintain", {"op": "sync"}),
        ("maintain", {"op": "gc", "remote": "origin"}),
        ("maintain", {"op": "promote"}),
        ("entities", {"op": "get", "name": "Nobody"}),
    )

    for error in errors:
        said = f"{error['message']} {error['hint']}".replace("git branch --all", "")
        assert "--" not in said, error
        assert "stdin" not in said, error
        assert "standard input" not in said, error
        assert "`treering " not in said, error


def test_the_command_line_keeps_its_options(repo):
    assert "`treering recall --scope all`" in repo.error("read", "zzzz")["hint"]
    repo.tr.prompts("save", name="greet", content="Hello {{name}}", domain="project")
    assert "--variables NAME=VALUE" in repo.error("prompts", "run", "greet")["hint"]


def test_a_way_back_is_a_call_that_works_as_it_stands(agent, repo):
    """An agent has no command line to type it into."""
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Sessions live in Redis")
    repo.switch("main")

    async def story(it):
        promoted = await it.answer("maintain", op="promote", branch="feature", dry_run=False)
        shown = repo.titles()
        words = promoted["back"].removeprefix("maintain(").removesuffix(")").split(", ")
        pairs = (word.split("=", 1) for word in words)
        await it.answer("maintain", **{name: json.loads(value) for name, value in pairs})
        return shown

    assert agent(story) == {"Sessions live in Redis"}
    assert repo.titles() == set()
    assert repo.titles("feature") == {"Sessions live in Redis"}
