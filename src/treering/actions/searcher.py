"""What a view shows, made ready to be searched: the index brought up to date, blobs with places.

A view's tips decide what it shows, so what was made ready for the same tips is used again: asking
twice costs nothing, and the index sees the same objects and keeps what it derived from them.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from treering.actions.learning import Learning
from treering.actions.memory_reader import MemoryReader
from treering.derived.database import Database
from treering.derived.ledger import Ledger
from treering.errors import StoreDamaged
from treering.graph.network import Network
from treering.model.changed_map import ChangedMap
from treering.model.query import Query
from treering.model.taxonomy import RECORD_TYPES
from treering.search import Entry, Hit, Index, SearchResult, Understanding
from treering.search.catalogue import Progress
from treering.search.knowledge import KnowledgeLists
from treering.search.meaning.models import ModelChoice
from treering.search.own_words import OwnWords
from treering.search.storage import LEVELS
from treering.search.succession import Successors
from treering.search.view_change import ViewChange
from treering.store import message
from treering.store.store import Store
from treering.store.view import Copy, Layer, View, list_changed
from treering.text.flags import DetectorRules

_MOST_VIEWS = 16
_MOST_CHANGED = 200  # ids, from which on a network is made anew
_MOMENT = 1.0  # seconds
#: New memories that may be indexed in memory alone, by a process that lives on.
_MANY_WAIT = 200
_AT_ONCE = 500
_MOST_COMMITS = 200
#: How many hits beyond the limit are asked for, so that a tie across the cut is seen whole.
SLACK = 64


class ReachedMemory(NamedTuple):
    """A memory reached by a link, and the one it was reached from."""

    place: Copy
    relation: str
    via: str


class EarlierNetwork(NamedTuple):
    """A network, and the ids that have changed since it was made."""

    network: Network
    ids: frozenset[str]


class SearchView:
    """The visible blobs, how near the layer of each is, and what the index knows of them."""

    def __init__(
        self,
        index: Index,
        view: View,
        ranks: Mapping[str, int],
        earlier: "EarlierNetwork | None" = None,
    ) -> None:
        self.index = index
        self.view = view
        self.ranks = ranks
        self._earlier = earlier

    def place(self, blob: str) -> Copy | None:
        """Where a visible blob is. The index only suggests the id: the layer's tree decides."""
        rank, entry = self.ranks.get(blob), self.index.entry(blob)
        if rank is None or entry is None:
            return None
        layer = self.view.layers[rank]
        return Copy(entry.id, blob, layer) if layer.blob(entry.id) == blob else None

    def created(self, blob: str) -> float:
        """When a memory was made, as the index orders by it."""
        entry = self.index.entry(blob)
        return entry.created if entry else 0.0

    def _is_record(self, blob: str) -> bool:
        entry = self.index.entry(blob)
        return entry is not None and entry.type in RECORD_TYPES

    def find_successors(self, blobs: Collection[str]) -> dict[str, Successors]:
        """Of some visible blobs those that something visible replaces, or may."""
        return self.index.find_successors(blobs, self.ranks)

    def find_predecessors(self, blob: str) -> list[tuple[Entry, Successors]]:
        """The visible memories that one of them replaces, or may."""
        return self.index.find_predecessors(blob, self.ranks)

    def entries(self) -> Iterator[Entry]:
        """Everything visible that could be read, forgotten ones included."""
        entries = self.index.entries()
        return (entry for blob in self.ranks if (entry := entries.get(blob)))

    @cached_property
    def network(self) -> Network:
        """The links between what is visible; of several copies of a memory the nearest one's."""
        if self._earlier:
            nodes = {memory_id: self._nearest(memory_id) for memory_id in self._earlier.ids}
            return self._earlier.network.follow(nodes)
        nearest = sorted(self.entries(), key=lambda entry: self.ranks[entry.blob])
        return Network(nearest)

    def _nearest(self, memory_id: str) -> Entry | None:
        blobs = (layer.blob(memory_id) for layer in self.view.layers)
        blob = next((blob for blob in blobs if blob in self.ranks), None)
        return self.index.entry(blob) if blob else None

    def follow(self, view: View, ranks: Mapping[str, int], ids: set[str]) -> "SearchView":
        """The same of a later view, in which some memories are others."""
        earlier = self._earlier
        if "network" in vars(self):
            earlier = EarlierNetwork(self.network, frozenset(ids))
        elif earlier:
            earlier = earlier._replace(ids=earlier.ids | ids)
        is_worth_it = earlier is not None and len(earlier.ids) <= _MOST_CHANGED
        return SearchView(self.index, view, ranks, earlier if is_worth_it else None)

    def expand(
        self, ids: Sequence[str], hops: int, relations: Sequence[str]
    ) -> list[ReachedMemory]:
        """Memories up to `hops` links away, each once, nearest first; forgotten ones are not shown.

        `relations` are relations or families of them; without any, every link counts.
        """
        steps = self.network.reach(ids, hops, relations)
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
    """How many commits ago a memory was made, for the newest commits of each layer."""
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


