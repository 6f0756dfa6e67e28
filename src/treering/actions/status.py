"""status: what is remembered here, counted in several ways, and how the store is doing."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from treering.actions.backfill import BackfillEstimate, estimate
from treering.actions.card import Card
from treering.actions.doctor.scopes import count_vanished
from treering.actions.guard import Guarded, guard
from treering.actions.read import Output, list_outputs
from treering.actions.searcher import read_model_setting
from treering.actions.setup.hook_files import list_installed
from treering.actions.workspace import Position, Workspace
from treering.branches.sharing import SharingRules, read_pushed
from treering.branches.survey import judge_life, local_scopes, seen_scopes, survey
from treering.branches.trunk import read_answers
from treering.branches.undo import list_before, measure
from treering.capture.journal import Journal
from treering.errors import StoreDamaged
from treering.git import log, refs
from treering.model.choices import READING_TOOLS, WRITING_TOOLS
from treering.model.dates import format_moment
from treering.model.document import FORMAT
from treering.model.scope import HEADS, REMOTES, VIEWS, Scope
from treering.model.taxonomy import TYPES
from treering.search.entry import Entry
from treering.store.absence import list_kept
from treering.store.fetched import list_fetched
from treering.store.view import View
from treering.sync.refspec import find_sharing_remote
from treering.text.classify import list_phrases


class IndexState(TypedDict):
    documents: int
    fresh: bool


class HookState(TypedDict):
    installed: list[str]


class JournalState(TypedDict):
    pending: int


class KeptFiles(TypedDict):
    """Files that others left out of a branch and were put back."""

    branch: str
    files: int
    commit: str
    author: str


class UndoState(TypedDict):
    """The way back from a sync; `many` where it changed much of what was there."""

    branch: str
    ref: str
    when: str
    changed: int
    hidden: int
    many: bool


class LocalScope(TypedDict):
    """Memories that stay here."""

    branch: str
    reason: str


class SyncState(TypedDict):
    remote: str
    ahead: int
    behind: int
    kept: NotRequired[list[KeptFiles]]
    undo: NotRequired[list[UndoState]]
    #: What is not shared, and why, as far as is known without asking the remote.
    local: NotRequired[list[LocalScope]]


class ShareState(TypedDict):
    """Counts of what waits to be shared, and to be taken in."""

    journal: JournalState
    sync: SyncState


class StoreState(ShareState):
    index: IndexState
    hooks: HookState


class ToolMissing(TypedDict):
    tool: str
    reason: str


class ToolState(TypedDict):
    available: list[str]
    unavailable: list[ToolMissing]
    total: int


class EventCount(TypedDict):
    total: int


class SemanticState(TypedDict):
    setting: str
    model: str


class StatusHealth(StoreState):
    tools: ToolState
    events: EventCount
    semantic: SemanticState


def health(workspace: Workspace, everything: View) -> StatusHealth:
    """All of it."""
    folders = (vault.repository.common_dir for vault in workspace.store.vaults())
    embedder = workspace.searcher.learning.model.best
    return {
        **store_state(workspace, everything),
        "tools": _tools(workspace),
        # Each change that was ever written is a commit.
        "events": {"total": sum(log.count_commits(at, [log.below(HEADS)]) for at in folders)},
        "semantic": {
            "setting": read_model_setting(workspace.repository) or "auto",
            "model": embedder.name if embedder else "",
        },
    }


def store_state(workspace: Workspace, everything: View) -> StoreState:
    """The part that is in the summary too."""
    return {
        "index": _index(workspace, everything),
        "hooks": {"installed": list(list_installed(workspace.repository))},
        **share_state(workspace),
    }


def share_state(workspace: Workspace) -> ShareState:
    """Return what has not left this clone yet, and what hooks noted that nobody has looked at."""
    return {
        "journal": {"pending": Journal(workspace.store.folder).pending()},
        "sync": _sync(workspace),
    }


def _index(workspace: Workspace, everything: View) -> IndexState:
    """Return how much is indexed, and whether that is all there is."""
    indexed = workspace.searcher.index.list_indexed()
    there = everything.ranks_of_all()
    return {"documents": len(indexed), "fresh": all(blob in indexed for blob in there)}


def _sync(workspace: Workspace) -> SyncState:
    """Return how many memory commits each side has that the other has not, as of the last fetch.

    What is in any scope there counts as there: a promoted branch has nothing left to push. Others'
    branches are read where they are, so only what is shared can be behind.
    """
    repository = workspace.repository
    remote = find_sharing_remote(repository)
    if not remote:
        return {"remote": "", "ahead": 0, "behind": 0}
    theirs, mine, views = log.below(f"{REMOTES}{remote}/"), log.below(HEADS), log.below(VIEWS)
    vault = workspace.store.shared
    rules = SharingRules(repository, vault, remote, repository.remote_branches(remote))
    going, local = [], list[LocalScope]()
    for scope in local_scopes(vault):
        if (head := vault.head(scope)) and head != read_pushed(vault, remote, scope):
            reason = rules.find(scope).reason
            going += [] if reason else [head]
            local += [{"branch": scope.branch, "reason": reason}] if reason else []
    folder = repository.common_dir
    ours = {name.removeprefix(HEADS) for name in refs.list_refs(folder, HEADS)}
    ours |= {name.removeprefix(VIEWS) for name in refs.list_refs(folder, VIEWS)}
    shared = [head.tip for head in list_fetched(repository, remote) if head.component in ours]
    state: SyncState = {
        "remote": remote,
        "ahead": log.count_commits(folder, going, without=[theirs]) if going else 0,
        "behind": log.count_commits(folder, shared, without=[mine, views]),
    }
    if kept := _list_kept(workspace):
        state["kept"] = kept
    if undo := _undo(workspace):
        state["undo"] = undo
    if local:
        state["local"] = local
    return state


def _undo(workspace: Workspace) -> list[UndoState]:
    """The newest way back from a sync, for each branch whose memories are still here."""
    vault = workspace.store.shared
    ways: dict[Scope, UndoState] = {}
    earlier = list(list_before(vault))
    scopes = seen_scopes(vault) if earlier else {}
    for before in earlier:
        tip = scopes.get(before.scope)
        if tip and before.scope not in ways:
            effect = measure(vault, before.tip, tip)
            ways[before.scope] = {
                "branch": before.scope.branch,
                "ref": before.ref,
                "when": format_moment(before.when),
                "changed": effect.changed,
                "hidden": effect.hidden,
                "many": effect.is_large,
            }
    return list(ways.values())


def _list_kept(workspace: Workspace) -> list[KeptFiles]:
    """Return what others left out of our scopes and was put back, as far as it is news."""
    vault = workspace.store.shared
    return [
        {"branch": kept.branch, "files": kept.files, "commit": kept.commit, "author": kept.author}
        for kept in list_kept(vault, list(seen_scopes(vault).values()))
    ]


def _tools(workspace: Workspace) -> ToolState:
    """Every verb, and why one of them would not work; where nothing can be written, reading does.

    Some of the writing verbs can also read: they are listed with what they still do.
    """
    can_write = os.access(workspace.repository.common_dir, os.W_OK)
    reason = "The repository cannot be written: only its reading operations work."
    available = sorted((*READING_TOOLS, *WRITING_TOOLS) if can_write else READING_TOOLS)
    missing: list[ToolMissing] = [
        {"tool": name, "reason": reason} for name in WRITING_TOOLS if not can_write
    ]
    return {
        "available": available, "unavailable": missing, "total": len(available) + len(missing)
    }  # fmt: skip


NO_TOPIC = "(none)"
GENERAL = "(general)"
_RECENT = 5
#: Where a confidence counts as low, medium or high: below the first, below the second, else.
_LOW, _HIGH = 0.5, 0.8


class TypeCount(TypedDict):
    type: str
    description: str
    count: int
    signal_words: list[str]
    synonyms: list[str]


class StatusTypes(TypedDict):
    types: list[TypeCount]


class TopicCount(TypedDict):
    """`confidence` has the lowest and the highest."""

    topic: str
    count: int
    confidence: list[float]


class SubtopicCount(TypedDict):
    subtopic: str
    count: int


class AreaTopic(TypedDict):
    topic: str
    count: int
    subtopics: list[SubtopicCount]


class AreaCount(TypedDict):
    area: str
    count: int
    topics: list[AreaTopic]


class StatusTopics(TypedDict):
    topics: list[TopicCount]
    areas: list[AreaCount]
    recent: list[str]
    confidence: dict[str, int]


class TagCount(TypedDict):
    tag: str
    count: int


class StatusTags(TypedDict):
    tags: list[TagCount]


class FileCount(TypedDict):
    path: str
    count: int


class FolderCount(TypedDict):
    name: str
    count: int
    children: NotRequired[list["FolderCount"]]


class StatusFiles(TypedDict):
    files: list[FileCount]
    tree: list[FolderCount]


def _rank(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def types(memories: Sequence[Entry]) -> StatusTypes:
    """Every type there is, with what it means and the words it is known by."""
    counts = Counter(memory.type for memory in memories)
    return {
        "types": [
            {
                "type": kind.name,
                "description": kind.description,
                "count": counts[kind.name],
                "signal_words": list(list_phrases("signals").get(kind.name, ())),
                "synonyms": list(kind.synonyms),
            }
            for kind in TYPES.values()
        ]
    }


def topics(memories: Sequence[Entry]) -> StatusTopics:
    """Topics as a list with each of their parents, and as areas, topics and subtopics."""
    groups: dict[str, list[float]] = {}
    for memory in memories:
        parts = memory.topic.split("/") if memory.topic else [NO_TOPIC]
        for depth in range(1, len(parts) + 1):
            groups.setdefault("/".join(parts[:depth]), []).append(memory.confidence)
    return {
        "topics": [
            {
                "topic": topic,
                "count": len(confidences),
                "confidence": [min(confidences), max(confidences)],
            }
            for topic, confidences in sorted(groups.items())
        ],
        "areas": _areas(memories),
        "recent": recent_topics(memories),
        "confidence": _ranges(memory.confidence for memory in memories),
    }


def _areas(memories: Iterable[Entry]) -> list[AreaCount]:
    """Three levels; what names fewer stands in a bucket, what names more is joined in the last."""
    levels = Counter(_levels(memory.topic) for memory in memories)
    areas: dict[str, dict[str, Counter[str]]] = {}
    for (area, topic, subtopic), count in levels.items():
        areas.setdefault(area, {}).setdefault(topic, Counter())[subtopic] += count
    return [
        {
            "area": area,
            "count": sum(counts.total() for counts in below.values()),
            "topics": [
                {
                    "topic": topic,
                    "count": counts.total(),
                    "subtopics": [
                        {"subtopic": name, "count": count} for name, count in _rank(counts)
                    ],
                }
                for topic, counts in sorted(below.items())
            ],
        }
        for area, below in sorted(areas.items())
    ]


def _levels(topic: str) -> tuple[str, str, str]:
    area, _, rest = topic.partition("/")
    middle, _, last = rest.partition("/")
    return area or NO_TOPIC, middle or GENERAL, last or GENERAL


def _ranges(confidences: Iterable[float]) -> dict[str, int]:
    counts = Counter(
        "low" if value < _LOW else "medium" if value < _HIGH else "high" for value in confidences
    )
    return {name: counts[name] for name in ("low", "medium", "high")}


def recent_topics(memories: Iterable[Entry]) -> list[str]:
    recent = sorted((m for m in memories if m.topic), key=lambda m: m.modified, reverse=True)
    return list(dict.fromkeys(memory.topic for memory in recent))[:_RECENT]


def tags(memories: Iterable[Entry]) -> StatusTags:
    counts = Counter(tag for memory in memories for tag in memory.tags)
    return {"tags": [{"tag": tag, "count": count} for tag, count in _rank(counts)]}


def files(memories: Iterable[Entry]) -> StatusFiles:
    """The files memories speak of, as a list and as the folders they lie in."""
    counts = Counter(path for memory in memories for path in memory.files)
    return {
        "files": [{"path": path, "count": count} for path, count in _rank(counts)],
        "tree": _tree(counts),
    }


def _tree(counts: Counter[str]) -> list[FolderCount]:
    """One level: files with how many memories name them, folders with what is in them."""
    here: Counter[str] = Counter()
    below: dict[str, Counter[str]] = {}
    for path, count in counts.items():
        first, slash, rest = path.partition("/")
        here[first] += count
        if slash:
            below.setdefault(first, Counter())[rest] += count
    level: list[FolderCount] = []
    for name in sorted(here, key=lambda name: (name not in below, name)):
        folder: FolderCount = {"name": name, "count": here[name]}
        if name in below:
            folder["children"] = _tree(below[name])
        level.append(folder)
    return level


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


class RemoteMemories(TypedDict):
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
    remotes: list[RemoteMemories]
    backfill: NotRequired[BackfillEstimate]


class StatusBranches(TypedDict):
    branches: list[BranchState]


class StatusReview(TypedDict):
    """Doubts, the gravest first."""

    branch: str
    total: int
    by_reason: Mapping[str, int]
    review: tuple[Card, ...]


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
        return health(workspace, workspace.view_of_all(position))
    if name == "review":
        return _queue(workspace, branch)
    if name == "outputs":
        return {"outputs": list_outputs(workspace)}
    search_view = workspace.searcher.search_view(view_here)
    workspace.searcher.index.catch_up()
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
    everything = workspace.view_of_all(position)
    state = store_state(workspace, everything)
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
        "memories": _count_memories(workspace, everything, memories, alive, unreadable),
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
    workspace: Workspace,
    everything: View,
    memories: list[Entry],
    alive: list[Entry],
    unreadable: int,
) -> MemoryCounts:
    counts: MemoryCounts = {
        "visible": len(alive),
        "total": len(everything.ranks_of_all()),
        "unreadable": unreadable,
        "vanished": count_vanished(workspace),
        "by_type": _sort(Counter(memory.type for memory in alive)),
        "by_status": _sort(Counter(memory.status for memory in memories)),
    }
    if not counts["vanished"]:
        del counts["vanished"]
    return counts


def _queue(workspace: Workspace, branch: str) -> StatusReview:
    """Return what is doubtful, as `treering review` lists it."""
    from treering.actions.review import review

    queue = review(workspace, branch=branch)
    return {
        "review": queue.items,
        "branch": queue.branch,
        "total": queue.total,
        "by_reason": queue.by_reason,
    }


def remotes(workspace: Workspace) -> list[RemoteMemories]:
    """Every remote, and whether it has memories, as far as it was asked: no network here."""
    repository = workspace.repository
    answers = read_answers(repository)
    states: list[RemoteMemories] = []
    for name in repository.remotes():
        answer = answers.get(name)
        has_memories: bool | Literal["unknown"] = answer.has_memories if answer else "unknown"
        if any(list_fetched(repository, name)):
            has_memories = True
        states.append({"name": name, "memories": has_memories})
    return states


def _sort(counts: Counter[str]) -> dict[str, int]:
    """Return counts, the largest first, and equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


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
