"""Drawings: whatever a title holds, it is a label and nothing else."""

import json
import re
import shutil
import subprocess
from typing import NamedTuple

import pytest

from treering.graph.drawing import draw
from treering.graph.network import Edge

HOSTILE = [
    'a"]; click m1 "javascript:alert(1)"',
    "%%{init: {'theme':'dark'}}%% x",
    "`markdown` <script>alert(1)</script>",
    'x\\" ]; evil [label="y',
    "end\ngraph TD",
    "a --> b; c-->d",
    "bidi \u202e and tag \U000e0041",
    "#quot; &lt; {{braces}} [[brackets]] |pipes|",
]


class Node(NamedTuple):
    id: str
    title: str = "a title"
    type: str = "insight"
    status: str = "active"
    outcome: str = ""
    created: float = 1.0
    flags: tuple[str, ...] | None = ()
    links: tuple[tuple[str, str, float, str, float], ...] = ()


@pytest.mark.parametrize("title", HOSTILE)
def test_mermaid_labels_hold_nothing_that_steers(title: str) -> None:
    """Only letters, digits, harmless punctuation and character codes come between the quotes."""
    text = draw("mermaid", [Node("a", title)], [Edge("a", "a", title)], "a")

    assert len(text.splitlines()) == 3
    for label in re.findall(r'"([^"]*)"', text):
        assert re.fullmatch(r"(?:[\w .,:/()'+=!?…-]|#\d+;)*", label), label
    assert text.count('"') == 4
    assert "%%" not in text


@pytest.mark.parametrize("title", HOSTILE)
def test_dot_labels_hold_nothing_that_steers(title: str) -> None:
    """A backslash or quote is escaped, so the string ends where we end it."""
    text = draw("dot", [Node("a", title)], [], "a")

    line = next(line for line in text.splitlines() if "label" in line)
    assert re.fullmatch(r'  "a" \[label="(?:[^"\\]|\\.)*", penwidth=2\];', line), line
    if dot := shutil.which("dot"):
        subprocess.run([dot, "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def test_json_is_json() -> None:
    """And has everything the others draw."""
    nodes = [Node("a"), Node("b")]

    found = json.loads(draw("json", nodes, [Edge("a", "b", "uses", 0.5, "user")]))

    assert [n["id"] for n in found["nodes"]] == ["a", "b"]
    assert found["edges"] == [
        {"source": "a", "target": "b", "relation": "uses", "confidence": 0.5, "by": "user"}
    ]


def test_long_titles_are_cut() -> None:
    """A picture is no place for two hundred characters."""
    text = draw("mermaid", [Node("a", "x" * 300)], [])

    assert max(map(len, text.splitlines())) < 400
    assert "x" * 61 not in text
