"""A view made ready to be searched: rows and index up to date, blobs with places.

A view's trees decide what it shows, so what was made ready for the same trees is used again.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple, Protocol

from treering.derived.content import MemoryRows
from treering.errors import StoreDamaged
from treering.graph.network import Network, SparseNetwork
from treering.model.query import Filters, Query
from treering.model.taxonomy import RECORD_TYPES
from treering.search.corpus import EntrySource
from treering.search.engine import Index, Progress
from treering.search.entry import Entry
from treering.search.hits import Hit, SearchResult
from treering.search.succession import Successors
from treering.store import message
from treering.store.view import Copy, View

_MOST_VIEWS = 16
_MOST_COMMITS = 200
#: How many hits beyond the limit are asked for, so that a tie across the cut is seen whole.
SLACK = 64


class ReachedMemory(NamedTuple):
    """A memory reached by a link, and the one it was reached from."""

    place: Copy
    relation: str
    via: str


class SearchIndex(Protocol):
    """An index a view can ask: of a repository or a folder, or a database."""

    @property
    def rows(self) -> EntrySource: ...

    def entry(self, blob: str) -> Entry | None: ...

    def search(
        self,
        query: Query,
        visible: Mapping[str, int],
        *,
        filters: Filters | None = None,
        order: str = "relevance",
        mode: str = "hybrid",
        now: float,
        limit: int | None = 10,
        elsewhere: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
        with_records: bool = True,
    ) -> SearchResult: ...

    def holding(self, text: str, visible: Mapping[str, int]) -> list[Entry]: ...

    def newest(
        self, visible: Mapping[str, int], limit: int, types: Collection[str] = ()
    ) -> list[Entry]: ...

    def find_successors(
        self, blobs: Collection[str], visible: Mapping[str, int], *, with_records: bool = True
    ) -> dict[str, Successors]: ...

    def find_predecessors(
        self, blob: str, visible: Mapping[str, int]
    ) -> list[tuple[Entry, Successors]]: ...


class ViewSearcher(Protocol):
    """Makes views searchable."""

    def search_view(
        self, view: View, *, every_copy: bool = False, with_saved: bool = False
    ) -> "SearchView": ...

    def knowledge_view(
        self, view: View, *, every_copy: bool = False, with_saved: bool = False
    ) -> "SearchView": ...


class SearchView:
    """The visible blobs, how near the layer of each is, and what the index knows of them.

    `with_records` says whether records are searched, too; knowledge alone opens the smaller index.
    """

    def __init__(
        self, index: SearchIndex, view: View, ranks: Mapping[str, int], *, with_records: bool
    ) -> None:
        self.index = index
        self.view = view
        self.ranks = ranks
        self.with_records = with_records

    def place(self, blob: str) -> Copy | None:
        """Return where a visible blob is. The index only suggests the id: the layer's tree
        decides."""
        rank, entry = self.ranks.get(blob), self.index.entry(blob)
        if rank is None or entry is None:
            return None
        layer = self.view.layers[rank]
        return Copy(entry.id, blob, layer) if layer.blob(entry.id) == blob else None

    def created(self, blob: str) -> float:
        """Return when a memory was made, as the index orders by it."""
        entry = self.index.entry(blob)
        return entry.created if entry else 0.0

    def _is_record(self, blob: str) -> bool:
        entry = self.index.entry(blob)
        return entry is not None and entry.type in RECORD_TYPES

    def find_successors(self, blobs: Collection[str]) -> dict[str, Successors]:
        """Of some visible blobs those that something visible replaces, or may."""
        return self.index.find_successors(blobs, self.ranks, with_records=self.with_records)

    def find_predecessors(self, blob: str) -> list[tuple[Entry, Successors]]:
        """The visible memories that one of them replaces, or may."""
        return self.index.find_predecessors(blob, self.ranks)

    def entries(self) -> Iterator[Entry]:
        """Everything visible that could be read, forgotten ones included."""
        entries = self.index.rows.entries(self.ranks).values()
        return (e for e in entries if self.with_records or e.type not in RECORD_TYPES)

    @cached_property
    def links(self) -> Network:
        """The links between what is visible, looked up one memory at a time."""
        return SparseNetwork(self._find, self.index.rows.linking_to)

    def _find(self, memory_id: str) -> Entry | None:
        place = self.view.place(memory_id)
        entry = self.index.entry(place.blob) if place and place.blob in self.ranks else None
        is_shown = entry and (self.with_records or entry.type not in RECORD_TYPES)
        return entry if is_shown else None

    @cached_property
    def network(self) -> Network:
        """The same, read as a whole; of several copies of a memory the nearest one's links."""
        return Network(sorted(self.entries(), key=lambda entry: self.ranks[entry.blob]))

    def expand(
        self, ids: Sequence[str], hops: int, relations: Sequence[str]
    ) -> list[ReachedMemory]:
        """Memories up to `hops` links away, each once, nearest first; forgotten ones are not shown.

        `relations` are relations or families of them; without any, every link counts.
        """
        steps = self.links.reach(ids, hops, relations)
        return [
            ReachedMemory(place, step.edge.relation, step.via)
            for step in steps
            if (place := self.view.place(step.id))
        ]

    def break_ties(self, result: SearchResult, order: str) -> SearchResult:
        """The same answer with memories of one second in the order they were really made.

        Dates are kept to the second, and an agent remembers several things in one. Commits know
        better; only the newest few are looked at, and only when there is a tie.
        """
        created = {hit.blob: self.created(hit.blob) for hit in result.hits}
        if len(set(created.values())) == len(created):
            return result
        sequence = _sequence(self.view)
        sign = 1 if order == "newest" else -1
        hits: list[Hit] = []
        records = {hit.blob for hit in result.hits if self._is_record(hit.blob)}
        for _, same in groupby(
            result.hits, key=lambda hit: (created[hit.blob], hit.blob in records)
        ):
            hits += sorted(same, key=lambda hit: sign * sequence.get(hit.id, _MOST_COMMITS))
        return result._replace(hits=tuple(hits))


