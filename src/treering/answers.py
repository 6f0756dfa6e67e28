"""What the verbs answer, importable from one place: `from treering.answers import Recalled`.

Most answers are records; their fields are the words of the JSON that `--json` prints. Where an
answer is a plain mapping, its keys and what they hold are written down here.
"""

from typing import NotRequired, TypedDict

from treering.actions.backfill import Backfilled as Backfilled
from treering.actions.config import SettingValue as SettingShown
from treering.actions.config import SettingValues as SettingValues
from treering.actions.diff import Diff as Diff
from treering.actions.diff import Difference as Difference
from treering.actions.doctor.doctor import Diagnosis as Diagnosis
from treering.actions.drain import Drained as Drained
from treering.actions.forget import Forgotten as Forgotten
from treering.actions.gc import GcAnswer as GcAnswer
from treering.actions.gc import PlanAnswer as GcLine
from treering.actions.graph_answers import Drawing as Drawing
from treering.actions.graph_answers import Edges as Edges
from treering.actions.graph_answers import NeighborsAnswer as NeighborsAnswer
from treering.actions.graph_answers import PathAnswer as PathAnswer
from treering.actions.graph_answers import Prerequisites as Prerequisites
from treering.actions.graph_answers import Stats as Stats
from treering.actions.graph_answers import SuggestedPairs as SuggestedPairs
from treering.actions.imports.answers import Imported as Imported
from treering.actions.link import MadeLink as MadeLink
from treering.actions.link import RemovedLink as RemovedLink
from treering.actions.log import Log as Log
from treering.actions.outputs import Output as Output
from treering.actions.outputs import Piece as Piece
from treering.actions.read import WholeMemory as WholeMemory
from treering.actions.recall import Recalled as Recalled
from treering.actions.recall import RecallHit as RecallHit
from treering.actions.redact import Redacted as Redacted
from treering.actions.reindex import Reindexed as Reindexed
from treering.actions.remember import Remembered as Remembered
from treering.actions.restore import RestoredScope as RestoredScope
from treering.actions.revise import Revised as Revised
from treering.actions.setup.init import Setup as Setup
from treering.actions.status_answers import StatusBranches as StatusBranches
from treering.actions.status_answers import StatusFiles as StatusFiles
from treering.actions.status_answers import StatusHealth as StatusHealth
from treering.actions.status_answers import StatusOutputs as StatusOutputs
from treering.actions.status_answers import StatusReview as StatusReview
from treering.actions.status_answers import StatusSummary as StatusSummary
from treering.actions.status_answers import StatusTags as StatusTags
from treering.actions.status_answers import StatusTopics as StatusTopics
from treering.actions.status_answers import StatusTypes as StatusTypes
from treering.actions.sync import Synced as Synced
from treering.actions.sync import SyncedScope as SyncLine
from treering.actions.tidying.candidates import Group as Group
from treering.actions.tidying.dedupe import Deduped as Deduped
from treering.actions.tidying.enrich import Enriched as Enriched
from treering.actions.tidying.enrich import Enrichment as Enrichment
from treering.actions.tidying.links import InferredLinks as InferredLinks
from treering.actions.tidying.links import PrunedLinks as PrunedLinks
from treering.actions.tidying.maintain import Maintained as Maintained
from treering.actions.tidying.merge import Merges as Merges
from treering.actions.tidying.review import DoubtfulMemory as DoubtfulMemory
from treering.actions.tidying.review import ReviewQueue as ReviewQueue
from treering.actions.tidying.summarize import Summaries as Summaries

__all__ = [
    "Backfilled",
    "CheckpointLoaded",
    "CheckpointMemory",
    "CodeSince",
    "ContextAnswer",
    "ContextEntry",
    "Deduped",
    "Diagnosis",
    "Diff",
    "Difference",
    "DoubtfulMemory",
    "Drained",
    "Drawing",
    "Edges",
    "Enriched",
    "Enrichment",
    "EntitiesDeleted",
    "EntitiesExtracted",
    "EntitiesMerged",
    "EntityAdded",
    "EntityFound",
    "EntityList",
    "ExportedMemory",
    "Forgotten",
    "GcAnswer",
    "GcLine",
    "Group",
    "Imported",
    "InferredLinks",
    "Log",
    "MadeLink",
    "Maintained",
    "Merges",
    "NeighborsAnswer",
    "Output",
    "PathAnswer",
    "Piece",
    "Prerequisites",
    "PromptDeleted",
    "PromptFound",
    "PromptList",
    "PromptListed",
    "PromptSaved",
    "PromptText",
    "PrunedLinks",
    "RecallHit",
    "Recalled",
    "Redacted",
    "Reindexed",
    "Remembered",
    "RemovedLink",
    "RestoredScope",
    "ReviewQueue",
    "Revised",
    "SettingShown",
    "SettingValues",
    "Setup",
    "Stats",
    "StatusBranches",
    "StatusFiles",
    "StatusHealth",
    "StatusOutputs",
    "StatusReview",
    "StatusSummary",
    "StatusTags",
    "StatusTopics",
    "StatusTypes",
    "SuggestedPairs",
    "Summaries",
    "SyncLine",
    "Synced",
    "WholeMemory",
]  # fmt: skip


