"""One mirror made ready to be searched (its view, who wrote what, its index), and several searched
as one.

How rare a word is, and how long a text usually is, is counted over all of them, so that scores can
be compared. Ids, blobs and sessions carry the mark of their repository: what one holds is never
taken for another's, and nothing is folded under a text of somebody else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from treering.branches.layers import layer_at
from treering.clock import Clock
from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.derived.history import History, MemoryEvent, events_in
from treering.derived.ledger import Ledger
from treering.errors import MemoryNotFound, TreeringError
from treering.git.binding import GitError
from treering.git.objects import blob_id
from treering.graph.network import Network
from treering.hub.hub import HubCopy, HubHit, HubResult
from treering.hub.meaning import embed_words, hub_model, join_vectors, sense_question
from treering.hub.mirror import Mirror, MirrorState
from treering.model import document
from treering.model.dates import instant, parse_moment
from treering.model.memory import Memory
from treering.model.provenance import JOINER, SOMEONE, Version, when_said
from treering.search.corpus import Corpus
from treering.search.engine import Index
from treering.search.hits import SearchResult, withhold_weak
from treering.search.lookup import search
from treering.search.matching import Request
from treering.search.meaning.nearness import VectorView
from treering.search.meaning.vectors import SmallVector
from treering.search.succession import NONE, Successors, find_successors
from treering.search.understanding import SemanticMatch, SemanticSearch
from treering.search.visible import VisibleEntries
from treering.store.history import is_memory_commit
from treering.store.state import StateFolder
from treering.store.view import Layer, View
from treering.text.flags import DetectorRules

_AT_ONCE = 500


class WholeCopy(NamedTuple):
    """A memory as it is kept: its bytes, when it got the content it has, and whose words it is."""

    blob: str
    body: bytes
    memory: Memory
    said: float
    people: tuple[str, ...]


class MirrorIndex:
    """The memories of one repository, as a state of its mirror shows them."""

    def __init__(self, name: str, mirror: Mirror, state: MirrorState, clock: Clock) -> None:
        self.name = name
        self.state = state
        self._store = mirror.store
        self._clock = clock
        database = Database.of(self._store)
        self._store.use_history(lambda: History(database))
        self._ledger = Ledger(self._store, database, StateFolder(self._store.folder), clock)
        self.view: View = mirror.view(state)
        #: The blob of each memory that is shown, and the number of its layer.
        self.ranks = self.view.ranks()
        model = hub_model()
        self.rows = MemoryRows(database, self._ledger.versions, clock)
        self.index = Index(
            database.folder / "index" if database.folder else None,
            self.rows,
            self.read,
            SemanticSearch(database, [model] if model else []),
        )

    def catch_up(self) -> int:
        """Index what is new, and make what vectors are missing; how many memories were new."""
        self.rows.catch_up(self.view)
        count = self.index.catch_up()
        self.index.make_vectors()
        return count

    def rebuild(self) -> None:
        """Index what is shown and nothing else: something was taken out for good."""
        self.index.drop()
        self.rows.database.clear()
        self.rows.forget()
        self.catch_up()

    def corpus(self) -> Corpus:
        self.rows.catch_up(self.view)
        return self.index.corpus()

    def vectors(self) -> Iterator[tuple[str, SmallVector | None]]:
        """The vector of each memory that is shown; an update makes them."""
        return ((blob, self.index.understanding.vector(blob)) for blob in self.ranks)

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Memories by blob, with credible dates; what is none is passed over."""
        for blob, version in self._list_versions(blobs):
            if memory := self._parse(blob):
                yield blob, self._ledger.date(memory, version)

    def read_whole(self, blobs: Iterable[str]) -> Iterator[WholeCopy]:
        """The same, with the very bytes and what is known of each: for who keeps all of it."""
        for blob, version in self._list_versions(blobs):
            if (body := self._read_body(blob)) is None:
                continue
            try:
                memory = document.parse(body)
            except TreeringError:
                continue
            dated = self._ledger.date(memory, version)
            said = when_said(instant(dated.created), instant(dated.modified), version)
            yield WholeCopy(blob, body, dated, said, _list_people(version))

    def _list_versions(self, blobs: Iterable[str]) -> Iterator[tuple[str, Version | None]]:
        """Some blobs, with what is known of each, asked for many at once."""
        rest = iter(blobs)
        while batch := list(islice(rest, _AT_ONCE)):
            versions = self._ledger.versions(batch)
            for blob in batch:
                yield blob, versions.get(blob)

    def _parse(self, blob: str) -> Memory | None:
        vault = self._store.shared
        try:
            if memory := vault.peek(blob):
                return memory
            body = vault.repository.objects.blob(blob, most=document.MAX_BYTES)
            return document.parse(body)
        except (TreeringError, GitError):
            return None

    def _read_body(self, blob: str) -> bytes | None:
        try:
            body = self._store.shared.repository.objects.blob(blob)
        except (TreeringError, GitError):
            return None
        return body if blob_id(body) == blob else None

    def people(self, blob: str) -> tuple[str, ...]:
        """Those whose words a version holds, the first writer first."""
        return _list_people(self._ledger.version(blob))

    def copy(self, blob: str) -> HubCopy | None:
        """A memory that is shown, read from git; None where it is not or cannot be read."""
        rank = self.ranks.get(blob)
        memory = next((memory for _, memory in self.read([blob])), None)
        if rank is None or memory is None:
            return None
        layer = self.view.layers[rank]
        if layer.blob(memory.id) != blob:
            return None
        entry = self.index.entry(blob)
        flags = entry.flags if entry else None
        return HubCopy(self.name, layer.branch, layer.kind, blob, memory, self.people(blob), flags)

    def find(self, prefix: str, most: int) -> list[HubCopy]:
        """The memories whose id starts so."""
        ids = {
            memory_id
            for layer in self.view.layers
            for memory_id, _ in layer.snapshot.starting_with(prefix)
        }
        return self.read_ids(sorted(ids)[:most])

    def read_ids(self, ids: Iterable[str]) -> list[HubCopy]:
        """The memories with these ids, as far as they are shown."""
        places = (self.view.place(memory_id) for memory_id in ids)
        copies = (self.copy(place.blob) for place in places if place)
        return [copy for copy in copies if copy]

    @cached_property
    def network(self) -> Network:
        """What is shown, and how it is linked."""
        self.rows.catch_up(self.view)
        return Network(self.rows.entries(self.ranks).values())

    # --- the past ---------------------------------------------------------------------------------

    def history(self, memory_id: str) -> list[MemoryEvent]:
        """What happened to a memory on the branches that are shown, newest first."""
        return self._ledger.sort_events(events_in(self.view, memory_id))

    def read_past(self, memory_id: str, at: str) -> HubCopy:
        """A memory as of a commit of its history, or of a date."""
        vault = self._store.shared
        commit = vault.repository.resolve(at)
        if commit and is_memory_commit(vault, commit):
            scope, blob = vault.scope_of(commit), vault.blob_at(commit, memory_id)
            layer = Layer("other", vault, vault.snapshot_at(scope, commit))
        else:
            what = "neither a commit of its history nor a date"
            moment = parse_moment(at, self._clock(), end=True, what=what)
            layers = tuple(layer_at(layer, moment) for layer in self.view.layers)
            place = View(self.view.branch, layers).place(memory_id)
            blob, layer = (place.blob, place.layer) if place else (None, self.view.layers[0])
        memory = next((memory for _, memory in self.read([blob])), None) if blob else None
        if not blob or memory is None:
            raise MemoryNotFound(f"The memory {memory_id} was not there at {at}")
        kinds = {ly.branch: ly.kind for ly in self.view.layers}
        kind = kinds.get(layer.branch, layer.kind)
        flags = DetectorRules().inspect(memory)
        people = self.people(blob)
        return HubCopy(self.name, layer.branch, kind, blob, memory, people, flags)


