"""remember, recall, read, revise, forget, link: one memory, from its first day to its last."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from treering.model.choices import DETAILS, MODES, ORDERS, OUTCOMES, SCOPES, STATUSES, TIERS
from treering.verbs.verb import (
    CONTENT_FILE,
    EVERY_TYPE,
    HUB,
    NOT_CLI,
    AllowSecret,
    Arg,
    Branch,
    Repos,
    SeenFrom,
    Tags,
    Tool,
    flag,
    option,
    verb,
)

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import (
        Card,
        Forgotten,
        MadeLink,
        Piece,
        Recalled,
        Remembered,
        RemovedLink,
        Revised,
    )


@verb(
    "remember.remember",
    example=("treering remember 'Use WAL mode: readers never block' -t decision --tag db"),
    tool=Tool(
        (
            "Save a memory for later sessions and teammates when you learn what the "
            "code does not say: a decision and why, a root cause, a convention, a "
            "gotcha. Answers with similar memories and links worth making. Not for "
            "session progress (checkpoint), changing a memory (revise), secrets."
        ),
        is_idempotent=True,
        is_core=True,
        changes="resources",
    ),
    cli=(CONTENT_FILE,),
)
def remember(
    workspace: "Workspace",
    content: Annotated[
        str,
        Arg(
            ("The memory, in markdown. Its first line becomes the title unless you give one."),
            agents="Markdown. First line: the title.",
            place="optional",
        ),
    ],
    *,
    type: Annotated[
        str,
        Arg(
            (
                "decision, pattern, convention, component, concept, insight, issue, debt, "
                "api, config, security, testing, progress or context. Default: classified "
                "from the text."
            ),
            agents=(
                "decision, pattern, convention, component, concept, insight, issue, debt, "
                "api, config, security, testing, progress or context."
            ),
            short="t",
            metavar="TYPE",
        ),
    ] = "",
    title: Annotated[str, Arg("Up to 200 characters. Default: the first line.", agents="")] = "",
    topic: Annotated[
        str, Arg("A path such as backend/auth/tokens.", agents="A path: backend/auth")
    ] = "",
    reasoning: Annotated[str, Arg("Why: the alternatives, and what was given up.", agents="")] = "",
    tags: Tags = (),
    files: Annotated[
        Sequence[str],
        Arg(
            "Files it is about. recall says when they have changed.",
            agents="Paths it is about.",
            options=("file", "files"),
        ),
    ] = (),
    confidence: Annotated[float, Arg("0 to 1.", agents="", most=1)] = 0.8,
    supersedes: Annotated[
        Sequence[str],
        Arg("Ids of the memories this one replaces.", agents="Ids it replaces.", metavar="ID"),
    ] = (),
    links: Annotated[
        Sequence[str],
        Arg(
            'Each "relation:id", such as "depends_on:7k2m9qx4".',
            agents='"relation:id"',
            options=("link", "links"),
            metavar="RELATION:ID",
        ),
    ] = (),
    branch: Branch = "",
    private: Annotated[
        bool, Arg("Keep it on this machine. Never synced.", agents="Never synced.")
    ] = False,
    session: Annotated[str, Arg("The work session it belongs to.", agents="")] = "",
    agent: Annotated[
        str, Arg("The agent that learned it. Default: the client's own name.", agents="")
    ] = "",
    outcome: Annotated[str, Arg("How it turned out.", agents="", choices=OUTCOMES)] = "",
    id: Annotated[
        str,
        Arg(
            "An id to keep when copying. Default: derived from the content.",
            agents="Only when copying.",
        ),
    ] = "",
    allow_secret: AllowSecret = False,
    details: Mapping[str, Any] | None = None,
    caller: str = "",
) -> "Remembered":
    """Store a memory on the current branch.

    The content is the argument, or standard input if it is `-` or missing.

    >>> made = tr.remember("Use WAL mode: readers never block", tags=["db"])
    >>> made.type, made.branch
    ('decision', 'main')
    """


@verb(
    "recall.recall",
    example="treering recall 'why is the start slow' --tag cache --since 30d",
    tool=Tool(
        (
            "Search this repository's memory: past decisions, known issues, "
            "conventions, why something is as it is. Use before designing, debugging or"
            " changing code you do not know. A few plain words work best, no query "
            "lists the newest. Sees this branch and the trunk. Not for searching code."
        ),
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
    cli=(
        HUB,
        flag("pick", "Number the results and choose one to read."),
    ),
)
def recall(
    workspace: "Workspace",
    query: Annotated[
        str,
        Arg(
            (
                'Words, "phrases", -not, prefix*, and filters type: tag: topic: title: '
                "author: file: since: confidence>0.7. Empty lists the newest."
            ),
            agents=(
                'Words, "phrases", -not, prefix*, type: tag: topic: title: author: file: '
                "since: confidence>0.7"
            ),
            place="joined",
        ),
    ] = "",
    *,
    type: Annotated[
        str, Arg("Only this type.", agents="", short="t", metavar="TYPE", by_hand=EVERY_TYPE)
    ] = "",
    topic: Annotated[str, Arg("Only this topic and those below it.", agents="")] = "",
    tags: Annotated[Sequence[str], Arg("All must match.", options=("tag", "tags"))] = (),
    since: Annotated[
        str, Arg("Created since: 7d, 12h, 2w, a date, today.", agents="7d, 12h, 2w or a date.")
    ] = "",
    until: Annotated[str, Arg("Created until, in the same forms.", agents="")] = "",
    min_confidence: Annotated[float | None, Arg("0 to 1.", agents="", most=1)] = None,
    max_confidence: Annotated[float | None, Arg("0 to 1.", agents="", most=1)] = None,
    status: Annotated[
        str, Arg("Default: active and needs-review.", agents="", choices=(*STATUSES, "all"))
    ] = "",
    author: Annotated[str, Arg("Part of the author's name.", agents="")] = "",
    agent: Annotated[str, Arg("By this agent.", agents="")] = "",
    session: Annotated[str, Arg("Of this session.", agents="")] = "",
    file: Annotated[
        str,
        Arg(
            "About this file or folder, or lines of it: path:42, path:40-60.",
            agents="Or folder, path:line, path:from-to.",
        ),
    ] = "",
    scope: Annotated[str, Arg("How far to look.", agents="", choices=SCOPES)] = "branch",
    branch: SeenFrom = "",
    at: Annotated[
        str, Arg("As of a revision or date.", agents="Revision or date.", metavar="REV")
    ] = "",
    records: Annotated[
        str,
        Arg(
            "Commits, sessions, checkpoints, progress: last, none, or only.",
            agents="Commits, sessions, checkpoints.",
            choices=TIERS,
        ),
    ] = "auto",
    mode: Annotated[
        str, Arg("Search by words, by meaning, or both.", agents="", choices=MODES)
    ] = "hybrid",
    order: Annotated[
        str, Arg("Default: relevance, or newest for a listing.", agents="", choices=ORDERS)
    ] = "",
    expand: Annotated[int, Arg("Follow links, 0 to 3 hops.", agents="Link hops, 0-3.", most=3)] = 0,
    relation: Annotated[
        Sequence[str], Arg("Links to follow.", agents="", options=("relation", "relations"))
    ] = (),
    detail: Annotated[
        str,
        Arg(
            "light: no text. full: whole text.",
            agents="light: no text. full: all.",
            choices=DETAILS,
        ),
    ] = "medium",
    limit: Annotated[
        int, Arg("Default: 10, or 50 for a listing.", agents="", short="n", least=1, most=1000)
    ] = 0,
    cursor: Annotated[str, Arg("From the last answer.", agents="")] = "",
    weak: Annotated[bool, Arg("Include weak matches.")] = False,
    repos: Annotated[
        Sequence[str],
        Arg(
            "Search repositories of the hub: their names, or all.",
            agents="Of the hub, or all.",
            options=("repos", "repo-name"),
            metavar="NAMES",
        ),
    ] = (),
) -> "Recalled":
    """Search memories, or list them when no query is given.

    The query may contain "phrases", -excluded words, prefix*, and filters: type: tag: topic:
    title: branch: status: author: agent: file: since: until: confidence>0.7

    >>> made = tr.remember("Use WAL mode: readers never block", tags=["db"])
    >>> [result.title for result in tr.recall("readers", tags=["db"]).results]
    ['Use WAL mode: readers never block']
    """


@verb(
    "read.read",
    example="treering read 7k2m --history",
    tool=Tool(
        (
            "One memory whole, by id: text, links, state of its files, history. Or the "
            'rest of a cut answer ("out:...").'
        ),
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
    cli=(HUB,),
)
def read(
    workspace: "Workspace",
    id: Annotated[
        str,
        Arg(
            ('Id or unique prefix, NAME:ID in another repository, or "out:..." of a cut answer.'),
            agents='Or unique prefix, or "out:..."',
            place="one",
        ),
    ],
    *,
    at: Annotated[
        str,
        Arg(
            ("As it was at a revision, a date, a commit of its history, or as a version."),
            agents="Revision, date, version.",
            metavar="REV",
        ),
    ] = "",
    history: Annotated[bool, Arg("With every change, newest first.", agents="")] = False,
    links: Annotated[int, Arg("Hops of links to show, 0 to 3.", agents="Hops, 0-3.", most=3)] = 1,
    offset: Annotated[
        int, Arg("Continue at this character (next_offset).", agents="Its next_offset.")
    ] = 0,
    branch: Branch = "",
    repos: Repos = (),
) -> "Card | Piece":
    """Show a whole memory: content, links, staleness, history.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.read(made.id[:6]).content
    'Use WAL mode: readers never block'
    """


@verb(
    "revise.revise",
    example="treering revise 7k2m --outcome failed --reason 'too slow'",
    tool=Tool(
        (
            "Change a memory that is wrong, out of date, or whose outcome is known: "
            "text, tags, status, confidence. Or mark it superseded. What is not given "
            "stays."
        ),
        is_core=True,
        changes="resources",
    ),
    cli=(CONTENT_FILE,),
)
def revise(
    workspace: "Workspace",
    id: Annotated[str, Arg("Id or unique prefix.", agents="Or unique prefix.", place="one")],
    *,
    content: Annotated[
        str,
        Arg(
            "The new text, whole.",
            agents="The whole new text.",
            by_hand="`-` reads standard input.",
        ),
    ] = "",
    append: Annotated[str, Arg("Text to add at the end.", agents="")] = "",
    title: Annotated[str, Arg('"-" clears: it follows the first line again.', agents="")] = "",
    type: Annotated[
        str, Arg("Another type.", agents="", short="t", metavar="TYPE", by_hand=EVERY_TYPE)
    ] = "",
    topic: Annotated[str, Arg('"-" clears.')] = "",
    tags_add: Annotated[
        Sequence[str], Arg("Tags to add.", agents="", options=("tag-add", "tags-add"))
    ] = (),
    tags_remove: Annotated[
        Sequence[str], Arg("Tags to take away.", agents="", options=("tag-remove", "tags-remove"))
    ] = (),
    files: Annotated[
        Sequence[str], Arg('Replaces all. ["-"] clears.', options=("file", "files"))
    ] = (),
    status: Annotated[str, Arg("Its state.", agents="", choices=STATUSES)] = "",
    confidence: Annotated[float | None, Arg("0 to 1.", agents="", most=1)] = None,
    outcome: Annotated[
        str, Arg("How it turned out.", agents="", choices=OUTCOMES, by_hand="`-` clears it.")
    ] = "",
    reason: Annotated[
        str, Arg('Why it changed or how it went. "-" clears.', agents="Why, or how it went.")
    ] = "",
    supersede_with: Annotated[
        str,
        Arg(
            "Id of the newer memory that replaces this one.",
            agents="Id of the newer memory.",
            metavar="ID",
        ),
    ] = "",
    expect: Annotated[
        str,
        Arg(
            "The version you read. Refused if it has changed.",
            agents="Version you read; refused if changed since.",
            metavar="VERSION",
        ),
    ] = "",
    branch: Branch = "",
    allow_secret: AllowSecret = False,
) -> "Revised":
    """Change parts of a memory. What is not given stays.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.revise(made.id, outcome="success", tags_add=["db"]).changed
    ('tags', 'outcome')
    """


@verb(
    "revise.forget",
    example="treering forget 7k2m --reason 'no longer true'",
    tool=Tool(
        (
            "Delete memories that are wrong or worthless, or restore them. Supersede "
            "what was replaced instead."
        ),
        is_destructive=True,
        is_idempotent=True,
        changes="resources",
    ),
)
def forget(
    workspace: "Workspace",
    ids: Annotated[
        Sequence[str],
        Arg(
            "Ids, or unique prefixes of 4 or more. All or none.",
            agents="All or none.",
            metavar="ID...",
            place="several",
        ),
    ],
    *,
    reason: Annotated[str, Arg("Why.", agents="")] = "",
    restore: Annotated[bool, Arg("Bring them back instead.", agents="")] = False,
    branch: Branch = "",
) -> "Forgotten":
    """Hide memories on this branch, or bring them back. History keeps them.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.forget([made.id]).forgotten == (made.id,)
    True
    >>> tr.forget([made.id], restore=True).restored == (made.id,)
    True
    """


@verb(
    "link.link",
    example="treering link 7k2m depends_on 0c5x --note 'needs its keys'",
    tool=Tool(
        ("Connect two memories by a relation, strengthen the link, or remove it."),
        is_idempotent=True,
        is_core=True,
    ),
    cli=(option("rest", kind="list", metavar="[RELATION] TARGET", place="several", default=()),),
)
def link(
    workspace: "Workspace",
    source: Annotated[str, Arg("Id or prefix.", place="one")],
    target: Annotated[str, Arg("Id or prefix.", agents="", doors=NOT_CLI)],
    *,
    relation: Annotated[
        str,
        Arg(
            (
                "depends_on, uses, implements, affects, references, follows, supersedes, "
                "derived_from, prerequisite_of, part_of, conflicts_with, mentions or a word"
                " of your own."
            ),
            agents=(
                "depends_on, implements, affects, references, derived_from, "
                "prerequisite_of, part_of, conflicts_with or your own."
            ),
        ),
    ] = "relates_to",
    confidence: Annotated[float, Arg("0 to 1. The higher one stays.", agents="", most=1)] = 0.8,
    note: Annotated[str, Arg('Why they belong together. "-" clears.', agents="")] = "",
    remove: Annotated[bool, Arg("Take the link away.", agents="")] = False,
    branch: Branch = "",
) -> "MadeLink | RemovedLink":
    """Link one memory to another, or remove their link.

    Give the relation between the two ids, or with --relation.

    >>> one = tr.remember("Use WAL mode: readers never block")
    >>> two = tr.remember("The report reads while orders are written")
    >>> tr.link(two.id, one.id, relation="depends_on").created
    True
    """
