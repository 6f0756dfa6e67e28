"""The function is the verb: one signature makes every door, and the work takes what it says."""

import asyncio
import inspect
import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

import treering.actions
from conftest import Repo
from treering.actions.imports.imports import GIT_NOTES, SOURCES
from treering.actions.imports.transcripts import AGENTS
from treering.actions.setup.clients import CLIENTS
from treering.cli.group import make_command
from treering.mcp.tools import schema_of
from treering.model import choices
from treering.model.query import Filters
from treering.verbs import VERBS, find_verb, list_tools, list_verbs
from treering.verbs.upkeep import OPERATIONS
from treering.verbs.verb import Parameter, Verb, keywords_of, verb_of

#: Commands of the command line alone, and the registry, whose operations are verbs of their own.
WITHOUT_WORK = {"mcp", "web", "completion", "demo", "maintain"}
FUNCTIONS = {
    name: find_verb(name) for name in VERBS if name not in WITHOUT_WORK
} | {name: verb_of(function) for name, function in OPERATIONS.items()}  # fmt: skip


@pytest.fixture(params=FUNCTIONS)
def verb(request: pytest.FixtureRequest) -> Verb:
    return FUNCTIONS[request.param]


def test_the_work_takes_what_the_signature_says(verb: Verb) -> None:
    """Names, defaults and types: mypy does not look through the import."""
    _, *defined = inspect.signature(verb.act).parameters.values()
    if isinstance(operations := verb.load(), dict):
        asked = {word for each in operations.values() for word in keywords_of(each)}
        assert asked | {"op"} == {p.name for p in defined}
        return
    _, *taken = inspect.signature(operations).parameters.values()

    is_open = any(p.kind is p.VAR_KEYWORD for p in taken)  # filters, checked by name
    spelled = {p.name: p.default for p in taken if p.kind is not p.VAR_KEYWORD}
    spelled.pop("seconds", None)
    named = {p.name: p.default for p in defined if p.name in spelled or not is_open}

    assert named == spelled
    if is_open:
        Filters.of(0, **{p.name: "" for p in defined if p.name not in spelled})
    for one in defined:
        parameter = next((p for p in verb.parameters if p.name == one.name), None)
        assert parameter is None or parameter.default in (..., one.default)


def test_every_parameter_is_explained_where_it_is_shown(verb: Verb) -> None:
    """Arguments of the command line are explained by its help text; all else has a sentence."""
    silent = [p.name for p in verb.parameters if not p.arg.help and not p.arg.place]
    unfinished = [p.name for p in verb.parameters if p.arg.help and p.arg.help[-1] != "."]

    assert silent == []
    assert unfinished == []


def test_tables_have_a_line_for_every_choice() -> None:
    """A word that is offered is a word that works."""
    assert tuple(OPERATIONS) == choices.MAINTAIN_OPS
    assert tuple(CLIENTS) == choices.CLIENT_NAMES
    assert (*SOURCES, GIT_NOTES, *AGENTS) == choices.SOURCE_NAMES
    reading = {verb.name for verb in list_tools() if verb.tool and verb.tool.is_read_only}
    assert set(choices.READING_TOOLS) == reading
    assert {verb.name for verb in list_tools()} - reading == set(choices.WRITING_TOOLS)


def test_both_doors_speak_of_the_same_parameters() -> None:
    """What an agent can say, a person can type: the same word with dashes, or an argument."""
    for verb in list_tools():
        typed = {param.name for param in make_command(verb).params}
        said = set(schema_of(verb)["properties"])
        assert said - typed <= {"target"}, verb.name  # `link A RELATION B` has it as a word


def test_help_shows_defaults_and_choices() -> None:
    """Of one definition, in the words of the door."""
    help_of = make_command(find_verb("recall")).get_help(click.Context(click.Command("recall")))

    assert schema_of(find_verb("recall"))["properties"]["detail"] == {
        "type": "string",
        "description": "light: no text. full: all.",
        "enum": ["light", "medium", "full"],
    }
    shown = "--detail [light|medium|full] light: no text. full: whole text. [default: medium]"
    assert shown in " ".join(help_of.split())


