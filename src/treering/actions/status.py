"""status: what is remembered here, counted in several ways, and how the store is doing."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from treering.actions import outputs
from treering.actions.backfill import BackfillEstimate, estimate
from treering.actions.doctor.lost import count_vanished
from treering.actions.guard import Guarded, guard
from treering.actions.health import StatusHealth, StoreState, health, store_state
from treering.actions.outputs import Output
from treering.actions.overview import (
    StatusFiles,
    StatusTags,
    StatusTopics,
    StatusTypes,
    TagCount,
    files,
    recent_topics,
    tags,
    topics,
    types,
)
from treering.actions.workspace import Position, Workspace
from treering.branches.survey import judge_life, survey
from treering.branches.trunk import read_answers
from treering.errors import StoreDamaged
from treering.model.choices import ReviewReason
from treering.model.document import FORMAT
from treering.search.entry import Entry
from treering.store.fetched import list_fetched


class RepositoryState(TypedDict):
    branch: str
    checked_out: str
    trunk: str
    detached: bool
    bare: bool
    worktrees: int


class MemoryCounts(TypedDict):
    visible: int
    total: int
    unreadable: int
    vanished: NotRequired[int]
    by_type: dict[str, int]
    by_status: dict[str, int]


class LinkCounts(TypedDict):
    total: int
    by_relation: dict[str, int]


BranchLife = Literal["live", "gone", "detached", "damaged"]


class BranchState(TypedDict):
    branch: str
    memories: int
    state: BranchLife


class RemoteState(TypedDict):
    """`memories` says whether it has some, as it last told."""

    name: str
    memories: bool | Literal["unknown"]


class StatusSummary(StoreState):
    """`backfill` is there while no commit has been captured."""

    repository: RepositoryState
    format: int
    memories: MemoryCounts
    links: LinkCounts
    top_tags: list[TagCount]
    recent_topics: list[str]
    branches: list[BranchState]
    remotes: list[RemoteState]
    backfill: NotRequired[BackfillEstimate]


class StatusBranches(TypedDict):
    branches: list[BranchState]


class ReviewDoubt(TypedDict):
    reason: ReviewReason
    detail: str
    other: NotRequired[str]


class ReviewItem(TypedDict):
    id: str
    type: str
    title: str
    branch: str
    private: bool
    author: str
    agent: str
    created: str
    confidence: float
    reasons: list[ReviewDoubt]
    next: str


class StatusReview(TypedDict):
    """What is doubtful, the gravest first."""

    branch: str
    total: int
    by_reason: Mapping[str, int]
    review: list[ReviewItem]


class StatusOutputs(TypedDict):
    outputs: list[Output]


StatusAnswer = (
    StatusSummary | StatusTypes | StatusTopics | StatusTags
    | StatusFiles | StatusBranches | StatusOutputs | StatusHealth | StatusReview | Guarded
)  # fmt: skip
_SIDES: dict[str, Callable[[Sequence[Entry]], StatusAnswer]] = {
    "types": types,
    "topics": topics,
    "tags": tags,
    "files": files,
}


def status(workspace: Workspace, *, view: str = "summary", branch: str = "") -> StatusAnswer:
    """One of the views; the summary is the contract's whole answer."""
    name = view
    position = workspace.position(branch)
    view_here = workspace.view_from(position)
    if name == "branches":
        return {"branches": branches(workspace)}
    if name == "guard":
        return guard(workspace, f"{position.trunk}..{branch}" if branch else "")
    if name == "health":
        return health(workspace)
    if name == "review":
        return _queue(workspace, branch)
    if name == "outputs":
        return {"outputs": outputs.list_outputs(workspace)}
    search_view = workspace.searcher.search_view(view_here)
    search_view.index.catch_up()
    memories = list(search_view.entries())
    alive = [memory for memory in memories if memory.status != "deleted"]
    if name in _SIDES:
        return _SIDES[name](alive)
    return _summary(workspace, position, memories, len(search_view.ranks) - len(memories))


def _summary(
    workspace: Workspace, position: Position, memories: list[Entry], unreadable: int
) -> StatusSummary:
    repository, head = workspace.repository, workspace.repository.head()
    alive = [memory for memory in memories if memory.status != "deleted"]
    links = Counter(relation for memory in alive for relation, *_ in memory.links)
    state = store_state(workspace)
    summary: StatusSummary = {
        "repository": {
            "branch": position.scope.branch,
            "checked_out": workspace.position().scope.branch,
            "trunk": position.trunk,
            "detached": head.is_detached,
            "bare": repository.is_bare,
            "worktrees": repository.worktrees(),
        },
        "format": FORMAT,
        "memories": _count_memories(workspace, memories, alive, unreadable),
        "links": {"total": links.total(), "by_relation": _sort(links)},
        "top_tags": tags(alive)["tags"][:10],
        "recent_topics": recent_topics(alive),
        "branches": branches(workspace),
        "remotes": remotes(workspace),
        "index": state["index"],
        "hooks": state["hooks"],
        "journal": state["journal"],
        "sync": state["sync"],
    }
    is_wanted = (repository.config("treering.capture") or "").lower() != "none"
    is_captured = any(memory.type == "commit" for memory in memories)
    if is_wanted and not is_captured and (estimated := estimate(workspace))["commits"]:
        summary["backfill"] = estimated
    return summary


def _count_memories(
    workspace: Workspace, memories: list[Entry], alive: list[Entry], unreadable: int
) -> MemoryCounts:
    counts: MemoryCounts = {
        "visible": len(alive),
        "total": len(workspace.view_of_all().ranks_of_all()),
        "unreadable": unreadable,
        "vanished": count_vanished(workspace),
        "by_type": _sort(Counter(memory.type for memory in alive)),
        "by_status": _sort(Counter(memory.status for memory in memories)),
    }
    if not counts["vanished"]:
        del counts["vanished"]
    return counts


def _queue(workspace: Workspace, branch: str) -> StatusReview:
    """What is doubtful, as `treering review` lists it."""
    from treering.actions.tidying.review import review

    queue = review(workspace, branch=branch)
    return {
        "review": [item.as_review_item() for item in queue.items],
        "branch": queue.branch,
        "total": queue.total,
        "by_reason": queue.by_reason,
    }


def remotes(workspace: Workspace) -> list[RemoteState]:
    """Every remote, and whether it has memories, as far as it was asked: no network here."""
    repository = workspace.repository
    answers = read_answers(repository)
    states: list[RemoteState] = []
    for name in repository.remotes():
        answer = answers.get(name)
        has_memories: bool | Literal["unknown"] = answer.has_memories if answer else "unknown"
        if any(list_fetched(repository, name)):
            has_memories = True
        states.append({"name": name, "memories": has_memories})
    return states


def _sort(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())


def branches(workspace: Workspace) -> list[BranchState]:
    """Every scope with its memories, and whether its branch is still there, as gc judges it."""
    counts: Counter[str] = Counter()
    states: dict[str, BranchLife] = {}
    unborn = workspace.repository.head().branch
    for vault in workspace.store.vaults():
        surveyed = survey(workspace.store, vault)
        for entry in surveyed.scopes:
            branch = entry.scope.branch
            states[branch] = "live" if branch == unborn else judge_life(entry, surveyed)
            try:
                counts[branch] += len(vault.snapshot_at(entry.scope, entry.tip).listing())
            except StoreDamaged:
                states[branch] = "damaged"
    return [
        {"branch": branch, "memories": counts[branch], "state": state}
        for branch, state in sorted(states.items())
    ]
