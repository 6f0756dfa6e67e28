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
    """Beside, then in place: a failure leaves an older export as it was."""
    beside = path.with_name(path.name + ".part")
    count = 0
    try:
        beside.unlink(missing_ok=True)  # also a link that someone put there
        with beside.open("x", encoding="utf-8") as file:
            for count, line in enumerate(lines, 1):  # noqa: B007 - the last count is the answer
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error
    return count


def text(answer: dict[str, Any]) -> str:
    return f"exported {memories(answer['exported'])} to {answer.get('file') or answer['folder']}"
