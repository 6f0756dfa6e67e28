"""export, import, backfill: many memories at once."""

from treering.actions.verbs.verb import ALLOW_SECRET, CLI, REQUIRED, Verb, flag, text
from treering.model.choices import SOURCE_NAMES

EXPORT = Verb(
    "export",
    "Write memories as JSON lines, or as markdown files.",
    (
        text("branch", "What is seen from another branch.", short="b"),
        flag("all", "Every copy of every branch, forgotten ones too."),
        flag("private", "Private memories as well."),
        text("output", "Default: standard output.", short="o", metavar="FILE", doors=CLI),
        text("markdown", "Write markdown files instead.", metavar="DIR", doors=CLI),
    ),
    example="treering export --all --output memories.jsonl",
    action="export.export_records",
)

IMPORT = Verb(
    "import",
    "Take in JSON lines, markdown, or another system's store.",
    (
        text("path", default=REQUIRED, argument="optional", metavar="[FILE]"),
        text(
            "system",
            "What it is. Default: found out.",
            choices=SOURCE_NAMES,
            options=("from",),
        ),
        text("branch", "Put everything on this branch.", short="b"),
        flag("private", "Keep it on this machine only."),
        flag("dry_run", "Only say what would be imported."),
        ALLOW_SECRET,
    ),
    example="treering import memories.jsonl --dry-run",
    more="`-` reads JSON lines from standard input. "
    "Other systems are an Autology folder, basic-memory notes, the MCP memory server's JSONL, "
    "decision records (docs/adr), the sections of an AGENTS.md or CLAUDE.md, and git notes (FILE "
    "is the notes ref, or nothing for all of them). --from claude-code, codex or gemini brings in "
    "sessions of this repository from those agents' transcripts, masked and private unless "
    "treering.transcripts says otherwise (FILE is a transcript or a folder of them, or nothing for "
    "where the agent keeps them). What was imported before is skipped, and where "
    "each memory came from is kept in its details.",
    action="imports.imports.import_path",
)

BACKFILL = Verb(
    "backfill",
    "Capture commits made before there were hooks. Those already captured are skipped.",
    (
        text("since", "Only commits since a date, or 90d.", metavar="WHEN"),
        text("branch", "Only this branch. Default: all of them.", short="b"),
        flag("all", "Merges, fixups, bots' commits and dependency bumps as well."),
    ),
    example="treering backfill --since 90d",
    more="It works in batches, and what was captured stays when it is interrupted: the next call "
    "goes on. Merges, fixups, what bots commit and messages that only bump a dependency are left "
    "out and counted.",
)
