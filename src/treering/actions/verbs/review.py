"""review: what is doubtful, for a person to look at."""

from treering.actions.verbs.verb import BRANCH, NOT_MCP, Verb, whole, words

REVIEW = Verb(
    "review",
    "Look at what is doubtful: stale, outdated, twice, in conflict.",
    (
        words(
            "keep",
            "Say that a person looked at this memory and keeps it.",
            metavar="ID",
            doors=NOT_MCP,
        ),
        whole("limit", "How many at most.", default=20, short="n", doors=NOT_MCP),
        BRANCH,
    ),
    example="treering review --keep 7k2m",
    more="On a terminal each memory is shown with its reasons, and one key decides: k keeps it, "
    "r revises its text in your editor, s supersedes it, m merges it with another one, f forgets "
    "it, n goes on, q ends. Elsewhere, and with --json, the queue is listed.",
    action="tidying.review.review",
)
