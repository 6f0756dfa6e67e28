"""The commands export, import and backfill."""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treering.cli.invocation import Invocation, is_secret_allowed, print_json
from treering.cli.screen import count, progress_bar, table
from treering.errors import Invalid, StorageFailed
from treering.git.files import replacement
from treering.model.choices import SOURCE_NAMES

if TYPE_CHECKING:
    from treering.answers import Backfilled, Imported

_OTHER_SYSTEMS = set(SOURCE_NAMES) - {"jsonl", "markdown"}


def run_export(
    call: Invocation, output: str, markdown: str, html: str, **options: Any
) -> dict[str, Any] | None:
    from treering.actions.export import export_markdown, export_records

    if html:
        return _export_page(call, Path(html), **options)
    if markdown:
        number = export_markdown(call.workspace, Path(markdown), **options)
        return {"exported": number, "folder": markdown}
    records = export_records(call.workspace, **options)
    if output:
        return {"exported": _write(Path(output), records), "file": output}
    for record in records:
        print_json(record)
    return None


def _export_page(
    call: Invocation, folder: Path, *, branch: str, all: bool, private: bool
) -> dict[str, Any]:
    if all:
        raise Invalid(
            "--all is not for --html: a page is what one branch sees.",
            hint=f"`treering export --html {folder} --branch NAME`",
        )
    from treering.mcp.repository import ServedRepository
    from treering.web.export import PageExport

    place = ServedRepository(call.workspace.repository.git_dir, is_named=True)
    number = PageExport(place, folder, branch, private=private).write()
    return {"exported": number, "folder": str(folder)}


def _write(path: Path, records: Iterator[Mapping[str, object]]) -> int:
    """A failure leaves an older export as it was."""
    number = 0
    try:
        with replacement(path) as file:
            for number, record in enumerate(records, 1):  # noqa: B007 - the last one is the answer
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error
    return number


def render_export(answer: dict[str, Any]) -> str:
    return f"exported {count(answer['exported'])} to {answer.get('file') or answer['folder']}"


def run_import(call: Invocation, path: str | None, system: str, **options: Any) -> "Imported":
    from treering.actions.imports.imports import (
        AGENT_MEMORY,
        GIT_NOTES,
        import_path,
        import_records,
    )
    from treering.actions.imports.records import from_lines
    from treering.actions.imports.transcripts import AGENTS

    if not path and system.lower() in AGENTS:
        del options["allow_secret"]  # credentials are masked, whoever asks
        return _import_sessions(call, system.lower(), **options)
    if not path and system.lower() == AGENT_MEMORY:
        path = _name_memory_folder(call)
    if not path and system != GIT_NOTES:
        raise click.UsageError("Missing argument 'FILE'.")
    options["allow_secret"] = is_secret_allowed(options["allow_secret"])
    workspace = call.workspace
    with progress_bar("importing", quiet=call.as_json) as progress:
        if path == "-":
            records = from_lines(sys.stdin.buffer.read())
            return import_records(workspace, records, progress=progress, **options)
        return import_path(workspace, path or "", system=system, progress=progress, **options)


def _import_sessions(call: Invocation, system: str, **options: Any) -> "Imported":
    """Sessions of this repository, from where the agent's client keeps its transcripts."""
    from treering.actions.imports.transcripts import import_transcripts

    place = _transcripts_of(system)
    if not place.is_dir():
        raise Invalid(f"No {system} transcripts found in {place}.")
    with progress_bar("importing", quiet=call.as_json) as progress:
        return import_transcripts(
            call.workspace, str(place), system, is_usual_place=True, progress=progress, **options
        )


def _transcripts_of(system: str) -> Path:
    """Return where a client keeps its transcripts, unless its own variable says otherwise."""
    name, variable, folder = {
        "claude-code": (".claude", "CLAUDE_CONFIG_DIR", "projects"),
        "codex": (".codex", "CODEX_HOME", "sessions"),
        "gemini": (".gemini", "", "tmp"),
    }[system]
    return Path(os.environ.get(variable) or Path.home() / name) / folder


def _name_memory_folder(call: Invocation) -> str:
    """Return where Claude keeps what it learned in this repository: a folder named by its path."""
    repository = call.workspace.repository
    name = re.sub(
        r"[^A-Za-z0-9]", "-", str(repository.workdir or repository.common_dir).rstrip("/")
    )
    place = _transcripts_of("claude-code") / name / "memory"
    if not place.is_dir():
        raise Invalid(f"Claude keeps no memory of this repository in {place}.")
    return str(place)


def exit_code_import(answer: "Imported") -> int:
    """A bad line costs nothing but itself. Only bad lines are a failure."""
    return 1 if answer.errors and not answer.imported and not answer.skipped else 0


def render_import(answer: "Imported") -> str:
    verb = "would import" if answer.dry_run else "imported"
    source = f" from {answer.source}" if answer.source in _OTHER_SYSTEMS else ""
    lines = [f"{verb} {answer.imported}{source}, skipped {answer.skipped} already here"]
    rows = [(p.type, p.branch, p.title) for p in answer.preview or ()]
    lines.append(table(rows, indent="  "))
    if (more := answer.imported - len(rows)) and rows:
        lines.append(f"  and {more} more")
    lines += [f"  {e.where}: {e.message}" for e in answer.errors]
    lines += [f"undo: {answer.back}"] if answer.back else []
    return "\n".join(line for line in lines if line)


def run_backfill(call: Invocation, **options: Any) -> Any:
    try:
        with progress_bar("capturing commits", quiet=call.as_json) as progress:
            answer = call.act("backfill", progress=progress, **options)
    except KeyboardInterrupt:
        call.say("\nInterrupted. Run `treering backfill` again to continue.")
        raise
    call.tidy_later()
    return answer


def render_backfill(answer: "Backfilled") -> str:
    left_out = sum(answer.left_out.values())
    lines = [f"captured {count(answer.captured, 'commit')}"]
    lines.append(table([(b, str(n)) for b, n in answer.branches.items()], indent="  "))
    if known := answer.skipped - left_out:
        lines.append(f"{count(known, 'commit')} already captured")
    if left_out:
        kinds = ", ".join(f"{number} {kind}" for kind, number in answer.left_out.items())
        lines.append(f"{count(left_out, 'commit')} left out ({kinds}): --all includes them")
    return "\n".join(line for line in lines if line)
