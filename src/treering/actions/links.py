"""Links as a reader sees them: those a memory holds, and those that point at it."""

from dataclasses import dataclass, replace

from treering.actions.flags import flags_of_node
from treering.actions.visible import SearchView
from treering.graph.network import Edge, Network
from treering.model.dates import instant
from treering.model.memory import Memory, age_of_link


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The other end of a link; `depth` counts hops from the memory that was read."""

    direction: str
    relation: str
    id: str
    title: str
    confidence: float
    by: str
    depth: int = 1
    reason: str | None = None
    flags: tuple[str, ...] | None = None


def neighbours(
    sight: SearchView, memory: Memory, hops: int = 1, *, now: float = 0.0
) -> tuple[Neighbour, ...]:
    """What a memory is linked with; forgotten ends are hidden, and come back with the memory.

    Its own links are those it holds, which may be the ones of a past version. Further out every
    link is shown that leads on, also several to one memory.
    """
    network = sight.network
    found: list[Neighbour] = []
    seen, front = {memory.id}, [memory.id]
    for depth in range(1, hops + 1):
        reached = [
            (at, edge)
            for at in front
            for edge in (_links_of(network, memory) if at == memory.id else network.around(at))
            if edge.other(at) not in seen and edge.other(at) in network.nodes
        ]
        found += [_neighbour(network, at, edge, depth, now) for at, edge in reached]
        front = list(dict.fromkeys(edge.other(at) for at, edge in reached))
        seen.update(front)
    return tuple(_with_reason(neighbour, memory) for neighbour in found)


def _links_of(network: Network, memory: Memory) -> list[Edge]:
    return _own_links(memory) + network.around(memory.id, direction="in")


def _neighbour(network: Network, at: str, edge: Edge, depth: int, now: float) -> Neighbour:
    node = network.nodes[edge.other(at)]
    return Neighbour(
        direction="out" if edge.source == at else "in",
        relation=edge.relation,
        id=node.id,
        title=node.title,
        confidence=edge.confidence_at(now) if now else edge.confidence,
        by=edge.by,
        depth=depth,
        flags=flags_of_node(node),
    )


def _with_reason(neighbour: Neighbour, memory: Memory) -> Neighbour:
    """Why a link of the memory itself is there; the reasons of others are read with them."""
    edge = (neighbour.relation, neighbour.id)
    own = [ln for ln in memory.links if (ln.relation, ln.target) == edge and ln.reason]
    if not own or neighbour.direction == "in" or neighbour.depth > 1:
        return neighbour
    return replace(neighbour, reason=own[0].reason)


def _own_links(memory: Memory) -> list[Edge]:
    return [
        Edge(
            memory.id,
            link.target,
            link.relation,
            link.confidence,
            link.by,
            age_of_link(link) or instant(memory.created),
        )
        for link in memory.links
        if link.target != memory.id
    ]
