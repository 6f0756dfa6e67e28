"""The memories around some, link by link: rows of one repository as a network."""

from collections.abc import Collection
from typing import Any

from treering.graph.network import Network
from treering.hub.postgres.candidates import fetch_rows
from treering.hub.postgres.rows import ENTRY_COLUMNS, read_entry
from treering.search.entry import Entry

_MOST = 2_000


def read_network(connection: Any, number: int, ids: Collection[str], hops: int) -> Network:
    """What is up to so many links away from some memories, and what these are linked with."""
    entries: dict[str, Entry] = {}
    front = set(ids)
    for _ in range(hops + 1):
        rows = _read_around(connection, number, front)
        entries |= {entry.id: entry for entry in rows}
        targets = {link[1] for entry in rows for link in entry.links}
        front = (targets | {entry.id for entry in rows}) - front
        if not front or len(entries) >= _MOST:
            break
    return Network(entries.values())


def _read_around(connection: Any, number: int, ids: Collection[str]) -> list[Entry]:
    """Some memories of a repository, and those that link to them."""
    columns = ", ".join(ENTRY_COLUMNS)
    # By parts: one condition with `OR` would be looked for in every row.
    query = (
        f"SELECT {columns} FROM treering.memory WHERE repository = %s AND id = ANY(%s)"
        f" UNION SELECT {columns} FROM treering.memory WHERE repository = %s AND links <> '[]'"
        " AND EXISTS (SELECT 1 FROM jsonb_array_elements(links) AS l WHERE l ->> 1 = ANY(%s))"
        " LIMIT %s"
    )
    names = list(ids)
    values = (number, names, number, names, _MOST)
    return [read_entry(row) for row in fetch_rows(connection, query, values)]
