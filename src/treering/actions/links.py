"""Links as a reader sees them: those a memory holds, and those that point at it."""

from collections.abc import Iterator
from dataclasses import dataclass

from treering.actions.sight import Sight
from treering.errors import TreeringError
from treering.model.memory import Link, Memory


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


def neighbours(sight: Sight, memory: Memory, hops: int = 1) -> tuple[Neighbour, ...]:
    """What a memory is linked with; forgotten ends are hidden, and come back with the memory."""
    found: list[Neighbour] = []
    seen, edge = {memory.id}, [memory]
    for depth in range(1, hops + 1):
        reached = [pair for start in edge for pair in _around(sight, start, depth)]
        found.extend(n for n, _ in reached if n.id not in seen)
        edge = [other for n, other in reached if n.id not in seen]
        seen.update(n.id for n, _ in reached)
    return tuple(found)


def _around(sight: Sight, memory: Memory, depth: int) -> Iterator[tuple[Neighbour, Memory]]:
    for link in memory.links:
        if other := _alive(sight, link.target):
            yield _neighbour("out", link, other, depth), other
    for source in dict.fromkeys(source for _, source in sight.backlinks(memory.id)):
        if other := _alive(sight, source):
            for link in other.links:
                if link.target == memory.id:
                    yield _neighbour("in", link, other, depth), other


def _neighbour(direction: str, link: Link, other: Memory, depth: int) -> Neighbour:
    return Neighbour(
        direction, link.relation, other.id, other.title, link.confidence, link.by, depth
    )


def _alive(sight: Sight, memory_id: str) -> Memory | None:
    try:
        place = sight.view.place(memory_id)
        memory = place.memory() if place else None
    except TreeringError:
        return None
    return memory if memory and not memory.is_forgotten else None
