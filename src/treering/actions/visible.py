"""What a view shows, made ready to be searched: the index brought up to date, blobs with places.

A view's tips decide what it shows, so what was made ready for the same tips is used again: asking
twice costs nothing, and the index sees the same objects and keeps what it derived from them.
"""

import threading
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.git.objects import Objects
from treering.graph.network import Network
from treering.model import document
from treering.model.memory import Memory
from treering.provenance.ledger import Ledger
from treering.search import Entry, Index, embedder_named
from treering.store.store import Store
from treering.store.view import Copy, View
from treering.text.flags import DetectorRules

_KEPT = 16
_AT_ONCE = 500


class SearchView:
    """The visible blobs, how near the layer of each is, and what the index knows of them."""

    def __init__(self, index: Index, view: View, ranks: dict[str, int]) -> None:
        self._index = index
        self.view = view
        self.ranks = ranks

    def place(self, blob: str) -> Copy | None:
        """Where a visible blob is. The index only suggests the id: the layer's tree decides."""
        rank, entry = self.ranks.get(blob), self._index.entry(blob)
        if rank is None or entry is None:
            return None
        layer = self.view.layers[rank]
        there = layer.blob(entry.id) == blob
        return Copy(entry.id, blob, layer) if there else None

    def created(self, blob: str) -> float:
        """When a memory was made, as the index orders by it."""
        entry = self._index.entry(blob)
        return entry.created if entry else 0.0

    def entries(self) -> Iterator[Entry]:
        """Everything visible that could be read, forgotten ones included."""
        known = self._index.entries()
        return (entry for blob in self.ranks if (entry := known.get(blob)))

    @cached_property
    def network(self) -> Network:
        """The links between what is visible; of several copies of a memory the nearest one's."""
        nearest = sorted(self.entries(), key=lambda entry: self.ranks[entry.blob])
        return Network(nearest)


class Searcher:
    """Makes views searchable, and remembers the last few."""

    def __init__(self, store: Store, ledger: Ledger, folder: Path, *, model: str = "") -> None:
        self._store = store
        self._ledger = ledger
        self.index = Index(
            folder, read=self._read, embedder=embedder_named(model), detectors=DetectorRules()
        )
        #: Flags of blobs the index does not know them of.
        self.inspected: dict[str, tuple[str, ...]] = {}
        self._known: dict[tuple[object, ...], SearchView] = {}
        self._tidying: threading.Thread | None = None

    def sight(self, view: View, *, every_copy: bool = False) -> SearchView:
        """What a view shows: the nearest copy of each id, or every copy in every layer."""
        key = (
            every_copy,
            *(
                (ly.vault.is_private, ly.kind, *ly.snapshot.key, id(ly.taken_over))
                for ly in view.layers
            ),
        )
        found = self._known.pop(key, None)
        if found is None:
            ranks = view.ranks_of_all() if every_copy else view.ranks()
            found = SearchView(self.index, view, ranks)
            self.index.catch_up(ranks)
        self._known[key] = found
        for oldest in list(self._known)[:-_KEPT]:
            self._known.pop(oldest, None)  # a server's threads may be here together
        return found

    def tidy_soon(self) -> None:
        """Put the index in order beside the answers: for a process that lives on."""
        if self.index.is_untidy and (self._tidying is None or not self._tidying.is_alive()):
            self._tidying = threading.Thread(target=self.index.tidy, daemon=True)
            self._tidying.start()

    def _read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        """Memories by blob, from whichever vault has them; what is no memory is passed over.

        Their dates are those the ledger vouches for: the index orders and filters by them.
        """
        vaults = [vault.repository.objects for vault in self._store.vaults()]
        left = iter(blobs)
        while some := list(islice(left, _AT_ONCE)):
            versions = self._ledger.versions(some)
            for blob in some:
                if memory := _parse(vaults, blob):
                    yield blob, self._ledger.date(memory, versions.get(blob))


def _parse(vaults: Iterable[Objects], blob: str) -> Memory | None:
    try:
        for objects in vaults:
            if objects.exists(blob):
                return document.parse(objects.blob(blob))
    except (TreeringError, GitError):
        return None  # no memory, or a damaged one
    return None
