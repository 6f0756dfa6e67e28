"""Rows of memories with their texts and vectors: made from a mirror, and brought to what a scope
holds in one transaction.

A row that is there already is left alone, so an update that was killed goes on where it was, and
two that meet end with the same rows. Counts of words follow the rows in the same transaction. A
vector says which model it is of, by a number made from the model's name. Whoever asks looks at
those of the own model alone, so two versions of the program can share a hub while it is upgraded.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from treering.errors import TreeringError
from treering.hub.index import MirrorIndex, WholeCopy, split_mark
from treering.hub.meaning import embed_memory, hub_model, join_vectors
from treering.hub.postgres.corpus import Candidate, number_of
from treering.model import document
from treering.model.memory import Memory
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import MOST
from treering.search.entry import Entry, count_terms, entry_of
from treering.search.meaning.vectors import SmallVector, VectorColumns
from treering.text.flags import DetectorRules

_AT_ONCE, _IN_CACHE = 2_000, 100
_NEVER_IN_TEXT = re.compile("[\0\ud800-\udfff]")
#: The columns of a row, in the order they are copied in.
COLUMNS = (
    "repository", "id", "blob", "branch", "layer", "rank", "type", "title", "status", "created",
    "modified", "confidence", "author", "agent", "session", "topic", "tags", "files", "place",
    "length", "sketch", "flags", "outcome", "people", "said", "title_sketch", "links",
    "is_record", "words", "counts",
)  # fmt: skip
#: What an entry is read back from.
ENTRY_COLUMNS = (
    "repository", "blob", "id", "type", "title", "status", "created", "modified", "confidence",
    "author", "agent", "session", "topic", "tags", "files", "place", "length", "sketch", "flags",
    "outcome", "said", "title_sketch", "links",
)  # fmt: skip


class ScopeRows(NamedTuple):
    """What a scope shows that no nearer one does: id -> blob."""

    branch: str
    layer: str
    rank: int
    blobs: Mapping[str, str]


class RowCounts(NamedTuple):
    added: int
    removed: int


def list_scopes(shelf: MirrorIndex) -> list[ScopeRows]:
    """The scopes of a repository, nearest first, each with what is seen of it."""
    above: set[str] = set()
    scopes = []
    for rank, layer in enumerate(shelf.view.layers):
        listing = layer.listing()
        blobs = {mid: blob for mid, blob in listing.items() if mid not in above}
        above |= listing.keys()
        scopes.append(ScopeRows(layer.branch, layer.kind, rank, blobs))
    return scopes


def store_scope(connection: Any, number: int, shelf: MirrorIndex, scope: ScopeRows) -> RowCounts:
    """Bring the rows of one scope to what it holds. Run in a transaction."""
    query = "SELECT id, blob, rank FROM treering.memory WHERE repository = %s AND branch = %s"
    before = connection.execute(query, (number, _plain(scope.branch))).fetchall()
    there = {memory_id: blob for memory_id, blob, rank in before if rank == scope.rank}
    stale = [mid for mid, _, rank in before if scope.blobs.get(mid) is None or rank != scope.rank]
    stale += [mid for mid, blob in there.items() if scope.blobs.get(mid, blob) != blob]
    news = {mid: blob for mid, blob in scope.blobs.items() if there.get(mid) != blob}
    losses = delete_rows(connection, number, stale)
    # What a farther scope showed so far is this one's now.
    delete_rows(connection, number, news)
    count = 0
    copies = shelf.read_whole(sorted(news.values()))
    # A file may hold another memory than its name says.
    sound = (copy for copy in copies if scope.blobs.get(copy.memory.id) == copy.blob)
    rows = _make_all_rows(number, scope, sound)
    while batch := list(islice(rows, _AT_ONCE)):
        _insert(connection, number, batch)
        count += len(batch)
    return RowCounts(count, losses)


class NewRow(NamedTuple):
    """A memory ready to be written: its row, its words, and what it means."""

    copy: WholeCopy
    values: tuple[object, ...]
    words: Collection[str]
    length: int
    vector: SmallVector | None


def _make_all_rows(number: int, scope: ScopeRows, copies: Iterator[WholeCopy]) -> Iterator[NewRow]:
    while some := list(islice(copies, _IN_CACHE)):
        yield from _make_rows(number, scope, some)


def _make_rows(number: int, scope: ScopeRows, copies: Sequence[WholeCopy]) -> Iterator[NewRow]:
    """Everything that is worked out from texts, step by step for some of them: each step by itself
    stays in the processor's cache, which saves a quarter of the time."""
    inspect = DetectorRules().inspect
    flags = [inspect(copy.memory) for copy in copies]
    counts = [count_terms(copy.memory) for copy in copies]
    vectors = [embed_memory(copy.memory) for copy in copies]
    for copy, some, words, vector in zip(copies, flags, counts, vectors, strict=True):
        entry = entry_of(copy.blob, copy.memory, words, some, copy.said)
        values = _row(number, scope, entry, words, copy.people)
        yield NewRow(copy, values, words.keys(), entry.length, vector)


