"""why, review, log, diff, guard, revert: what memories explain, and what became of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from treering.verbs.verb import NOT_MCP, Arg, Branch, SeenFrom, flag, verb

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.answers import Diff, Guarded, Log, ReviewQueue, Revised, WhyAnswer


@verb(
    "why.why.why",
    example="treering why src/db.py:40-60",
    cli=(flag("markdown", "Print markdown for a review."),),
)
def why(
    workspace: "Workspace",
    path: Annotated[str, Arg(metavar="PATH[:LINE[-LINE]]", place="one")],
    *,
    at: Annotated[str, Arg("The file as of this revision.", metavar="REV")] = "",
    limit: Annotated[
        int, Arg("Maximum number of memories. Default: 20.", short="n", least=1, most=1000)
    ] = 0,
    branch: Annotated[str, Arg("On another branch.", short="b")] = "",
) -> "WhyAnswer":
    """Show why a line of code is there: its commit and its reasons.

    Follows lines through moves, reformatting, squashes and rebases to the branch they landed
    from. Skips commits listed in `.git-blame-ignore-revs` or `blame.ignoreRevsFile`.

    >>> made = tr.remember("The readme is short on purpose", files=["README.md"])
    >>> found = tr.why("README.md:1")
    >>> [memory.title for memory in found.memories], found.lines[0].subject
    (['The readme is short on purpose'], 'add README.md')
    """


@verb("review.review", example="treering review --keep 7k2m")
def review(
    workspace: "Workspace",
    *,
    keep: Annotated[
        Sequence[str],
        Arg("Confirm this memory: you looked at it and it stands.", metavar="ID", doors=NOT_MCP),
    ] = (),
    limit: Annotated[
        int, Arg("Maximum number of results.", short="n", doors=NOT_MCP, least=1, most=1000)
    ] = 20,
    branch: Branch = "",
    caller: str = "",
) -> "ReviewQueue":
    """List memories that need a look: stale, outdated, duplicated, in conflict.

    Each comes with its reasons and the command that settles the most serious one. `treering web`
    has a page for this.

    >>> made = tr.remember("Perhaps use WAL mode", confidence=0.3)
    >>> [doubt.reason for doubt in tr.review().items[0].reasons]
    ['low-confidence']
    >>> tr.review(keep=[made.id]).total
    0
    """


@verb(
    "history.log",
    example="treering log --graph",
    cli=(flag("graph", "Draw branches and promotions as a graph."),),
)
def log(
    workspace: "Workspace",
    id: Annotated[str, Arg(place="optional")] = "",
    *,
    limit: Annotated[int, Arg("Maximum number of changes.", short="n", least=1, most=100_000)] = 50,
    branch: SeenFrom = "",
    all: Annotated[bool, Arg("Every branch.")] = False,
) -> "Log":
    """Show the history of memories, or of one, newest first.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> [entry.op for entry in tr.log(made.id).entries]
    ['remember']
    """


@verb(
    "history.diff",
    example="treering diff main..feature --markdown",
    cli=(flag("markdown", "Print markdown for a pull request."),),
)
def diff(
    workspace: "Workspace",
    range: Annotated[str, Arg(metavar="[A..B]", place="optional")] = "",
    *,
    private: Annotated[bool, Arg("Include private memories, marked.")] = False,
) -> "Diff":
    """Show the memories that branch B has and branch A lacks.

    Default: what HEAD has and the trunk lacks.

    >>> tr.diff("main..main").added
    ()
    """


@verb(
    "guard.guard",
    example="treering guard main..feature --markdown",
    cli=(
        flag("strict", "Exit with 1 if a finding is not acknowledged."),
        flag("markdown", "Print markdown for a pull request."),
        flag("sarif", "Print SARIF for code scanning."),
    ),
)
def guard(
    workspace: "Workspace",
    range: Annotated[str, Arg(metavar="[A..B]", place="optional")] = "",
    *,
    staged: Annotated[bool, Arg("Check what is staged, instead of a range.")] = False,
    private: Annotated[bool, Arg("Include private memories, marked.")] = False,
) -> "Guarded":
    """Show which decisions a change is about to overrule.

    Lists the decisions, conventions, failed attempts, root causes and commits with a reason
    whose lines B removes since it left A. Default: HEAD since it left the trunk. On the trunk:
    what is not pushed yet, else the last commit. White space, moves, reformatting, generated
    files and lock files do not count. `Overrules: ID reason` in a commit message, or a memory
    that supersedes the other, acknowledges a finding.

    >>> tr.guard("main..HEAD").findings
    ()
    """


@verb("history.revert", example="treering revert 7k2m --to 9fceb02d0ae5")
def revert(
    workspace: "Workspace",
    id: Annotated[str, Arg(place="one")],
    *,
    to: Annotated[str, Arg("Go back to this commit of `treering log ID`.", metavar="COMMIT")] = "",
    expect: Annotated[str, Arg("Only if it still is this version.", metavar="VERSION")] = "",
    branch: Annotated[str, Arg("On another branch.", short="b")] = "",
) -> "Revised":
    """Undo the last change of a memory. If ID is a commit of `treering log`, undo all it did.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> changed = tr.revise(made.id, tags_add=["db"])
    >>> tr.revert(made.id).changed
    ('tags',)
    """
