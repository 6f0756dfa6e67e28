"""Links drawn: one memory in the middle, those it is linked with around it, by how far they are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from treering.actions.graph_answers import EdgeShown, NeighborsAnswer
from treering.actions.read import WholeMemory
from treering.web.rendering import memory_url
from treering.web.svg import cut, drawing, element

_WIDTH = 760.0
_RING = 132.0
_MOST = 40
_LETTERS = 26


class StarNode(NamedTuple):
    """A memory in the drawing; `depth` 0 is the middle."""

    id: str
    title: str
    type: str
    depth: int
    via: str = ""


class Point(NamedTuple):
    x: float
    y: float


def draw_star(memory: WholeMemory, branch: str) -> Markup:
    """A memory and what it is linked with."""
    middle = StarNode(memory.id, memory.title, memory.type, 0)
    ends = {n.id: StarNode(n.id, n.title, "", 1) for n in memory.links if n.depth == 1}
    edges = [
        EdgeShown(memory.id, n.id, n.relation, n.confidence, n.by)
        if n.direction == "out"
        else EdgeShown(n.id, memory.id, n.relation, n.confidence, n.by)
        for n in memory.links
        if n.depth == 1
    ]
    return _draw([middle, *ends.values()], edges, branch)


def draw_neighbourhood(answer: NeighborsAnswer, branch: str) -> Markup:
    """What `graph neighbors` answers."""
    middle = StarNode(answer.id, answer.title, "", 0)
    nodes = [StarNode(n.id, n.title, n.type, n.depth, n.via or "") for n in answer.nodes]
    return _draw([middle, *nodes], answer.edges, branch)


def _draw(nodes: Sequence[StarNode], edges: Iterable[EdgeShown], branch: str) -> Markup:
    shown = nodes[: _MOST + 1]
    rings = max(node.depth for node in shown)
    height = 2 * _RING * max(rings, 1) + 90
    places = place_nodes(shown, Point(_WIDTH / 2, height / 2))
    lines = [
        _draw_edge(places[edge.source], places[edge.target], edge)
        for edge in edges
        if edge.source in places and edge.target in places
    ]
    dots = [_draw_node(node, places[node.id], branch) for node in shown]
    label = f"{shown[0].title} and {len(shown) - 1} linked memories"
    return drawing([*lines, *dots], _WIDTH, height, label, "star")


def place_nodes(nodes: Sequence[StarNode], middle: Point) -> Mapping[str, Point]:
    """Each ring around the middle, in the order of what its memories are reached by, so that lines
    cross little. Wider than high, because titles are."""
    places = {nodes[0].id: middle}
    angles = {nodes[0].id: 0.0}
    for depth in range(1, max(node.depth for node in nodes) + 1):
        ring = [node for node in nodes if node.depth == depth]
        ring.sort(key=lambda node: angles.get(node.via, 0.0))
        turn = 0.5 if depth % 2 else 0.0
        for number, node in enumerate(ring):
            angle = 2 * math.pi * (number + turn) / len(ring) - math.pi / 2
            angles[node.id] = angle
            places[node.id] = Point(
                middle.x + math.cos(angle) * min(_RING * depth * 1.7, _WIDTH / 2 - 100),
                middle.y + math.sin(angle) * _RING * depth,
            )
    return places


def _draw_edge(start: Point, end: Point, edge: EdgeShown) -> Markup:
    middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
    line = element(
        "line",
        x1=start.x,
        y1=start.y,
        x2=end.x,
        y2=end.y,
        class_=f"edge by-{'user' if edge.by == 'user' else 'system'}",
        stroke_opacity=round(0.35 + 0.6 * max(0.0, min(1.0, edge.confidence)), 2),
    )
    word = element(
        "text", edge.relation, x=middle.x, y=middle.y - 3, text_anchor="middle", class_="relation"
    )
    return line + word


def _draw_node(node: StarNode, at: Point, branch: str) -> Markup:
    dot = element("circle", cx=at.x, cy=at.y, r=9 if node.depth == 0 else 6)
    label = element("text", cut(node.title, _LETTERS), x=at.x, y=at.y + 22, text_anchor="middle")
    tip = element("title", f"{node.type} {node.title}".strip())
    return element(
        "a",
        element("g", tip, dot, label, class_=f"node depth-{min(node.depth, 3)}"),
        href=memory_url(node.id, branch=branch),
    )
