"""Neighbours of the best candidates in their sessions, which lend to each other in the ranking.

A conversation answers in the turn after the question, so what stands beside a good match is looked
at, too, though it may hold none of the words.
"""

from collections.abc import Sequence
from typing import Any

from treering.hub.postgres.candidates import TALLIES, fetch_rows, read_candidate
from treering.hub.postgres.corpus import Candidate
from treering.hub.postgres.rows import ENTRY_COLUMNS, number_of
from treering.hub.shelves import split_mark
from treering.search.visible import WITHHELD

_SOURCES = 20  # as many as lend
_MOST = 1_000


def add_neighbours(
    connection: Any, candidates: Sequence[Candidate], terms: Sequence[str]
) -> list[Candidate]:
    """The candidates, best first, and the other members of the sessions of the best."""
    sessions = {
        (split_mark(candidate.entry.blob)[0], candidate.entry.session.partition(":")[2])
        for candidate in candidates[:_SOURCES]
        if candidate.entry.session
    }
    if not sessions:
        return list(candidates)
    columns = ", ".join(f"m.{name}" for name in (*ENTRY_COLUMNS, "rank"))
    query = (
        f"SELECT {columns}, {TALLIES} AS tallies"
        " FROM unnest(%s::integer[], %s::text[]) AS s (repository, session)"
        " JOIN treering.memory AS m USING (repository, session)"
        " WHERE NOT m.status = ANY(%s) LIMIT %s"
    )
    pairs = sorted(sessions)
    values = (
        [number_of(term) for term in terms],
        [number for number, _ in pairs],
        [session for _, session in pairs],
        list(WITHHELD),
        _MOST,
    )
    there = {candidate.entry.blob for candidate in candidates}
    rows = fetch_rows(connection, query, values)
    members = [read_candidate(row, list(terms)) for row in rows]
    return [*candidates, *(member for member in members if member.entry.blob not in there)]
