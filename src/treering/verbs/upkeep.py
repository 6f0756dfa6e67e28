"""maintain and its short forms, doctor, redact: the store kept in order."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from treering.model.choices import SYNC_DIRECTIONS, MaintainOp
from treering.verbs.verb import (
    CONTENT_FILE,
    EVERY_TYPE,
    NOT_MCP,
    REQUIRED,
    Arg,
    Parameter,
    Tool,
    Verb,
    flag,
    verb,
    verb_of,
)

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import (
        Deduped,
        Diagnosis,
        Enrichment,
        GcAnswer,
        GcLine,
        InferredLinks,
        Maintained,
        Merges,
        PrunedLinks,
        Redacted,
        Reindexed,
        RestoredScope,
        Summaries,
        Synced,
    )

Progress = Callable[[int, int], None] | None
Ids = Annotated[Sequence[str], Arg("Only these memories.", agents="", options=("id", "ids"))]
OnBranch = Annotated[str, Arg("On another branch.", agents="", short="b")]
OfType = Annotated[
    str,
    Arg(
        "Only this type. With ids: the type of the new memory.",
        agents="",
        short="t",
        by_hand=EVERY_TYPE,
        metavar="TYPE",
    ),
]
Matching = Annotated[str, Arg("Only what matches.", agents="")]
Written = Annotated[
    str,
    Arg("The text you wrote.", agents="The text you wrote.", by_hand="`-` reads standard input."),
]
Title = Annotated[str, Arg("Its title. Default: the first line.", agents="")]
Threshold = Annotated[float, Arg("How alike, 0 to 1.", agents="", most=1)]
Limit = Annotated[int, Arg("How many at most.", agents="", least=1, most=1000)]


@verb("doctor.doctor.doctor", example="treering doctor --dry-run")
def doctor(
    workspace: "Workspace",
    *,
    dry_run: Annotated[bool, Arg("Only look, or repair what is safe.", off="fix")] = False,
) -> "Diagnosis":
    """Check everything treering wrote, and repair what is safe.

    Exits with 1 while something is left to do.

    >>> tr.doctor(dry_run=True).ok
    True
    """


@verb(
    "reindex.reindex",
    example="treering reindex",
    cli=(flag("only_tidy", "Only join its small parts.", options=("tidy",)),),
)
def reindex(
    workspace: "Workspace",
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Reindexed":
    """Rebuild the search index. It is made from git and holds nothing else.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.reindex().indexed
    1
    """


@verb("gc.gc", example="treering gc --dry-run")
def gc(
    workspace: "Workspace",
    *,
    branch: Annotated[str, Arg("Only this branch.", agents="", short="b")] = "",
    dry_run: Annotated[bool, Arg("Show the plan and change nothing.")] = False,
    purge: Annotated[
        bool, Arg("Delete old trash for good.", agents="gc: old trash for good.")
    ] = False,
    older_than: Annotated[str, Arg("How old, with --purge.", agents="")] = "30d",
    force: Annotated[
        bool,
        Arg(
            "Put what cannot be judged, or landed in part, into the trash, too.",
            agents="gc: trash the unsure, too.",
        ),
    ] = False,
    keep_lessons: Annotated[
        bool,
        Arg(
            "Keep failed outcomes of abandoned branches for the trunk.",
            agents="",
            off="no-lessons",
        ),
    ] = True,
    remote: Annotated[str, Arg("Which one. With --purge: remove it there, too.", agents="")] = "",
) -> "GcAnswer":
    """Let memories follow branches that landed or were dropped.

    What landed is promoted, what was thrown away goes to the trash.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> [(line.branch, line.verdict) for line in tr.gc(dry_run=True).plan]
    [('main', 'live')]
    """


@verb("gc.promote_by_hand", example="treering promote feature/x --into main")
def promote(
    workspace: "Workspace",
    branch: Annotated[str, Arg(place="one")],
    *,
    into: Annotated[str, Arg("Where to. Default: the trunk.", agents="")] = "",
    undo: Annotated[
        bool,
        Arg(
            "Take the last promotion back, or that of some memories.", agents="promote: take back."
        ),
    ] = False,
    ids: Ids = (),
    dry_run: Annotated[bool, Arg("Only say what would be done.")] = False,
) -> "GcLine":
    """Put a branch's memories into another's, landed or not.

    >>> made = tr.remember("Threads made it slower", branch="try")
    >>> tr.promote("try").into
    'main'
    """


@verb("restore.restore", example="treering restore feature/x")
def restore(
    workspace: "Workspace",
    branch: Annotated[str, Arg(place="optional")],
    *,
    before_sync: Annotated[
        bool,
        Arg("What the last sync hid or changed, instead.", agents="restore: undo the last sync."),
    ] = False,
    dry_run: bool = False,
) -> "RestoredScope":
    """Bring the dropped memories of a branch back. Without a branch, list the trash.

    With --before-sync what the last sync hid or changed is made what it was. Each call goes one
    sync further back.

    >>> tr.restore("gone").memories
    1
    """


@verb("sync.sync", example="treering sync --remote origin")
def sync(
    workspace: "Workspace",
    direction: Annotated[str, Arg(agents="", choices=SYNC_DIRECTIONS, place="optional")] = "full",
    *,
    remote: Annotated[
        str, Arg("Which remote. Default: treering.remote, or origin.", agents="")
    ] = "",
    dry_run: Annotated[bool, Arg("Ask the remote, and change nothing.")] = False,
    wait: Annotated[
        bool, Arg("Let what a git push shares in the background end first.", doors=NOT_MCP)
    ] = False,
    allow_secret: Annotated[
        bool, Arg("Push what looks like a credential, too.", doors=NOT_MCP)
    ] = False,
    is_attended: bool = False,
    patience: float = 300.0,
    on_stage: Callable[[str], None] | None = None,
) -> "Synced":
    """Share memories through a git remote: fetch, merge, push.

    DIRECTION is full (the default), push or fetch. Private memories never leave.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.sync(remote="origin").pushed
    1
    """


@verb(
    "redact.redact",
    example="treering redact 7k2m9qx4c0wd --dry-run",
    cli=(flag("yes", "Do not ask."),),
)
def redact(
    workspace: "Workspace",
    id: Annotated[str, Arg(place="one")],
    *,
    dry_run: Annotated[bool, Arg("Show what holds it and change nothing.")] = False,
) -> "Redacted":
    """Take a memory's text out of all history, for good.

    Every branch, the trash and private memories are rewritten. A tombstone stays. The next sync
    brings it to other clones and remotes. What others have read cannot be undone.

    >>> made = tr.remember("The staging server is 10.0.0.7")
    >>> tr.redact(made.id, dry_run=True).versions
    1
    """


# --- operations of maintain alone -----------------------------------------------------------------


@verb("tidying.merge.merge_memories", example="treering maintain merge")
def merge(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    content: Written = "",
    title: Title = "",
    threshold: Threshold = 0.8,
    limit: Limit = 20,
    dry_run: bool = True,
    progress: Progress = None,
) -> "Merges":
    """Merge several memories into one text, which you write.

    >>> tr.merge().groups
    ()
    """


@verb("tidying.dedupe.dedupe", example="treering maintain dedupe --apply")
def dedupe(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    threshold: Threshold = 0.8,
    limit: Limit = 20,
    dry_run: bool = True,
    progress: Progress = None,
) -> "Deduped":
    """Find what is said twice, and forget exact copies.

    >>> tr.dedupe().groups
    ()
    """


@verb("tidying.merge.summarize", example="treering maintain summarize")
def summarize(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    content: Written = "",
    title: Title = "",
    limit: Limit = 20,
    dry_run: bool = True,
    progress: Progress = None,
) -> "Summaries":
    """Store a summary, which you write, of a topic's memories.

    >>> tr.summarize().groups
    ()
    """


@verb("tidying.enrich.enrich", example="treering maintain enrich --apply")
def enrich(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    content: Written = "",
    title: Title = "",
    limit: Limit = 20,
    dry_run: bool = True,
    progress: Progress = None,
) -> "Enrichment":
    """Suggest tags, titles, topics and files.

    >>> tr.enrich().memories
    ()
    """


@verb("tidying.links.infer_links", example="treering maintain infer-links")
def infer_links(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    min_confidence: Annotated[float, Arg("At least this sure.", agents="", most=1)] = 0.7,
    limit: Limit = 20,
    dry_run: bool = True,
) -> "InferredLinks":
    """Find links between stored memories. Without `dry_run`, make them.

    >>> tr.infer_links().links
    ()
    """


@verb("tidying.links.prune_links", example="treering maintain prune-links")
def prune_links(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    limit: Limit = 1000,
    dry_run: bool = True,
) -> "PrunedLinks":
    """Find links with little confidence left. Without `dry_run`, remove them.

    >>> tr.prune_links().total
    0
    """


# --- maintain -------------------------------------------------------------------------------------

#: Its operations. Each is a verb of its own.
OPERATIONS: dict[MaintainOp, Callable[..., Any]] = {
    "gc": gc,
    "promote": promote,
    "restore": restore,
    "reindex": reindex,
    "sync": sync,
    "merge": merge,
    "dedupe": dedupe,
    "summarize": summarize,
    "enrich": enrich,
    "infer_links": infer_links,
    "prune_links": prune_links,
}
#: Act at once. All others only show what they would do, until told.
_AT_ONCE = ("restore", "reindex")
#: Whoever gives one of these means less than everything, or hands in a text: an operation that
#: cannot use it refuses it. Any other parameter an operation does not take changes nothing.
_LIMITS = ("branch", "into", "ids", "type", "query", "content", "title", "remote")


def maintain(
    workspace: "Workspace",
    /,
    op: str,
    *,
    dry_run: bool | None = None,
    progress: Progress = None,
    **options: Any,
) -> "Maintained[Any]":
    """Do one of the operations of housekeeping, or show what it would do.

    Without `dry_run=False` all but restore and reindex only show.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.maintain("dedupe").answer.groups
    ()
    """
    from treering.actions.answers import Maintained
    from treering.errors import Invalid
    from treering.model.taxonomy import unknown_word

    name = next((each for each in OPERATIONS if each == op.strip().lower().replace("-", "_")), None)
    if name is None:
        raise unknown_word(op, tuple(OPERATIONS), "op")
    operation = verb_of(OPERATIONS[name])
    known = {parameter.name for parameter in MAINTAIN.parameters}
    for word, value in options.items():
        if word not in known:
            raise TypeError(f"maintain() got an unexpected keyword argument {word!r}")
        if value and word in _LIMITS and word not in operation.names:
            raise Invalid(f"{name} does not take {word}.")
    for parameter in operation.parameters:
        if parameter.is_required and not options.get(parameter.name):
            raise Invalid(f"{name} needs a {parameter.name}.")
    is_dry = name not in _AT_ONCE if dry_run is None else dry_run
    given = {word: value for word, value in options.items() if word in operation.names}
    if "progress" in operation.names:
        given["progress"] = progress
    answer = operation.act(workspace, dry_run=is_dry, **given)
    return Maintained(name, is_dry, answer)


def _join_parameters() -> Iterator[Parameter]:
    """Yield each parameter of an operation once; the help names the operations that take it."""
    users: dict[str, list[str]] = {}
    first: dict[str, Parameter] = {}
    for operation, function in OPERATIONS.items():
        for parameter in verb_of(function).parameters_of("mcp"):
            if parameter.name != "dry_run":
                users.setdefault(parameter.name, []).append(operation)
                known = first.get(parameter.name)
                if known is None or not known.arg.help:
                    first[parameter.name] = parameter
    for name, parameter in first.items():
        arg, takers = parameter.arg, users[name]
        text = arg.help or "Which way."
        if len(takers) <= _FEW:
            text = f"{', '.join(takers)}: {text[0].lower()}{text[1:]}"
        default = "" if parameter.is_required else parameter.default
        yield parameter._replace(arg=arg._replace(help=text, place=""), default=default)


_FEW = 4
MAINTAIN = Verb(
    "maintain",
    "Find duplicates, missing links, what to merge or to summarize. Without --apply nothing is "
    "changed.",
    (
        Parameter(
            "op",
            Arg("What to do.", agents="", choices=tuple(OPERATIONS), metavar="OP", place="one"),
            default=REQUIRED,
        ),
        *_join_parameters(),
        Parameter(
            "dry_run",
            Arg(
                "Only show. Default: true, but false for restore and reindex.",
                agents="Default true; restore, reindex: false.",
                off="apply",
            ),
            "flag",
            None,
        ),
        CONTENT_FILE,
    ),
    "treering maintain dedupe --apply",
    more="""\
\b
gc           let memories follow their branches
promote      put a branch's memories into another's
dedupe       find what is said twice, forget exact copies
merge        several memories into one text, which you write
summarize    a summary, which you write, of a topic's memories
enrich       suggest tags, titles, topics and files
infer_links  find links between memories
prune_links  drop weak links

restore and reindex act at once. The short forms `treering gc`, `promote`, `restore`,
`reindex` and `sync` do so, too.""",
    tool=Tool(
        "Housekeeping, dry run first. Use when asked, or when status shows something to do. gc: "
        "memories follow merged or deleted branches. promote: a branch's memories to the trunk. "
        "restore: from the trash. sync: with a git remote. dedupe, merge, summarize, enrich: "
        "shows candidates. Write the text and call again with content.",
        is_destructive=True,
        is_open_world=True,
        is_long=True,
        changes="resources",
    ),
    act=maintain,
)
