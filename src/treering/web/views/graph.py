"""Graph: all knowledge in one picture, by type, or what one memory is linked with."""

from collections import Counter

from starlette.responses import Response

from treering.actions.graph import NeighborsAnswer
from treering.graph.network import Network
from treering.model.taxonomy import RECORD_TYPES
from treering.verbs.knowledge import graph
from treering.web.map import draw_map
from treering.web.star import draw_neighbourhood
from treering.web.visit import Visit

_AROUND = 40
_MOST = 300
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
        shown=min(len(order), _MOST),
        links=len(edges),
        orphans=sum(not linked[node.id] for node in chosen),
        around=around,
        drawing=draw_neighbourhood(visit, around) if around and around.nodes else "",
        map="" if id else draw_map(visit, order[:_MOST], edges),
        hubs=visit.ask(lambda _: [(n.id, n.title, linked[n.id]) for n in order if linked[n.id]])[
            :_HUBS
        ],
        kinds=Counter(node.type for node in nodes).most_common(),
        by_relation=Counter(edge.relation for edge in Network(nodes).edges()).most_common(),
        relations=relations,
        types=types,
        depth=depth,
    )
