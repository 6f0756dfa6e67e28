"""Two versions of one memory made into one, where history is missing. No I/O.

Nobody knows what both were made from, so nothing can be known to have been taken out: single values
and the text are the later one's; tags, files and links are those of both.
"""

from typing import TypeVar

from treering.model.memory import Link, Memory

Item = TypeVar("Item")


def merge_ends(older: Memory, newer: Memory) -> Memory:
    """The two versions together."""
    return newer._replace(
        modified=max(older.modified, newer.modified),
        tags=_together(older.tags, newer.tags),
        files=_together(older.files, newer.files),
        links=_links(older, newer),
        details={**older.details, **newer.details, **_union_unlinked(older, newer)},
        extra={**older.extra, **newer.extra},
    )


def _together(one: tuple[Item, ...], other: tuple[Item, ...]) -> tuple[Item, ...]:
    return (*one, *(item for item in other if item not in one))


def _links(older: Memory, newer: Memory) -> tuple[Link, ...]:
    """Links are one edge each, by relation and target; the surer copy of an edge is kept."""
    edges: dict[tuple[str, str], Link] = {}
    for link in _together(older.links, newer.links):
        twin = edges.get((link.relation, link.target))
        if twin is None or link.confidence > twin.confidence:
            edges[link.relation, link.target] = link
    return tuple(edges.values())


def _union_unlinked(older: Memory, newer: Memory) -> dict[str, list[object]]:
    """Ids never to be linked again, of both sides: a link taken away on one must not come back."""
    sides = (
        tuple(ids) if isinstance(ids := memory.details.get("unlinked"), list | tuple) else ()
        for memory in (older, newer)
    )
    together = _together(*sides)
    return {"unlinked": list(together)} if together else {}
