"""context: what matters now for these files and this task, in one text of a given length.

The text is ready to be put before an agent: between marks that say it is data, each memory with
where it is from. What bears the signs of an order to the agent is left out of it, and named.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.checkpoint import CheckpointLoaded, CheckpointMemory, load
from treering.actions.context.candidates import ContextCandidates
from treering.actions.context.handover import (
    HandedPassage,
    Handover,
    Headline,
    can_speak,
    describe_checkpoint,
    hand_over,
    place_below_newer,
)
from treering.actions.drain import drain_briefly
from treering.actions.flags import Flags
from treering.actions.marks import (
    NO_MARKS,
    Marks,
    NewerMemory,
    OutdatedBy,
    Reverted,
    find_amendments,
    is_out_of_force,
    mark_blobs,
)
from treering.actions.searcher import SearchView
from treering.actions.staleness import CodeTree
from treering.actions.standing import LandedAs, StandingWord, find_standings
from treering.actions.workspace import Position, Workspace
from treering.errors import Invalid
from treering.hub.names import RepoFreshness
from treering.model.memory import uri_of
from treering.model.relevance import RelevanceCase, RelevanceGroup, relevance
from treering.search.entry import Entry
from treering.store.view import Copy, View
from treering.text.fence import fence, fresh_nonce
from treering.text.flags import unless_flagged
from treering.text.words import words as telling_words

_MOST = 12  # memories in one context
_MOST_FLAGGED = 1000


class ContextEntry(TypedDict):
    id: str
    uri: str
    title: str
    type: str
    branch: str
    score: float
    why: list[str]
    outcome: NotRequired[str]
    repo: NotRequired[str]
    conflict: NotRequired[bool]
    outdated_by: NotRequired[OutdatedBy]
    newer: NotRequired[NewerMemory]
    reverted: NotRequired[Reverted]
    standing: NotRequired[StandingWord]
    landed: NotRequired[LandedAs]


class ContextPassage(TypedDict):
    """What was handed over of a memory."""

    id: str
    text: str


class ContextAnswer(TypedDict):
    """`text` is ready to be put before an agent; the rest says what is in it."""

    budget: int
    used: int
    text: str
    high: list[ContextEntry]
    medium: list[ContextEntry]
    low: list[ContextEntry]
    passages: list[ContextPassage]
    left_out: int
    flagged: list[str]
    branch: str
    checkpoint: CheckpointMemory | None
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


def context(
    workspace: Workspace,
    *,
    task: str = "",
    files: Sequence[str] = (),
    recent_files: Sequence[str] = (),
    budget: int = 2000,
    template: str = "",
    branch: str = "",
    repos: Sequence[str] = (),
) -> ContextAnswer:
    """The contract's answer; `text` never has more characters than the budget."""
    if repos:
        from treering.actions.hub.context import context_across

        return context_across(
            workspace.open_hub(), workspace.clock(), task=inputs.text_given(task, "task"),
            files=files, recent_files=recent_files, budget=budget, template=template,
            branch=branch, repos=repos,
        )  # fmt: skip
    pending = drain_briefly(workspace)
    position = workspace.position(branch)
    files, explaining = _split_lines(workspace, files, position)
    request = _ContextRequest(
        task=inputs.text_given(task, "task"),
        files=_paths(workspace, files),
        recent_files=_paths(workspace, recent_files),
        explaining=explaining,
        budget=budget,
        template=template,
        branch=position.scope.branch,
    )
    checkpoint = load(workspace, branch=branch)
    if checkpoint["checkpoint"] and checkpoint["checkpoint"].get("withheld"):
        checkpoint["checkpoint"] = None
    view = workspace.view_from(position)
    search_view, cases = _candidates(workspace, view, request)
    code = CodeTree(workspace.repository, position.head)
    flags = Flags(workspace)
    chosen, flag_ids = [], []
    for entry, case in cases:  # what is left out does not count
        place = search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        if place is None or memory is None or not can_speak(memory):
            continue
        if flags.withholds(place):
            flag_ids.append(place.id)
        else:
            chosen.append((place, case))
        if len(chosen) == _MOST or len(flag_ids) == _MOST_FLAGGED:
            break
    blobs = [place.blob for place, _ in chosen]
    marks = mark_blobs(workspace, search_view, blobs, position.head)
    marks |= _find_amended(chosen, marks)
    read = (
        _read(workspace, place, case, code, marks.get(place.blob, NO_MARKS))
        for place, case in chosen
    )
    standings = find_standings(workspace, [place for place, _ in chosen])
    entries = [headline._replace(standing=standings[headline.id]) for headline in read if headline]
    workspace.settle()
    entries = sort_entries(entries)
    handed = _text(workspace, request, entries, checkpoint)
    answer = make_answer(budget, handed, total=len(entries), flagged=flag_ids)
    answer["branch"] = request.branch
    answer["checkpoint"] = checkpoint["checkpoint"]
    if pending:
        answer["pending"] = pending
    return answer


def make_answer(budget: int, handed: Handover, *, total: int, flagged: list[str]) -> ContextAnswer:
    """The answer about some entries, wherever they are from."""
    return {
        "budget": budget,
        "used": len(handed.text),
        "text": handed.text,
        "high": _list_entries(handed.page, "high"),
        "medium": _list_entries(handed.page, "medium"),
        "low": _list_entries(handed.page, "low"),
        "passages": [{"id": mid, "text": text} for mid, text in handed.passages],
        "left_out": total - len(handed.page),
        "flagged": flagged,
        "branch": "",
        "checkpoint": None,
    }


