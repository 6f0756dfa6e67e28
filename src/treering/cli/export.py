"""treering export"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from treering.actions.export import export_markdown, export_records
from treering.cli.render import memories
from treering.cli.shared import Door
from treering.errors import StorageFailed
from treering.git.files import replacement


def run(door_: Door, output: str, markdown: str, **given: Any) -> dict[str, Any] | None:
    workspace = door_.open()
    if markdown:
        count = export_markdown(workspace, Path(markdown), **given)
        return {"exported": count, "folder": markdown}
    lines = export_records(workspace, **given)
    if output:
        return {"exported": _write(Path(output), lines), "file": output}
    for line in lines:
        click.echo(json.dumps(line, ensure_ascii=False))
    return None


def _write(path: Path, lines: Iterator[dict[str, Any]]) -> int:
    """A failure leaves an older export as it was."""
    count = 0
    try:
        with replacement(path) as file:
            for count, line in enumerate(lines, 1):  # noqa: B007 - the last count is the answer
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error
    return count


def text(answer: dict[str, Any]) -> str:
    return f"exported {memories(answer['exported'])} to {answer.get('file') or answer['folder']}"
