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
        Diagnosis,
        Enrichment,
        GcAnswer,
        LinkChanges,
        Maintained,
        PlanAnswer,
        Redacted,
        Reindexed,
        RestoredScope,
        Synced,
        Tidied,
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
Matching = Annotated[str, Arg("Only memories that match this query.", agents="")]
Written = Annotated[
    str,
    Arg("The text you wrote.", agents="The text you wrote.", by_hand="`-` reads standard input."),
]
Title = Annotated[str, Arg("Its title. Default: the first line.", agents="")]
Threshold = Annotated[float, Arg("How similar, from 0 to 1.", agents="", most=1)]
Limit = Annotated[int, Arg("Maximum number of results.", agents="", least=1, most=1000)]


@verb("doctor.doctor.doctor", example="treering doctor --dry-run")
def doctor(
    workspace: "Workspace",
    *,
    dry_run: Annotated[bool, Arg("Only check, or repair what is safe.", off="fix")] = False,
) -> "Diagnosis":
    """Check everything treering has stored, and repair what is safe.

    Exits with 1 while problems remain.

    >>> tr.doctor(dry_run=True).ok
    True
    """


@verb(
    "searcher.reindex",
    example="treering reindex",
    cli=(flag("only_tidy", "Only merge its small segments.", options=("tidy",)),),
)
def reindex(
    workspace: "Workspace",
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Reindexed":
    """Rebuild the search index from git.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.reindex().indexed
    1
    """


@verb("gc.gc", example="treering gc --dry-run")
def gc(
    workspace: "Workspace",
    *,
    branch: Annotated[str, Arg("Only this branch.", agents="", short="b")] = "",
    dry_run: Annotated[bool, Arg("Show the plan without carrying it out.")] = False,
    purge: Annotated[
        bool, Arg("Delete old trash permanently.", agents="gc: old trash for good.")
    ] = False,
    older_than: Annotated[str, Arg("With --purge: the minimum age.", agents="")] = "30d",
    force: Annotated[
        bool,
        Arg(
            "Also trash branches that are undecided or landed in part.",
            agents="gc: trash the unsure, too.",
        ),
    ] = False,
    keep_lessons: Annotated[
        bool,
        Arg(
            "Keep the failed attempts of abandoned branches, for the trunk.",
            agents="",
            off="no-lessons",
        ),
    ] = True,
    remote: Annotated[str, Arg("With --purge: delete the trash there, too.", agents="")] = "",
    caller: str = "",
) -> "GcAnswer":
    """Move memories of branches that landed or were deleted.

    What landed is promoted to the trunk. What was abandoned goes to the trash.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> [(line.branch, line.verdict) for line in tr.gc(dry_run=True).plan]
    [('main', 'live')]
    """


@verb("gc.promote_by_hand", example="treering promote feature/x --into main")
def promote(
    workspace: "Workspace",
    branch: Annotated[str, Arg(place="one")],
    *,
    into: Annotated[str, Arg("The target branch. Default: the trunk.", agents="")] = "",
    undo: Annotated[
        bool,
        Arg("Undo the last promotion, or that of some memories.", agents="promote: take back."),
    ] = False,
    ids: Ids = (),
    dry_run: Annotated[bool, Arg("Show what would be done without doing it.")] = False,
) -> "PlanAnswer":
    """Move a branch's memories into another branch, whether or not its code landed.

    >>> made = tr.remember("Threads made it slower", branch="try")
    >>> tr.promote("try").into
    'main'
    """


@verb("gc.restore", example="treering restore feature/x")
def restore(
    workspace: "Workspace",
    branch: Annotated[str, Arg(place="optional")],
    *,
    before_sync: Annotated[
        bool,
        Arg("Undo what the last sync hid or changed.", agents="restore: undo the last sync."),
    ] = False,
    dry_run: bool = False,
) -> "RestoredScope":
    """Bring back the memories of a dropped branch. Without a branch, list the trash.

    --before-sync undoes what the last sync hid or changed. Each call goes one sync further back.

    >>> tr.restore("gone").memories
    1
    """


@verb("sync.sync", example="treering sync --remote origin")
def sync(
    workspace: "Workspace",
    direction: Annotated[str, Arg(agents="", choices=SYNC_DIRECTIONS, place="optional")] = "full",
    *,
    remote: Annotated[str, Arg("The remote. Default: treering.remote, or origin.", agents="")] = "",
    dry_run: Annotated[bool, Arg("Ask the remote, but change nothing.")] = False,
    wait: Annotated[
        bool, Arg("Wait for a background sync started by git push.", doors=NOT_MCP)
    ] = False,
    allow_secret: Annotated[
        bool, Arg("Push even what looks like a credential.", doors=NOT_MCP)
    ] = False,
    is_interactive: bool = False,
    timeout: float = 300.0,
    on_stage: Callable[[str], None] | None = None,
) -> "Synced":
    """Share memories through a git remote: fetch, merge, push.

    DIRECTION is full (the default), push or fetch. Private memories are never shared.

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
    dry_run: Annotated[bool, Arg("Show where the text is without changing anything.")] = False,
) -> "Redacted":
    """Remove a memory's text from all history, permanently.

    Rewrites every branch, the trash and private memories, and leaves a tombstone. The next sync
    carries it to remotes and other clones. What others have read cannot be undone.

    >>> made = tr.remember("The staging server is 10.0.0.7")
    >>> tr.redact(made.id, dry_run=True).versions
    1
    """


# --- operations of maintain alone -----------------------------------------------------------------


@verb("merge.merge_memories", example="treering maintain merge")
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
    caller: str = "",
) -> "Tidied":
    """Merge several memories into one text that you write.

    >>> tr.merge().groups
    ()
    """


@verb("merge.dedupe", example="treering maintain dedupe --apply")
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
) -> "Tidied":
    """Find duplicates, and forget exact ones.

    >>> tr.dedupe().groups
    ()
    """


@verb("merge.summarize", example="treering maintain summarize")
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
    caller: str = "",
) -> "Tidied":
    """Store a summary that you write of a topic's memories.

    >>> tr.summarize().groups
    ()
    """


@verb("enrich.enrich", example="treering maintain enrich --apply")
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


@verb("enrich.infer_links", example="treering maintain infer-links")
def infer_links(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    type: OfType = "",
    query: Matching = "",
    min_confidence: Annotated[float, Arg("Minimum confidence.", agents="", most=1)] = 0.7,
    limit: Limit = 20,
    dry_run: bool = True,
) -> "LinkChanges":
    """Find links between stored memories. Without `dry_run`, create them.

    >>> tr.infer_links().links
    ()
    """


@verb("enrich.prune_links", example="treering maintain prune-links")
def prune_links(
    workspace: "Workspace",
    *,
    branch: OnBranch = "",
    ids: Ids = (),
    limit: Limit = 1000,
    dry_run: bool = True,
) -> "LinkChanges":
    """Find links of low confidence. Without `dry_run`, remove them.

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
_ACT_AT_ONCE = ("restore", "reindex")
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
    caller: str = "",
    **options: Any,
) -> "Maintained[Any]":
    """Run one housekeeping operation, or show what it would do.

    Without `dry_run=False`, all but restore and reindex only show.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.maintain("dedupe").answer.groups
    ()
    """
    from treering.errors import Invalid
    from treering.model.taxonomy import unknown_word
    from treering.text.values import Maintained

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
    is_dry = name not in _ACT_AT_ONCE if dry_run is None else dry_run
    given = {word: value for word, value in options.items() if word in operation.names}
    if "progress" in operation.names:
        given["progress"] = progress
    given = operation.name_caller(caller, given)
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
        if len(takers) <= _FEW_OPERATIONS:
            text = f"{', '.join(takers)}: {text[0].lower()}{text[1:]}"
        default = "" if parameter.is_required else parameter.default
        yield parameter._replace(arg=arg._replace(help=text, place=""), default=default)


_FEW_OPERATIONS = 4
MAINTAIN = Verb(
    "maintain",
    "Find duplicates, missing links, and memories to merge or summarize. Nothing changes without "
    "--apply.",
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
                "Only show. The default, except for restore and reindex.",
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
gc           move memories of branches that landed or were deleted
promote      move a branch's memories into another branch
dedupe       find duplicates, forget exact ones
merge        merge several memories into one text that you write
summarize    store a summary that you write
enrich       suggest tags, titles, topics and files
infer_links  find links between memories
prune_links  remove weak links

restore and reindex act at once, and so do the short forms `treering gc`, `promote`,
`restore`, `reindex` and `sync`.""",
    tool=Tool(
        "Housekeeping, dry run first. Use when asked, or when status says so. gc: "
        "memories follow merged or deleted branches. promote: a branch's memories to the trunk. "
        "restore: from the trash. sync: with a git remote. dedupe, merge, summarize, enrich: "
        "candidates. Write the text, then call with content.",
        is_destructive=True,
        is_open_world=True,
        is_long=True,
        changes="resources",
    ),
    act=maintain,
    names=("caller",),
)
setattr(maintain, "verb", MAINTAIN)  # noqa: B010 - to mypy a function has no such attribute
