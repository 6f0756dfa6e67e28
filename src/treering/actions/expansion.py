"""Following links out from what was found."""

from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.visible import Sight
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
    steps = sight.network.reach(ids, hops, relations)
    placed = ((sight.view.place(step.id), step) for step in steps)
    return [Linked(place, step.edge.relation, step.via) for place, step in placed if place]
