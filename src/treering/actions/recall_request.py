"""One question, and what it is put to: the small index where that is enough, else all there is.

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
from treering.model.taxonomy import CAPTURED_TYPES
from treering.search import SearchResult
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
    #: Of the past there are no lists, and links lead to records, too.
    needs_all: bool = False

    @property
    def date_order(self) -> str:
        """The order by date that the answer is in, or "" where it is in another."""
        if self.order == "relevance":
            return "newest" if self.query.is_empty else ""
        return self.order if self.order in ("newest", "oldest") else ""

    def of_all(self) -> tuple[SearchView, Search]:
        """Put to the whole index, unless the filters leave captured memories out anyway, or there
        are none, and this process has no use for another index."""
        return self._put(is_small=self._leaves_captured_out() or self._is_all_small())

    def of_enough(self, limit: int) -> tuple[SearchView, Search]:
        """Put to the small index if that answers it, else to the whole."""
        wants = self._filters.records
        if self.needs_all or wants == "only" or self._leaves_captured_out():
            return self.of_all()
        if self.order != "relevance" or self._count_captured() <= FEW_RECORDS:
            return self.of_all()
        search_view, search = self._put(is_small=True)
        if wants == "none" or search(limit).answering >= limit:
            return search_view, lambda most: _say_left_out(search(most))
        return self._put(is_small=False)

    @property
    def _filters(self) -> Filters:
        return self.query.filters.merge(self.filters)

    def _leaves_captured_out(self) -> bool:
        types = self._filters.types
        return bool(types) and not self.needs_all and not CAPTURED_TYPES.intersection(types)

    def _is_all_small(self) -> bool:
        """Whether the small index has all that the whole one would have."""
        searcher = self.workspace.searcher
        if not searcher.is_brief or self.needs_all:
            return False
        views = (self.view, *(view for _, view in self._elsewhere()))
        return not any(map(searcher.lists.count_captured, views))

    def _count_captured(self) -> int:
        return self.workspace.searcher.lists.count_captured(self.view)

    def _put(self, *, is_small: bool) -> tuple[SearchView, Search]:
        searcher = self.workspace.searcher
        make = searcher.knowledge_view if is_small else searcher.search_view
        search_view = make(self.view, every_copy=self.scope == "all")
        elsewhere = {word: make(view, every_copy=True).ranks for word, view in self._elsewhere()}

        def search(limit: int | None) -> SearchResult:
            return search_view.index.search(
                self.query, search_view.ranks, filters=self.filters, order=self.order,
                mode=self.mode, now=self.now, limit=limit, elsewhere=elsewhere,
                has_records=is_small and self._count_captured() > 0,
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