def test_definitions_load_nothing_heavy() -> None:
    """Every command starts with one, and a client waits for all of them."""
    code = (
        "import sys, treering.verbs as verbs; verbs.list_verbs();"
        " print(*[name for name in sys.modules if name.partition('.')[0] in"
        " ('click', 'inspect', 'pydantic', 'pygit2', 'yaml', 'whoosh', 'mcp', 'treering')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())

    ours = {name for name in loaded if name.startswith("treering")}
    assert loaded == ours
    assert {name for name in ours if not name.startswith("treering.verbs")} == {
        "treering", "treering.model", "treering.model.choices",
    }  # fmt: skip


def test_help_needs_no_repository_work(repo: Repo) -> None:
    """`treering --help` asks every command for its line, and should not load what they need."""
    code = (
        "import sys; from treering.cli.main import main; main(['--help']);"
        " main(['recall', '--help']); print('\\nLOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.rpartition("LOADED")[2].split())

    assert not {"pygit2", "pygit2._pygit2", "treering.actions.workspace"} & loaded


def test_a_default_that_says_nothing_is_not_shown() -> None:
    """A schema full of empty defaults costs every session."""
    nothing = [Parameter("a", default=value).has_default for value in ("", (), None, False, 0, ...)]

    assert nothing == [False] * 6
    assert Parameter("a", default=True).has_default
    assert len(list_verbs()) == len(VERBS)


# --- a new verb -----------------------------------------------------------------------------------

SCRATCH = '''
from collections.abc import Sequence
from typing import Annotated

from treering.verbs.verb import Arg, Branch, Tool, verb


@verb("scratch.count", example="treering tally x", tool=Tool("Count letters.", is_read_only=True))
def tally(
    workspace: object,
    words: Annotated[Sequence[str], Arg("What to count.", place="several")],
    *,
    letter: Annotated[str, Arg("Only this letter.", choices=("a", "b"), short="l")] = "",
    most: Annotated[int, Arg("The most to count.", agents="Bound.", most=50)] = 50,
    branch: Branch = "",
) -> dict[str, int]:
    """Count letters of words."""
'''
WORK = """
def count(workspace, words, *, letter="", most=50, branch=""):
    text = "".join(words)
    return {"count": min(text.count(letter) if letter else len(text), most)}
"""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb in a module of its own: a signature, a function that does the work, a line."""
    (tmp_path / "scratch_verbs.py").write_text(SCRATCH)
    (tmp_path / "actions").mkdir()
    (tmp_path / "actions" / "scratch.py").write_text(WORK)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(
        treering.actions, "__path__", [*treering.actions.__path__, str(tmp_path / "actions")]
    )
    monkeypatch.setitem(VERBS, "tally", "scratch_verbs")
    monkeypatch.delitem(sys.modules, "scratch_verbs", raising=False)
    monkeypatch.delitem(sys.modules, "treering.actions.scratch", raising=False)


@pytest.mark.usefixtures("scratch")
def test_a_new_verb_is_at_every_door(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from treering.api import _method
    from treering.cli.main import main
    from treering.mcp.tools import list_tools_as_json
    from treering.verbs.verb import verb_of as defined

    monkeypatch.chdir(repo.path)

    # the command line, in words and as JSON, with its help
    assert main(["tally", "aab", "ba", "-l", "A"]) == 0
    assert capsys.readouterr().out == "count: 3\n"
    assert main(["tally", "aab", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"count": 3}
    assert main(["tally", "aab", "--letter", "c"]) == 1
    assert main(["tally", "aab", "--most", "51"]) == 1
    assert "not between 0 and 50" in capsys.readouterr().err
    assert main(["tally", "--help"]) == 0
    assert "-l, --letter [a|b]" in capsys.readouterr().out

    # agents
    tool = next(tool for tool in list_tools_as_json("full") if tool["name"] == "tally")
    assert tool["inputSchema"]["required"] == ["words"]
    assert tool["inputSchema"]["properties"]["most"] == {"type": "integer", "description": "Bound."}

    # Python
    import scratch_verbs

    method = _method(scratch_verbs.tally)
    assert method(repo.tr, ["ab"], letter="b") == {"count": 1}
    assert defined(scratch_verbs.tally).name == "tally"


@pytest.mark.usefixtures("scratch")
def test_a_new_verb_is_called_over_the_wire(repo: Repo) -> None:
    from treering.mcp.methods import Methods
    from treering.mcp.protocol import Progress
    from treering.mcp.repository import ServedRepository

    methods = Methods(ServedRepository(repo.path))
    call = {"name": "tally", "arguments": {"words": ["abba"], "letter": "B"}}

    reply = methods.answer("tools/call", call, "agent", Progress(lambda *_: None))

    assert json.loads(reply.result["content"][0]["text"]) == {"count": 2}
    assert asyncio.iscoroutinefunction(Methods.answer) is False
