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
    cli=(flag("markdown", "As a section for a review."),),
)
def why(
    workspace: "Workspace",
    path: Annotated[str, Arg(metavar="PATH[:LINE[-LINE]]", place="one")],
    *,
    at: Annotated[str, Arg("The file as it is at this revision.", metavar="REV")] = "",
    limit: Annotated[
        int, Arg("How many memories at most. Default: 20.", short="n", least=1, most=1000)
    ] = 0,
    branch: Annotated[str, Arg("Of another branch.", short="b")] = "",
) -> "WhyAnswer":
    """Show why a line of code is there: its commit and its reasons.

    Lines are followed through moves, reformats, squashes and rebases to the branch they landed
    from. A commit that `blame.ignoreRevsFile` names is passed over.

    >>> made = tr.remember("The readme is short on purpose", files=["README.md"])
    >>> found = tr.why("README.md:1")
    >>> [memory.title for memory in found.memories], found.lines[0].subject
    (['The readme is short on purpose'], 'add README.md')
    """


@verb("tidying.review.review", example="treering review --keep 7k2m")
def review(
    workspace: "Workspace",
    *,
    keep: Annotated[
        Sequence[str],
        Arg("Say that a person looked at this memory and keeps it.", metavar="ID", doors=NOT_MCP),
    ] = (),
    limit: Annotated[
        int, Arg("How many at most.", short="n", doors=NOT_MCP, least=1, most=1000)
    ] = 20,
    branch: Branch = "",
) -> "ReviewQueue":
    """Look at what is doubtful: stale, outdated, twice, in conflict.

    Each memory is listed with its reasons and the command that settles the gravest of them.
    `treering web` has a page for it.

    >>> made = tr.remember("Perhaps use WAL mode", confidence=0.3)
    >>> [doubt.reason for doubt in tr.review().items[0].reasons]
    ['low-confidence']
    >>> tr.review(keep=[made.id]).total
    0
    """


@verb(
    "log.log",
    example="treering log --graph",
    cli=(flag("graph", "Draw every branch, and where it was promoted."),),
)
def log(
    workspace: "Workspace",
    id: Annotated[str, Arg(place="optional")] = "",
    *,
    limit: Annotated[int, Arg("How many changes at most.", short="n", least=1, most=100_000)] = 50,
    branch: SeenFrom = "",
    all: Annotated[bool, Arg("Every branch.")] = False,
) -> "Log":
    """Show what happened to memories, or to one of them, newest first.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> [entry.op for entry in tr.log(made.id).entries]
    ['remember']
    """


@verb(
    "diff.diff",
    example="treering diff main..feature --markdown",
    cli=(flag("markdown", "As a section for a pull request."),),
)
def diff(
    workspace: "Workspace",
    range: Annotated[str, Arg(metavar="[A..B]", place="optional")] = "",
    *,
    private: Annotated[bool, Arg("Private memories as well, marked.")] = False,
) -> "Diff":
    """Show what branch B knows that branch A does not.

    Default: what is seen from HEAD and not from the trunk.

    >>> tr.diff("main..main").added
    ()
    """


@verb(
    "guard.guard",
    example="treering guard main..feature --markdown",
    cli=(
        flag("strict", "Exit with 1 while a finding is not acknowledged."),
        flag("markdown", "As a comment for a pull request."),
        flag("sarif", "As SARIF, for code scanning."),
    ),
)
def guard(
    workspace: "Workspace",
    range: Annotated[str, Arg(metavar="[A..B]", place="optional")] = "",
    *,
    staged: Annotated[bool, Arg("What is about to be committed, instead of a range.")] = False,
    private: Annotated[bool, Arg("Private memories as well, marked.")] = False,
) -> "Guarded":
    """Show which decisions a change is about to overrule.

    Lists the decisions, conventions, failed attempts, root causes and commits with a reason
    whose lines B takes away since it left A. Default: what HEAD has since it left the trunk. On
    the trunk it is what was not pushed yet, else the last commit. White space, moves, reformats,
    generated files and lock files do not count. `Overrules: ID reason` in a commit message, or a
    memory that supersedes the other, acknowledges a finding.

    >>> tr.guard("main..HEAD").findings
    ()
    """


@verb("revert.revert", example="treering revert 7k2m --to 9fceb02d0ae5")
def revert(
    workspace: "Workspace",
    id: Annotated[str, Arg(place="one")],
    *,
    to: Annotated[
        str, Arg("What it was at this commit of `treering log ID`.", metavar="COMMIT")
    ] = "",
    branch: Annotated[str, Arg("On another branch.", short="b")] = "",
) -> "Revised":
    """Make a memory what it was before its last change. ID may be a commit of `treering log`: then
    all that it changed.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> changed = tr.revise(made.id, tags_add=["db"])
    >>> tr.revert(made.id).changed
    ('tags',)
    """
