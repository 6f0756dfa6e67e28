"""One definition a verb: what the doors are made from, and what the actions take, are the same."""

import inspect
import subprocess
import sys

import click
import pytest

from conftest import Repo
from treering.actions.imports import GIT_NOTES, SOURCES
from treering.actions.imports.transcripts import AGENTS
from treering.actions.setup.clients import CLIENTS
from treering.actions.tidying.maintain import OPS
from treering.actions.verbs import VERBS, find_verb, list_tools, list_verbs
from treering.actions.verbs.verb import Parameter, Verb
from treering.cli.command import make_command
from treering.mcp.tools import schema_of
from treering.model import choices

#: What doors and other actions hand in, and no caller can say.
WIRING = {"progress", "writer", "details", "program", "is_attended", "patience"}
#: Commands of the command line alone, which work on no repository.
WITHOUT_ACTION = {"mcp", "web", "completion", "demo"}
KINDS = {
    "text": "str", "number": "float", "whole": "int", "flag": "bool", "list": "Sequence[str]",
    "map": "Mapping[str, Any]",
}  # fmt: skip


@pytest.fixture(params=[name for name in VERBS if name not in WITHOUT_ACTION])
def verb(request: pytest.FixtureRequest) -> Verb:
    return find_verb(request.param)


def _signature(verb: Verb) -> list[inspect.Parameter]:
    _, *parameters = inspect.signature(verb.load_action()).parameters.values()
    return [parameter for parameter in parameters if parameter.name not in WIRING]


def test_the_action_takes_what_the_definition_says(verb: Verb) -> None:
    """Names, order and defaults: mypy needs them spelled in the signature, so they are compared."""
    defined = [(p.name, p.default) for p in verb.parameters_of("python")]

    spelled = [
        (p.name, ... if p.default is inspect.Parameter.empty else p.default)
        for p in _signature(verb)
    ]

    assert spelled == defined


def test_the_action_takes_it_in_the_kind_the_definition_says(verb: Verb) -> None:
    """A number that a door hands in as text would be found out by a user."""
    kinds = {p.name: KINDS[p.kind] for p in verb.parameters_of("python")}

    for parameter in _signature(verb):
        written = inspect.formatannotation(parameter.annotation).replace("collections.abc.", "")
        said = written.replace("typing.", "").replace("pathlib.", "").split(" | ")
        assert kinds[parameter.name] in said, f"{verb.name} {parameter.name}: {written}"


def test_every_parameter_is_explained_where_it_is_shown(verb: Verb) -> None:
    """Arguments of the command line are explained by its help text; all else has a sentence."""
    silent = [
        p.name
        for p in verb.parameters
        if not p.help and not p.argument and p.doors != frozenset({"python"})
    ]
    unfinished = [p.name for p in verb.parameters if p.help and not p.help.endswith(".")]

    assert silent == []
    assert unfinished == []


def test_tables_have_a_line_for_every_choice() -> None:
    """A word that is offered is a word that works."""
    assert tuple(OPS) == choices.MAINTAIN_OPS
    assert tuple(CLIENTS) == choices.CLIENT_NAMES
    assert (*SOURCES, GIT_NOTES, *AGENTS) == choices.SOURCE_NAMES


def test_every_word_of_a_choice_stands_once() -> None:
    """Whoever adds one adds it in one place."""
    found: dict[tuple[str, ...], str] = {}
    for name, value in vars(choices).items():
        if name.isupper():
            assert found.setdefault(value, name) == name


def test_both_doors_speak_of_the_same_parameters(repo: Repo) -> None:
    """What an agent can say, a person can type: the same word with dashes, or an argument."""
    for verb in list_tools():
        command = make_command(verb)
        typed = {param.name for param in command.params}
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
        "import sys, treering.actions.verbs as verbs; verbs.list_verbs();"
        " print(*[name for name in sys.modules if name.partition('.')[0] in"
        " ('click', 'pydantic', 'pygit2', 'yaml', 'whoosh', 'mcp', 'treering')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())

    ours = {name for name in loaded if name.startswith("treering")}
    assert loaded == ours
    assert {name for name in ours if not name.startswith("treering.actions.verbs")} == {
        "treering", "treering.actions", "treering.model", "treering.model.choices",
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
