"""Following links out from what was found."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treering.actions.sight import Sight
from treering.errors import TreeringError
from treering.model.taxonomy import RELATIONS
from treering.store.view import Place


class Linked(NamedTuple):
    """A memory reached by a link, and the one it was reached from."""

    place: Place
    relation: str
    via: str


def expanded(sight: Sight, ids: Sequence[str], hops: int, relations: Sequence[str]) -> list[Linked]:
    """Memories up to `hops` links away, each once, nearest first; forgotten ones are not shown.

    `relations` are relations or families of them; without any, every link counts.
    """
    seen, edge, found = set(ids), list(ids), []
    for _ in range(hops):
        reached = []
        for start in edge:
            for relation, other in _around(sight, start):
                if other not in seen and _is_wanted(relation, relations):
                    seen.add(other)
                    if place := _alive(sight, other):
                        reached.append(Linked(place, relation, start))
        found += reached
        edge = [linked.place.id for linked in reached]
    return found


def _around(sight: Sight, memory_id: str) -> Iterator[tuple[str, str]]:
    place = _alive(sight, memory_id)
    for link in place.memory().links if place else ():
        yield link.relation, link.target
    yield from sight.backlinks(memory_id)


def _is_wanted(relation: str, relations: Sequence[str]) -> bool:
    wanted = {word.lower() for word in relations}
    return (
        not wanted or relation.lower() in wanted or RELATIONS.get(relation, "association") in wanted
    )


def _alive(sight: Sight, memory_id: str) -> Place | None:
    try:
        place = sight.view.place(memory_id)
        return place if place and not place.memory().is_forgotten else None
    except TreeringError:
        return None
