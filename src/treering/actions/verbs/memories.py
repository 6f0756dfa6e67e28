"""remember, recall, read, revise, forget, link: one memory, from its first day to its last."""

from treering.actions.verbs.verb import (
    ALLOW_SECRET,
    BRANCH,
    CLI,
    CONTENT_FILE,
    EVERY_TYPE,
    HUB,
    NOT_CLI,
    REPOS,
    REQUIRED,
    Tool,
    Verb,
    flag,
    number,
    text,
    whole,
    words,
)
from treering.model.choices import DETAILS, MODES, ORDERS, OUTCOMES, SCOPES, STATUSES, TIERS

REMEMBER = Verb(
    "remember",
    "Store a memory on the current branch.",
    (
        text(
            "content",
            "The memory, in markdown. Its first line is the title unless one is given.",
            default=REQUIRED,
            argument="optional",
        ),
        CONTENT_FILE,
        text(
            "type",
            "decision, pattern, convention, component, concept, insight, issue, debt, api, config, "
            "security, testing, progress or context. Default: classified from the text.",
            short="t",
            metavar="TYPE",
        ),
        text("title", "Up to 200 characters. Default: the first line."),
        text("topic", "A path such as backend/auth/tokens."),
        text("reasoning", "Why: what was weighed, what was given up."),
        words("tags", "Labels.", options=("tag", "tags")),
        words(
            "files",
            "Files it is about. recall shows when they changed.",
            options=("file", "files"),
        ),
        number("confidence", "0 to 1.", default=0.8),
        words("supersedes", "Ids of the memories this one replaces.", metavar="ID"),
        words(
            "links",
            'Each "relation:id", such as "depends_on:7k2m9qx4".',
            options=("link", "links"),
            metavar="RELATION:ID",
        ),
        BRANCH,
        flag("private", "Keep it on this machine. It is never synced."),
        text("session", "The work session it belongs to."),
        text("agent", "The agent that learned it. Default: the client's own name."),
        text("outcome", "How it turned out.", choices=OUTCOMES),
        text("id", "An id to keep, when copying. Default: made from the content."),
        ALLOW_SECRET,
    ),
    example="treering remember 'Use WAL mode: readers never block' -t decision --tag db",
    more="The content is the argument, or standard input with `-` or when nothing is given.",
    tool=Tool(
        "Save a memory for later sessions and teammates when you learn what the code does not "
        "say: a decision and why, a root cause, a convention, a gotcha. Answers with similar "
        "memories and links worth making. Not for session progress (checkpoint), changing a "
        "memory (revise), secrets.",
        is_idempotent=True,
        is_core=True,
        changes="resources",
    ),
)

