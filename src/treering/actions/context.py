"""context: what matters now for these files and this task, in one text of a given length.

The text is ready to be put before an agent: between marks that say it is data, each memory with
where it is from. What bears the signs of an order to the agent is left out of it, and named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple, NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.card import Card, CardMaker
from treering.actions.checkpoint import CheckpointLoaded, load
from treering.actions.handover import (
    HandedPassage,
    Handover,
    Offer,
    can_speak,
    describe_checkpoint,
    find_words,
    hand_over,
    place_below_newer,
)
from treering.actions.marks import is_out_of_force
from treering.actions.searcher import SearchView
from treering.actions.workspace import MemoryWorkspace, Standpoint, Workspace
from treering.call import Advice, Option
from treering.errors import Invalid
from treering.hub.names import RepoFreshness
from treering.model.mark import unmark
from treering.model.memory import Memory
from treering.model.query import LONGEST, Query
from treering.model.relevance import RelevanceCase, RelevanceGroup, relevance
from treering.model.taxonomy import BOOKKEEPING_TYPES
from treering.search.entry import Entry
from treering.search.hits import Hit
from treering.store.view import View
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged
from treering.text.words import words as telling_words

#: What everyone should know, whatever they work on.
PINNED = ("convention", "decision", "security")
_NEWEST = 20
_MOST_TASK = 30
_MOST_NAMING = 200
#: From where on a memory is about a task whose words it need not share: by its share of them, or by
#: that and its meaning.
_SHARE, _MEANING = 0.6, 0.38
_SEEDS = 5
_MOST_LINKED = 10


class ContextCandidates:
    """Cases by blob, gathered from one view."""

    def __init__(self, workspace: MemoryWorkspace, search_view: SearchView, branch: str) -> None:
        self._index = search_view.index
        self._search_view = search_view
        self._branch = branch
        self._now = workspace.clock()
        self._cases: dict[str, tuple[Entry, RelevanceCase]] = {}

    def gather(
        self,
        task: str,
        files: Sequence[str],
        recent_files: Sequence[str],
        explaining: Mapping[str, float],
    ) -> list[tuple[Entry, RelevanceCase]]:
        """Every candidate, best first as far as is known without reading it.

        `explaining` are memories that explain the lines worked on, and how well.
        """
        self._by_task(task)
        for memory_id, score in explaining.items():
            place = self._search_view.view.place(memory_id)
            if place and (entry := self._index.entry(place.blob)):
                self._note(entry, explains=score)
        for path in files:
            self._by_file(path)
        for path in recent_files:
            for entry in self._naming(path):
                if path in entry.files:
                    self._note(entry, names_recent=True)
        if not any((task, files, recent_files, explaining)):
            for entry in (
                *self._index.newest(self._search_view.ranks, _NEWEST, PINNED),
                *self._index.newest(self._search_view.ranks, _NEWEST),
            ):
                if entry.type not in BOOKKEEPING_TYPES:
                    self._note(entry)
        self._by_links()
        return self._sort()

    def _sort(self) -> list[tuple[Entry, RelevanceCase]]:
        commits = {entry.session for entry, _ in self._cases.values() if entry.type == "commit"}
        return sorted(
            (pair for pair in self._cases.values() if pair[0].id not in commits),
            key=lambda pair: (-relevance(pair[1]).score, -pair[0].modified, pair[0].id),
        )

    def _by_task(self, task: str) -> None:
        words = task[:LONGEST]
        if not words.strip():
            return
        result = self._index.search(
            Query(words, words), self._search_view.ranks, now=self._now, limit=_MOST_TASK
        )
        best = max((hit.score for hit in result.hits), default=0.0)
        for hit in result.hits:
            entry = self._index.entry(hit.blob)
            if entry and best and _is_about(hit):
                self._note(entry, task=round(hit.score / best, 3))

    def _by_file(self, path: str) -> None:
        """Memories that name the file, a folder above it, or something in it where it is one."""
        for entry in self._naming(path):
            below = any(file.startswith(f"{path}/") for file in entry.files)
            self._note(entry, names_file=path in entry.files, names_folder=below)
        for folder in _above(path):
            for entry in self._naming(folder):
                if folder in entry.files:
                    self._note(entry, names_folder=True)

    def _naming(self, path: str) -> list[Entry]:
        """Memories among whose files is this path, or one below it."""
        entries = self._index.holding(path.replace("/", " "), self._search_view.ranks)
        near = (
            entry
            for entry in entries
            if any(file == path or file.startswith(f"{path}/") for file in entry.files)
        )
        return sorted(near, key=lambda entry: -entry.modified)[:_MOST_NAMING]

    def _by_links(self) -> None:
        seeds = [entry.id for entry, _ in self._sort()[:_SEEDS]]
        for reach in self._search_view.expand(seeds, 1, ())[:_MOST_LINKED]:
            entry = self._index.entry(reach.place.blob)
            if entry:
                self._note(entry, is_linked=True)

    def _note(self, entry: Entry, **more: bool | float) -> None:
        """Add to what is known about a memory; a reason once found stays.

        The last checkpoint is told anyway, and the ones before it are over.
        """
        if entry.type == "checkpoint":
            return
        pair = self._cases.get(entry.blob)
        case = pair[1] if pair else self._case(entry)
        reasons = {name: max(value, getattr(case, name)) for name, value in more.items()}
        self._cases[entry.blob] = (entry, case._replace(**reasons))

    def _case(self, entry: Entry) -> RelevanceCase:
        rank = self._search_view.ranks[entry.blob]
        return RelevanceCase(
            type=entry.type,
            status=entry.status,
            confidence=entry.confidence,
            age=self._now - entry.modified,
            links=self._search_view.links.degree(entry.id),
            is_of_branch=self._search_view.view.layers[rank].branch == self._branch,
            has_failed=entry.outcome == "failed",
        )


def _is_about(hit: Hit) -> bool:
    """Tell whether a hit answers a task: a search always finds the best there is."""
    near = hit.closeness
    if near.is_close or near.share >= _SHARE:
        return True
    return (near.share + hit.parts.get("semantic", 0.0)) / 2 >= _MEANING


def _above(path: str) -> Iterator[str]:
    return (str(folder) for folder in PurePosixPath(path).parents if str(folder) != ".")


_MAX_MEMORIES = 12  # memories in one context
_MOST_FLAGGED = 1000


class ContextPassage(TypedDict):
    """The part of a memory that was handed over."""

    id: str
    text: str


class ContextAnswer(TypedDict):
    """`text` is ready to be put before an agent; the rest says what is in it."""

    budget: int
    used: int
    text: str
    high: list[Card]
    medium: list[Card]
    low: list[Card]
    passages: list[ContextPassage]
    left_out: int
    flagged: list[str]
    branch: str
    checkpoint: Card | None
    pending: NotRequired[int]
    repos: NotRequired[list[RepoFreshness]]


class _ContextRequest(NamedTuple):
    task: str
    files: tuple[str, ...]
    recent_files: tuple[str, ...]
    #: Memories that explain the lines named, and how well.
    explaining: dict[str, float]
    budget: int
    template: str
    branch: str


#: Where nobody works on anything.
_NO_CHECKPOINT: CheckpointLoaded = {
    "checkpoint": None, "summary": "", "next_steps": [], "open_files": [],
    "since": {"commits": 0, "files": []},
}  # fmt: skip
_HUB_HEADER = "what is remembered in several repositories"


def context(
    workspace: MemoryWorkspace,
    *,
    task: str = "",
    files: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    budget: int = 2000,
    template: str = "",
    branch: str = "",
    repos: Sequence[str] = (),
) -> ContextAnswer:
    """The contract's answer; `text` never has more characters than the budget.

    Files of other repositories are not ours, but a name may be the same: to the hub names are
    words.
    """
    task = inputs.text_given(task, "task")
    if repos:
        with workspace.open_hub(repos) as hub:
            hub.refuse_of_one(template=template, branch=branch)
            names = (path.rpartition("/")[2] for path in (*files, *recent_files))
            words = " ".join([task, *names]).strip()
            request = _ContextRequest(words, (), (), {}, budget, "", "")
            answer = _make(hub, hub.look(), request, _NO_CHECKPOINT)
            answer["repos"] = list(hub.freshness)
            return answer
    if not isinstance(workspace, Workspace):
        raise Invalid("No repository was named.", hint=Advice("Give {}.", Option("repos", "all")))
    seen = workspace.look(branch)
    files, explaining = _split_lines(workspace, files, seen)
    request = _ContextRequest(
        task=task,
        files=_paths(workspace, files),
        recent_files=_paths(workspace, recent_files),
        explaining=explaining,
        budget=budget,
        template=template,
        branch=seen.branch,
    )
    checkpoint = load(workspace, branch=branch)
    if checkpoint["checkpoint"] and checkpoint["checkpoint"].withheld:
        checkpoint["checkpoint"] = None
    return _make(workspace, seen, request, checkpoint)


def _make(
    workspace: MemoryWorkspace,
    seen: Standpoint,
    request: _ContextRequest,
    checkpoint: CheckpointLoaded,
) -> ContextAnswer:
    search_view, cases = _candidates(workspace, seen.view, request)
    cards = CardMaker(workspace, search_view, seen.head, seen.code)
    chosen, flag_ids = [], []
    for entry, case in cases:  # what is left out does not count
        place = search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        if place is None or memory is None or not can_speak(memory):
            continue
        if cards.flags.withholds(place):
            flag_ids.append(unmark(place.id))
        else:
            chosen.append((place, memory, case))
        if len(chosen) == _MAX_MEMORIES or len(flag_ids) == _MOST_FLAGGED:
            break
    cards.prepare(place for place, _, _ in chosen)
    cards.mark_amended(place for place, _, case in chosen if case.task)
    offers = [
        _make_offer(cards.make(place, memory), memory, case) for place, memory, case in chosen
    ]
    workspace.learn_in_background()
    offers = sort_offers(offers)
    shown = workspace.show([offer.card for offer in offers])
    offers = [offer._replace(card=card) for offer, card in zip(offers, shown, strict=True)]
    handed = _text(workspace, request, offers, checkpoint)
    answer: ContextAnswer = {
        "budget": request.budget,
        "used": len(handed.text),
        "text": handed.text,
        "high": _list_cards(handed.page, "high"),
        "medium": _list_cards(handed.page, "medium"),
        "low": _list_cards(handed.page, "low"),
        "passages": [{"id": mid, "text": text} for mid, text in handed.passages],
        "left_out": len(offers) - len(handed.page),
        "flagged": flag_ids,
        "branch": request.branch,
        "checkpoint": checkpoint["checkpoint"],
    }
    if seen.pending:
        answer["pending"] = seen.pending
    return answer


def sort_offers(offers: Iterable[Offer]) -> list[Offer]:
    """Sort with what was taken back in code last; each by how much it matters, and right below
    what replaces it, or may."""

    def rank(offer: Offer) -> tuple[bool, float]:
        card = offer.card
        return is_out_of_force(card.type, card.outcome, card.marks), -(card.score or 0.0)

    return place_below_newer(sorted(offers, key=rank))


def _candidates(
    workspace: MemoryWorkspace, view: View, request: _ContextRequest
) -> tuple[SearchView, list[tuple[Entry, RelevanceCase]]]:
    """Return what may matter: what is about the task, the files or the lines; without any of these
    what is new."""
    search_view = workspace.searcher.search_view(view)
    candidates = ContextCandidates(workspace, search_view, request.branch)
    return search_view, candidates.gather(
        request.task, request.files, request.recent_files, request.explaining
    )


def _split_lines(
    workspace: Workspace, files: Sequence[str], seen: Standpoint
) -> tuple[Sequence[str], dict[str, float]]:
    """Files without the lines that were named, and what explains those."""
    if not any(":" in file for file in files):
        return files, {}
    from treering.actions.why.why import explain_targets, name_target

    targets = [name_target(workspace, file, seen.head) for file in files]
    branch = seen.branch if seen.head != workspace.position().head else ""
    return [target.path for target in targets], explain_targets(workspace, targets, branch)


def _paths(workspace: Workspace, paths: Sequence[str]) -> tuple[str, ...]:
    """Paths inside the repository; an agent may also have other files open, which say nothing."""
    names: dict[str, None] = {}
    for path in paths:
        try:
            names[inputs.path_given(workspace, path)] = None
        except Invalid:
            continue
    return tuple(names)


def _make_offer(card: Card, memory: Memory, case: RelevanceCase) -> Offer:
    """Offer a memory, with how much it matters."""
    verdict = relevance(
        case._replace(
            stale=card.stale.state if card.stale else "",
            has_lost_words=bool(card.stale and card.stale.lost),
            is_outdated=card.marks.is_replaced,
        )
    )
    card = card._replace(score=verdict.score, why=verdict.why)
    return Offer(card, memory.content, find_words(memory), verdict.group)


def _list_cards(page: Sequence[Offer], group: RelevanceGroup) -> list[Card]:
    return [offer.card for offer in page if offer.group == group]


def _text(
    workspace: MemoryWorkspace,
    request: _ContextRequest,
    offers: Sequence[Offer],
    checkpoint: CheckpointLoaded,
) -> Handover:
    """The text and the entries in it; what does not fit is left out from the end."""
    nonce = fresh_nonce()
    branch = unless_flagged(request.branch, "this one")
    header = f"what is remembered about this repository, branch: {branch}"
    if not isinstance(workspace, Workspace):
        header = _HUB_HEADER
    elif request.template:
        return _fill_template(workspace, request, offers, checkpoint, nonce, header)
    now = workspace.clock()
    return hand_over(
        offers, telling_words(f"{request.task} {' '.join(request.files)}"), request.budget,
        now, lambda body: fence(body, nonce, header), describe_checkpoint(checkpoint, now),
    )  # fmt: skip


def _fill_template(
    workspace: Workspace,
    request: _ContextRequest,
    offers: Sequence[Offer],
    checkpoint: CheckpointLoaded,
    nonce: str,
    header: str,
) -> Handover:
    """A saved template filled with as many memories as fit."""
    from treering.actions.prompts import (
        TemplateMemories,
        as_template_memory,
        template_named,
    )
    from treering.model.template import render

    last = checkpoint["checkpoint"]
    values: dict[str, object] = {
        "task": request.task,
        "query": request.task,
        "branch": request.branch,
        "files": list(request.files),
        "recent_files": list(request.recent_files),
        "checkpoint": checkpoint | {"checkpoint": last._asdict()} if last else "",
    }
    template = template_named(
        workspace, request.template, {*values, "memories", "count"}, request.branch
    )
    for count in range(len(offers), -1, -1):
        page = offers[:count]
        memories = TemplateMemories(as_template_memory(o.card, o.content) for o in page)
        text = fence(
            render(template, {**values, "memories": memories, "count": count}), nonce, header
        )
        if len(text) <= request.budget:
            return Handover(text, page, [HandedPassage(o.card.id, o.content) for o in page])
    raise Invalid(
        f"The template {request.template} does not fit into {request.budget} characters.",
        hint="Give a larger budget, or shorten the template.",
    )