def _place_of(layer: Layer) -> tuple[object, ...]:
    return (layer.vault.is_private, layer.kind, layer.snapshot.scope)


def _state_of(view: View) -> tuple[object, ...]:
    return tuple(
        (ly.vault.is_private, ly.kind, *ly.snapshot.key, id(ly.taken_over)) for ly in view.layers
    )


def _drop_oldest(views: dict[tuple[object, ...], SearchView]) -> None:
    for oldest in list(views)[:-_MOST_VIEWS]:
        views.pop(oldest, None)  # a server's threads may be here together


class Searcher:
    """Makes views searchable, and remembers the last few."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        folder: Path,
        database: Database,
        *,
        cache: Path | None = None,
        is_brief: bool = True,
    ) -> None:
        """A process that lives on writes beside its answers what it has indexed on the way."""
        self.is_brief = is_brief
        may_wait = 0 if is_brief else _MANY_WAIT
        reader = MemoryReader(store, ledger)
        repository = store.repository
        model = ModelChoice(repository.config("treering.semantic") or "")
        models, own_words, rules = model.models(), OwnWords(repository), DetectorRules()
        #: All that hooks did not write down: small, whatever the history is. It is brought up to
        #: date before the other, which takes over what was seen in a memory.
        small = folder / "knowledge"
        self.knowledge = Index(
            small,
            read=reader.read,
            understanding=Understanding(database, models, own_words=own_words),
            detectors=rules,
            levels=LEVELS + 1,
            may_wait=may_wait,
            dates=reader.date_content,
            texts=reader.read_texts,
        )
        self.index = Index(
            folder,
            read=reader.read,
            understanding=Understanding(database, models, own_words=own_words),
            detectors=rules,
            known=self.knowledge.entry,
            may_wait=may_wait,
            dates=reader.date_content,
            texts=reader.read_texts,
        )
        self._is_brief = is_brief
        self.lists = KnowledgeLists(folder / "knowledge" / "lists", may_wait=may_wait)
        self._views: dict[tuple[object, ...], SearchView] = {}
        self._latest: dict[tuple[object, ...], SearchView] = {}
        self._tidying: threading.Thread | None = None
        self.learning = Learning(model, repository.git_dir, self.indexes, cache)

    def search_view(self, view: View, *, every_copy: bool = False) -> SearchView:
        """What a view shows: the nearest copy of each id, or every copy in every layer."""
        return self._search_view(view, every_copy, self.index)

    def knowledge_view(self, view: View, *, every_copy: bool = False) -> SearchView:
        """The same without what hooks wrote down, which is not even listed."""
        return self._search_view(view, every_copy, self.knowledge)

    @property
    def indexes(self) -> tuple[Index, Index]:
        return self.knowledge, self.index

    def rebuild(self, view: View, progress: Progress | None = None) -> int:
        """Index exactly what a view holds, anew; how many memories that are."""
        self.lists.forget()
        self.knowledge.rebuild(self.lists.ranks(view, every_copy=True))
        count = self.index.rebuild(view.ranks_of_all(), progress)
        self.learning.make_vectors()
        return count

    def catch_up(self, view: View) -> None:
        """Index everything in the layers of a view, shown or not."""
        self.knowledge.catch_up(self.lists.ranks(view, every_copy=True))
        self.index.catch_up(view.ranks_of_all())
        self.keep()

    def get_ready(self, view: View, now: float) -> None:
        """Derive what every question needs, by one that nobody asked: for a process that lives on,
        where much is new."""
        if not self._is_brief:
            ready = self.search_view(view)
            # One that has answers: what is looked up for them is made ready, too.
            title = next((entry.title for entry in ready.entries()), "")
            ready.index.search(Query(words=title), ready.ranks, now=now, limit=10)

    def keep(self) -> None:
        """Write what was indexed on the way, for other processes."""
        for index in self.indexes:
            index.keep()
        self.lists.keep()

    def known_entry(self, blob: str) -> Entry | None:
        """The entry of a blob, if one of the indexes was opened already and has it."""
        return self.knowledge.known_entry(blob) or self.index.known_entry(blob)

    def _search_view(self, view: View, every_copy: bool, index: Index) -> SearchView:
        key = (every_copy, index is self.knowledge, *_state_of(view))
        ready = self._views.pop(key, None)
        if ready is None:
            scopes = (every_copy, index is self.knowledge, *(_place_of(ly) for ly in view.layers))
            before = self._latest.pop(scopes, None)
            ready = (before and self._follow(before, view, every_copy)) or self._make(
                view, every_copy, index
            )
            self._latest[scopes] = ready
            _drop_oldest(self._latest)
        self._views[key] = ready
        _drop_oldest(self._views)
        return ready

    def _make(self, view: View, every_copy: bool, index: Index) -> SearchView:
        if index is self.knowledge:
            ranks = self.lists.ranks(view, every_copy=every_copy)
            index.catch_up(ranks)
        else:
            ranks = view.ranks_of_all() if every_copy else view.ranks()
            if index.lacks_any(ranks):
                # The small index is brought up to date before the other; else it is not opened.
                self.knowledge.catch_up(self.lists.ranks(view, every_copy=every_copy))
            index.catch_up(ranks)
        return SearchView(index, view, ranks)

    def _follow(self, before: SearchView, view: View, every_copy: bool) -> SearchView | None:
        """What a view shows, made from what an earlier one showed: the cost follows the change."""
        try:
            ids = list_changed(before.view, view)
        except StoreDamaged:
            return None
        if ids is None:
            return None
        index = before.index
        blob_of: Callable[[Layer, str], str | None]
        blob_of = Layer.blob if index is self.index else self.lists.blob
        changes: dict[str, int | None] = {}
        for memory_id in ids:
            blobs = (layer.blob(memory_id) for layer in before.view.layers)
            changes |= dict.fromkeys(blob for blob in blobs if blob and blob in before.ranks)
            there = [
                (blob, rank)
                for rank, layer in enumerate(view.layers)
                if (blob := blob_of(layer, memory_id))
            ]
            changes |= reversed(there if every_copy else there[:1])
        ranks = ChangedMap.of(before.ranks, changes)
        if index is self.index:
            # The small index is brought up to date before the other.
            pairs = [(layer, memory_id) for layer in view.layers for memory_id in ids]
            self.knowledge.catch_up([new for pair in pairs if (new := self.lists.blob(*pair))])
        index.follow(ranks, ViewChange(before.ranks, frozenset(changes)))
        return before.follow(view, ranks, ids)

    def tidy_soon(self) -> None:
        """Put the index in order beside the answers: for a process that lives on."""
        if self._tidying is not None and self._tidying.is_alive():
            return
        parts = (self.lists, *self.indexes)
        has_news = any(part.is_unwritten for part in parts)
        if has_news or any(index.is_untidy for index in self.indexes):
            self._tidying = threading.Thread(target=self._tidy, args=(has_news,), daemon=True)
            self._tidying.start()

    def _tidy(self, is_later: bool) -> None:
        """What was indexed on the way is written a moment later, together with what follows."""
        if is_later:
            time.sleep(_MOMENT)
        for index in self.indexes:
            index.tidy()
        self.lists.keep()
