"""log, diff, revert: what memories were, and what became of them."""

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

DIFF = Verb(
    "diff",
    "Show what branch B knows that branch A does not.",
    (
        text("range", default=REQUIRED, argument="one", metavar="A..B"),
        flag("markdown", "As a section for a pull request.", doors=CLI),
    ),
    example="treering diff main..feature --markdown",
)

REVERT = Verb(
    "revert",
    "Make a memory what it was before its last change.",
    (
        text("id", default=REQUIRED, argument="one"),
        text("to", "What it was at this commit of `treering log ID`.", metavar="COMMIT"),
        text("branch", "On another branch.", short="b"),
    ),
    example="treering revert 7k2m --to 9fceb02d0ae5",
)
