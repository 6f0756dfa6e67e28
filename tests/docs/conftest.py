"""Reading our own pages: tables by their header, fenced blocks by their language."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Page:
    """One markdown page of this repository."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = (ROOT / path).read_text(encoding="utf-8")

    def rows(self, *header: str) -> list[tuple[str, ...]]:
        """The rows of the one table with this header, code marks taken off."""
        top = f"| {' | '.join(header)} |\n|{' --- |' * len(header)}\n"
        assert self.text.count(top) == 1, f"{self.path} should have one table {header}"
        below = self.text.split(top)[1].split("\n\n")[0]
        return [tuple(_cell(cell) for cell in line[2:-2].split(" | ")) for line in _lines(below)]

    def blocks(self, language: str) -> list[str]:
        return re.findall(rf"^```{language}\n(.*?)^```$", self.text, re.MULTILINE | re.DOTALL)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")]


def _cell(cell: str) -> str:
    whole = re.fullmatch(r"`([^`]*)`", cell)
    return whole[1] if whole else cell


@pytest.fixture
def page():
    return Page


@pytest.fixture
def root():
    return ROOT
