"""Tables: lists and rules are text files of the package, read only by who needs them."""

import re
import subprocess
import sys

import pytest

from treering.model import tables
from treering.model.choices import TYPE_NAMES
from treering.model.tables import read_items, read_rules, read_table
from treering.model.taxonomy import TYPES

NAMES = sorted(file.stem for file in tables._FOLDER.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_every_section_of_a_table_holds_something(name: str) -> None:
    assert all(read_table(name).values())


@pytest.mark.parametrize(
    ("name", "section"),
    [("credentials", "kinds"), ("classification", "shapes")]
    + [("steering", part) for part in ("shapes", "patterns")],
)
def test_every_rule_has_a_gate_and_a_pattern(name: str, section: str) -> None:
    for rule in read_rules(name, section):
        assert all(rule.gates)
        assert re.compile(rule.pattern)


def test_types_are_those_a_caller_may_choose() -> None:
    assert tuple(TYPES) == TYPE_NAMES
    assert {kind for kind, _ in read_items("classification", "signals")} <= TYPES.keys()


def test_a_program_that_only_starts_reads_no_table() -> None:
    """Each table costs its reader a fraction of a millisecond, and others nothing."""
    script = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "from treering.cli.main import main\n"
        "main(['--version'])\n"
        "print([name for name in opened if name.endswith('.txt') and 'treering/data' in name])\n"
    )

    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert answer.stdout.splitlines()[-1] == "[]"