def _insert(connection: Any, number: int, batch: list[NewRow]) -> None:
    _copy_documents(connection, {row.copy.blob: row.copy.body for row in batch})
    names = ", ".join(COLUMNS)
    with connection.cursor().copy(f"COPY treering.memory ({names}) FROM STDIN") as copy:
        for row in batch:
            copy.write_row(row.values)
    copy_vectors(connection, number, ((row.copy.memory.id, row.vector) for row in batch))
    _count_words(connection, number, Counter(chain.from_iterable(row.words for row in batch)))
    _count_memories(connection, number, len(batch), sum(row.length for row in batch))


def _row(
    number: int, scope: ScopeRows, entry: Entry, counts: Mapping[str, int], people: Iterable[str]
) -> tuple[object, ...]:
    numbers: Counter[int] = Counter()
    for term, count in counts.items():
        numbers[number_of(term)] += min(count, MOST)
    values = {
        **entry._asdict(),
        "repository": number,
        "branch": scope.branch,
        "layer": scope.layer,
        "rank": scope.rank,
        "tags": list(entry.tags),
        "files": list(entry.files),
        "flags": None if entry.flags is None else list(entry.flags),
        "people": list(people),
        "links": json.dumps(entry.links),
        "is_record": entry.type in RECORD_TYPES,
        "words": _write_array(numbers),
        "counts": _write_array(numbers.values()),
    }
    return tuple(_plain(values[name]) for name in COLUMNS)


def _write_array(numbers: Iterable[int]) -> str:
    """Numbers as the database reads them; the driver takes five times as long for it."""
    return "{" + ",".join(map(str, numbers)) + "}"


