"""Command lines that are read without click mean what they mean to click."""

import random
from collections.abc import Iterator
from typing import Any

import click
import pytest

from conftest import Repo
from treering.cli import run
from treering.cli.group import list_typed, make_command, program
from treering.cli.run import PlainCommand, read_plain
from treering.verbs import VERBS, find_verb
from treering.verbs.verb import Parameter, Verb

LINES = 3_000
#: What people and agents write for a value, and what they write by mistake.
VALUES = (
    "wal mode", "0.5", "3", "-", "", "-3", "--type", "a=b", "Müller", "nan", "1_0", " 7 ", "x",
)  # fmt: skip


def by_click(arguments: list[str]) -> tuple[Any, ...] | None:
    """The verb, its options and which of them were typed; None for what click refuses."""
    read: list[tuple[Any, ...]] = []

    def make(ctx: click.Context, name: str) -> click.Command:
        command = make_command(find_verb(name))

        def note(repo: str | None, as_json: bool, **options: Any) -> None:
            outer = click.get_current_context().obj
            place = repo or outer["repo"], as_json or outer["as_json"]
            typed = sorted(list_typed() & options.keys())
            read.append((name, sorted(options.items()), typed, *place))

        command.callback = note
        return command

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(program), "get_command", lambda _, ctx, name: make(ctx, name))
        try:
            program.main(list(arguments), prog_name="treering", standalone_mode=False)
        except click.ClickException:
            return None
    return read[0] if read else None


def by_hand(command: PlainCommand) -> tuple[Any, ...]:
    options = sorted(command.options.items())
    return command.verb.name, options, sorted(command.typed), command.repo, command.as_json


def lines_of(verb: Verb, lots: random.Random) -> Iterator[str]:
    """Words somebody might write for a verb: options of its own and of others, and arguments."""
    for _ in range(lots.randrange(5)):
        match lots.randrange(8):
            case 0 | 1:
                yield lots.choice(VALUES)
            case 2:
                yield lots.choice(("--json", "-C", "--repo", "--help", "--", "-h", "--nothing"))
            case _:
                parameter = lots.choice(verb.parameters)
                yield from option_of(parameter, lots)


def option_of(parameter: Parameter, lots: random.Random) -> Iterator[str]:
    arg = parameter.arg
    names = [f"--{name}" for name in parameter.spellings]
    spelling = lots.choice([*names, f"-{arg.short or 'z'}"])
    if parameter.kind == "flag":
        yield lots.choice((spelling, f"--{arg.off}" if arg.off else spelling))
    elif lots.randrange(5) == 0:
        yield f"{spelling}={lots.choice(VALUES)}"
    else:
        yield from (spelling, lots.choice(VALUES))


def test_what_is_read_without_click_is_what_click_reads() -> None:
    """One definition, two readers: nobody may notice which of them it was."""
    lots = random.Random(7)
    verbs = [find_verb(name) for name in sorted(run._VERBS)]
    count = 0
    for _ in range(LINES):
        verb = lots.choice(verbs)
        before = lots.choice(([], [], ["--json"], ["-C", "there"], ["--repo", "-"]))
        arguments = [*before, verb.name, *lines_of(verb, lots)]

        command = read_plain(arguments)

        if command is not None:
            count += 1
            assert repr(by_hand(command)) == repr(by_click(arguments)), arguments
    assert count > LINES / 10  # it is of some use


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["remem"],
        ["status"],
        ["remember", "--help"],
        ["remember", "text", "--tag"],
        ["remember", "text", "--confidence", "high"],
        ["remember", "text", "more"],
        ["remember", "text", "-tdecision"],
        ["remember", "text", "--", "-x"],
        ["recall", ""],
        ["read"],
    ],
)
def test_what_is_in_the_least_unusual_is_left_to_click(arguments: list[str]) -> None:
    """Click makes every error and all help, so there is one wording of them."""
    assert read_plain(arguments) is None


def test_the_commands_of_agents_are_read_without_click() -> None:
    assert set(VERBS) >= run._VERBS
    command = read_plain(["remember", "Use WAL mode", "--tag", "db", "--tag", "io", "--json"])

    assert command is not None
    assert command.options["tags"] == ("db", "io")
    assert command.as_json


def test_a_shell_that_asks_for_words_is_answered_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TREERING_COMPLETE", "bash_complete")

    assert read_plain(["recall", "wal"]) is None


@pytest.mark.parametrize(
    "words", [["two", "words"], ["two words"], ["two", "--tag", "db", "words"]]
)
def test_several_words_are_one_query(words: list[str]) -> None:
    """Nobody quotes what they look for."""
    command = read_plain(["recall", *words])

    assert command is not None
    assert command.options["query"] == "two words"
    assert repr(by_hand(command)) == repr(by_click(["recall", *words]))
    assert by_click(["recall", "--", "two", "-words"])[1] == sorted(
        (command.options | {"query": "two -words", "tags": ()}).items()
    )


@pytest.mark.parametrize("words", [["readers", "block"], ["readers", "--limit=5", "block"]])
def test_recall_finds_what_several_words_are_about(repo: Repo, words: list[str]) -> None:
    """Read by hand and by click alike."""
    repo.tr.remember("Use WAL mode: readers never block", type="decision")

    (hit,) = repo.json("recall", *words)["results"]

    assert hit["title"].startswith("Use WAL mode")
