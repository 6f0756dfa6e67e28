"""What the verbs answer, importable from one place: `from treering.answers import Recalled`.

Most answers are records; their fields are the words of the JSON that `--json` prints. Where an
answer is a plain mapping, its keys and what they hold are written down beside its action.
"""

from treering.actions.answers import Maintained as Maintained
from treering.actions.backfill import Backfilled as Backfilled
from treering.actions.card import Card as Card
from treering.actions.checkpoint import CheckpointLoaded as CheckpointLoaded
from treering.actions.checkpoint import CodeSince as CodeSince
from treering.actions.config import SettingValue as SettingShown
from treering.actions.config import SettingValues as SettingValues
from treering.actions.context import ContextAnswer as ContextAnswer
from treering.actions.doctor.doctor import Diagnosis as Diagnosis
from treering.actions.drain import Drained as Drained
from treering.actions.enrich import Enriched as Enriched
from treering.actions.enrich import Enrichment as Enrichment
from treering.actions.enrich import InferredLinks as InferredLinks
from treering.actions.enrich import PrunedLinks as PrunedLinks
from treering.actions.entities import EntitiesDeleted as EntitiesDeleted
from treering.actions.entities import EntitiesExtracted as EntitiesExtracted
from treering.actions.entities import EntitiesMerged as EntitiesMerged
from treering.actions.entities import EntityAdded as EntityAdded
from treering.actions.entities import EntityAnswer as EntityAnswer
from treering.actions.entities import EntityFound as EntityFound
from treering.actions.entities import EntityList as EntityList
from treering.actions.export import ExportedMemory as ExportedMemory
from treering.actions.gc import GcAnswer as GcAnswer
from treering.actions.gc import PlanAnswer as GcLine
from treering.actions.gc import RestoredScope as RestoredScope
from treering.actions.graph import Drawing as Drawing
from treering.actions.graph import Edges as Edges
from treering.actions.graph import GraphAnswer as GraphAnswer
from treering.actions.graph import NeighborsAnswer as NeighborsAnswer
from treering.actions.graph import PathAnswer as PathAnswer
from treering.actions.graph import Prerequisites as Prerequisites
from treering.actions.graph import Stats as Stats
from treering.actions.graph import SuggestedPairs as SuggestedPairs
from treering.actions.guard import Guarded as Guarded
from treering.actions.guard import GuardFinding as GuardFinding
from treering.actions.history import Diff as Diff
from treering.actions.history import Difference as Difference
from treering.actions.history import Log as Log
from treering.actions.imports.records import Imported as Imported
from treering.actions.link import MadeLink as MadeLink
from treering.actions.link import RemovedLink as RemovedLink
from treering.actions.marks import NewerMemory as NewerMemory
from treering.actions.marks import OutdatedBy as OutdatedBy
from treering.actions.marks import Outdates as Outdates
from treering.actions.marks import Reverted as Reverted
from treering.actions.merge import Deduped as Deduped
from treering.actions.merge import Merges as Merges
from treering.actions.merge import Summaries as Summaries
from treering.actions.prompts import PromptAnswer as PromptAnswer
from treering.actions.prompts import PromptDeleted as PromptDeleted
from treering.actions.prompts import PromptFound as PromptFound
from treering.actions.prompts import PromptList as PromptList
from treering.actions.prompts import PromptListed as PromptListed
from treering.actions.prompts import PromptSaved as PromptSaved
from treering.actions.prompts import PromptText as PromptText
from treering.actions.read import Output as Output
from treering.actions.read import Piece as Piece
from treering.actions.recall import Recalled as Recalled
from treering.actions.redact import Redacted as Redacted
from treering.actions.remember import Remembered as Remembered
from treering.actions.review import ReviewQueue as ReviewQueue
from treering.actions.revise import Forgotten as Forgotten
from treering.actions.revise import Revised as Revised
from treering.actions.searcher import Reindexed as Reindexed
from treering.actions.setup.init import Setup as Setup
from treering.actions.standing import LandedAs as LandedAs
from treering.actions.status import StatusAnswer as StatusAnswer
from treering.actions.status import StatusBranches as StatusBranches
from treering.actions.status import StatusFiles as StatusFiles
from treering.actions.status import StatusHealth as StatusHealth
from treering.actions.status import StatusOutputs as StatusOutputs
from treering.actions.status import StatusReview as StatusReview
from treering.actions.status import StatusSummary as StatusSummary
from treering.actions.status import StatusTags as StatusTags
from treering.actions.status import StatusTopics as StatusTopics
from treering.actions.status import StatusTypes as StatusTypes
from treering.actions.tidying import Group as Group
from treering.actions.tryout import HistoryFinding as HistoryFinding
from treering.actions.tryout import Tryout as Tryout
from treering.actions.why.why import WhyAnswer as WhyAnswer
from treering.actions.why.why import WhyLines as WhyLines
from treering.sync.plan import Synced as Synced
from treering.sync.plan import SyncedScope as SyncLine

__all__ = [
    "Backfilled",
    "Card",
    "CheckpointLoaded",
    "CodeSince",
    "ContextAnswer",
    "Deduped",
    "Diagnosis",
    "Diff",
    "Difference",
    "Drained",
    "Drawing",
    "Edges",
    "Enriched",
    "Enrichment",
    "EntitiesDeleted",
    "EntitiesExtracted",
    "EntitiesMerged",
    "EntityAdded",
    "EntityAnswer",
    "EntityFound",
    "EntityList",
    "ExportedMemory",
    "Forgotten",
    "GcAnswer",
    "GcLine",
    "GraphAnswer",
    "Group",
    "GuardFinding",
    "Guarded",
    "HistoryFinding",
    "Imported",
    "InferredLinks",
    "LandedAs",
    "Log",
    "MadeLink",
    "Maintained",
    "Merges",
    "NeighborsAnswer",
    "OutdatedBy",
    "Outdates",
    "Output",
    "PathAnswer",
    "Piece",
    "Prerequisites",
    "PromptAnswer",
    "PromptDeleted",
    "PromptFound",
    "PromptList",
    "PromptListed",
    "PromptSaved",
    "PromptText",
    "PrunedLinks",
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
    "StatusAnswer",
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
    "Tryout",
    "WhyAnswer",
    "WhyLines",
]  # fmt: skip