def sort_entries(entries: Iterable[Headline]) -> list[Headline]:
    """What was taken back in code comes last; each by how much it matters, and right below what
    replaces it, or may."""
    best_first = sorted(
        entries,
        key=lambda entry: (is_out_of_force(entry.type, entry.outcome, entry.marks), -entry.score),
    )
    return place_below_newer(best_first)


def _candidates(
    workspace: Workspace, view: View, request: _ContextRequest
) -> tuple[SearchView, list[tuple[Entry, RelevanceCase]]]:
    """What may matter: what is about the task, the files or the lines; without any of these what is
    new."""
    search_view = workspace.searcher.search_view(view)
    candidates = ContextCandidates(workspace, search_view, request.branch)
    return search_view, candidates.gather(
        request.task, request.files, request.recent_files, request.explaining
    )


def _find_amended(
    chosen: Sequence[tuple[Copy, RelevanceCase]], marks: Mapping[str, Marks]
) -> dict[str, Marks]:
    """Of those that answer the task the ones that a later one amends, with their marks, by blob."""
    about = {p.blob: memory for p, case in chosen if case.task and (memory := p.try_memory())}
    amended = find_amendments(list(about.values()))
    return {
        blob: marks.get(blob, NO_MARKS)._replace(newer=amended[memory.id])
        for blob, memory in about.items()
        if memory.id in amended and not marks.get(blob, NO_MARKS).outdated_by
    }


def _split_lines(
    workspace: Workspace, files: Sequence[str], position: Position
) -> tuple[Sequence[str], dict[str, float]]:
    """Files without the lines that were named, and what explains those."""
    if not any(":" in file for file in files):
        return files, {}
    from treering.actions.why.lines import explain_targets, name_target

    targets = [name_target(workspace, file, position.head) for file in files]
    branch = position.scope.branch if position.head != workspace.position().head else ""
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


def _read(
    workspace: Workspace,
    place: Copy,
    case: RelevanceCase,
    code: CodeTree,
    marks: Marks,
) -> Headline | None:
    memory = place.try_memory()
    if memory is None:
        return None
    dates = workspace.ledger.date(memory, workspace.ledger.version(place.blob))
    stale = code.staleness(memory)
    state = stale.state if stale else ""
    verdict = relevance(
        case._replace(
            stale=state,
            has_lost_words=bool(stale and stale.lost),
            is_outdated=marks.is_replaced,
        )
    )
    return Headline.of(dates, verdict, branch=place.layer.branch, stale=state, marks=marks)


def _list_entries(page: Sequence[Headline], group: RelevanceGroup) -> list[ContextEntry]:
    """The entries of one group, as they are answered."""
    return [_as_entry(headline) for headline in page if headline.group == group]


def _as_entry(headline: Headline) -> ContextEntry:
    entry: ContextEntry = {
        "id": headline.id,
        "uri": uri_of(headline.id),
        "title": headline.title,
        "type": headline.type,
        "branch": headline.branch,
        "score": headline.score,
        "why": list(headline.why),
    }
    if headline.outcome:
        entry["outcome"] = headline.outcome
    if headline.repo:
        entry["repo"] = headline.repo
    if headline.conflict:
        entry["conflict"] = True
    if mark := headline.marks.outdated_by:
        entry["outdated_by"] = mark
    if newer := headline.marks.newer:
        entry["newer"] = newer
    if reverted := headline.marks.reverted:
        entry["reverted"] = reverted
    if headline.standing.standing:
        entry["standing"] = headline.standing.standing
    if headline.standing.landed:
        entry["landed"] = headline.standing.landed
    return entry


def _text(
    workspace: Workspace,
    request: _ContextRequest,
    entries: Sequence[Headline],
    checkpoint: CheckpointLoaded,
) -> Handover:
    """The text and the entries in it; what does not fit is left out from the end."""
    nonce = fresh_nonce()
    branch = unless_flagged(request.branch, "this one")
    header = f"what is remembered about this repository, branch: {branch}"
    if request.template:
        return _fill_template(workspace, request, entries, checkpoint, nonce, header)
    now = workspace.clock()
    return hand_over(
        entries, telling_words(f"{request.task} {' '.join(request.files)}"), request.budget,
        now, lambda body: fence(body, nonce, header), describe_checkpoint(checkpoint, now),
    )  # fmt: skip


def _fill_template(
    workspace: Workspace,
    request: _ContextRequest,
    entries: Sequence[Headline],
    checkpoint: CheckpointLoaded,
    nonce: str,
    header: str,
) -> Handover:
    """A saved template filled with as many memories as fit."""
    from treering.actions.prompts.prompts import template_named
    from treering.actions.prompts.render import TemplateMemories
    from treering.model.template import render

    values: dict[str, object] = {
        "task": request.task,
        "query": request.task,
        "branch": request.branch,
        "files": list(request.files),
        "recent_files": list(request.recent_files),
        "checkpoint": dict(checkpoint) if checkpoint["checkpoint"] else "",
    }
    template = template_named(
        workspace, request.template, {*values, "memories", "count"}, request.branch
    )
    for count in range(len(entries), -1, -1):
        memories = TemplateMemories(entry.as_template_memory() for entry in entries[:count])
        text = fence(
            render(template, {**values, "memories": memories, "count": count}), nonce, header
        )
        if len(text) <= request.budget:
            page = entries[:count]
            return Handover(text, page, [HandedPassage(entry.id, entry.content) for entry in page])
    raise Invalid(
        f"The template {request.template} does not fit into {request.budget} characters.",
        hint="Give a larger budget, or shorten the template.",
    )
