"""Explanations age silently; what they list is compared with what is there."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path


def test_architecture_page_names_only_what_is_there(page, root):
    """A way through the house that leads through walled-up doors is worse than none."""
    source = root / "src" / "treering"
    text = page(ARCHITECTURE).text

    files = set(re.findall(r"\b([a-z_]+(?:/[a-z_]+)+\.py)\b", text))
    methods = re.findall(r"`([A-Z]\w+)\.(\w+)`", text)

    assert {name for name in files if not (source / name).exists()} == set()
    there = set(_methods(source))
    assert [name for name in methods if name not in there] == []


def _methods(source: Path) -> Iterator[tuple[str, str]]:
    for file in source.rglob("*.py"):
        for kind in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(kind, ast.ClassDef):
                yield from ((kind.name, getattr(part, "name", "")) for part in kind.body)


ARCHITECTURE = "docs/explanation/architecture.md"


def test_every_dependency_earns_its_place_in_a_sentence(page, root):
    """A dependency nobody can justify is one to take out."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(name for group in extras.values() for name in group)]

    text = page("docs/explanation/dependencies.md").text
    reasons = dict(re.findall(r"^\| ([\w-]+) \| (.+\.) \|$", text, re.MULTILINE))

    assert reasons.keys() == {re.match(r"[\w-]+", line)[0] for line in wanted}
