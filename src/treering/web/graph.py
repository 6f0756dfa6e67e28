"""Graph: all knowledge in one picture, by type, or what one memory is linked with."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup
from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.graph import EdgeShown, NeighborsAnswer
from treering.graph.network import Edge, Network, Node
from treering.model.choices import TYPE_NAMES
from treering.model.taxonomy import RECORD_TYPES
from treering.text.values import strip_control_characters
from treering.verbs.knowledge import graph
from treering.web.rendering import cut, drawing, element, plural
from treering.web.visit import Visit

_AROUND = 40
_MAX_NODES = 300
_HUBS = 10


def show_graph(visit: Visit) -> Response:
    """The neighbourhood of a memory, or all there is, the best linked first."""
    view = visit.workspace.view(visit.branch)
    searcher = visit.workspace.searcher
    seen = (searcher.search_view if visit.has_records else searcher.knowledge_view)(view)
    nodes = [node for node in seen.entries() if node.status in ("active", "needs-review")]
    relations, types = visit.queries("relation"), visit.queries("type")
    chosen = [node for node in nodes if not types or node.type in types]
    network = Network(chosen)
    edges = [edge for edge in network.edges() if not relations or edge.relation in relations]
    linked = Counter(id for edge in edges for id in (edge.source, edge.target))
    order = sorted(chosen, key=lambda node: (-linked[node.id], -node.created))
    if relations:
        order = [node for node in order if linked[node.id]]
    id = visit.query("id")
    depth = max(1, visit.number("depth", 1, most=3))
    around: NeighborsAnswer | None = None
    if id:
        hidden = () if visit.has_records else RECORD_TYPES
        kinds = types or sorted({node.type for node in nodes} - set(hidden))
        around = visit.ask(
            graph, "neighbors", id=id, depth=depth, relation=relations, types=kinds,
            limit=_AROUND, branch=visit.branch,
        )  # fmt: skip
    return visit.show(
        "graph.html",
        current="Graph",
        total=len(order),
        shown=min(len(order), _MAX_NODES),
        links=len(edges),
        orphans=sum(not linked[node.id] for node in chosen),
        around=around,
        drawing=draw_neighbourhood(visit, around) if around and around.nodes else "",
        map="" if id else draw_map(visit, order[:_MAX_NODES], edges),
        hubs=strip_control_characters(
            [(node.id, node.title, linked[node.id]) for node in order[:_HUBS] if linked[node.id]]
        ),
        kinds=Counter(node.type for node in nodes).most_common(),
        by_relation=Counter(edge.relation for edge in Network(nodes).edges()).most_common(),
        relations=relations,
        types=types,
        depth=depth,
    )


_WIDTH = 1000.0
_RING = 60.0
_BESIDE, _ABOVE = 172.0, 26.0  # around a group, for titles
_DOT, _STEP = 6.0, 20.0
_LEFT = 110.0
_LETTERS = 26
_LABELLED = 40  # nodes in groups, above which only the best linked have a title


class Spot(NamedTuple):
    """A place, and on which side of it a title stands."""

    x: float
    y: float
    side: str = "start"


def draw_map(visit: Visit, nodes: Sequence[Node], edges: Iterable[Edge]) -> Markup:
    """Nodes, the best linked first, and the links between them."""
    by_id = {node.id: node for node in nodes}
    near: dict[str, dict[str, None]] = {}
    lines = [edge for edge in edges if edge.source in by_id and edge.target in by_id]
    for edge in lines:
        near.setdefault(edge.source, {})[edge.target] = None
        near.setdefault(edge.target, {})[edge.source] = None
    spots: dict[str, Spot] = {}
    x = y = height = 0.0
    for node in nodes:
        if node.id not in near or node.id in spots:
            continue
        group = dict(_spread(node.id, near))
        left, right = (pick(at.x for at in group.values()) for pick in (min, max))
        top, bottom = (pick(at.y for at in group.values()) for pick in (min, max))
        width = right - left + 2 * _BESIDE
        if x and x + width > _WIDTH:  # the next shelf
            x, y, height = 0.0, y + height, 0.0
        spots |= {
            id: Spot(
                x + _BESIDE + at.x - left, y + _ABOVE + at.y - top, "end" if at.x < -1 else "start"
            )
            for id, at in group.items()
        }
        x, height = x + width, max(height, bottom - top + 2 * _ABOVE)
    y += height
    titled = set(list(spots)[:_LABELLED]) if len(spots) <= _LABELLED else set(_list_best(near))
    parts = [_draw_line(edge, spots) for edge in lines]
    parts += [_draw_dot(visit, by_id[id], spot, id in titled) for id, spot in spots.items()]
    for kind in sorted({n.type for n in nodes if n.id not in spots}, key=_place_of):
        loose = [node for node in nodes if node.type == kind and node.id not in spots]
        a_row = int((_WIDTH - _LEFT - _STEP) // _STEP)
        parts.append(
            element("text", f"{kind} {len(loose)}", x=_LEFT - 20, y=y + 24, text_anchor="end")
        )
        for number, node in enumerate(loose):
            row, column = divmod(number, a_row)
            at = Spot(_LEFT + column * _STEP, y + 20 + row * _STEP)
            parts.append(_draw_dot(visit, node, at, has_title=False))
        y += (1 + (len(loose) - 1) // a_row) * _STEP + 14
    count = plural(len(nodes), "memory", "memories")
    label = f"{count}, {plural(len(lines), 'link')} between them"
    return drawing(parts, _WIDTH, y + 30, label, "map")


def _list_best(near: dict[str, dict[str, None]]) -> list[str]:
    return sorted(near, key=lambda node: -len(near[node]))[: _LABELLED // 2]


def _place_of(kind: str) -> int:
    return TYPE_NAMES.index(kind) if kind in TYPE_NAMES else len(TYPE_NAMES)


def _spread(root: str, near: dict[str, dict[str, None]]) -> Iterator[tuple[str, Spot]]:
    """A group as a tree around its root: each branch has as much of the circle as it has leaves."""
    children: dict[str, list[str]] = {root: []}
    order = [root]
    for id in order:
        for other in near[id]:
            if other not in children:
                children[other] = []
                children[id].append(other)
                order.append(other)
    leaves: dict[str, int] = {}
    for id in reversed(order):
        leaves[id] = sum(leaves[child] for child in children[id]) or 1
    ring = max(_RING, leaves[root] * 22 / (2 * math.pi))
    wedge = {root: (0.0, 2 * math.pi)}
    depth = {root: 0}
    for id in order:
        start, stop = wedge[id]
        angle = (start + stop) / 2
        yield id, Spot(math.cos(angle) * ring * depth[id], math.sin(angle) * ring * depth[id])
        for child in children[id]:
            share = (stop - wedge[id][0]) * leaves[child] / leaves[id]
            wedge[child], depth[child] = (start, start + share), depth[id] + 1
            start += share


def _draw_line(edge: Edge, spots: dict[str, Spot]) -> Markup:
    one, other = spots[edge.source], spots[edge.target]
    tip = element("title", edge.relation)
    return element("line", tip, x1=one.x, y1=one.y, x2=other.x, y2=other.y, class_="edge")


def _draw_dot(visit: Visit, node: Node, at: Spot, has_title: bool) -> Markup:
    kind = node.type if node.type in TYPE_NAMES else "other"
    side = "start" if at.x < 200 else "end" if at.x > _WIDTH - 200 else "middle"
    failed = " failed" if node.outcome == "failed" else ""
    parts = [element("circle", cx=at.x, cy=at.y, r=_DOT)]
    if has_title:
        words, x = cut(node.title, _LETTERS), at.x + (10 if at.side == "start" else -10)
        parts.append(element("text", words, x=x, y=at.y + 4, text_anchor=at.side, class_="name"))
    tip = f"{node.type}{failed}: {cut(node.title, 90)}"
    parts.append(element("text", tip, x=at.x, y=at.y - 12, text_anchor=side, class_="tip"))
    return element(
        "a", *parts, href=visit.memory_url(node.id), class_=f"t-{kind}{failed}", aria_label=tip
    )


_STAR_WIDTH = 880.0
_STAR_RING = 92.0
_MAX_STAR_NODES = 40
_STAR_LETTERS = 30
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
    """Return what `graph neighbors` answers."""
    middle = StarNode(answer.id, answer.title, "", 0)
    nodes = [StarNode(n.id, n.title, n.type or "", n.depth or 0, n.via or "") for n in answer.nodes]
    return _draw(visit, [middle, *nodes], answer.edges)


def _draw(visit: Visit, nodes: Sequence[StarNode], edges: Iterable[EdgeShown]) -> Markup:
    visible = nodes[: _MAX_STAR_NODES + 1]
    rings = max(node.depth for node in visible)
    height = 2 * _STAR_RING * max(rings, 1) + 70
    places = place_nodes(visible, Point(_STAR_WIDTH / 2, height / 2 - 8))
    lines = [
        _draw_edge(places[source], places[target], bundle)
        for (source, target), bundle in _bundle(edges).items()
        if source in places and target in places
    ]
    dots = [_draw_node(visit, node, places[node.id]) for node in visible]
    label = f"{visible[0].title} and {len(visible) - 1} linked memories"
    return drawing([_ARROW, *lines, *dots], _STAR_WIDTH, height, label, "star")


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
                middle.x + math.cos(angle) * (_STAR_WIDTH / 2 - 105) * (depth / rings) ** 0.6,
                middle.y + math.sin(angle) * _STAR_RING * depth,
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
    label = element(
        "text", cut(node.title, _STAR_LETTERS), x=at.x, y=at.y + 22, text_anchor="middle"
    )
    tip = element("title", f"{node.type} {node.title}".strip())
    return element(
        "a",
        element("g", tip, dot, label, class_=f"node depth-{min(node.depth, 3)} t-{node.type}"),
        href=visit.memory_url(node.id),
    )
