"""recall: search what is seen from here, or list it; each hit says why it is there."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from treering.actions.drain import drain_briefly
from treering.actions.flags import Flags
from treering.actions.marks import (
    NO_MARKS,
    Marks,
    NewerMemory,
    OutdatedBy,
    Reverted,
    find_amendments,
    mark_blobs,
)
from treering.actions.origin import AttributedMemory, Origin, attribute
from treering.actions.recall_request import LEFT_OUT, RecallRequest
from treering.actions.searcher import SLACK, SearchView
from treering.actions.staleness import CodeTree, Stale
from treering.actions.standing import (
    UNKNOWN,
    LandedAs,
    Standing,
    StandingWord,
    find_standings,
)
from treering.actions.workspace import Position, Workspace
from treering.branches.layers import view_of_trash
from treering.call import Advice, Call
from treering.hub.names import RepoFreshness
from treering.model.choices import Mode, Order, Outcome, Status, Tiers
from treering.model.memory import uri_of
from treering.model.query import Filters, Query, parse
from treering.search.hits import Hit, Match, SearchResult, count_weak, withhold_weak
from treering.store.view import View
from treering.text.passages import snippet

_SEARCH_LIMIT, _LIST_LIMIT = 10, 50


class RecallHit(NamedTuple):
    """One memory of an answer; `content` and `details` with full detail, else a snippet.

    `flags` name what looks wrong: signs of a text that wants to steer whoever reads it, a
    credential, or that nobody has looked yet; `edited_by` those whose words are in it besides its
    author's.
    """

    id: str
    uri: str
    type: str
    title: str
    branch: str
    layer: str
    private: bool
    tags: tuple[str, ...]
    topic: str
    score: float
    why: tuple[str, ...]
    confidence: float
    status: Status
    created: str
    modified: str
    author: str
    origin: Origin
    edited_by: tuple[str, ...] | None = None
    flags: tuple[str, ...] | None = None
    #: Two people reworded it, and nobody has settled which words count.
    conflict: bool | None = None
    #: Whether its code has landed, and as what.
    standing: StandingWord | None = None
    landed: LandedAs | None = None
    agent: str | None = None
    outcome: Outcome | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None
    stale: Stale | None = None
    #: What of the question it matches; not in a listing, nor of what is only linked.
    match: Match | None = None
    #: What was searched for in place of words nobody wrote, where it matches that.
    spelled: str | None = None
    #: The commit that a memory of the type commit is about.
    commit: str | None = None
    similar: tuple[str, ...] | None = None
    via: str | None = None
    snippet: str | None = None
    content: str | None = None
    details: Mapping[str, object] | None = None
    #: The repository it is from, where the hub was asked.
    repo: str | None = None


class Recalled(NamedTuple):
    query: str
    branch: str
    layers: tuple[str, ...]
    total: int
    cursor: str
    results: tuple[RecallHit, ...]
    withheld: dict[str, int]
    mode: str
    notes: tuple[str, ...] | None = None
    pending: int | None = None
    #: What the hub was asked about, and how fresh it is.
    repos: tuple[RepoFreshness, ...] | None = None


def recall(
    workspace: Workspace,
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
    now = workspace.clock()
    question = parse(query, now)
    filters = Filters.of(now, **given)
    order_given = order
    order = order or "relevance"
    filters = filters._replace(records=records)
    if ":" in (filters.file or question.filters.file):
        from treering.actions.why.lines import explain_file  # lines are rarely named

        filters = explain_file(workspace, question.filters.merge(filters), branch)
    limit = limit or (_LIST_LIMIT if question.is_empty else _SEARCH_LIMIT)
    if repos:
        from treering.actions.hub.recall import recall_across, refuse_single

        refuse_single(branch=branch, at=at)
        return recall_across(
            workspace.open_hub(), now, question, filters, repos=repos, mode=mode, order=order,
            detail=detail, limit=limit, cursor=cursor, weak=weak, expand=expand, relation=relation,
        )  # fmt: skip

    pending = drain_briefly(workspace)
    position = workspace.position(branch or question.filters.branch)
    everything = workspace.view_of_all(position)
    view = _view(workspace, position, everything, scope, at)
    asked = RecallRequest(
        workspace, view, everything, question, filters, scope, order, mode, now, bool(at or expand)
    )
    words = repr((query, filters, scope, position.scope, at, mode, order))
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

    workspace.settle()

    code = CodeTree(workspace.repository, position.head)
    head = workspace.repository.resolve(at) if at else position.head
    reader = _HitReader(workspace, search_view, code, head, question, detail)
    reader.mark([hit.blob for hit in search_result.hits])
    reader.mark_amended([hit.blob for hit in search_result.hits if hit.closeness.is_close])
    results = [result for hit in search_result.hits if (result := reader.result(hit)) is not None]
    if order == "relevance":
        results = _place_amended(results)
    if expand:
        results = _with_linked(reader, search_view, results, expand, relation, order)
    return Recalled(
        query=query,
        branch=position.scope.branch,
        layers=tuple(dict.fromkeys(layer.branch for layer in view.layers)),
        total=search_result.total,
        cursor=following,
        results=tuple(results),
        withheld={
            key: search_result.withheld.get(key, 0)
            for key in ("superseded", "deleted", "other_branches", "trash", "records")
            if key != "records" or LEFT_OUT not in search_result.notes  # not counted, then
        }
        | count_weak(search_result.withheld),
        mode=search_result.mode,
        notes=(*search_result.notes, *_point_to_trash(asked, search_result)) or None,
        pending=pending or None,
    )


def _view(workspace: Workspace, position: Position, everything: View, scope: str, at: str) -> View:
    if scope == "trunk":
        position = workspace.position_on_trunk()
    view = everything if scope == "all" else workspace.view_from(position)
    return workspace.as_of(view, at) if at else view


def _point_to_trash(asked: RecallRequest, result: SearchResult) -> tuple[str, ...]:
    """Say how to bring back what was counted in the trash: the newest dropped branch that has some
    of it."""
    if not result.withheld.get("trash"):
        return ()
    for layer in view_of_trash(asked.workspace.store, asked.view.branch).layers:
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
    workspace: Workspace,
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


class HitReasons(NamedTuple):
    """Why a memory is in an answer: how well it fits, what is folded below it, what leads to it."""

    score: float
    why: tuple[str, ...]
    similar: tuple[str, ...] = ()
    via: str | None = None
    match: Match | None = None
    spelled: str = ""


def make_hit(
    found: AttributedMemory,
    reasons: HitReasons,
    words: str,
    detail: str,
    *,
    marks: Marks = NO_MARKS,
    stale: Stale | None = None,
) -> RecallHit:
    """A result, of this repository or of another, with as much of the memory as was asked for."""
    memory, is_full = found.memory, detail == "full"
    return RecallHit(
        **found.fields(),
        score=reasons.score,
        why=reasons.why,
        agent=memory.agent or None,
        outcome=memory.outcome,
        **marks._asdict(),
        stale=stale,
        match=reasons.match,
        spelled=reasons.spelled or None,
        commit=memory.commit if memory.type == "commit" else None,
        similar=reasons.similar or None,
        via=reasons.via,
        snippet=snippet(memory.content, words) if detail == "medium" else None,
        content=memory.content if is_full else None,
        details=dict(memory.details) if is_full else None,
    )


class _HitReader:
    """Turns hits into results: every one is read again from git, never from the index."""

    def __init__(
        self,
        workspace: Workspace,
        search_view: SearchView,
        code: CodeTree,
        head: str | None,
        question: Query,
        detail: str,
    ) -> None:
        self._workspace = workspace
        self._head = head
        self._search_view = search_view
        self._code = code
        self._words = question.words
        self._detail = detail
        self._flags = Flags(workspace)
        self._marks: dict[str, Marks] = {}
        self._standings: dict[str, Standing] = {}

    def mark(self, blobs: Collection[str]) -> None:
        """Find out what there is to say of some hits' truth, before they are read."""
        self._marks |= mark_blobs(self._workspace, self._search_view, blobs, self._head)
        places = [place for blob in blobs if (place := self._search_view.place(blob))]
        self._standings |= find_standings(self._workspace, places)

    def mark_amended(self, blobs: Collection[str]) -> None:
        """Mark those of some hits that are close to the question which a later one amends."""
        places = [place for blob in blobs if (place := self._search_view.place(blob))]
        sound = [place for place in places if not self._flags.of(place)]
        memories = {place.blob: memory for place in sound if (memory := place.try_memory())}
        amended = find_amendments(list(memories.values()))
        for blob, memory in memories.items():
            mark = self._marks.get(blob, NO_MARKS)
            if memory.id in amended and not mark.outdated_by:
                self._marks[blob] = mark._replace(newer=amended[memory.id])

    def result(self, hit: Hit, via: str | None = None) -> RecallHit | None:
        place = self._search_view.place(hit.blob)
        memory = place.try_memory() if place else None
        if place is None or memory is None:
            return None
        whose = attribute(self._workspace, place.blob, memory)
        similar = (self._search_view.place(blob) for blob in hit.folded)
        return make_hit(
            AttributedMemory(
                memory, whose, uri_of(memory.id), place.layer.branch, place.layer.kind,
                self._flags.of(place), place.is_private,
                standing=self._standings.get(place.id, UNKNOWN),
            ),
            HitReasons(
                hit.score, hit.why, tuple(other.id for other in similar if other), via,
                hit.match, hit.spelled,
            ),
            self._words,
            self._detail,
            marks=self._marks.get(place.blob, NO_MARKS),
            stale=self._code.staleness(memory),
        )  # fmt: skip


def _place_amended(results: Sequence[RecallHit]) -> list[RecallHit]:
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
    results: list[RecallHit],
    hops: int,
    relations: Sequence[str],
    order: str,
) -> list[RecallHit]:
    """The results and what they are linked with."""
    items = search_view.expand([result.id for result in results], hops, relations)
    reader.mark([item.place.blob for item in items])
    for item in items:
        hit = Hit(item.place.blob, item.place.id, 0.0, (f"linked:{item.relation}",))
        result = reader.result(hit, via=item.via)
        if result is not None:
            results.append(result)
    return order_linked(results, order)


def order_linked(results: list[RecallHit], order: str) -> list[RecallHit]:
    """Results and what they are linked with, in the order asked for, else the linked last."""
    if order in ("newest", "oldest"):
        results.sort(key=lambda r: (r.created, r.id), reverse=order == "newest")
    elif order in ("confidence", "uncertain"):
        results.sort(key=lambda r: (r.confidence, r.id), reverse=order == "confidence")
    return results
