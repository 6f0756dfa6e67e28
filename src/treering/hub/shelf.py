"""One mirror made ready to be searched: its view, who wrote what, and its index."""

from collections.abc import Iterable, Iterator
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
from treering.hub.hub import HubCopy
from treering.hub.meaning import hub_model
from treering.hub.mirror import Mirror, MirrorState
from treering.model import document
from treering.model.dates import instant, parse_moment
from treering.model.memory import Memory
from treering.model.provenance import JOINER, SOMEONE, Version, when_said
from treering.search.corpus import Corpus
from treering.search.engine import Index
from treering.search.meaning.vectors import SmallVector
from treering.search.understanding import SemanticSearch
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
