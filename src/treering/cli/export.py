"""treering export"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from treering.actions.export import export_markdown, exported
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import memories
from treering.errors import StorageFailed


@click.command("export", epilog="Example: treering export --all --output memories.jsonl")
@click.option("-b", "--branch", default="", help="What is seen from another branch.")
@click.option("--all", "all_", is_flag=True, help="Every copy of every branch, forgotten ones too.")
@click.option("--private", is_flag=True, help="Private memories as well.")
@click.option("-o", "--output", metavar="FILE", help="Default: standard output.")
@click.option("--markdown", metavar="DIR", help="Write markdown files instead.")
@door.command
def command(
    door_: Door, branch: str, all_: bool, private: bool, output: str | None, markdown: str | None
) -> None:
    """Write memories as JSON lines, or as markdown files."""
    workspace = door_.open()
    if markdown:
        count = export_markdown(workspace, Path(markdown), branch=branch, all=all_, private=private)
        door_.answer({"exported": count, "folder": markdown}, _text)
        return
    lines = exported(workspace, branch=branch, all=all_, private=private)
    if output:
        count = _write(Path(output), lines)
        door_.answer({"exported": count, "file": output}, _text)
        return
    for line in lines:
        click.echo(json.dumps(line, ensure_ascii=False))


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


def _text(answer: dict[str, Any]) -> str:
    return f"exported {memories(answer['exported'])} to {answer.get('file') or answer['folder']}"
