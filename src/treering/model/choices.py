"""The words a caller may choose from. Each set stands here once, as a type and as a tuple.

It lies at the bottom because the index, the actions and the doors all need the same words, and it
imports nothing, because every command starts with it.
"""

from typing import Literal, get_args

Status = Literal["active", "needs-review", "superseded", "deleted"]
STATUSES: tuple[Status, ...] = get_args(Status)

#: The keys of taxonomy.TYPES, in the same order.
TypeName = Literal[
    "decision", "pattern", "convention", "component", "concept", "insight", "issue", "debt", "api",
    "config", "security", "testing", "progress", "context", "checkpoint", "session", "commit",
    "prompt", "template", "entity",
]  # fmt: skip
TYPE_NAMES: tuple[TypeName, ...] = get_args(TypeName)

Outcome = Literal["success", "failed", "partial"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
#: What every reader has to be told before all else: it was tried, and is no advice.
UNSUCCESSFUL: tuple[Outcome, ...] = ("failed", "partial")

# --- recall ---------------------------------------------------------------------------------------

#: What of a hit matches: words that were typed, its meaning alone, or words guessed at.
Match = Literal["words", "meaning", "spelling"]
SearchScope = Literal["branch", "trunk", "all"]
SCOPES: tuple[SearchScope, ...] = get_args(SearchScope)

Mode = Literal["hybrid", "text", "semantic"]
MODES: tuple[Mode, ...] = get_args(Mode)

Order = Literal["relevance", "newest", "oldest", "confidence", "uncertain"]
ORDERS: tuple[Order, ...] = get_args(Order)

#: Knowledge before records, without them, or records alone.
Tiers = Literal["auto", "none", "only"]
TIERS: tuple[Tiers, ...] = get_args(Tiers)

Detail = Literal["light", "medium", "full"]
DETAILS: tuple[Detail, ...] = get_args(Detail)

# --- graph and entities ---------------------------------------------------------------------------

GraphOp = Literal["neighbors", "edges", "path", "prerequisites", "stats", "draw", "suggest"]
GRAPH_OPS: tuple[GraphOp, ...] = get_args(GraphOp)

LinkDirection = Literal["both", "in", "out"]
LINK_DIRECTIONS: tuple[LinkDirection, ...] = get_args(LinkDirection)

DrawingFormat = Literal["mermaid", "dot", "json"]
DRAWING_FORMATS: tuple[DrawingFormat, ...] = get_args(DrawingFormat)

EntityOp = Literal["list", "get", "add", "delete", "merge", "extract"]
ENTITY_OPS: tuple[EntityOp, ...] = get_args(EntityOp)

EntityKind = Literal["person", "organization", "technology", "concept", "file"]
ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)

# --- checkpoint, prompts and status ---------------------------------------------------------------

CheckpointOp = Literal["save", "load"]
CHECKPOINT_OPS: tuple[CheckpointOp, ...] = get_args(CheckpointOp)

PromptOp = Literal["list", "get", "run", "render", "save", "delete"]
PROMPT_OPS: tuple[PromptOp, ...] = get_args(PromptOp)

PromptKind = Literal["prompt", "template"]
PROMPT_KINDS: tuple[PromptKind, ...] = get_args(PromptKind)

PromptFormat = Literal["markdown", "json", "xml"]
PROMPT_FORMATS: tuple[PromptFormat, ...] = get_args(PromptFormat)

PromptDomain = Literal["project", "user"]
PROMPT_DOMAINS: tuple[PromptDomain, ...] = get_args(PromptDomain)

StatusView = Literal[
    "summary", "types", "topics", "tags", "files", "branches", "outputs", "health", "review",
    "guard",
]  # fmt: skip
STATUS_VIEWS: tuple[StatusView, ...] = get_args(StatusView)

#: Why a memory is doubtful, the gravest first.
ReviewReason = Literal[
    "conflict", "outdated", "reverted", "newer", "duplicate", "needs-review", "stale",
    "low-confidence", "unconfirmed",
]  # fmt: skip
REVIEW_REASONS: tuple[ReviewReason, ...] = get_args(ReviewReason)

# --- housekeeping ---------------------------------------------------------------------------------

MaintainOp = Literal[
    "gc", "promote", "restore", "reindex", "sync", "merge", "dedupe", "summarize", "enrich",
    "infer_links", "prune_links",
]  # fmt: skip
MAINTAIN_OPS: tuple[MaintainOp, ...] = get_args(MaintainOp)

SyncDirection = Literal["full", "push", "fetch"]
SYNC_DIRECTIONS: tuple[SyncDirection, ...] = get_args(SyncDirection)

# --- agents' sessions -----------------------------------------------------------------------------

#: What becomes of their transcripts.
TranscriptUse = Literal["private", "shared", "off"]
TRANSCRIPT_USES: tuple[TranscriptUse, ...] = get_args(TranscriptUse)

#: Whether an agent is asked to remember what it learned.
AskPolicy = Literal["off", "once"]
ASK_POLICIES: tuple[AskPolicy, ...] = get_args(AskPolicy)

# --- the command line's own -----------------------------------------------------------------------

#: In the order they are tried when nobody says what it is; git notes are no file, so never tried.
SourceName = Literal[
    "autology", "server-memory", "agent-memory", "agents", "adr", "changelog", "basic-memory",
    "markdown", "jsonl", "git-notes", "claude-code", "codex", "gemini",
]  # fmt: skip
SOURCE_NAMES: tuple[SourceName, ...] = get_args(SourceName)

ClientName = Literal["claude", "codex", "gemini", "cursor", "vscode", "opencode"]
CLIENT_NAMES: tuple[ClientName, ...] = get_args(ClientName)

#: The verbs that agents have, as tools; those that only read come first.
READING_TOOLS = ("recall", "read", "graph", "context", "status")
WRITING_TOOLS = (
    "remember", "revise", "forget", "link", "entities", "checkpoint", "prompts", "maintain",
)  # fmt: skip

ToolProfile = Literal["core", "full"]
TOOL_PROFILES: tuple[ToolProfile, ...] = get_args(ToolProfile)

ShellName = Literal["bash", "zsh", "fish"]
SHELL_NAMES: tuple[ShellName, ...] = get_args(ShellName)
