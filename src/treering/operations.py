"""The verbs that have operations, as methods: the answer's type follows from the operation.

Their keyword arguments are the parameters of `actions/verbs`, spelled once more as types for those
who check them; a test compares the two.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, cast, overload

from treering import answers
from treering.actions.checkpoint import checkpoint
from treering.actions.entities.entities import EntityAnswer, entities
from treering.actions.graph import graph
from treering.actions.prompts.prompts import PromptAnswer, prompts
from treering.actions.status import StatusAnswer, status
from treering.actions.tidying.maintain import maintain
from treering.actions.tidying.writer import Writer
from treering.actions.workspace import Workspace

_Graph = (
    answers.NeighborsAnswer | answers.Edges | answers.PathAnswer | answers.Prerequisites
    | answers.Stats | answers.Drawing | answers.SuggestedPairs
)  # fmt: skip
_Checkpoint = answers.Remembered | answers.CheckpointLoaded
_Maintained = answers.Maintained[
    answers.GcAnswer | answers.GcLine | answers.RestoredScope | answers.Reindexed | answers.Synced
    | answers.Merges | answers.Deduped | answers.Summaries | answers.Enrichment
    | answers.InferredLinks | answers.PrunedLinks
]  # fmt: skip


class GraphOptions(TypedDict, total=False):
    id: str
    to: str
    relation: Sequence[str]
    direction: str
    depth: int
    types: Sequence[str]
    format: str
    threshold: float
    limit: int
    branch: str


class EntityOptions(TypedDict, total=False):
    name: str
    kind: str
    text: str
    ids: Sequence[str]
    canonical: str
    properties: Mapping[str, Any] | None
    min_confidence: float
    store: bool
    dry_run: bool
    limit: int
    branch: str


class CheckpointOptions(TypedDict, total=False):
    summary: str
    next_steps: Sequence[str]
    open_files: Sequence[str]
    session: str
    branch: str


class PromptOptions(TypedDict, total=False):
    name: str
    kind: str
    content: str
    description: str
    tags: Sequence[str]
    variables: Mapping[str, Any] | None
    query: str
    limit: int
    format: str
    domain: str
    branch: str


class MaintainOptions(TypedDict, total=False):
    """`writer` writes a text in the caller's place; `progress` hears of steps done and in all."""

    branch: str
    into: str
    ids: Sequence[str]
    type: str
    query: str
    content: str
    title: str
    threshold: float
    min_confidence: float
    limit: int
    remote: str
    direction: str
    purge: bool
    older_than: str
    force: bool
    keep_lessons: bool
    before_sync: bool
    undo: bool
    dry_run: bool | None
    writer: Writer | None
    progress: Callable[[int, int], None] | None


