"""The memories nearest to a question by the signs of their vectors, and the index that finds them.

A database counts signs that differ by itself: some tens of thousands of memories a hundredth of a
second. Beyond that an index of the extension pgvector finds the nearest of all, or nearly these.
It is made where the extension is there, or may be created, and once there are enough memories.
Without it meaning still ranks what words found in a hub that large.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from treering.hub.meaning import hub_model
from treering.hub.postgres.candidates import RowQuestion, fetch_candidates
from treering.hub.postgres.corpus import Candidate
from treering.hub.postgres.filters import Condition, join_conditions, status_condition
from treering.hub.postgres.rows import model_number, write_signs
from treering.search.meaning.vectors import SmallVector

#: So many are looked at closely.
NEAREST = 300
#: So many where most are sorted out by a filter.
_MANY = 5_000
#: Memories that are looked through one by one, and from which on there is an index.
SCANNED = 100_000
#: Without an index so many are looked through all the same.
_MOST_SCANNED = 500_000
EXTENSION = "vector"
_INDEX = "embedding_signs"
_LOCK = 7_215_381_406
#: Of the index: neighbours of each memory, and how many are tried when one is added, or looked for.
_LINKS, _TRIED, _LOOKED_AT = 8, 40, 400
#: A million memories take minutes.
_INDEX_SECONDS = 7200


def find_nearest(
    asked: RowQuestion, question: SmallVector, memories: int, terms: Sequence[str]
) -> list[Candidate]:
    """The nearest of the memories that may be shown, nearest first; none where there are too many
    to look through."""
    distance = _choose_distance(asked, question, memories)
    if distance is None or not asked.repositories:
        return []
    nearest = _fetch(asked, distance, NEAREST, terms)
    is_filtered = bool(asked.list_conditions()) or bool(asked.filters.status)
    if is_filtered and len(nearest) < NEAREST // 3:
        nearest = _fetch(asked, distance, _MANY, terms)[:NEAREST]
    return nearest


def _fetch(
    asked: RowQuestion, distance: Condition, count: int, terms: Sequence[str]
) -> list[Candidate]:
    where = join_conditions([*asked.list_conditions(), status_condition(asked.filters)])
    table = Condition(
        f"(SELECT repository, id, {distance.text} AS distance FROM treering.embedding"
        " WHERE model = %s AND repository = ANY(%s) ORDER BY distance LIMIT %s) AS near"
        f" JOIN treering.memory AS m USING (repository, id) WHERE {where.text}"
        " ORDER BY distance, id",
        (*distance.values, model_number(), list(asked.repositories), count, *where.values),
    )
    return fetch_candidates(asked.connection, table, terms)


def _choose_distance(asked: RowQuestion, question: SmallVector, memories: int) -> Condition | None:
    """How far a row is from the question, as an expression: of the index, or worked out."""
    size, signs = len(question.numbers), write_signs(question)
    if memories > SCANNED:
        schema = _find_schema(asked.connection)
        if schema and has_index(asked.connection):
            asked.connection.execute(
                f"SET LOCAL hnsw.ef_search = {_LOOKED_AT};"
                " SET LOCAL hnsw.iterative_scan = relaxed_order"
            )
            operator = f'OPERATOR("{schema}".<~>)'
            return Condition(f"(signs::bit({size})) {operator} %s::bit({size})", (signs,))
        if memories > _MOST_SCANNED:
            return None
    # Cast, because vectors of another model may have another length.
    return Condition(f"bit_count(signs::bit({size}) # %s::bit({size}))", (signs,))


# --- the index ------------------------------------------------------------------------------------


def make_index(connection: Any) -> None:
    """Make the index if there are enough memories for one, and the database can. Who comes second
    leaves it to the first."""
    model = hub_model()
    query = "SELECT coalesce(sum(memories), 0) FROM treering.repository"
    if model is None or connection.execute(query).fetchone()[0] <= SCANNED:
        return
    is_first = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone()[0]
    if not is_first or has_index(connection):
        return
    if not _find_schema(connection) and not _create_extension(connection):
        return
    schema = _find_schema(connection)
    connection.execute(f"DROP INDEX IF EXISTS treering.{_INDEX}")  # of another model
    # In memory, or it takes ten times as long.
    connection.execute("SET LOCAL maintenance_work_mem = '512MB'")
    connection.execute(f"SET LOCAL statement_timeout = '{_INDEX_SECONDS}s'")
    connection.execute(
        f"CREATE INDEX {_INDEX} ON treering.embedding USING hnsw"
        f' ((signs::bit({model.dimensions})) "{schema}".bit_hamming_ops)'
        f" WITH (m = {_LINKS}, ef_construction = {_TRIED})"
    )


def has_index(connection: Any) -> bool:
    """Return whether there is an index for vectors of the model in use."""
    model = hub_model()
    query = "SELECT pg_get_indexdef(to_regclass(%s)::oid)"
    row = connection.execute(query, (f"treering.{_INDEX}",)).fetchone()
    return bool(model and row[0] and f"bit({model.dimensions})" in row[0])


def _find_schema(connection: Any) -> str | None:
    """Where the extension's operators are, if it is in this database."""
    query = (
        "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
        " WHERE extname = %s"
    )
    row = connection.execute(query, (EXTENSION,)).fetchone()
    return str(row[0]) if row and '"' not in row[0] else None


def _create_extension(connection: Any) -> bool:
    """Create it, if the server has it and lets us."""
    query = "SELECT 1 FROM pg_available_extensions WHERE name = %s"
    if connection.execute(query, (EXTENSION,)).fetchone() is None:
        return False
    import psycopg

    with suppress(psycopg.Error), connection.transaction():
        connection.execute(f'CREATE EXTENSION "{EXTENSION}" SCHEMA treering')
        return True
    return False
