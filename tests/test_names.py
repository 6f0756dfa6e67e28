"""Names a newcomer can guess, held by counting: see `python -m benchmarks house`."""

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the benchmarks are not installed

from benchmarks.house import House

HOUSE = House()


def _share(part: list[str], whole: list[str]) -> float:
    return len(part) / len(whole)


def test_a_class_name_stands_for_one_thing() -> None:
    """A reader who meets a name twice must not have to ask which one is meant."""
    assert HOUSE.repeated_classes() == {}


def test_functions_are_verbs() -> None:
    """Participles are for values that are results, and for questions."""
    assert _share(HOUSE.participles(), HOUSE.functions()) < 0.03, HOUSE.participles()


def test_locals_get_no_vaguer() -> None:
    """The goal is far below this; until it is reached, nothing is added."""
    assert _share(HOUSE.vague_locals(), HOUSE.local_names()) < 0.16


def test_no_module_holds_two_nouns() -> None:
    assert {str(file): size for file, size in HOUSE.sizes().items() if size > 400} == {}


def test_rooms_are_not_crowded() -> None:
    """Whoever looks for a verb reads one short list."""
    top = [file for file in HOUSE.modules() if file.parts[0] == "actions" and len(file.parts) == 2]

    assert len(top) <= 45


def test_the_counters_see_what_they_count() -> None:
    """A test that cannot fail holds nothing."""
    tree = ast.parse("def joined(): found = 1\nclass A: ...\nclass _A: ...\ndef merge(): text = 2")
    house = House()
    house.trees = {Path("x.py"): tree}

    assert house.participles() == ["joined"]
    assert house.vague_locals() == ["found"]
    assert house.repeated_classes() == {"A": 2}
