"""One mirror made ready to be searched: its view, who wrote what, and its index."""

from collections.abc import Iterable, Iterator
from itertools import islice

from treering.clock import Clock
from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.hub.hub import HubCopy
from treering.hub.mirror import Mirror, MirrorState
from treering.model import document
from treering.model.memory import Memory
from treering.model.provenance import JOINER, SOMEONE
from treering.provenance.ledger import Ledger
from treering.search import Index
from treering.search.corpus import Corpus
from treering.store.view import View
from treering.text.flags import DetectorRules

_AT_ONCE = 500


class Shelf:
    """The memories of one repository, as a state of its mirror shows them."""

    def __init__(self, name: str, mirror: Mirror, state: MirrorState, clock: Clock) -> None:
        self.name = name
        self.state = state
        self._store = mirror.store
        self._ledger = Ledger(self._store, self._store.folder / "provenance", clock)
        self.view: View = mirror.view(state)
        #: The blob of each memory that is shown, and the number of its layer.
        self.ranks = self.view.ranks()
        self.index = Index(self._store.folder / "index", read=self.read, detectors=DetectorRules())

    def catch_up(self) -> int:
        """Index what is new; how many memories that were."""
        return self.index.catch_up(self.ranks)

    def rebuild(self) -> None:
        """Index what is shown and nothing else: something was taken out for good."""
        self.index.rebuild(self.ranks)

    def corpus(self) -> Corpus:
        self.index.catch_up(self.ranks)
        return self.index.corpus()

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Memories by blob, with credible dates; what is none is passed over."""
        rest = iter(blobs)
        while batch := list(islice(rest, _AT_ONCE)):
            versions = self._ledger.versions(batch)
            for blob in batch:
                if memory := self._parse(blob):
                    yield blob, self._ledger.date(memory, versions.get(blob))

    def _parse(self, blob: str) -> Memory | None:
        vault = self._store.shared
        try:
            return vault.peek(blob) or document.parse(vault.repository.objects.blob(blob))
        except (TreeringError, GitError):
            return None

    def people(self, blob: str) -> tuple[str, ...]:
        """Those whose words a version holds, the first writer first."""
        version = self._ledger.version(blob)
        people = version.people if version else ()
        return tuple(person.name for person in people if person not in (SOMEONE, JOINER))

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
        copies = []
        for memory_id in sorted(ids)[:most]:
            place = self.view.place(memory_id)
            if place and (copy := self.copy(place.blob)):
                copies.append(copy)
        return copies
