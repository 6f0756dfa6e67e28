"""One question, and what it is put to: knowledge where that is enough, else all there is.

A process that answers one question and ends would spend most of its time on opening what it does
not show. So where records are many, they are searched only when they are asked for, or when
knowledge leaves room for them.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.branches import layers
from treering.model.query import Filters, Query
from treering.model.taxonomy import RECORD_TYPES
from treering.search.hits import SearchResult
from treering.store.view import View

#: So many are opened in the time an answer takes anyway, and then counted.
FEW_RECORDS = 5_000
LEFT_OUT = "Commits and sessions were not searched. They are with records=only."

Search = Callable[[int | None], SearchResult]


class RecallRequest(NamedTuple):
    """What is asked, of which view; `everything` is what other branches hold as well."""

    workspace: Workspace
    view: View
    everything: View
    query: Query
    filters: Filters
    scope: str
    order: str
    mode: str
    now: float
    #: Links lead to records, too.
    needs_all: bool = False

    @property
    def date_order(self) -> str:
        """The order by date that the answer is in, or "" where it is in another."""
        if self.order == "relevance":
            return "newest" if self.query.is_empty else ""
        return self.order if self.order in ("newest", "oldest") else ""

    def of_all(self) -> tuple[SearchView, Search]:
        """Put to both indexes, unless the filters leave records out anyway."""
        return self._put(with_records=not self._leaves_records_out())

    def of_enough(self, limit: int) -> tuple[SearchView, Search]:
        """Put to knowledge alone if that answers it, else to both."""
        wants = self._filters.records
        if self.needs_all or wants == "only" or self._leaves_records_out():
            return self.of_all()
        if self.order != "relevance" or self._count_records() <= FEW_RECORDS:
            return self.of_all()
        search_view, search = self._put(with_records=False)
        if wants == "none" or search(limit).answering >= limit:
            return search_view, lambda most: _say_left_out(search(most))
        return self._put(with_records=True)

    @property
    def _filters(self) -> Filters:
        return self.query.filters.merge(self.filters)

    def _leaves_records_out(self) -> bool:
        types = self._filters.types
        return bool(types) and not self.needs_all and not RECORD_TYPES.intersection(types)

    def _count_records(self) -> int:
        return self.workspace.rows.count_records()

    def _put(self, *, with_records: bool) -> tuple[SearchView, Search]:
        searcher = self.workspace.searcher
        make = searcher.search_view if with_records else searcher.knowledge_view
        search_view = make(self.view, every_copy=self.scope == "all")
        elsewhere = {word: make(view, every_copy=True).ranks for word, view in self._elsewhere()}

        def search(limit: int | None) -> SearchResult:
            return search_view.index.search(
                self.query, search_view.ranks, filters=self.filters, order=self.order,
                mode=self.mode, now=self.now, limit=limit, elsewhere=elsewhere,
                with_records=with_records,
            )  # fmt: skip

        return search_view, search

    def _elsewhere(self) -> list[tuple[str, View]]:
        """Views that are not shown from here, by the word under which they are counted."""
        snapshots = {layer.snapshot for layer in self.view.layers}
        views = {"trash": layers.view_of_trash(self.workspace.store, self.view.branch)}
        others = self.everything.layers
        if self.scope != "all" and any(layer.snapshot not in snapshots for layer in others):
            views["other_branches"] = self.everything
        return [(word, view) for word, view in views.items() if view.layers]


def _say_left_out(result: SearchResult) -> SearchResult:
    withheld: Mapping[str, int] = {k: n for k, n in result.withheld.items() if k != "records"}
    return result._replace(notes=(*result.notes, LEFT_OUT), withheld=withheld)