def _plain(value: Any) -> Any:
    """Texts as the database takes them: without NUL, and without halves of characters."""
    if isinstance(value, str):
        is_plain = value.isascii() and "\0" not in value
        return value if is_plain else _NEVER_IN_TEXT.sub("\ufffd", value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _copy_documents(connection: Any, bodies: Mapping[str, bytes]) -> None:
    """The texts, once each; in one order, so that two updaters do not wait for each other."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS incoming (blob text, body bytea)")
    connection.execute("TRUNCATE incoming")
    with connection.cursor().copy("COPY incoming (blob, body) FROM STDIN") as copy:
        for blob, body in bodies.items():
            copy.write_row((blob, body))
    connection.execute(
        "INSERT INTO treering.document SELECT blob, body FROM incoming ORDER BY blob"
        " ON CONFLICT (blob) DO NOTHING"
    )


def _count_words(connection: Any, number: int, frequencies: Mapping[str, int]) -> None:
    if not frequencies:
        return
    by_number: dict[int, tuple[str, int]] = {}
    for term, count in frequencies.items():
        name, before = by_number.get(number_of(term), (term, 0))
        by_number[number_of(term)] = (name, before + count)
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS incoming_word"
        " (number integer, term text, frequency integer) ON COMMIT DELETE ROWS"
    )
    columns = "incoming_word (number, term, frequency)"
    with connection.cursor().copy(f"COPY {columns} FROM STDIN") as copy:
        for one, (term, count) in by_number.items():
            copy.write_row((one, _plain(term), count))
    connection.execute(
        "INSERT INTO treering.word (number, repository, term, frequency)"
        " SELECT number, %s, term, frequency FROM incoming_word"
        " ON CONFLICT (number, repository)"
        " DO UPDATE SET frequency = word.frequency + excluded.frequency",
        (number,),
    )
    connection.execute("TRUNCATE incoming_word")


def _count_memories(connection: Any, number: int, memories: int, length: int) -> None:
    connection.execute(
        "UPDATE treering.repository SET memories = memories + %s, length = length + %s"
        " WHERE number = %s",
        (memories, length, number),
    )


def delete_rows(connection: Any, number: int, ids: Iterable[str]) -> int:
    """Take out memories of a repository, with their counts; texts that nobody has go, too."""
    names = list(dict.fromkeys(ids))
    if not names:
        return 0
    query = (
        "DELETE FROM treering.memory WHERE repository = %s AND id = ANY(%s)"
        " RETURNING blob, length, words"
    )
    rows = connection.execute(query, (number, names)).fetchall()
    frequencies: Counter[int] = Counter(word for row in rows for word in row[2])
    if not rows:
        return 0
    connection.execute(
        "UPDATE treering.word SET frequency = word.frequency - w.frequency"
        " FROM unnest(%s::integer[], %s::integer[]) AS w (number, frequency)"
        " WHERE word.repository = %s AND word.number = w.number",
        (list(frequencies), list(frequencies.values()), number),
    )
    connection.execute(
        "DELETE FROM treering.word WHERE repository = %s AND number = ANY(%s) AND frequency <= 0",
        (number, list(frequencies)),
    )
    _count_memories(connection, number, -len(rows), -sum(row[1] for row in rows))
    delete_orphans(connection, [row[0] for row in rows])
    return len(rows)


def delete_orphans(connection: Any, blobs: Iterable[str]) -> None:
    """Texts that no memory refers to any more: they may have been redacted."""
    connection.execute(
        "DELETE FROM treering.document WHERE blob = ANY(%s)"
        " AND NOT EXISTS (SELECT 1 FROM treering.memory WHERE memory.blob = document.blob)",
        (sorted(set(blobs)),),
    )


def read_entry(row: Mapping[str, Any]) -> Entry:
    """The entry of a row."""
    flags = row["flags"]
    return Entry(
        blob=row["blob"],
        id=row["id"],
        type=row["type"],
        title=row["title"],
        status=row["status"],
        created=row["created"],
        modified=row["modified"],
        confidence=row["confidence"],
        author=row["author"],
        agent=row["agent"],
        session=row["session"],
        topic=row["topic"],
        tags=tuple(row["tags"]),
        files=tuple(row["files"]),
        links=tuple(tuple(link) for link in row["links"]),
        place=row["place"],
        length=row["length"],
        sketch=bytes(row["sketch"]),
        flags=None if flags is None else tuple(flags),
        outcome=row["outcome"],
        said=row["said"],
        title_sketch=bytes(row["title_sketch"]),
    )


class DocumentReader:
    """Reads memories for the check of phrases, and of what outdates what."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def read(self, marked: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        by_blob: dict[str, list[str]] = {}
        for one in marked:
            by_blob.setdefault(split_mark(one)[1], []).append(one)
        query = "SELECT blob, body FROM treering.document WHERE blob = ANY(%s)"
        for blob, body in self._connection.execute(query, (list(by_blob),)).fetchall():
            if memory := parse_body(body):
                yield from ((one, memory) for one in by_blob[blob])


def parse_body(body: bytes) -> Memory | None:
    """The memory in a document; None where it is none."""
    try:
        return document.parse(bytes(body))
    except TreeringError:
        return None


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
