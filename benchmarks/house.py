"""How easy the house is to live in: names, sizes, and how far one memory travels through it.

    python -m benchmarks house

Participles are counted by their endings and a list of irregular ones. A crossing is a call from a
function of one module to a function of another.
"""

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

import treering
from benchmarks._bench import heading, repository, row

SOURCE = Path(treering.__file__).parent
_IRREGULAR = frozenset((
    "begun", "bound", "broken", "built", "chosen", "done", "drawn", "forgotten", "found",
    "frozen", "given", "gone", "grown", "heard", "held", "hidden", "kept", "known", "laid",
    "left", "lost", "made", "meant", "met", "said", "seen", "sent", "shown", "sold", "spent",
    "taken", "thought", "told", "withdrawn", "woven", "written",
))  # fmt: skip
_NO_PARTICIPLE = frozenset(("bleed", "embed", "exceed", "feed", "need", "proceed", "seed", "speed"))
_QUESTIONS = ("is", "has", "was", "can", "are", "may", "test")


class House:
    """The source, parsed once."""

    def __init__(self, source: Path = SOURCE) -> None:
        self.source = source
        self.texts = {
            file.relative_to(source): file.read_text(encoding="utf-8")
            for file in sorted(source.rglob("*.py"))
        }

    @cached_property
    def trees(self) -> dict[Path, ast.AST]:
        return {file: ast.parse(text) for file, text in self.texts.items()}

    def modules(self) -> list[Path]:
        """Files that hold code; a package's docstring does not count."""
        return [file for file in self.texts if file.name != "__init__.py"]

    def sizes(self) -> dict[Path, int]:
        return {file: len(text.splitlines()) for file, text in self.texts.items()}

    def repeated_classes(self) -> dict[str, int]:
        """Class names that stand for several things, leading underscores aside."""
        names = Counter(
            node.name.lstrip("_")
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        )
        return {name: count for name, count in names.items() if count > 1}

    def functions(self) -> list[str]:
        return [
            node.name
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]

    def participles(self) -> list[str]:
        """Functions named by what was done instead of by what they do."""
        return [name for name in self.functions() if is_participle(name.strip("_").split("_")[0])]

    def local_names(self) -> list[str]:
        """The names functions give to what they hold, each once a function."""
        return [
            name
            for tree in self.trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for name in set(_bound_in(node))
        ]

    def vague_locals(self) -> list[str]:
        """Locals that say how a thing was come by, and not what it is."""
        return [name for name in self.local_names() if is_participle(name)]


def is_participle(word: str) -> bool:
    return word in _IRREGULAR or (
        word.endswith("ed") and word not in _NO_PARTICIPLE and word not in _QUESTIONS
    )


def _bound_in(function: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.arguments):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        yield from _bound_in(node)


def travel(act: Callable[[], object]) -> tuple[int, int]:
    """The modules of ours that a call runs through, and how often it goes from one to another."""
    modules: set[str] = set()
    crossings = 0

    def look(frame: Any, event: str, _: object) -> None:
        nonlocal crossings
        here = frame.f_globals.get("__name__", "")
        if event != "call" or not here.startswith("treering."):
            return
        modules.add(here)
        caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
        crossings += caller.startswith("treering.") and caller != here

    sys.setprofile(look)
    try:
        act()
    finally:
        sys.setprofile(None)
    return len(modules), crossings


def main() -> None:
    house = House()
    sizes = house.sizes()
    functions, names = house.functions(), house.local_names()
    heading("names and sizes", "now")
    row("  modules", str(len(house.modules())))
    row("  modules at the top of actions/", str(_at_top(house, "actions")))
    row("  lines", str(sum(sizes.values())))
    row("  lines of the longest module", str(max(sizes.values())))
    row("  lines of a module, median", f"{median(sizes.values()):.0f}")
    row("  class names used twice", str(len(house.repeated_classes())))
    row("  functions", str(len(functions)))
    row("  functions named as participles", _share(len(house.participles()), len(functions)))
    row("  locals named as participles", _share(len(house.vague_locals()), len(names)))
    heading("the way of one memory", "modules", "crossings")
    for verb, (modules, crossings) in _ways().items():
        row(f"  {verb}", str(modules), str(crossings))


def _at_top(house: House, room: str) -> int:
    return sum(file.parts[0] == room and len(file.parts) == 2 for file in house.modules())


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)"


def _ways() -> dict[str, tuple[int, int]]:
    from treering import Treering

    with repository() as path:
        (path / "store.py").write_text("x = 1\n", encoding="utf-8")
        first = Treering.open(path)
        for number in range(5):
            first.remember(f"Use WAL mode {number}: readers never block", type="decision")
        text = "Login uses the session store because of WAL mode"
        return {
            "remember": travel(
                lambda: Treering.open(path).remember(text, type="decision", files=["store.py"])
            ),
            "recall": travel(lambda: Treering.open(path).recall("wal mode readers")),
        }
