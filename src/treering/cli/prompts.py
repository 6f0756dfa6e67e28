"""treering prompts"""

from typing import Any

import click

from treering.actions.prompts import prompts
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table
from treering.errors import Invalid


@click.command(
    "prompts",
    epilog="Example: treering prompts run code-review --variables file=src/main.py",
)
@click.argument("op", metavar="OP")
@click.argument("name", required=False, default="")
@click.argument("content", required=False)
@click.option("--name", "named", default="", help="The name, instead of the argument.")
@click.option("--content", "content_option", default=None, help="save: the text.")
@click.option("--content-file", metavar="FILE", help="save: read the text from a file.")
@click.option("--kind", default="", help="prompt or template.")
@click.option("--description", default="", help="save: what it is for.")
@door.listed("--tag", "--tags", "tags", help="save, list: may be repeated.")
@door.listed("--variable", "--variables", "variables", metavar="NAME=VALUE", help="run, render.")
@click.option("--query", default="", help="run, render: what {{memories}} holds.")
@click.option("-n", "--limit", type=int, default=10, show_default=True, help="How many memories.")
@click.option("--format", default="markdown", show_default=True, help="markdown, json or xml.")
@click.option("--domain", default="", help="project (on the branch) or user (your own).")
@click.option("-b", "--branch", default="", help="As seen from, or saved on, another branch.")
@door.command
def command(
    door_: Door,
    op: str,
    name: str,
    content: str | None,
    named: str,
    content_option: str | None,
    content_file: str | None,
    variables: tuple[str, ...],
    **given: Any,
) -> None:
    """Saved prompts and templates: list, get, run, render, save, delete.

    The text of one to save is the argument after its name, or standard input.
    """
    wanted = op.strip().lower()
    text = ""
    if wanted == "save":
        text = door.content_from(content if content is not None else content_option, content_file)
    answer = prompts(
        door_.open(),
        op,
        name=named or name,
        content=text,
        variables=dict(_pair(word) for word in variables),
        **given,
    )
    door_.answer(answer, _text)
    if not door_.as_json:
        for warning in answer.get("warnings", []):
            click.echo(f"warning: {safe(warning)}", err=True)


def _pair(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name.strip():
        raise Invalid(f"{word!r} is no variable.", hint="Write NAME=VALUE.")
    return name.strip(), value


def _text(answer: dict[str, Any]) -> str:
    if "prompts" in answer:
        return _listed(answer["prompts"])
    if "text" in answer:
        return safe(answer["text"])
    if "content" in answer:
        return safe(answer["content"])
    if "deleted" in answer:
        return f"deleted  {answer['kind']} {answer['deleted']}"
    where = answer["branch"] or "your own"
    return f"saved  {answer['kind']} {answer['name']}  ({safe(where)})"


def _listed(prompts: list[dict[str, Any]]) -> str:
    rows = [
        (
            item["name"],
            item["kind"],
            safe(item["branch"] or item["domain"]),
            safe(item["owner"].partition(" <")[0]),
            ", ".join(item["variables"]),
            safe(item["description"]),
        )
        for item in prompts
    ]
    return table(rows) or "Nothing saved yet."
