"""What status answers, one mapping a view; the keys are the contract's words."""

from typing import Literal, NotRequired, TypedDict

from treering.actions.outputs import Output
from treering.model.choices import ReviewReason


class RepositoryState(TypedDict):
    branch: str
    trunk: str
    detached: bool
    bare: bool
    worktrees: int


class MemoryCounts(TypedDict):
    visible: int
    total: int
    unreadable: int
    by_type: dict[str, int]
    by_status: dict[str, int]


class LinkCounts(TypedDict):
    total: int
    by_relation: dict[str, int]


class TagCount(TypedDict):
    tag: str
    count: int


class BranchState(TypedDict):
    branch: str
    memories: int
    state: Literal["live", "gone", "detached", "damaged"]


class RemoteState(TypedDict):
    """`memories` says whether it has some, as it last told."""

    name: str
    memories: bool | Literal["unknown"]


class IndexState(TypedDict):
    documents: int
    fresh: bool


class HookState(TypedDict):
    installed: list[str]


class JournalState(TypedDict):
    pending: int


class SyncState(TypedDict):
    remote: str
    ahead: int
    behind: int


class StoreState(TypedDict):
    index: IndexState
    hooks: HookState
    journal: JournalState
    sync: SyncState


class StatusSummary(StoreState):
    repository: RepositoryState
    format: int
    memories: MemoryCounts
    links: LinkCounts
    top_tags: list[TagCount]
    recent_topics: list[str]
    branches: list[BranchState]
    remotes: list[RemoteState]


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


class StatusBranches(TypedDict):
    branches: list[BranchState]


class StatusOutputs(TypedDict):
    outputs: list[Output]


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


class StatusReview(TypedDict):
    """What is doubtful, the gravest first."""

    branch: str
    total: int
    by_reason: dict[str, int]
    review: list[ReviewItem]


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
