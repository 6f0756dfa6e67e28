"""The faults that `python -m benchmarks.mutation` puts into the code."""

import ast
from pathlib import Path

import pytest
from benchmarks.mutation.__main__ import judge_run, read_survivors
from benchmarks.mutation.mutants import choose, make_mutants

SOURCE = '''"""A module."""

from x import y

LIMIT = 2


class Store:
    def write(self, text: str = "é") -> int:
        if not text:
            raise ValueError("nothing")
        if len(text) > 1 and self.is_open:
            self.sync()
        return y
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "store.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_each_mutant_has_one_fault_and_is_still_python(folder: Path) -> None:
    mutants = make_mutants(folder, "store.py")

    for mutant in mutants:
        ast.parse(mutant.source)
        differing = set(mutant.source.splitlines()) ^ set(SOURCE.encode().splitlines())
        assert len(differing) == 2
    assert [mutant.key.removeprefix("store.py ") for mutant in mutants] == [
        "<module> plus one: 2",
        "Store.write guard off: not text",
        "Store.write negate: len(text) > 1 and self.is_open",
        "Store.write and/or: len(text) > 1 and self.is_open",
        "Store.write compare: len(text) > 1",
        "Store.write plus one: 1",
        "Store.write drop call: self.sync()",
    ]


def test_which_mutants_are_tried_depends_on_each_alone(folder: Path) -> None:
    """A change elsewhere in a module does not bring up other survivors."""
    before = choose(make_mutants(folder, "store.py"), 3, seed=1)
    (folder / "store.py").write_text(f"{SOURCE}\n\ndef more():\n    pass\n", encoding="utf-8")

    after = choose(make_mutants(folder, "store.py"), 3, seed=1)

    assert [mutant.key for mutant in before] == [mutant.key for mutant in after]


def test_only_a_survivor_that_is_not_known_fails_the_run(folder: Path) -> None:
    mutants = make_mutants(folder, "store.py")
    known = {mutants[0].key: "a limit by feel"}

    assert judge_run([(mutants[0], "survived"), (mutants[1], "noticed")], known) == []
    assert judge_run([(mutants[1], "survived")], known) == [mutants[1].key]


def test_every_known_survivor_has_its_reason() -> None:
    assert [key for key, reason in read_survivors().items() if not reason] == []
