"""Rows of memories with their texts and vectors: made from a mirror, and brought to what a scope
holds in one transaction.

A row that is there already is left alone, so an update that was killed goes on where it was, and
two that meet end with the same rows. Counts of words follow the rows in the same transaction.
"""

import json
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.git.objects import hash_blob
from treering.hub.mirror import Mirror, MirrorState
from treering.model import document
from treering.model.dates import instant
from treering.model.mark import make_mark
from treering.model.memory import Memory
from treering.model.provenance import Version, when_said
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import MOST
from treering.search.entry import Entry, count_terms, entry_of, keys_of
from treering.search.meaning.library import text_of
from treering.search.meaning.models import ModelChoice
from treering.search.meaning.protocol import Embedder
from treering.search.meaning.vectors import SmallVector, shrink
from treering.text.flags import DETECTORS, DetectorRules

BATCH_SIZE = 500
_IN_CACHE = 100
_NEVER_IN_TEXT = re.compile("[\0\ud800-\udfff]")
COLUMNS = (
    "repository, id, blob, branch, rank, status, is_record, created, session, length, facts,"
    " version, keys, words, counts"
)


@lru_cache(1_000_000)
def number_of(word: str) -> int:
    """A word or key as a number that fits an integer of the database."""
    return zlib.crc32(word.encode(errors="surrogatepass")) - (1 << 31)


@cache
def hub_model() -> Embedder | None:
    """The model of every hub, or None where the program came without its table."""
    return ModelChoice("table").best


def made_with() -> str:
    """Return what rows depend on besides the memories; those made with something else are made
    anew."""
    model = hub_model()
    return f"{model.name if model else ''} {DETECTORS}"


class ScopeRows(NamedTuple):
    """Memories of a scope that no nearer one shows: id -> blob."""

    branch: str
    rank: int
    blobs: Mapping[str, str]


class RowCounts(NamedTuple):
    added: int
    removed: int


class WholeCopy(NamedTuple):
    """A memory as it is kept: its bytes, and what its repository's history says of it."""

    blob: str
    body: bytes
    memory: Memory
    version: Version | None


def list_scopes(mirror: Mirror, state: MirrorState) -> list[ScopeRows]:
    """The scopes of a repository, nearest first, each with what is seen of it."""
    above: set[str] = set()
    scopes = []
    for rank, layer in enumerate(mirror.layers(state, "")):
        listing = layer.listing()
        blobs = {mid: blob for mid, blob in listing.items() if mid not in above}
        above |= listing.keys()
        scopes.append(ScopeRows(layer.branch, rank, blobs))
    return scopes


def read_copies(mirror: Mirror, blobs: Iterable[str]) -> Iterator[WholeCopy]:
    """The memories in some blobs, with credible dates; what is none is passed over."""
    rest, objects = iter(blobs), mirror.store.shared.repository.objects
    while batch := list(islice(rest, BATCH_SIZE)):
        versions = mirror.ledger.versions(batch)
        for blob in batch:
            try:
                body = objects.blob(blob, most=document.MAX_BYTES)
                memory = document.parse(body)
            except (TreeringError, GitError):
                continue
            if hash_blob(body) == blob:
                version = versions.get(blob)
                yield WholeCopy(blob, body, mirror.ledger.date(memory, version), version)


def store_scope(connection: Any, number: int, mirror: Mirror, scope: ScopeRows) -> RowCounts:
    """Bring the rows of one scope to what it holds. Run in a transaction."""
    query = "SELECT id, blob, rank FROM treering.memory WHERE repository = %s AND branch = %s"
    before = connection.execute(query, (number, plain(scope.branch))).fetchall()
    there = {memory_id: blob for memory_id, blob, rank in before if rank == scope.rank}
    stale = [mid for mid, _, rank in before if scope.blobs.get(mid) is None or rank != scope.rank]
    stale += [mid for mid, blob in there.items() if scope.blobs.get(mid, blob) != blob]
    news = {mid: blob for mid, blob in scope.blobs.items() if there.get(mid) != blob}
    losses = delete_rows(connection, number, stale)
    delete_rows(connection, number, news)  # what a farther scope showed so far is this one's now
    copies = read_copies(mirror, sorted(news.values()))
    # A file may hold another memory than its name says.
    sound = (copy for copy in copies if scope.blobs.get(copy.memory.id) == copy.blob)
    rows, count = _make_rows(number, scope, sound), 0
    while batch := list(islice(rows, BATCH_SIZE)):
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


def _make_rows(number: int, scope: ScopeRows, copies: Iterator[WholeCopy]) -> Iterator[NewRow]:
    """Everything that is worked out from texts, step by step for some of them: each step by itself
    stays in the processor's cache, which saves a quarter of the time."""
    inspect = DetectorRules().inspect
    while some := list(islice(copies, _IN_CACHE)):
        flags = [inspect(copy.memory) for copy in some]
        counts = [count_terms(copy.memory) for copy in some]
        vectors = [embed(copy.memory) for copy in some]
        for copy, found, words, vector in zip(some, flags, counts, vectors, strict=True):
            memory = copy.memory
            said = when_said(instant(memory.created), instant(memory.modified), copy.version)
            entry = entry_of(copy.blob, memory, words, found, said)
            values = _write_row(number, scope, entry, words, copy.version)
            yield NewRow(copy, values, words.keys(), entry.length, vector)


def embed(memory: Memory) -> SmallVector | None:
    """The vector of a memory. A model that fails costs its part of the answers, no more."""
    model = hub_model()
    try:
        return shrink(model.embed([text_of(memory)])[0]) if model else None
    except Exception:
        return None


