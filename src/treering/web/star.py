"""Links drawn: one memory in the middle, those it is linked with around it, by how far they are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from treering.actions.card import Card
from treering.actions.graph import EdgeShown, NeighborsAnswer
from treering.web.svg import cut, drawing, element
from treering.web.visit import Visit

_WIDTH = 880.0
_RING = 92.0
_MOST = 40
_LETTERS = 30
_FIRST = -0.35  # radians: nothing stands right above or beside the middle, where its title is
_ARROW = element(
    "defs",
    element(
        "marker",
        element("path", d="M0,0 L7,3.5 L0,7 z", class_="arrow"),
        id="arrow",
        markerWidth=7,
        markerHeight=7,
        refX=6,
        refY=3.5,
        orient="auto",
        markerUnits="userSpaceOnUse",
    ),
)


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


def draw_star(visit: Visit, memory: Card) -> Markup:
    """A memory and what it is linked with."""
    links = memory.links or ()
    middle = StarNode(memory.id, memory.title, memory.type, 0)
    ends = {n.id: StarNode(n.id, n.title, "", 1) for n in links if n.depth == 1}
    edges = [
        EdgeShown(memory.id, n.id, n.relation, n.confidence, n.by)
        if n.direction == "out"
        else EdgeShown(n.id, memory.id, n.relation, n.confidence, n.by)
        for n in links
        if n.depth == 1
    ]
    return _draw(visit, [middle, *ends.values()], edges)


def draw_neighbourhood(visit: Visit, answer: NeighborsAnswer) -> Markup:
    """What `graph neighbors` answers."""
    middle = StarNode(answer.id, answer.title, "", 0)
    nodes = [StarNode(n.id, n.title, n.type, n.depth, n.via or "") for n in answer.nodes]
    return _draw(visit, [middle, *nodes], answer.edges)


def _draw(visit: Visit, nodes: Sequence[StarNode], edges: Iterable[EdgeShown]) -> Markup:
    visible = nodes[: _MOST + 1]
    rings = max(node.depth for node in visible)
    height = 2 * _RING * max(rings, 1) + 70
    places = place_nodes(visible, Point(_WIDTH / 2, height / 2 - 8))
    lines = [
        _draw_edge(places[source], places[target], bundle)
        for (source, target), bundle in _bundle(edges).items()
        if source in places and target in places
    ]
    dots = [_draw_node(visit, node, places[node.id]) for node in visible]
    label = f"{visible[0].title} and {len(visible) - 1} linked memories"
    return drawing([_ARROW, *lines, *dots], _WIDTH, height, label, "star")


def _bundle(edges: Iterable[EdgeShown]) -> dict[tuple[str, str], list[EdgeShown]]:
    """Several links from one memory to another are one line with several words."""
    bundles: dict[tuple[str, str], list[EdgeShown]] = {}
    for edge in edges:
        bundles.setdefault((edge.source, edge.target), []).append(edge)
    return bundles


def place_nodes(nodes: Sequence[StarNode], middle: Point) -> Mapping[str, Point]:
    """Each ring around the middle, in the order of what its memories are reached by, so that lines
    cross little. Wider than high, because titles are."""
    places = {nodes[0].id: middle}
    angles = {nodes[0].id: 0.0}
    rings = max(node.depth for node in nodes)
    for depth in range(1, rings + 1):
        ring = [node for node in nodes if node.depth == depth]
        ring.sort(key=lambda node: angles.get(node.via, 0.0))
        start = angles.get(ring[0].via, 0.0) if ring and depth > 1 else _FIRST
        for number, node in enumerate(ring):
            angle = start + 2 * math.pi * number / len(ring)
            angles[node.id] = angle
            places[node.id] = Point(
                middle.x + math.cos(angle) * (_WIDTH / 2 - 105) * (depth / rings) ** 0.6,
                middle.y + math.sin(angle) * _RING * depth,
            )
    return places


def _draw_edge(start: Point, end: Point, bundle: Sequence[EdgeShown]) -> Markup:
    far = math.hypot(end.x - start.x, end.y - start.y) or 1.0
    tip = Point(end.x - (end.x - start.x) / far * 11, end.y - (end.y - start.y) / far * 11)
    by = "user" if any(edge.by == "user" for edge in bundle) else "system"
    sure = max(0.0, min(1.0, max(edge.confidence for edge in bundle)))
    line = element(
        "line",
        x1=start.x,
        y1=start.y,
        x2=tip.x,
        y2=tip.y,
        class_=f"edge by-{by}",
        stroke_opacity=round(0.35 + 0.6 * sure, 2),
        marker_end="url(#arrow)",
    )
    word = element(
        "text",
        ", ".join(dict.fromkeys(edge.relation for edge in bundle)),
        x=(start.x + end.x) / 2,
        y=(start.y + end.y) / 2 + 3,
        text_anchor="middle",
        class_="relation",
    )
    return line + word


def _draw_node(visit: Visit, node: StarNode, at: Point) -> Markup:
    dot = element("circle", cx=at.x, cy=at.y, r=9 if node.depth == 0 else 6)
    label = element("text", cut(node.title, _LETTERS), x=at.x, y=at.y + 22, text_anchor="middle")
    tip = element("title", f"{node.type} {node.title}".strip())
    return element(
        "a",
        element("g", tip, dot, label, class_=f"node depth-{min(node.depth, 3)} t-{node.type}"),
        href=visit.memory_url(node.id),
    )
