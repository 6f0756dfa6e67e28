"""Following links out from what was found."""

from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.visible import SearchView
from treering.store.view import Copy


class ReachedMemory(NamedTuple):
    """A memory reached by a link, and the one it was reached from."""

    place: Copy
    relation: str
    via: str


def expand(
    sight: SearchView, ids: Sequence[str], hops: int, relations: Sequence[str]
) -> list[ReachedMemory]:
    """Memories up to `hops` links away, each once, nearest first; forgotten ones are not shown.

    `relations` are relations or families of them; without any, every link counts.
    """
    steps = sight.network.reach(ids, hops, relations)
    placed = ((sight.view.place(step.id), step) for step in steps)
    return [ReachedMemory(place, step.edge.relation, step.via) for place, step in placed if place]
