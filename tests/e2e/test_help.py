"""What the program says of itself, and to people who mistype."""

import json
import re

import pytest

from conftest import Repo
from treering.cli.group import BESIDE_VERBS, FRONT, GROUPS
from treering.model.choices import TYPE_NAMES
from treering.model.taxonomy import TYPES
from treering.verbs import VERBS

SCREEN = 24

COMMANDS = (*VERBS, *BESIDE_VERBS)


def test_every_command_stands_in_one_group() -> None:
    names = [name for group in GROUPS.values() for name in group]

    assert sorted(names) == sorted(COMMANDS)


def test_what_people_need_is_on_the_first_screen(repo: Repo) -> None:
    """Thirty commands in a row tell nobody where to begin."""
    text = repo.cli("--help").stdout
    screen = text.splitlines()[:SCREEN]

    shown = [line.split()[0] for line in screen if re.match(r"  [a-z]+ +[A-Z].*\.$", line)]
    assert shown == list(FRONT)
    assert len(shown) <= 12
    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", text)] == []


def test_no_line_of_help_is_cut(repo: Repo) -> None:
    """A summary that ends in dots says half of what the command does."""
    text = repo.cli("--help").stdout

    assert "..." not in text.replace("[ARGS]...", "")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_choices_are_shown_as_choices(repo: Repo) -> None:
    """They are typed as they stand there."""
    text = repo.cli("recall", "--help").stdout

    assert "--order [relevance|newest|oldest|confidence|uncertain]" in text
    assert "--scope [branch|trunk|all]" in text
    assert "One of branch" not in text


@pytest.mark.parametrize("verb", ["remember", "recall", "revise", "maintain"])
def test_type_lists_the_types(repo: Repo, verb: str) -> None:
    text = " ".join(repo.cli(verb, "--help").stdout.split())

    names = TYPE_NAMES[:14] if verb == "remember" else TYPE_NAMES
    assert all(re.search(rf"\b{name}\b", text) for name in names)


def test_the_types_are_listed_once_as_words() -> None:
    """Options name them without loading what tells them apart."""
    assert tuple(TYPES) == TYPE_NAMES


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rember", "treering remember"),
        ("recal", "treering recall"),
        ("statsu", "treering status"),
        ("search", "treering recall"),
        ("find", "treering recall"),
        ("list", "treering recall"),
        ("ls", "treering recall"),
        ("show", "treering read"),
        ("get", "treering read"),
        ("add", "treering remember"),
        ("save", "treering remember"),
        ("edit", "treering revise"),
        ("delete", "treering forget"),
        ("help", "treering --help"),
        ("push", "treering sync push"),
        ("pull", "treering sync fetch"),
    ],
)
def test_a_mistyped_command_is_guessed(repo: Repo, typed: str, meant: str) -> None:
    """Also one that other programs call so."""
    done = repo.cli(typed, "x", "--json")

    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (2, "invalid")
    assert f"`{meant}`" in error["hint"]


def test_help_for_a_command_is_pointed_to(repo: Repo) -> None:
    assert "`treering recall --help`" in repo.cli("help", "recall").stderr


def test_nobody_is_sent_to_a_command_that_is_not_there() -> None:
    from treering.cli.group import OTHER_WORDS

    assert all(meant.split()[0] in (*VERBS, "--help") for meant in OTHER_WORDS.values())


@pytest.mark.parametrize("typed", ["--tpye", "--typ"])
def test_a_mistyped_option_is_guessed(repo: Repo, typed: str) -> None:
    done = repo.cli("remember", "x", typed, "decision", "--json")

    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (2, "invalid")
    assert error["message"] == f"There is no option {typed}."
    assert "--type" in error["hint"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["remember", "x", "--type", "decison"], "decision"),
        (["recall", "x", "--type", "desision"], "decision"),
        (["recall", "x", "--order", "newst"], "newest"),
        (["graph", "neigbors", "x"], "neighbors"),
        (["status", "--view", "tpics"], "topics"),
        (["maintain", "dedup"], "dedupe"),
        (["recall", "type:decison"], "decision"),
        (["recall", "x", "--mode", "semantics"], "semantic"),
    ],
)
def test_a_mistyped_word_is_guessed(repo: Repo, words: list[str], meant: str) -> None:
    """And what is allowed is still listed."""
    hint = repo.error(*words)["hint"]

    assert hint.startswith(f"Did you mean {meant}?")


def test_a_mistyped_branch_is_guessed(repo: Repo) -> None:
    repo.git("branch", "feature/login")

    assert "Did you mean feature/login?" in repo.error("recall", "x", "-b", "feature/logn")["hint"]
    assert "Did you mean feature/login?" in repo.error("backfill", "-b", "feature/logn")["hint"]


def test_nothing_is_guessed_where_nothing_is_near(repo: Repo) -> None:
    assert "Did you mean" not in repo.error("remember", "x", "--type", "zzzzzz")["hint"]
    assert "Did you mean" not in repo.cli("zzzzzz").stderr


def test_a_mistyped_relation_is_kept_and_doubted(repo: Repo) -> None:
    """A word of one's own is allowed, so it cannot be refused."""
    one, two = (repo.json("remember", text)["id"] for text in ("first thing", "second matter"))

    made = repo.json("link", one, "depnds_on", two)

    assert made["relation"] == "depnds_on"
    assert "Did you mean depends_on?" in made["warnings"][0]
    assert "warnings" not in repo.json("link", two, "blessed_by", one)
