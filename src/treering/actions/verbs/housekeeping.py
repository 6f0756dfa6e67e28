"""maintain and its short forms, doctor, redact: the store kept in order."""

from treering.actions.verbs.verb import (
    CLI,
    CONTENT_FILE,
    EVERY_TYPE,
    NOT_MCP,
    PYTHON,
    REQUIRED,
    Tool,
    Verb,
    flag,
    number,
    text,
    whole,
    words,
)
from treering.model.choices import MAINTAIN_OPS, SYNC_DIRECTIONS

DOCTOR = Verb(
    "doctor",
    "Check everything treering wrote, and repair what is safe.",
    (flag("dry_run", "Only look, or repair what is safe.", off="fix"),),
    example="treering doctor --dry-run",
    action="doctor.doctor.doctor",
    more="Exits with 1 while something is left to do.",
)

REINDEX = Verb(
    "reindex",
    "Rebuild the search index. It is made from git and holds nothing else.",
    (
        flag("only_tidy", "Only join its small parts.", options=("tidy",), doors=CLI),
        flag("dry_run", "Only count.", doors=PYTHON),
    ),
    example="treering reindex",
)

GC = Verb(
    "gc",
    "Let memories follow branches that landed or were dropped.",
    (
        text("branch", "Only this branch.", short="b"),
        flag("dry_run", "Show the plan and change nothing."),
        flag("purge", "Delete old trash for good."),
        text("older_than", "How old, with --purge.", default="30d"),
        flag("force", "Put what cannot be judged, or landed in part, into the trash, too."),
        flag(
            "keep_lessons",
            "Keep failed outcomes of abandoned branches for the trunk.",
            default=True,
            off="no-lessons",
        ),
        text("remote", "With --purge: remove it from this remote, too."),
    ),
    example="treering gc --dry-run",
    more="What landed is promoted, what was thrown away goes to the trash.",
)

PROMOTE = Verb(
    "promote",
    "Put a branch's memories into another's, landed or not.",
    (
        text("branch", default=REQUIRED, argument="one"),
        text("into", "Where to. Default: the trunk."),
        flag("undo", "Take the last promotion back, or that of some memories."),
        words("ids", "Only these memories.", options=("id", "ids")),
        flag("dry_run", "Only say what would be done."),
    ),
    example="treering promote feature/x --into main",
    action="gc.promote_by_hand",
)

RESTORE = Verb(
    "restore",
    "Bring the dropped memories of a branch back.",
    (
        text("branch", default=REQUIRED, argument="one"),
        flag("before_sync", "What the last sync hid or changed, instead."),
        flag("dry_run", "Only say what would come back.", doors=PYTHON),
    ),
    example="treering restore feature/x",
    more="With --before-sync what the last sync hid or changed is made what it was. Each call goes "
    "one sync further back.",
)

SYNC = Verb(
    "sync",
    "Share memories through a git remote: fetch, merge, push.",
    (
        text("direction", default="full", choices=SYNC_DIRECTIONS, argument="optional"),
        text("remote", "Which remote. Default: treering.remote, or origin."),
        flag("dry_run", "Ask the remote, and change nothing."),
        flag("wait", "Let what a git push shares in the background end first.", doors=NOT_MCP),
        flag("allow_secret", "Push what looks like a credential, too.", doors=NOT_MCP),
    ),
    example="treering sync --remote origin",
    more="DIRECTION is full (the default), push or fetch. Private memories never leave.",
)

REDACT = Verb(
    "redact",
    "Take a memory's text out of all history, for good.",
    (
        text("id", default=REQUIRED, argument="one"),
        flag("dry_run", "Show what holds it and change nothing."),
        flag("yes", "Do not ask.", doors=CLI),
    ),
    example="treering redact 7k2m9qx4c0wd --dry-run",
    more="Every branch, the trash and private memories are rewritten. A tombstone stays. The next "
    "sync brings it to other clones and remotes. What others have read cannot be undone.",
)

MAINTAIN = Verb(
    "maintain",
    "Find duplicates, missing links, what to merge or to summarize. Without --apply nothing is "
    "changed.",
    (
        text(
            "op",
            "What to do.",
            default=REQUIRED,
            choices=MAINTAIN_OPS,
            argument="one",
            metavar="OP",
        ),
        text("branch", "gc, promote, restore: which branch.", short="b"),
        text("into", "promote: where to. Default: the trunk."),
        words("ids", "Only these memories.", options=("id", "ids")),
        text(
            "type",
            "Only this type. With ids: the type of the new memory.",
            short="t",
            by_hand=EVERY_TYPE,
            metavar="TYPE",
        ),
        text("query", "Only what matches."),
        text(
            "content",
            "merge, summarize, enrich: the text you wrote.",
            by_hand="`-` reads standard input.",
        ),
        CONTENT_FILE,
        text("title", "Its title. Default: the first line."),
        number("threshold", "How alike, 0 to 1.", default=0.8),
        number("min_confidence", "Links: at least this sure.", default=0.7),
        whole("limit", "How many at most.", default=20),
        text("remote", "sync: which remote."),
        text("direction", "sync: which way.", default="full", choices=SYNC_DIRECTIONS),
        flag("purge", "gc: delete old trash for good."),
        text("older_than", "gc with purge: how old.", default="30d"),
        flag("force", "gc: put what cannot be judged, or landed in part, into the trash, too."),
        flag("keep_lessons", "gc: keep failed outcomes.", default=True, off="no-lessons"),
        flag("before_sync", "restore: what the last sync hid or changed."),
        flag("undo", "promote: take the last promotion back."),
        flag(
            "dry_run",
            "Only show. Default: true, but false for restore and reindex.",
            default=None,
            off="apply",
        ),
    ),
    example="treering maintain dedupe --apply",
    action="tidying.maintain.maintain",
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
)
