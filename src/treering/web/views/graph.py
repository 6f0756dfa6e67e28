"""Graph: what a memory is linked with, drawn and listed, by relation and type."""

from collections import Counter

from starlette.responses import Response

from treering.actions.graph import NeighborsAnswer, Stats
from treering.verbs.knowledge import graph
from treering.web.star import draw_neighbourhood
from treering.web.visit import Visit

_MOST = 40


def show_graph(visit: Visit) -> Response:
    """The neighbourhood of a memory, or of the best linked one."""
    stats: Stats = visit.ask(graph, "stats", branch=visit.branch)
    id = visit.query("id") or (stats.hubs[0].id if stats.hubs else "")
    relations, types = visit.queries("relation"), visit.queries("type")
    depth = max(1, visit.number("depth", 1, most=3))
    around: NeighborsAnswer | None = None
    if id:
        around = visit.ask(
            graph,
            "neighbors",
            id=id,
            depth=depth,
            relation=relations,
            types=types,
            limit=_MOST,
            branch=visit.branch,
        )
    return visit.show(
        "graph.html",
        current="Graph",
        stats=stats,
        around=around,
        star=draw_neighbourhood(around, visit.branch) if around and around.nodes else "",
        kinds=_list_kinds(around, types),
        relations=relations,
        types=types,
        depth=depth,
    )


def _list_kinds(around: NeighborsAnswer | None, chosen: list[str]) -> list[str]:
    """The types to choose from: those around, and those that were chosen."""
    counts = Counter(node.type for node in around.nodes) if around else Counter[str]()
    return list(dict.fromkeys([*chosen, *counts]))
