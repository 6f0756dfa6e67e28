"""All knowledge in one picture: what is linked as trees around the best linked memory of each
group, the rest as rows of dots by type. A dot names itself when it is pointed at or focused."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from treering.graph.network import Edge, Node
from treering.model.choices import TYPE_NAMES
from treering.web.rendering import plural
from treering.web.svg import cut, drawing, element
from treering.web.visit import Visit

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