def _list_people(version: Version | None) -> tuple[str, ...]:
    people = version.people if version else ()
    return tuple(person.name for person in people if person not in (SOMEONE, JOINER))


_BLOB = 40


def unmark(found: Successors | None) -> Successors:
    """What replaces a memory, or may, by the id it has in its own repository."""
    by, newer = found or NONE
    return Successors(
        by and by._replace(id=by.id.partition(":")[2]),
        newer and newer._replace(entry=newer.entry._replace(id=newer.entry.id.partition(":")[2])),
    )


def mark_of(number: int) -> str:
    return f"{number}:"


def split_mark(marked: str) -> tuple[int, str]:
    """The number of a repository, and the blob."""
    return int(marked[: -_BLOB - 1]), marked[-_BLOB:]


class MirrorGroup:
    """Some shelves together, for as long as none of their indexes changes."""

    def __init__(self, shelves: Sequence[MirrorIndex]) -> None:
        self.shelves = tuple(shelves)
        self._corpora = [shelf.corpus() for shelf in shelves]
        parts = [
            part._replace(mark=mark_of(number))
            for number, corpus in enumerate(self._corpora)
            for part in corpus.parts
        ]
        visible = {
            mark_of(number) + blob: rank
            for number, shelf in enumerate(shelves)
            for blob, rank in shelf.ranks.items()
        }
        self._view = VisibleEntries(Corpus(parts), visible)
        self._vectors: VectorView | None = None

    def is_of(self, shelves: Sequence[MirrorIndex]) -> bool:
        """Return whether this is still what these shelves hold."""
        if len(shelves) != len(self.shelves):
            return False
        pairs = zip(shelves, self.shelves, self._corpora, strict=True)
        return all(one is other and one.corpus() is corpus for one, other, corpus in pairs)

    def search(self, request: Request, offset: int = 0) -> HubResult:
        sense = self._sense(request)

        def ask(limit: int | None) -> SearchResult:
            return search(request._replace(limit=limit), self._view, self._read, sense)

        result = turn_to(ask, offset, request.limit)
        if request.is_strict:
            result = withhold_weak(result)
        hits = tuple(hit for hit in self._read_hits(result) if hit)
        return HubResult(
            hits, result.total, result.withheld, result.notes, result.mode, bool(result.rest)
        )

    def _sense(self, request: Request) -> SemanticMatch:
        """What a question means beyond its words, for all repositories at once."""
        if request.mode == "text" or request.query.is_empty:
            return SemanticMatch()
        if self._vectors is None:
            vectors = (
                (mark_of(number) + blob, vector)
                for number, shelf in enumerate(self.shelves)
                for blob, vector in shelf.vectors()
            )
            self._vectors = VectorView(self._view, join_vectors(vectors))
        words, corpus = request.query.words, self._view.snapshot
        question = embed_words(words, corpus.count, lambda term: len(corpus.weights(term)))
        return sense_question(words, question, self._vectors)

    def _read_hits(self, result: SearchResult) -> Iterator[HubHit | None]:
        numbers = [self._view.snapshot.numbers[hit.blob] for hit in result.hits]
        found = find_successors(numbers, self._view, self._read)
        for number_in_all, hit in zip(numbers, result.hits, strict=True):
            number, blob = split_mark(hit.blob)
            copy = self.shelves[number].copy(blob)
            snapshot = self._view.snapshot
            similar = (snapshot.ids[snapshot.numbers[other]] for other in hit.folded)
            ids = tuple(marked.partition(":")[2] for marked in similar)
            successors = unmark(found.get(number_in_all))
            reasons = (hit.score, hit.why, ids, successors, hit.match, hit.spelled)
            yield HubHit(copy, *reasons) if copy else None

    def _read(self, marked: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        by_number: dict[int, list[str]] = {}
        for one in marked:
            number, blob = split_mark(one)
            by_number.setdefault(number, []).append(blob)
        for number, blobs in by_number.items():
            for blob, memory in self.shelves[number].read(blobs):
                yield mark_of(number) + blob, memory


#: Asks a question with a limit, or for all there is.
Ask = Callable[[int | None], SearchResult]


def turn_to(ask: Ask, offset: int, limit: int | None) -> SearchResult:
    """The hits from a place on, in the order that the first page began: what is folded and what
    is put first depends on how many are asked for."""
    first = ask(limit)
    if not offset or limit is None:
        return first
    order = [*(hit.blob for hit in first.hits), *first.rest]
    by_blob = {hit.blob: hit for hit in ask(None).hits}
    page = order[offset : offset + limit]
    hits = tuple(by_blob[blob] for blob in page if blob in by_blob)
    return first._replace(hits=hits, rest=tuple(order[offset + limit :]))
