"""Neighbours of the best candidates in their sessions, which lend to each other in the ranking.

A conversation answers in the turn after the question, so what stands beside a good match is looked
at, too, though it may hold none of the words.
"""

from collections.abc import Sequence
from typing import Any

from treering.hub.postgres.candidates import fetch_candidates
from treering.hub.postgres.corpus import Candidate
from treering.hub.postgres.filters import Condition
from treering.hub.shelves import split_mark
from treering.search.visible import WITHHELD

SOURCES = 20  # as many as lend
_MOST = 1_000


def find_neighbours(
    connection: Any, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Candidate]:
    """The members of the sessions that some candidates are of."""
    sessions = {
        (split_mark(candidate.entry.blob)[0], candidate.entry.session.partition(":")[2])
        for candidate in candidates
        if candidate.entry.session
    }
    if not sessions:
        return []
    pairs = sorted(sessions)
    numbers, names = [number for number, _ in pairs], [session for _, session in pairs]
    table = Condition(
        "unnest(%s::integer[], %s::text[]) AS s (repository, session)"
        " JOIN treering.memory AS m USING (repository, session)"
        " WHERE NOT m.status = ANY(%s) LIMIT %s",
        (numbers, names, list(WITHHELD), _MOST),
    )
    return fetch_candidates(connection, table, terms)
