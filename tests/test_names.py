"""Names a newcomer can guess, held by counting: see `python -m benchmarks house`."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # the benchmarks are not installed

from benchmarks.house import House

from treering import errors
from treering.verbs import VERBS, find_verb
from treering.verbs.verb import Verb

HOUSE = House()

#: "is no date" for "is not a date". "There is no" and "no longer" are plain.
_MANNERED = re.compile(
    r"(?<!there )\b(is|are|was|were|names|holds|takes|tells) no (?!longer|more)\w", re.I
)


def _share(part: list[str], whole: list[str]) -> float:
    return len(part) / len(whole)


def test_a_class_name_stands_for_one_thing() -> None:
    """A reader who meets a name twice must not have to ask which one is meant."""
    assert HOUSE.repeated_classes() == {}


def test_functions_are_verbs() -> None:
    """Participles are for values that are results, and for questions."""
    assert _share(HOUSE.participles(), HOUSE.functions()) < 0.03, HOUSE.participles()


def test_the_counters_see_what_they_count() -> None:
    """A test that cannot fail holds nothing."""
    tree = ast.parse("def joined(): found = 1\nclass A: ...\nclass _A: ...\ndef merge(): text = 2")
    house = House()
    house.trees = {Path("x.py"): tree}

    assert house.participles() == ["joined"]
    assert house.vague_locals() == ["found"]
    assert house.repeated_classes() == {"A": 2}


def _texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module but its docstrings; what is put into one stands as `{}`."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(getattr(part, "value", ""))
                for part in node.values
                if isinstance(part, ast.Constant)
            )
            docs |= {id(part) for part in node.values}
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
        ):
            yield node.value


def _helps(verb: Verb) -> list[str]:
    helps = [
        text
        for parameter in verb.parameters
        for text in (parameter.arg.help, parameter.arg.by_hand)
    ]
    return [verb.summary, verb.more, *helps, verb.tool.description if verb.tool else ""]


def test_messages_are_plain() -> None:
    """Who learned English at school reads "is not a date" once, and "is no date" twice."""
    texts = [text for tree in HOUSE.trees.values() for text in _texts(tree)]

    assert [text for text in texts if _MANNERED.search(text)] == []


@pytest.mark.parametrize("name", VERBS)
def test_help_is_short_sentences(name: str) -> None:
    """Two thoughts are two sentences."""
    assert [text for text in _helps(find_verb(name)) if ";" in text] == []


def test_hints_are_short_sentences() -> None:
    hints = [
        kind.hint
        for kind in vars(errors).values()
        if isinstance(kind, type) and hasattr(kind, "hint")
    ]

    assert [hint for hint in hints if ";" in hint] == []


def test_a_mannered_message_is_seen() -> None:
    tree = ast.parse(
        'def f(x):\n    "It is no text."\n    raise E(f"{x!r} is no date.", "There is no x.")'
    )

    assert [text for text in _texts(tree) if _MANNERED.search(text)] == [" is no date."]
