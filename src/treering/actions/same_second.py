"""Memories of the same second, in the order they were really made.

Dates are kept to the second, and an agent remembers several things in one. Commits know better;
only the newest few are looked at, and only when there is a tie.
"""

from dataclasses import replace
from itertools import groupby

from treering.actions.visible import SearchView
from treering.errors import StoreDamaged
from treering.search import Hit, SearchResult
from treering.store import message
from treering.store.view import View

_MOST_COMMITS = 200


#: How many hits beyond the limit are asked for, so that a tie across the cut is seen whole.
SLACK = 64


def break_ties(found: SearchResult, sight: SearchView, order: str) -> SearchResult:
    """The same answer with ties among its hits resolved by commit order."""
    created = {hit.blob: sight.created(hit.blob) for hit in found.hits}
    if len(set(created.values())) == len(created):
        return found
    sequence = _sequence(sight.view)
    sign = 1 if order == "newest" else -1
    hits: list[Hit] = []
    for _, same in groupby(found.hits, key=lambda hit: created[hit.blob]):
        hits += sorted(same, key=lambda hit: sign * sequence.get(hit.id, _MOST_COMMITS))
    return replace(found, hits=tuple(hits))


def _sequence(view: View) -> dict[str, int]:
    """How many commits ago a memory was made, for the newest commits of each layer."""
    found: dict[str, int] = {}
    for layer in view.layers:
        at, step = layer.snapshot.tip, 0
        while at and step < _MOST_COMMITS:
            try:
                commit = layer.vault.repository.objects.commit(at)
            except StoreDamaged:
                break
            said = message.read(commit.message)
            if said.op in ("remember", "checkpoint", "merge", "summarize"):
                for memory_id in said.memories[:1]:
                    found[memory_id] = step
            at, step = (commit.parents[0] if commit.parents else None), step + 1
    return found