def _write_row(
    number: int, scope: ScopeRows, entry: Entry, counts: Mapping[str, int], version: Version | None
) -> tuple[object, ...]:
    numbers: Counter[int] = Counter()
    for term, count in counts.items():
        numbers[number_of(term)] += min(count, MOST)
    marked = mark_entry(entry, make_mark(number))
    keys = [*keys_of(marked), *(link_key(target) for _, target, *_ in marked.links)]
    facts = entry._asdict() | {
        "sketch": entry.sketch.hex(),
        "title_sketch": entry.title_sketch.hex(),
    }
    return (
        number, entry.id, entry.blob, plain(scope.branch), scope.rank, entry.status,
        entry.type in RECORD_TYPES, entry.created, plain(entry.session), entry.length,
        json.dumps(plain(facts)),
        json.dumps(plain(version._replace(words="")._asdict())) if version else None,
        _write_array({number_of(key) for key in keys}),
        _write_array(numbers), _write_array(numbers.values()),
    )  # fmt: skip


def link_key(target: str) -> str:
    """The key of those that link to a memory."""
    return f"link {target}"


def read_facts(facts: dict[str, Any]) -> Entry:
    """The entry in a row."""
    return Entry(
        **facts
        | {
            "tags": tuple(facts["tags"]),
            "files": tuple(facts["files"]),
            "links": tuple(tuple(link) for link in facts["links"]),
            "sketch": bytes.fromhex(facts["sketch"]),
            "title_sketch": bytes.fromhex(facts["title_sketch"]),
            "flags": None if facts["flags"] is None else tuple(facts["flags"]),
        }
    )


def mark_entry(entry: Entry, mark: str) -> Entry:
    """Return the entry as the hub knows it: see model/mark.py."""
    return entry._replace(
        blob=mark + entry.blob,
        id=mark + entry.id,
        session=mark + entry.session if entry.session else "",
        links=tuple((link[0], mark + link[1], *link[2:]) for link in entry.links),
    )


def _write_array(numbers: Iterable[int]) -> str:
    """Numbers as the database reads them; the driver takes five times as long for it."""
    return "{" + ",".join(map(str, numbers)) + "}"


def plain(value: Any) -> Any:
    """Texts as the database takes them: without NUL, and without halves of characters."""
    if isinstance(value, str):
        is_plain = value.isascii() and "\0" not in value
        return value if is_plain else _NEVER_IN_TEXT.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def _insert(connection: Any, number: int, batch: list[NewRow]) -> None:
    bodies = {row.copy.blob: row.copy.body for row in batch}
    # In one order, so that two updaters do not wait for each other.
    connection.cursor().executemany(
        "INSERT INTO treering.document VALUES (%s, %s) ON CONFLICT (blob) DO NOTHING",
        sorted(bodies.items()),
    )
    with connection.cursor().copy(f"COPY treering.memory ({COLUMNS}) FROM STDIN") as copy:
        for row in batch:
            copy.write_row(row.values)
    with connection.cursor().copy("COPY treering.embedding FROM STDIN") as copy:
        for row in batch:
            if vector := row.vector:
                values = (write_signs(vector), vector.numbers, vector.length)
                copy.write_row((number, row.copy.memory.id, *values))
    frequencies = Counter(chain.from_iterable(row.words for row in batch))
    by_number: dict[int, tuple[str, int]] = {}
    for term, count in frequencies.items():
        name, before = by_number.get(number_of(term), (term, 0))
        by_number[number_of(term)] = (name, before + count)
    connection.execute(
        "INSERT INTO treering.word (number, repository, term, frequency)"
        " SELECT number, %s, term, frequency"
        " FROM unnest(%s::integer[], %s::text[], %s::integer[]) AS w (number, term, frequency)"
        " ORDER BY number ON CONFLICT (number, repository)"
        " DO UPDATE SET frequency = word.frequency + excluded.frequency",
        (
            number, list(by_number), [plain(term) for term, _ in by_number.values()],
            [count for _, count in by_number.values()],
        ),
    )  # fmt: skip
    _count_memories(connection, number, len(batch), sum(row.length for row in batch))


def write_signs(vector: SmallVector) -> str:
    """The signs of a vector as the database writes bits."""
    return format(vector.signs, f"0{len(vector.numbers)}b")


def _count_memories(connection: Any, number: int, memories: int, length: int) -> None:
    connection.execute(
        "UPDATE treering.repository SET memories = memories + %s, length = length + %s"
        " WHERE number = %s",
        (memories, length, number),
    )


def delete_rows(connection: Any, number: int, ids: Iterable[str] | None = None) -> int:
    """Take out some memories of a repository or all, with their counts; texts that nobody has go,
    too: they may have been redacted."""
    names = None if ids is None else list(dict.fromkeys(ids))
    if names == []:
        return 0
    query = (
        "DELETE FROM treering.memory WHERE repository = %s AND (%s::text[] IS NULL OR id = ANY(%s))"
        " RETURNING blob, length, words"
    )
    rows = connection.execute(query, (number, names, names)).fetchall()
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
        "DELETE FROM treering.word WHERE repository = %s AND frequency <= 0", (number,)
    )
    _count_memories(connection, number, -len(rows), -sum(row[1] for row in rows))
    connection.execute(
        "DELETE FROM treering.document WHERE blob = ANY(%s)"
        " AND NOT EXISTS (SELECT 1 FROM treering.memory WHERE memory.blob = document.blob)",
        (sorted({row[0] for row in rows}),),
    )
    return len(rows)
