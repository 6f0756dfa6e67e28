"""A part of the network as a picture: Mermaid, Graphviz or JSON.

Titles are other people's text. In a drawing they can only ever be a label: what a renderer could
take for markup, a directive or the end of the label is written as a character code.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

from treering.graph.network import Edge, Node
from treering.model.choices import UNSUCCESSFUL

#: Memory -> what there is to say of its truth, in words and as an answer says it.
Marks = Mapping[str, tuple[Sequence[str], Mapping[str, Any]]]
_MAX_LABEL = 60
#: Besides letters and digits, what cannot end or steer a quoted Mermaid label.
_HARMLESS = " .,:-_/()'+=!?"


def draw(
    format: str,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    centre: str = "",
    marks: Marks = MappingProxyType({}),
) -> str:
    """These memories and the links between them; `centre` is drawn so that it is seen first."""
    labels = {node.id: _label(node, *marks.get(node.id, ((), {}))[:1]) for node in nodes}
    if format == "mermaid":
        return "\n".join(_mermaid(labels, edges, centre))
    if format == "dot":
        return "\n".join(_dot(labels, edges, centre))
    return json.dumps(
        {
            "nodes": [
                {"id": n.id, "title": n.title, "type": n.type}
                | ({"flags": list(n.flags)} if n.flags else {})
                | ({"outcome": n.outcome} if n.outcome else {})
                | dict(marks[n.id][1] if n.id in marks else {})
                for n in nodes
            ],
            "edges": [
                {"source": e.source, "target": e.target, "relation": e.relation}
                | {"confidence": e.confidence, "by": e.by}
                for e in edges
            ],
        },
        ensure_ascii=False,
    )


def _mermaid(labels: Mapping[str, str], edges: Sequence[Edge], centre: str) -> Iterable[str]:
    yield "graph LR"
    for memory_id, label in labels.items():
        shape = ("([", "])") if memory_id == centre else ("[", "]")
        yield f'  m{memory_id}{shape[0]}"{_encode(label)}"{shape[1]}'
    for edge in edges:
        yield f'  m{edge.source} -->|"{_encode(edge.relation)}"| m{edge.target}'


def _dot(labels: Mapping[str, str], edges: Sequence[Edge], centre: str) -> Iterable[str]:
    yield "digraph memories {"
    yield "  rankdir=LR;"
    yield "  node [shape=box, style=rounded];"
    for memory_id, label in labels.items():
        bold = ", penwidth=2" if memory_id == centre else ""
        yield f'  "{memory_id}" [label="{_escape(label)}"{bold}];'
    for edge in edges:
        yield f'  "{edge.source}" -> "{edge.target}" [label="{_escape(edge.relation)}"];'
    yield "}"


def _label(node: Node, truth: Sequence[str]) -> str:
    title = "".join(c for c in node.title if c.isprintable())
    cut = title if len(title) <= _MAX_LABEL else title[: _MAX_LABEL - 1] + "…"
    kind = f"{node.outcome} {node.type}" if node.outcome in UNSUCCESSFUL else node.type
    marks = [f"flagged: {', '.join(node.flags)}"] if node.flags else []
    marks += truth
    return f"{kind}: {cut}" + "".join(f" ({mark})" for mark in marks)


def _encode(text: str) -> str:
    """Everything unusual as Mermaid's `#code;`: quotes, brackets, `%%{...}`, markdown, tags."""
    runs = groupby(text, key=lambda c: c.isalnum() or c in _HARMLESS)
    return "".join(
        "".join(run) if plain else "".join(f"#{ord(c)};" for c in run) for plain, run in runs
    )


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
