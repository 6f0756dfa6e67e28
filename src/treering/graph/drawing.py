"""A part of the network as a picture: Mermaid, Graphviz or JSON.

Titles are other people's text. In a drawing they can only ever be a label: what a renderer could
take for markup, a directive or the end of the label is written as a character code.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from treering.graph.network import Edge, Node
from treering.model.choices import UNSUCCESSFUL

_LONGEST = 60
#: Besides letters and digits, what cannot end or steer a quoted Mermaid label.
_HARMLESS = " .,:-_/()'+=!?"


def draw(format: str, nodes: Sequence[Node], edges: Sequence[Edge], centre: str = "") -> str:
    """These memories and the links between them; `centre` is drawn so that it is seen first."""
    if format == "mermaid":
        return "\n".join(_mermaid(nodes, edges, centre))
    if format == "dot":
        return "\n".join(_dot(nodes, edges, centre))
    return json.dumps(
        {
            "nodes": [
                {"id": n.id, "title": n.title, "type": n.type}
                | ({"flags": list(n.flags)} if n.flags else {})
                | ({"outcome": n.outcome} if n.outcome else {})
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


def _mermaid(nodes: Sequence[Node], edges: Sequence[Edge], centre: str) -> Iterable[str]:
    yield "graph LR"
    for node in nodes:
        shape = ("([", "])") if node.id == centre else ("[", "]")
        yield f'  m{node.id}{shape[0]}"{_encode(_short(node))}"{shape[1]}'
    for edge in edges:
        yield f'  m{edge.source} -->|"{_encode(edge.relation)}"| m{edge.target}'


def _dot(nodes: Sequence[Node], edges: Sequence[Edge], centre: str) -> Iterable[str]:
    yield "digraph memories {"
    yield "  rankdir=LR;"
    yield "  node [shape=box, style=rounded];"
    for node in nodes:
        bold = ", penwidth=2" if node.id == centre else ""
        yield f'  "{node.id}" [label="{_escape(_short(node))}"{bold}];'
    for edge in edges:
        yield f'  "{edge.source}" -> "{edge.target}" [label="{_escape(edge.relation)}"];'
    yield "}"


def _short(node: Node) -> str:
    title = "".join(c for c in node.title if c.isprintable())
    cut = title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"
    kind = f"{node.outcome} {node.type}" if node.outcome in UNSUCCESSFUL else node.type
    return f"{kind}: {cut}" + (f" (flagged: {', '.join(node.flags)})" if node.flags else "")


def _encode(text: str) -> str:
    """Everything unusual as Mermaid's `#code;`: quotes, brackets, `%%{...}`, markdown, tags."""
    runs = groupby(text, key=lambda c: c.isalnum() or c in _HARMLESS)
    return "".join(
        "".join(run) if plain else "".join(f"#{ord(c)};" for c in run) for plain, run in runs
    )


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