RECALL = Verb(
    "recall",
    "Search memories, or list them when no query is given.",
    (
        text(
            "query",
            'Words, "phrases", -not, prefix*, and filters type: tag: topic: title: author: file: '
            "since: confidence>0.7. Empty lists the newest.",
            argument="joined",
        ),
        text("type", "Only this type.", short="t", by_hand=EVERY_TYPE, metavar="TYPE"),
        text("topic", "Only below this topic."),
        words("tags", "All must match.", options=("tag", "tags")),
        text("since", "Created since: 7d, 12h, 2w, a date, today."),
        text("until", "Created until, written like since."),
        number("min_confidence", "0 to 1."),
        number("max_confidence", "0 to 1."),
        text("status", "Default: active and needs-review.", choices=(*STATUSES, "all")),
        text("author", "Part of the name."),
        text("agent", "By this agent."),
        text("session", "Of this session."),
        text("file", "About this file or folder, or lines of it: path:42, path:40-60."),
        text("scope", "How far to look.", default="branch", choices=SCOPES),
        text("branch", "As seen from another branch.", short="b"),
        text("at", "As of a revision or date.", metavar="REV"),
        text(
            "records",
            "Commits, sessions, checkpoints, progress: last, none, or only.",
            default="auto",
            choices=TIERS,
        ),
        text("mode", "By words, by meaning, or both.", default="hybrid", choices=MODES),
        text("order", "Default: relevance, or newest for a listing.", choices=ORDERS),
        whole("expand", "Follow links, 0 to 3 hops."),
        words("relation", "Links to follow.", options=("relation", "relations")),
        text(
            "detail", "light: no text. full: whole text.", default="medium", choices=DETAILS
        ),
        whole("limit", "Default: 10, or 50 for a listing.", short="n"),
        text("cursor", "From the last answer."),
        flag("weak", "Also weak matches."),
        REPOS,
        HUB,
        flag("pick", "Number what was found, and read what you choose.", doors=CLI),
    ),
    example="treering recall 'why is the start slow' --tag cache --since 30d",
    more='The query may hold "phrases", -words to leave out, prefix*, and filters: type: tag: '
    "topic: title: branch: status: author: agent: file: since: until: confidence>0.7",
    tool=Tool(
        "Search this repository's memory: past decisions, known issues, conventions, why "
        'something is as it is. Use before designing, debugging or changing code you do not '
        'know. A few plain words work best, no query lists the newest. Sees this branch and the '
        'trunk. Not for searching code.',
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
)  # fmt: skip

READ = Verb(
    "read",
    "Show a whole memory: content, links, staleness, history.",
    (
        text(
            "id",
            'Id or unique prefix, NAME:ID in another repository, or "out:..." of a cut answer.',
            default=REQUIRED,
            argument="one",
        ),
        text(
            "at",
            "As it was at a revision, a date, a commit of its history, or as a version.",
            metavar="REV",
        ),
        flag("history", "With every change, newest first."),
        whole("links", "Hops of links to show, 0 to 3.", default=1),
        whole("offset", "Continue at this character (next_offset)."),
        BRANCH,
        REPOS,
        HUB,
    ),
    example="treering read 7k2m --history",
    tool=Tool(
        "One memory whole, by id: text, links, state of its files, history. Or the rest of a "
        'cut answer ("out:...").',
        is_read_only=True,
        is_idempotent=True,
        is_core=True,
    ),
)

REVISE = Verb(
    "revise",
    "Change parts of a memory. What is not given stays.",
    (
        text("id", "Id or unique prefix.", default=REQUIRED, argument="one"),
        text("content", "The new text, whole.", by_hand="`-` reads standard input."),
        CONTENT_FILE,
        text("append", "Text to add at the end."),
        text("title", '"-" clears: it follows the first line again.'),
        text("type", "Another type.", short="t", by_hand=EVERY_TYPE, metavar="TYPE"),
        text("topic", '"-" clears.'),
        words("tags_add", "Tags to add.", options=("tag-add", "tags-add")),
        words("tags_remove", "Tags to take away.", options=("tag-remove", "tags-remove")),
        words("files", 'Replaces all. ["-"] clears.', options=("file", "files")),
        text("status", "Its state.", choices=STATUSES),
        number("confidence", "0 to 1."),
        text("outcome", "How it turned out.", choices=OUTCOMES, by_hand="`-` clears it."),
        text("reason", 'Why it changed or how it went. "-" clears.'),
        text("supersede_with", "Id of the newer memory that replaces this one.", metavar="ID"),
        text(
            "expect", "The version you read. Refused if it has changed.", metavar="VERSION"
        ),
        BRANCH,
        ALLOW_SECRET,
    ),
    example="treering revise 7k2m --outcome failed --reason 'too slow'",
    tool=Tool(
        'Change a memory that is wrong, out of date, or whose outcome is known: text, tags, '
        'status, confidence. Or mark it superseded. What is not given stays.',
        is_core=True,
        changes="resources",
    ),
)  # fmt: skip

FORGET = Verb(
    "forget",
    "Hide memories on this branch, or bring them back. History keeps them.",
    (
        words(
            "ids",
            "Ids, or unique prefixes of 4 or more. All or none.",
            default=REQUIRED,
            argument="several",
            metavar="ID...",
        ),
        text("reason", "Why."),
        flag("restore", "Bring them back instead."),
        BRANCH,
    ),
    example="treering forget 7k2m --reason 'no longer true'",
    tool=Tool(
        "Delete memories that are wrong or worthless, or restore them. Supersede what was "
        "replaced instead.",
        is_destructive=True,
        is_idempotent=True,
        changes="resources",
    ),
)

LINK = Verb(
    "link",
    "Link one memory to another, or remove their link.",
    (
        text("source", "Id or prefix.", default=REQUIRED, argument="one"),
        text("target", "Id or prefix.", default=REQUIRED, doors=NOT_CLI),
        words("rest", argument="several", metavar="[RELATION] TARGET", doors=CLI),
        text(
            "relation",
            "depends_on, uses, implements, affects, references, follows, supersedes, derived_from, "
            "prerequisite_of, part_of, conflicts_with, mentions or a word of your own.",
            default="relates_to",
        ),
        number("confidence", "0 to 1. The higher one stays.", default=0.8),
        text("note", 'Why they belong together. "-" clears.'),
        flag("remove", "Take the link away."),
        BRANCH,
    ),
    example="treering link 7k2m depends_on 0c5x --note 'needs its keys'",
    more="Give the relation between the two ids, or with --relation.",
    tool=Tool(
        "Connect two memories by a relation, strengthen the link, or remove it.",
        is_idempotent=True,
        is_core=True,
    ),
)