class ExportedFile(TypedDict):
    path: str
    blob: NotRequired[str]


class ExportedLink(TypedDict):
    relation: str
    target: str
    confidence: NotRequired[float]
    by: NotRequired[str]
    reason: NotRequired[str]


class ExportedMemory(TypedDict):
    """A memory as it is stored: its front matter, its content and its branch."""

    id: str
    type: str
    title: str
    content: str
    branch: str
    created: str
    modified: str
    status: str
    confidence: float
    tags: NotRequired[list[str]]
    topic: NotRequired[str]
    source: NotRequired[str]
    author: NotRequired[str]
    agent: NotRequired[str]
    session: NotRequired[str]
    commit: NotRequired[str]
    files: NotRequired[list[ExportedFile]]
    links: NotRequired[list[ExportedLink]]
    details: NotRequired[dict[str, object]]


# --- checkpoint and context -----------------------------------------------------------------------


class CheckpointMemory(TypedDict):
    id: str
    uri: str
    branch: str
    version: str
    title: str
    created: str
    origin: str
    author: str
    agent: str
    session: str
    commit: str
    status: str
    flags: NotRequired[list[str]]


class CodeSince(TypedDict):
    """What happened to the code; `known` is false where the commit of then is not here."""

    commits: int
    files: list[str]
    files_total: NotRequired[int]
    known: NotRequired[bool]


class CheckpointLoaded(TypedDict):
    checkpoint: CheckpointMemory | None
    summary: str
    next_steps: list[str]
    open_files: list[str]
    since: CodeSince
    pending: NotRequired[int]


class ContextEntry(TypedDict):
    id: str
    uri: str
    title: str
    type: str
    branch: str
    score: float
    why: list[str]


class ContextAnswer(TypedDict):
    """`text` is ready to be put before an agent; the rest says what is in it."""

    budget: int
    used: int
    text: str
    high: list[ContextEntry]
    medium: list[ContextEntry]
    low: list[ContextEntry]
    left_out: int
    flagged: list[str]
    branch: str
    checkpoint: CheckpointMemory | None
    pending: NotRequired[int]


# --- entities -------------------------------------------------------------------------------------


class EntityCount(TypedDict):
    id: str
    name: str
    kind: str
    mentions: int


class EntityList(TypedDict):
    entities: list[EntityCount]
    total: int


class Mention(TypedDict):
    id: str
    title: str


class EntityFound(TypedDict):
    id: str
    name: str
    kind: str
    aliases: list[str]
    properties: dict[str, object]
    branch: str
    mentions: int
    mentioned_by: list[Mention]


class EntityAdded(TypedDict):
    id: str
    name: str
    kind: str
    created: bool


class EntitiesDeleted(TypedDict):
    deleted: list[str]


class EntitiesMerged(TypedDict):
    dry_run: bool
    into: str
    name: str
    merged: list[str]
    links_moved: int


class EntityExtracted(TypedDict):
    """`id` is empty where it is not stored."""

    name: str
    kind: str
    confidence: float
    id: str


class EntitiesExtracted(TypedDict):
    entities: list[EntityExtracted]
    stored: bool


# --- prompts --------------------------------------------------------------------------------------


class PromptListed(TypedDict):
    name: str
    kind: str
    description: str
    variables: list[str]
    optional: list[str]
    tags: list[str]
    domain: str
    branch: str
    owner: str


class PromptList(TypedDict):
    prompts: list[PromptListed]
    total: int


class PromptFound(PromptListed):
    content: str
    version: str
    warnings: NotRequired[list[str]]


class PromptText(TypedDict):
    text: str
    flagged: NotRequired[list[str]]
    warnings: NotRequired[list[str]]


class PromptSaved(TypedDict):
    name: str
    version: str
    kind: str
    domain: str
    branch: str
    variables: list[str]


class PromptDeleted(TypedDict):
    deleted: str
    kind: str
    domain: str
