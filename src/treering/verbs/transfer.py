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
    branch: Annotated[str, Arg("What is seen from another branch.", short="b")] = "",
    all: Annotated[bool, Arg("Every copy of every branch, forgotten ones too.")] = False,
    private: Annotated[bool, Arg("Private memories as well.")] = False,
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
        str, Arg("What it is. Default: found out.", choices=SOURCE_NAMES, options=("from",))
    ] = "",
    branch: Annotated[str, Arg("Put everything on this branch.", short="b")] = "",
    private: Annotated[bool, Arg("Keep it on this machine only.")] = False,
    dry_run: Annotated[bool, Arg("Only say what would be imported.")] = False,
    allow_secret: AllowSecret = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Imported":
    """Take in JSON lines, markdown, or another system's store.

    `-` reads JSON lines from standard input. Other systems are an Autology folder, basic-memory
    notes, the MCP memory server's JSONL, decision records (docs/adr), a changelog (one
    memory per bullet, dated by its version), the sections of an
    AGENTS.md or CLAUDE.md, and git notes (FILE is the notes ref, or nothing for all of them).
    --from claude-code, codex or gemini brings in sessions of this repository from those agents'
    transcripts, masked and private unless treering.transcripts says otherwise (FILE is a
    transcript or a folder of them, or nothing for where the agent keeps them). What was
    imported before is skipped, and where each memory came from is kept in its details.

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
    all: Annotated[
        bool, Arg("Merges, fixups, bots' commits and dependency bumps as well.")
    ] = False,
    progress: Callable[[int, int], None] | None = None,
) -> "Backfilled":
    """Capture commits made before there were hooks. Those already captured are skipped.

    It works in batches, and what was captured stays when it is interrupted: the next call goes
    on. Merges, fixups, what bots commit and messages that only bump a dependency are left out
    and counted.

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
    """Take in what git hooks noted, and let memories follow their branches, as the worker does.

    >>> tr.drain().pending
    0
    """
