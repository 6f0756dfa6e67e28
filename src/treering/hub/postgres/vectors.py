"""Vectors of memories as rows: made with them, and made anew when the program has another model.

A row says which model it is of, by a number made from the model's name. Whoever asks looks at those
of the own model alone, so two versions of the program can share a hub while it is upgraded.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from treering.hub.meaning import embed_memory, hub_model, join_vectors
from treering.hub.postgres.corpus import Candidate
from treering.hub.postgres.documents import parse_body
from treering.hub.postgres.numbers import number_of
from treering.hub.shelves import split_mark
from treering.search.meaning.vectors import SmallVector, VectorColumns

_AT_ONCE = 2_000


def model_number() -> int | None:
    """The number of the model in use; None where there is none."""
    model = hub_model()
    return number_of(model.name) if model else None


def write_signs(vector: SmallVector) -> str:
    """The signs of a vector as the database writes bits."""
    return format(vector.signs, f"0{len(vector.numbers)}b")


def copy_vectors(
    connection: Any, number: int, vectors: Iterable[tuple[str, SmallVector | None]]
) -> None:
    """Add the vectors of memories of one repository that have none, by their ids."""
    model = model_number()
    columns = "repository, id, model, signs, numbers, length"
    with connection.cursor().copy(f"COPY treering.embedding ({columns}) FROM STDIN") as copy:
        for memory_id, vector in vectors:
            if vector:
                signs = write_signs(vector)
                copy.write_row((number, memory_id, model, signs, vector.numbers, vector.length))


def has_vectors(connection: Any, number: int) -> bool:
    """Return whether all memories of a repository have vectors of the model in use, or none is."""
    query = "SELECT model FROM treering.repository WHERE number = %s"
    row = connection.execute(query, (number,)).fetchone()
    return row is None or model_number() in (None, row[0])


def complete_vectors(connection: Any, number: int) -> bool:
    """Make some of the vectors that a repository lacks; whether there may be more to make."""
    query = (
        "SELECT m.id, d.body FROM treering.memory AS m JOIN treering.document AS d USING (blob)"
        " LEFT JOIN treering.embedding AS v ON (v.repository, v.id) = (m.repository, m.id)"
        " WHERE m.repository = %s AND v.model IS DISTINCT FROM %s ORDER BY m.id LIMIT %s"
    )
    rows = connection.execute(query, (number, model_number(), _AT_ONCE)).fetchall()
    memories = [memory for _, body in rows if (memory := parse_body(body))]
    # What an older program could read and this one cannot has no vector, and is not tried again.
    is_more = len(rows) == _AT_ONCE and len(memories) > 0
    ids = [memory.id for memory in memories]
    connection.execute(
        "DELETE FROM treering.embedding WHERE repository = %s AND id = ANY(%s)", (number, ids)
    )
    copy_vectors(connection, number, ((one.id, embed_memory(one)) for one in memories))
    if not is_more:
        connection.execute(
            "UPDATE treering.repository SET model = %s WHERE number = %s", (model_number(), number)
        )
    return is_more


def read_vectors(connection: Any, candidates: Sequence[Candidate]) -> VectorColumns:
    """The vectors of some candidates, by their marked blobs."""
    keys = {
        (split_mark(entry.blob)[0], entry.id.partition(":")[2]): entry.blob
        for entry in (candidate.entry for candidate in candidates)
    }
    query = (
        "SELECT v.repository, v.id, v.numbers, v.length, v.signs::text"
        " FROM unnest(%s::integer[], %s::text[]) AS k (repository, id)"
        " JOIN treering.embedding AS v USING (repository, id) WHERE v.model = %s"
    )
    values = ([number for number, _ in keys], [name for _, name in keys], model_number())
    rows = connection.execute(query, values).fetchall() if keys else []
    return join_vectors(
        (keys[number, name], SmallVector(bytes(numbers), length, int(signs, 2)))
        for number, name, numbers, length, signs in rows
    )
