"""recall: search what is seen from here, or list it; each hit says why it is there."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from treering.actions.card import Card, CardMaker
from treering.actions.searcher import SLACK, SearchView
from treering.actions.workspace import MemoryWorkspace, Standpoint, Workspace
from treering.branches import layers
from treering.call import Advice, Call
from treering.hub.names import RepoFreshness
from treering.model.choices import Mode, Order, Tiers
from treering.model.mark import mark_of
from treering.model.query import Filters, Query, parse
from treering.model.taxonomy import RECORD_TYPES, SAVED_TYPES
from treering.search.hits import Hit, SearchResult, count_weak, withhold_weak
from treering.store.view import View

#: So many are opened in the time an answer takes anyway, and then counted.
FEW_RECORDS = 5_000
LEFT_OUT = "Commits and sessions were not searched. They are with records=only."

Search = Callable[[int | None], SearchResult]


class RecallRequest(NamedTuple):
    """A question and its view; in the views `elsewhere` matches are only counted, by a word."""

    workspace: MemoryWorkspace
    view: View
    elsewhere: Mapping[str, View]
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
        if self.order != "relevance" or self.workspace.rows.count_records() <= FEW_RECORDS:
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

    def _put(self, *, with_records: bool) -> tuple[SearchView, Search]:
        searcher = self.workspace.searcher
        make = searcher.search_view if with_records else searcher.knowledge_view
        is_asked = bool(SAVED_TYPES.intersection(self._filters.types))
        search_view = make(self.view, every_copy=self.scope == "all", with_saved=is_asked)
        elsewhere = {
            word: make(view, every_copy=True, with_saved=is_asked).ranks
            for word, view in self.elsewhere.items()
        }

        def search(limit: int | None) -> SearchResult:
            return search_view.index.search(
                self.query, search_view.ranks, filters=self.filters, order=self.order,
                mode=self.mode, now=self.now, limit=limit, elsewhere=elsewhere,
                with_records=with_records,
            )  # fmt: skip

        return search_view, search


def _say_left_out(result: SearchResult) -> SearchResult:
    withheld: Mapping[str, int] = {k: n for k, n in result.withheld.items() if k != "records"}
    return result._replace(notes=(*result.notes, LEFT_OUT), withheld=withheld)


_SEARCH_LIMIT, _LIST_LIMIT = 10, 50


class Recalled(NamedTuple):
    query: str
    branch: str
    layers: tuple[str, ...]
    total: int
    cursor: str
    results: tuple[Card, ...]
    withheld: dict[str, int]
    mode: str
    notes: tuple[str, ...] | None = None
    pending: int | None = None
    #: What the hub was asked about, and how fresh it is.
    repos: tuple[RepoFreshness, ...] | None = None


#: What is counted where it is not shown; of repositories in a hub there is no more than the first.
_COUNTED = ("superseded", "deleted")
_COUNTED_HERE = (*_COUNTED, "other_branches", "trash", "records")


def recall(
    workspace: MemoryWorkspace,
    query: str = "",
    *,
    scope: str = "branch",
    branch: str = "",
    at: str = "",
    records: Tiers = "auto",
    mode: Mode = "hybrid",
    order: Order | Literal[""] = "",
    expand: int = 0,
    relation: Sequence[str] = (),
    detail: str = "medium",
    limit: int = 0,
    cursor: str = "",
    weak: bool = False,
    repos: Sequence[str] = (),
    **given: Any,
) -> Recalled:
    """Answer a question over what is visible; an empty one lists it, newest first.

    `given` are filters, by the names of `Filters.of`.
    What somebody meant to say comes before records (commits, sessions, checkpoints, progress).
    Where nothing is close to the question, nothing is shown unless `weak`, only counted.
    """
    if repos:
        with workspace.open_hub(repos) as hub:
            hub.refuse_of_one(branch=branch, at=at)
            answer = recall(
                hub, query, scope=scope, records=records, mode=mode, order=order, expand=expand,
                relation=relation, detail=detail, limit=limit, cursor=cursor, weak=weak, **given,
            )  # fmt: skip
            return answer._replace(repos=hub.freshness)
    now = workspace.clock()
    question = parse(query, now)
    filters = Filters.of(now, **given)
    order_given = order
    order = order or "relevance"
    filters = filters._replace(records=records)
    if ":" in (filters.file or question.filters.file) and isinstance(workspace, Workspace):
        from treering.actions.why.why import explain_file  # lines are rarely named

        filters = explain_file(workspace, question.filters.merge(filters), branch)
    limit = limit or (_LIST_LIMIT if question.is_empty else _SEARCH_LIMIT)
    seen = workspace.look(branch or question.filters.branch)
    view, elsewhere = _choose_views(workspace, seen, scope, at)
    asked = RecallRequest(
        workspace, view, elsewhere, question, filters, scope, order, mode, now, bool(at or expand)
    )
    words = repr((query, filters, scope, seen.view.branch, at, mode, order))
    if cursor:
        search_view, search = asked.of_all()
        search_result, following = _next_page(
            workspace, search_view, search(None), words, cursor, limit
        )
    else:
        search_view, search = asked.of_enough(limit)
        if filters.explaining and asked.date_order and not order_given:
            search_result = _order_by_explanation(search(None), filters.explaining, limit)
        else:
            search_result = _first_page(search, search_view, asked.date_order, limit)
        if not weak:
            search_result = withhold_weak(search_result)
        rest, total = search_result.rest, search_result.total
        following = workspace.pages.keep(words, rest, total) if rest else ""

    workspace.learn_in_background()

    head = workspace.resolve(at) if at else seen.head
    cards = CardMaker(workspace, search_view, head, seen.code)
    reader = _HitReader(cards, search_view, question, detail)
    results = reader.name_equal(reader.read(search_result.hits))
    if order == "relevance":
        results = _place_amended(results)
    if expand:
        results = _with_linked(reader, search_view, results, expand, relation, order)
    return Recalled(
        query=query,
        branch=seen.branch,
        layers=tuple(dict.fromkeys(layer.branch for layer in view.layers)) if seen.branch else (),
        total=search_result.total,
        cursor=following,
        results=tuple(workspace.show(results)),
        withheld={
            key: search_result.withheld.get(key, 0)
            for key in (_COUNTED_HERE if seen.branch else _COUNTED)
            if key != "records" or LEFT_OUT not in search_result.notes  # not counted, then
        }
        | count_weak(search_result.withheld),
        mode=search_result.mode,
        notes=(*search_result.notes, *_point_to_trash(asked, search_result)) or None,
        pending=seen.pending or None,
    )


def _choose_views(
    workspace: MemoryWorkspace, seen: Standpoint, scope: str, at: str
) -> tuple[View, dict[str, View]]:
    """The view that is asked, and those that are not shown from here, by the word under which
    they are counted."""
    if not isinstance(workspace, Workspace):
        return seen.view, {}
    view, everything = seen.view, layers.everything(workspace.store, seen.branch)
    if scope == "trunk":
        view = workspace.view_from(workspace.position_on_trunk())
    elif scope == "all":
        view = everything
    if at:
        view = workspace.as_of(view, at)
    views = {"trash": layers.view_of_trash(workspace.store, view.branch)}
    shown = {(layer.vault, layer.snapshot.key) for layer in view.layers}
    hidden = [ly for ly in everything.layers if (ly.vault, ly.snapshot.key) not in shown]
    if scope != "all" and hidden:
        views["other_branches"] = everything
    return view, {word: other for word, other in views.items() if other.layers}


def _point_to_trash(asked: RecallRequest, result: SearchResult) -> tuple[str, ...]:
    """Say how to bring back what was counted in the trash: the newest dropped branch that has some
    of it."""
    if not result.withheld.get("trash"):
        return ()
    for layer in asked.elsewhere["trash"].layers:
        search_view = asked.workspace.searcher.search_view(View(asked.view.branch, (layer,)))
        found = search_view.index.search(
            asked.query, search_view.ranks, filters=asked.filters, mode="text", now=asked.now,
            limit=None,
        )  # fmt: skip
        if count := sum(asked.view.place(hit.id) is None for hit in found.hits):
            text = f"{{}} brings back a dropped branch, of which {count} match."
            return (Advice(text, Call("restore", layer.branch)),)
    return ()


def _first_page(
    search: Callable[[int], SearchResult], search_view: SearchView, order: str, limit: int
) -> SearchResult:
    if not order:
        return search(limit)
    result = search_view.break_ties(search(limit + SLACK), order)
    beyond = tuple(hit.blob for hit in result.hits[limit:])
    return result._replace(hits=result.hits[:limit], rest=beyond + result.rest)


def _order_by_explanation(
    result: SearchResult, explaining: Sequence[str], limit: int
) -> SearchResult:
    """A listing with what explains the lines first, the best explanation on top."""
    places = {memory_id: place for place, memory_id in enumerate(explaining)}
    hits = sorted(result.hits, key=lambda hit: places.get(hit.id, len(places)))
    hits = [hit._replace(why=(*hit.why, "lines")) if hit.id in places else hit for hit in hits]
    beyond = tuple(hit.blob for hit in hits[limit:])
    return result._replace(hits=tuple(hits[:limit]), rest=beyond + result.rest)


def _next_page(
    workspace: MemoryWorkspace,
    search_view: SearchView,
    result: SearchResult,
    words: str,
    cursor: str,
    limit: int,
) -> tuple[SearchResult, str]:
    """The hits a cursor stands for, scored as of now; one revised meanwhile is shown as it is."""
    blobs, following, total = workspace.pages.page(words, cursor, limit)
    by_blob = {hit.blob: hit for hit in result.hits}
    hits = []
    for blob in blobs:
        entry = search_view.index.entry(blob)
        place = search_view.place(blob) or (search_view.view.place(entry.id) if entry else None)
        if place:
            hits.append(by_blob.get(place.blob) or Hit(place.blob, place.id, 0.0))
    return result._replace(hits=tuple(hits), total=total), following


class _HitReader:
    """Turns hits into cards: every one is read again from git, never from the index."""

    def __init__(
        self, cards: CardMaker, search_view: SearchView, question: Query, detail: str
    ) -> None:
        self._cards = cards
        self._search_view = search_view
        self._words = question.words
        self._detail = detail
        self._same: dict[tuple[str, str], list[str]] = {}

    def read(self, hits: Sequence[Hit]) -> list[Card]:
        """Read some hits; those close to the question that a later one amends are marked."""
        found = [(hit, copy) for hit in hits if (copy := self._search_view.place(hit.blob))]
        self._cards.prepare(copy for _, copy in found)
        close = (copy for hit, copy in found if hit.closeness.is_close)
        self._cards.mark_amended(copy for copy in close if not self._cards.flags.of(copy))
        results = []
        for hit, copy in found:
            if memory := copy.try_memory():
                similar = (self._search_view.place(blob) for blob in hit.folded)
                card = self._cards.make(copy, memory)._replace(
                    score=hit.score,
                    why=hit.why,
                    match=hit.match,
                    spelled=hit.spelled or None,
                    similar=tuple(other.id for other in similar if other) or None,
                )
                results.append(card.with_text(memory, self._detail, self._words))
                self._same.setdefault((memory.type, memory.content), []).append(card.id)
        return results

    def name_equal(self, results: Sequence[Card]) -> list[Card]:
        """Return the cards; those with equal texts in other repositories of a hub name them."""
        others = {
            one: [other for other in ids if mark_of(other) != mark_of(one)]
            for ids in self._same.values()
            for one in ids
        }
        return [
            card._replace(similar=(*(card.similar or ()), *equal))
            if (equal := others.get(card.id))
            else card
            for card in results
        ]


def _place_amended(results: Sequence[Card]) -> list[Card]:
    """Put what a later hit amends right below that one."""
    ordered = list(results)
    for older in results:
        newer = older.newer if older.newer and older.newer.how == "amends" else None
        at = next((n for n, one in enumerate(ordered) if newer and one.id == newer.id), -1)
        if at > ordered.index(older):
            ordered.remove(older)
            ordered.insert(at, older)
    return ordered


def _with_linked(
    reader: _HitReader,
    search_view: SearchView,
    results: list[Card],
    hops: int,
    relations: Sequence[str],
    order: str,
) -> list[Card]:
    """The results and what they are linked with, in the order asked for, else the linked last."""
    items = search_view.expand([result.id for result in results], hops, relations)
    via = {item.place.id: item.via for item in items}
    hits = [
        Hit(item.place.blob, item.place.id, 0.0, (f"linked:{item.relation}",)) for item in items
    ]
    results += [card._replace(via=via[card.id]) for card in reader.read(hits)]
    if order in ("newest", "oldest"):
        results.sort(key=lambda card: (card.created, card.id), reverse=order == "newest")
    elif order in ("confidence", "uncertain"):
        results.sort(key=lambda card: (card.confidence, card.id), reverse=order == "confidence")
    return results
