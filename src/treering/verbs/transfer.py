"""export, import, backfill: many memories at once."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

from treering.model.choices import SOURCE_NAMES
from treering.verbs.verb import AllowSecret, Arg, option, verb

if TYPE_CHECKING:
    from pathlib import Path

    from treering.actions.workspace import Workspace
    from treering.answers import Backfilled, Drained, ExportedMemory, Imported


@verb(
    "export.export_records",
    example="treering export --all --output memories.jsonl",
    cli=(
        option("output", "Default: standard output.", short="o", metavar="FILE"),
        option("markdown", "Write markdown files instead.", metavar="DIR"),
        option("html", "Write the page of `treering web` as files instead.", metavar="DIR"),
    ),
)
def export(
    workspace: "Workspace",
    *,
    branch: Annotated[str, Arg("As seen from another branch.", short="b")] = "",
    all: Annotated[bool, Arg("Every copy on every branch, including forgotten ones.")] = False,
    private: Annotated[bool, Arg("Include private memories.")] = False,
) -> "Iterator[ExportedMemory]":
    """Write memories as JSON lines, as markdown files, or as a page to look at.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> [memory["title"] for memory in tr.exported()]
    ['Use WAL mode: readers never block']
    """


@verb(
    "imports.imports.import_path", example="treering import memories.jsonl --dry-run", name="import"
)
def import_(
    workspace: "Workspace",
    path: Annotated[str, Arg(metavar="[FILE]", place="optional")],
    *,
    system: Annotated[
        str, Arg("The source. Default: detected.", choices=SOURCE_NAMES, options=("from",))
    ] = "",
    branch: Annotated[str, Arg("Put everything on this branch.", short="b")] = "",
    private: Annotated[bool, Arg("Keep them on this machine only.")] = False,
    dry_run: Annotated[bool, Arg("Show what would be imported without doing it.")] = False,
    allow_secret: AllowSecret = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Imported":
    """Import JSON lines, markdown, or another system's data.

    `-` reads JSON lines from standard input. Also reads Autology folders, basic-memory notes,
    the MCP memory server's JSONL, decision records (docs/adr), changelogs (one memory per
    bullet, dated by its version), the sections of an AGENTS.md, CLAUDE.md or .cursor/rules,
    and git notes (FILE is a notes ref, or nothing for all). --from agent-memory imports, as
    private, what Claude (.claude/projects/NAME/memory, found without FILE) or Codex
    (.codex/memories) keeps. --from claude-code, codex or gemini imports this repository's
    sessions from those agents' transcripts, with credentials masked and private unless
    treering.transcripts says otherwise (FILE is a transcript or folder, or nothing for the
    agent's usual place). Anything imported before is skipped.

    >>> written = (folder / "notes.jsonl").write_text('{"content": "Use WAL mode"}')
    >>> tr.import_path(folder / "notes.jsonl").imported
    1
    """


@verb("backfill.backfill", example="treering backfill --since 90d")
def backfill(
    workspace: "Workspace",
    *,
    since: Annotated[str, Arg("Only commits since a date, or 90d.", metavar="WHEN")] = "",
    branch: Annotated[str, Arg("Only this branch. Default: all of them.", short="b")] = "",
    all: Annotated[bool, Arg("Include merges, fixups, bots and dependency bumps.")] = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Backfilled":
    """Capture commits made before hooks were installed. Captured ones are skipped.

    Works in batches: if interrupted, run it again to continue. Merges, fixups, bots' commits and
    dependency bumps are left out and counted.

    >>> tr.backfill(since="90d").captured
    2
    """


# --- for Python callers alone ---------------------------------------------------------------------


@verb("export.export_markdown", example="tr.export_markdown(folder)")
def export_markdown(
    workspace: "Workspace",
    folder: "Path | str",
    *,
    branch: str = "",
    all: bool = False,
    private: bool = False,
) -> int:
    """Write memories as markdown files below a folder, and return how many.

    >>> made = tr.remember("Use WAL mode: readers never block")
    >>> tr.export_markdown(folder)
    1
    """


@verb("driver.drain", example="tr.drain()")
def drain(workspace: "Workspace") -> "Drained":
    """Process what git hooks noted, and move memories with their branches, as the worker does.

    >>> tr.drain().pending
    0
    """