class Operations:
    """What `Treering` offers beside the plain verbs."""

    _workspace: Workspace

    @overload
    def graph(
        self, op: Literal["neighbors"], **options: Unpack[GraphOptions]
    ) -> answers.NeighborsAnswer: ...
    @overload
    def graph(self, op: Literal["edges"], **options: Unpack[GraphOptions]) -> answers.Edges: ...
    @overload
    def graph(self, op: Literal["path"], **options: Unpack[GraphOptions]) -> answers.PathAnswer: ...
    @overload
    def graph(
        self, op: Literal["prerequisites"], **options: Unpack[GraphOptions]
    ) -> answers.Prerequisites: ...
    @overload
    def graph(self, op: Literal["stats"], **options: Unpack[GraphOptions]) -> answers.Stats: ...
    @overload
    def graph(self, op: Literal["draw"], **options: Unpack[GraphOptions]) -> answers.Drawing: ...
    @overload
    def graph(
        self, op: Literal["suggest"], **options: Unpack[GraphOptions]
    ) -> answers.SuggestedPairs: ...
    @overload
    def graph(self, op: str, **options: Unpack[GraphOptions]) -> _Graph: ...
    def graph(self, op: str, **options: Unpack[GraphOptions]) -> _Graph:
        """Ask about the links between memories; each operation has an answer of its own.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.graph("stats").nodes
        1
        """
        return cast(_Graph, graph(self._workspace, op, **options))

    @overload
    def entities(
        self, op: Literal["list"], **options: Unpack[EntityOptions]
    ) -> answers.EntityList: ...
    @overload
    def entities(
        self, op: Literal["get"], **options: Unpack[EntityOptions]
    ) -> answers.EntityFound: ...
    @overload
    def entities(
        self, op: Literal["add"], **options: Unpack[EntityOptions]
    ) -> answers.EntityAdded: ...
    @overload
    def entities(
        self, op: Literal["delete"], **options: Unpack[EntityOptions]
    ) -> answers.EntitiesDeleted: ...
    @overload
    def entities(
        self, op: Literal["merge"], **options: Unpack[EntityOptions]
    ) -> answers.EntitiesMerged: ...
    @overload
    def entities(
        self, op: Literal["extract"], **options: Unpack[EntityOptions]
    ) -> answers.EntitiesExtracted: ...
    @overload
    def entities(self, op: str, **options: Unpack[EntityOptions]) -> EntityAnswer: ...
    def entities(self, op: str, **options: Unpack[EntityOptions]) -> EntityAnswer:
        """Keep and find the people, technologies, concepts and files that memories speak of.

        >>> added = tr.entities("add", name="Redis", kind="technology")
        >>> [entity["name"] for entity in tr.entities("list")["entities"]]
        ['Redis']
        """
        return entities(self._workspace, op, **options)

    @overload
    def checkpoint(
        self, op: Literal["save"], **options: Unpack[CheckpointOptions]
    ) -> answers.Remembered: ...
    @overload
    def checkpoint(
        self, op: Literal["load"], **options: Unpack[CheckpointOptions]
    ) -> answers.CheckpointLoaded: ...
    @overload
    def checkpoint(self, op: str, **options: Unpack[CheckpointOptions]) -> _Checkpoint: ...
    def checkpoint(self, op: str, **options: Unpack[CheckpointOptions]) -> _Checkpoint:
        """Save where the work stands, or load the last one and what happened to the code since.

        >>> saved = tr.checkpoint("save", summary="The parser works", next_steps=["write docs"])
        >>> tr.checkpoint("load")["next_steps"]
        ['write docs']
        """
        return checkpoint(self._workspace, op, **options)

    @overload
    def prompts(
        self, op: Literal["list"], **options: Unpack[PromptOptions]
    ) -> answers.PromptList: ...
    @overload
    def prompts(
        self, op: Literal["get"], **options: Unpack[PromptOptions]
    ) -> answers.PromptFound: ...
    @overload
    def prompts(
        self, op: Literal["run"], **options: Unpack[PromptOptions]
    ) -> answers.PromptText: ...
    @overload
    def prompts(
        self, op: Literal["render"], **options: Unpack[PromptOptions]
    ) -> answers.PromptText: ...
    @overload
    def prompts(
        self, op: Literal["save"], **options: Unpack[PromptOptions]
    ) -> answers.PromptSaved: ...
    @overload
    def prompts(
        self, op: Literal["delete"], **options: Unpack[PromptOptions]
    ) -> answers.PromptDeleted: ...
    @overload
    def prompts(self, op: str, **options: Unpack[PromptOptions]) -> PromptAnswer: ...
    def prompts(self, op: str, **options: Unpack[PromptOptions]) -> PromptAnswer:
        """Keep prompts and templates under a name, and run them with variables.

        >>> saved = tr.prompts("save", name="review", content="Review {{file}}.")
        >>> tr.prompts("run", name="review", variables={"file": "db.py"})["text"]
        'Review db.py.'
        """
        return prompts(self._workspace, op, **options)

    @overload
    def maintain(
        self, op: Literal["gc"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.GcAnswer]: ...
    @overload
    def maintain(
        self, op: Literal["promote"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.GcLine]: ...
    @overload
    def maintain(
        self, op: Literal["restore"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.RestoredScope]: ...
    @overload
    def maintain(
        self, op: Literal["reindex"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Reindexed]: ...
    @overload
    def maintain(
        self, op: Literal["sync"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Synced]: ...
    @overload
    def maintain(
        self, op: Literal["merge"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Merges]: ...
    @overload
    def maintain(
        self, op: Literal["dedupe"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Deduped]: ...
    @overload
    def maintain(
        self, op: Literal["summarize"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Summaries]: ...
    @overload
    def maintain(
        self, op: Literal["enrich"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.Enrichment]: ...
    @overload
    def maintain(
        self, op: Literal["infer_links"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.InferredLinks]: ...
    @overload
    def maintain(
        self, op: Literal["prune_links"], **options: Unpack[MaintainOptions]
    ) -> answers.Maintained[answers.PrunedLinks]: ...
    @overload
    def maintain(self, op: str, **options: Unpack[MaintainOptions]) -> _Maintained: ...
    def maintain(self, op: str, **options: Unpack[MaintainOptions]) -> _Maintained:
        """Do one of the operations of housekeeping, or show what it would do.

        Without `dry_run=False` most of them only show; restore, reindex and sync act at once.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.maintain("dedupe").answer.groups
        ()
        """
        return cast(_Maintained, maintain(self._workspace, op, **options))

    @overload
    def status(
        self, *, view: Literal["summary"] = "summary", branch: str = ""
    ) -> answers.StatusSummary: ...
    @overload
    def status(self, *, view: Literal["types"], branch: str = "") -> answers.StatusTypes: ...
    @overload
    def status(self, *, view: Literal["topics"], branch: str = "") -> answers.StatusTopics: ...
    @overload
    def status(self, *, view: Literal["tags"], branch: str = "") -> answers.StatusTags: ...
    @overload
    def status(self, *, view: Literal["files"], branch: str = "") -> answers.StatusFiles: ...
    @overload
    def status(self, *, view: Literal["branches"], branch: str = "") -> answers.StatusBranches: ...
    @overload
    def status(self, *, view: Literal["outputs"], branch: str = "") -> answers.StatusOutputs: ...
    @overload
    def status(self, *, view: Literal["health"], branch: str = "") -> answers.StatusHealth: ...
    @overload
    def status(self, *, view: Literal["review"], branch: str = "") -> answers.StatusReview: ...
    @overload
    def status(self, *, view: Literal["guard"], branch: str = "") -> answers.Guarded: ...
    @overload
    def status(self, *, view: str, branch: str = "") -> StatusAnswer: ...
    def status(self, *, view: str = "summary", branch: str = "") -> StatusAnswer:
        """Count what is remembered here, and tell how the store is doing.

        >>> made = tr.remember("Use WAL mode: readers never block")
        >>> tr.status()["memories"]["visible"]
        1
        """
        return status(self._workspace, view=view, branch=branch)
