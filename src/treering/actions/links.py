"""Links as a reader sees them: those a memory holds, and those that point at it."""

from dataclasses import dataclass

from treering.actions.sight import Sight
from treering.graph.network import Edge
from treering.model.memory import Memory, made_at
from treering.model.when import instant


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


def neighbours(
    sight: Sight, memory: Memory, hops: int = 1, *, now: float = 0.0
) -> tuple[Neighbour, ...]:
    """What a memory is linked with; forgotten ends are hidden, and come back with the memory.

    Its own links are those it holds, which may be the ones of a past version. Further out every
    link is shown that leads on, also several to one memory.
    """
    network = sight.network
    reasons = {(link.relation, link.target): link.reason for link in memory.links}
    found: list[Neighbour] = []
    seen, front = {memory.id}, [memory.id]
    for depth in range(1, hops + 1):
        reached = []
        for at in front:
            edges = network.around(at)
            if at == memory.id:
                edges = _held_by(memory) + [edge for edge in edges if edge.target == at]
            reached += [(at, e) for e in edges if e.other(at) not in seen]
        for at, edge in reached:
            node = network.nodes.get(edge.other(at))
            if node is not None:
                own = edge.source == at
                why = reasons.get((edge.relation, edge.target)) if at == memory.id and own else ""
                found.append(
                    Neighbour(
                        direction="out" if own else "in",
                        relation=edge.relation,
                        id=node.id,
                        title=node.title,
                        confidence=edge.confidence_at(now) if now else edge.confidence,
                        by=edge.by,
                        depth=depth,
                        reason=why or None,
                    )
                )
        front = list(dict.fromkeys(edge.other(at) for at, edge in reached))
        seen.update(front)
    return tuple(found)


def _held_by(memory: Memory) -> list[Edge]:
    return [
        Edge(
            memory.id,
            link.target,
            link.relation,
            link.confidence,
            link.by,
            made_at(link) or instant(memory.created),
        )
        for link in memory.links
        if link.target != memory.id
    ]
