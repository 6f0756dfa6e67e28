"""treering revise"""

from typing import Any

import click

from treering.actions.revise import Revised, revise
from treering.cli import door
from treering.cli.door import Door


@click.command(
    "revise", epilog="Example: treering revise 7k2m --outcome failed --reason 'too slow'"
)
@click.argument("id")
@click.option("--content", default=None, help="New content; `-` reads standard input.")
@click.option("--content-file", metavar="FILE", help="New content from a file.")
@click.option("--append", default="", help="Text to add below the content.")
@click.option("--title", default="", help="`-`: follow the first line again.")
@click.option("-t", "--type", default="", help="Another type.")
@click.option("--topic", default="", help="`-` clears it.")
@door.listed("--tag-add", "--tags-add", "tags_add", help="May be repeated.")
@door.listed("--tag-remove", "--tags-remove", "tags_remove", help="May be repeated.")
@door.listed("--file", "--files", "files", help="Replaces the files; `-` clears them.")
@click.option("--status", default="", help="active, needs-review, superseded or deleted.")
@click.option("--confidence", type=float, default=None, help="From 0 to 1.")
@click.option("--outcome", default="", help="success, failed or partial; `-` clears it.")
@click.option("--reason", default="", help="Why; `-` clears it.")
@click.option(
    "--supersede-with", default="", metavar="ID", help="The memory that replaces this one."
)
@click.option("--expect", default="", metavar="VERSION", help="Only if it still is this version.")
@click.option("-b", "--branch", default="", help="On another branch.")
@click.option(
    "--allow-secret", is_flag=True, help="Store what looks like a credential; at a terminal."
)
@door.command
def command(
    door_: Door,
    id: str,
    content: str | None,
    content_file: str | None,
    files: tuple[str, ...],
    allow_secret: bool,
    **given: Any,
) -> None:
    """Change parts of a memory; what is not given stays."""
    given["allow_secret"] = door.secret_allowed(allow_secret)
    workspace = door_.open()
    asked = content is not None or content_file is not None
    text = door.content_from(content, content_file) if asked else ""
    paths = list(files) if files == ("-",) else door.relative_to_root(workspace, files)
    door_.answer(revise(workspace, id, content=text, files=paths, **given), _text)


def _text(answer: Revised) -> str:
    if not answer.changed:
        return f"{answer.id}  unchanged"
    return f"{answer.id}  changed {', '.join(answer.changed)}  ({answer.branch})"
