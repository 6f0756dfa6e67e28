"""treering remember"""

from typing import Any

import click

from treering.actions.remember import Remembered, remember
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import headline, safe
from treering.cli.screen import dim, short


@click.command(
    "remember",
    epilog="Example: treering remember 'Use WAL mode: readers never block' -t decision --tag db",
)
@click.argument("content", required=False)
@click.option("--content-file", metavar="FILE", help="Read the content from a file.")
@click.option("-t", "--type", default="", help="What it is (default: classified from the text).")
@click.option("--title", default="", help="Default: the first line.")
@click.option("--topic", default="", help="A path such as backend/auth/tokens.")
@click.option("--reasoning", default="", help="Why, for a decision.")
@door.listed("--tag", "--tags", "tags", help="May be repeated.")
@door.listed("--file", "--files", "files", help="A file it is about; may be repeated.")
@click.option("--confidence", type=float, default=0.8, show_default=True, help="From 0 to 1.")
@click.option("--supersedes", default="", metavar="ID", help="The memory this one replaces.")
@door.listed("--link", "--links", "links", metavar="RELATION:ID", help="May be repeated.")
@click.option("-b", "--branch", default="", help="Store it for another branch.")
@click.option("--private", is_flag=True, help="Keep it on this machine only.")
@click.option("--session", default="", help="The work session it belongs to.")
@click.option("--agent", default="", help="The agent that learned it.")
@click.option("--outcome", default="", help="success, failed or partial.")
@click.option("--id", default="", help="Default: made from the content.")
@click.option("--allow-secret", is_flag=True, help="Store it although it looks like a credential.")
@door.command
def command(
    door_: Door, content: str | None, content_file: str | None, files: tuple[str, ...], **given: Any
) -> None:
    """Store a memory on the current branch.

    The content is the argument, or standard input with `-` or when nothing is given.
    """
    workspace = door_.open()
    text = door.content_from(content, content_file)
    paths = door.relative_to_root(workspace, files)
    door_.answer(remember(workspace, text, files=paths, **given), _text)
    if workspace.surroundings.is_behind:
        door_.start_tidying()


def _text(answer: Remembered) -> str:
    verb = "known already" if answer.duplicate else "remembered"
    where = f"{answer.branch}, private" if answer.private else answer.branch
    lines = [f"{verb}  {headline(answer)}  ({where})"]
    lines += [f"  linked   {_link(link)}" for link in answer.links if not answer.duplicate]
    for link in answer.suggested_links:
        lines.append(f"  perhaps  {_link(link._asdict())}: {safe(link.title)}")
    lines += [
        f"  similar  {short(it.id)}  {safe(it.title)}  ({it.score:g})" for it in answer.similar
    ]
    lines += [f"warning: {safe(warning)}" for warning in answer.warnings or ()]
    return "\n".join(lines)


def _link(link: dict[str, Any]) -> str:
    why = dim(f"  ({safe(link['reason'])})") if link.get("reason") else ""
    return f"{safe(link['relation'])} {short(link['target'])}{why}"
