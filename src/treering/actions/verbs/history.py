"""log, why, diff, guard, revert: what memories were, and what became of them."""

from treering.actions.verbs.verb import CLI, REQUIRED, Verb, flag, text, whole

LOG = Verb(
    "log",
    "Show what happened to memories, or to one of them, newest first.",
    (
        text("id", argument="optional"),
        whole("limit", "How many changes at most.", default=50, short="n"),
        text("branch", "As seen from another branch.", short="b"),
        flag("all", "Every branch."),
        flag("graph", "Draw every branch, and where it was promoted.", doors=CLI),
    ),
    example="treering log --graph",
)

WHY = Verb(
    "why",
    "Show why a line of code is there: its commit and its reasons.",
    (
        text("path", default=REQUIRED, argument="one", metavar="PATH[:LINE[-LINE]]"),
        text("at", "The file as it is at this revision.", metavar="REV"),
        whole("limit", "How many memories at most. Default: 20.", short="n"),
        text("branch", "Of another branch.", short="b"),
        flag("markdown", "As a section for a review.", doors=CLI),
    ),
    example="treering why src/db.py:40-60",
    action="why.why.why",
    more="Lines are followed through moves, reformats, squashes and rebases to the branch they "
    "landed from. A commit that `blame.ignoreRevsFile` names is passed over.",
)

DIFF = Verb(
    "diff",
    "Show what branch B knows that branch A does not.",
    (
        text("range", default=REQUIRED, argument="one", metavar="A..B"),
        flag("private", "Private memories as well, marked."),
        flag("markdown", "As a section for a pull request.", doors=CLI),
    ),
    example="treering diff main..feature --markdown",
)

GUARD = Verb(
    "guard",
    "Show which decisions a change is about to overrule.",
    (
        text("range", argument="optional", metavar="A..B"),
        flag("staged", "What is about to be committed, instead of a range."),
        flag("strict", "Exit with 1 while a finding is not acknowledged.", doors=CLI),
        flag("private", "Private memories as well, marked."),
        flag("markdown", "As a comment for a pull request.", doors=CLI),
        flag("sarif", "As SARIF, for code scanning.", doors=CLI),
    ),
    example="treering guard main..feature --markdown",
    more="Lists the decisions, conventions, failed attempts, root causes and commits with a reason "
    "whose lines B takes away since it left A. Default: what HEAD has since it left the trunk. On "
    "the trunk it is what was not pushed yet, else the last commit. White space, moves, reformats, "
    "generated files and lock files do not count. `Overrules: ID reason` in a commit message, or a "
    "memory that supersedes the other, acknowledges a finding.",
)

REVERT = Verb(
    "revert",
    "Make a memory what it was before its last change. ID may be a commit of `treering log`: then "
    "all that it changed.",
    (
        text("id", default=REQUIRED, argument="one"),
        text("to", "What it was at this commit of `treering log ID`.", metavar="COMMIT"),
        text("branch", "On another branch.", short="b"),
    ),
    example="treering revert 7k2m --to 9fceb02d0ae5",
)
