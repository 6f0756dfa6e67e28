"""Errors speak to whom they answer: tools and arguments to agents, commands to people."""

import json

import pytest

from treering.mcp.advice import advise
from treering.verbs import find_verb


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("`treering recall` lists it. Add `--scope all` for every branch.",
         '`recall` lists it. Add `scope="all"` for every branch.'),
        ("`treering forget --restore 7k2m` brings it back.",
         '`forget(ids=["7k2m"], restore=true)` brings it back.'),
        ("`treering prompts list` shows the names.", '`prompts(op="list")` shows the names.'),
        ("run `treering sync` again", 'run `maintain(op="sync")` again'),
        ("`treering restore a/b --before-sync` takes it back",
         '`maintain(op="restore", branch="a/b", before_sync=true)` takes it back'),
        ("`treering promote a --undo --id 7k2m`",
         '`maintain(op="promote", branch="a", undo=true, ids=["7k2m"], dry_run=false)`'),
        ("`treering read 7k2m --at 1a2b`", '`read(id="7k2m", at="1a2b")`'),
        ("with --depth, or with --relation and --direction.",
         "with depth, or with relation and direction."),
        ("Give each with --variables NAME=VALUE.", 'Give each with variables={"NAME": "VALUE"}.'),
        ("--domain project or --domain user.", 'domain="project" or domain="user".'),
        # What is no tool, or not ours, stays.
        ("`treering doctor` repairs it.", "`treering doctor` repairs it."),
        ("`git branch --all` lists them.", "`git branch --all` lists them."),
        ("`treering nothing --x` and `half", "`treering nothing --x` and `half"),
        ("`treering recall two words`", '`recall(query="two words")`'),
        ("a -- b, x--y, ``, `treering recall 'open`", "a -- b, x--y, ``, `treering recall 'open`"),
    ],
)  # fmt: skip
def test_commands_become_calls(said, heard):
    assert advise(said) == heard


def test_options_are_those_of_the_tool_that_was_called():
    """The command line says --file for what the tool calls files."""
    assert advise("Name it with --file.", find_verb("remember")) == "Name it with files."


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
    assert "--scope all" in repo.error("read", "zzzz")["hint"]
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