def _sequence(view: View) -> dict[str, float]:
    """Return how many commits ago a memory was made, for the newest commits of each layer."""
    ages: dict[str, float] = {}
    for layer in view.layers:
        at, age = layer.snapshot.tip, 0
        while at and age < _MOST_COMMITS:
            try:
                commit = layer.vault.repository.objects.commit(at)
            except StoreDamaged:
                break
            change = message.read(commit.message)
            if change.op in ("remember", "checkpoint", "merge", "summarize"):
                for memory_id in change.memories[:1]:
                    ages[memory_id] = age
                # Captures that share a commit; or those that the first one superseded.
                for place, memory_id in enumerate(change.memories[1:], 1):
                    ages.setdefault(memory_id, age - place / len(change.memories))
            at, age = (commit.parents[0] if commit.parents else None), age + 1
    return ages


class Searcher:
    """Makes views searchable, and remembers the last few."""

    def __init__(
        self, index: Index, rows: MemoryRows, make: Callable[..., SearchView] = SearchView
    ) -> None:
        self.index = index
        self._rows = rows
        self._make = make
        self._views: dict[tuple[object, ...], SearchView] = {}

    def search_view(
        self, view: View, *, every_copy: bool = False, with_saved: bool = False
    ) -> SearchView:
        """Return what a view shows: the nearest copy of each id, or every copy in every layer;
        prompts and templates only where they are asked for."""
        return self._search_view(view, every_copy, with_records=True, with_saved=with_saved)

    def knowledge_view(
        self, view: View, *, every_copy: bool = False, with_saved: bool = False
    ) -> SearchView:
        """The same without records, whose index is not even opened."""
        return self._search_view(view, every_copy, with_records=False, with_saved=with_saved)

    def rebuild(self, view: View, progress: Progress | None = None) -> int:
        """Index exactly what a view holds, anew; how many memories that are."""
        self._rows.catch_up(view)
        self.index.inspect_all()
        return self.index.rebuild(progress)

    def catch_up(self, view: View) -> None:
        """Index everything in the layers of a view, shown or not."""
        self._rows.catch_up(view)
        self.index.catch_up()

    def _search_view(
        self, view: View, every_copy: bool, *, with_records: bool, with_saved: bool
    ) -> SearchView:
        self._rows.catch_up(view)
        key = (every_copy, with_records, with_saved, view.state)
        ready = self._views.pop(key, None)
        if ready is None:
            ranks = view.ranks_of_all() if every_copy else view.ranks()
            if not with_saved:
                for blob in self._rows.list_saved():
                    ranks.pop(blob, None)
            ready = self._make(self.index, view, ranks, with_records=with_records)
        self._views[key] = ready
        for oldest in list(self._views)[:-_MOST_VIEWS]:
            self._views.pop(oldest, None)  # a server's threads may be here together
        return ready
