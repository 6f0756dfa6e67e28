"""treering prompts"""

from typing import Any

import click

from treering.actions.prompts.prompts import prompts
from treering.cli import shared
from treering.cli.render import safe, table
from treering.cli.shared import Door


def run(
    door_: Door,
    op: str,
    words: tuple[str, ...],
    name: str,
    content: str,
    content_file: str,
    **given: Any,
) -> dict[str, Any]:
    """After the operation come the name and, to save one, its text."""
    if len(words) > 2:
        raise click.UsageError("Give an operation, a name and a text.")
    typed_name, typed_content = (*words, *("", "")[len(words) :])
    body = ""
    if op.strip().lower() == "save":
        body = shared.content_from(typed_content or content or None, content_file)
    answer = prompts(door_.open(), op, name=name or typed_name, content=body, **given)
    if not door_.as_json:
        for warning in answer.get("warnings", []):
            click.echo(f"warning: {safe(warning)}", err=True)
    return answer


def text(answer: dict[str, Any]) -> str:
    if "prompts" in answer:
        return _list_prompts(answer["prompts"])
    if "text" in answer:
        return safe(answer["text"])
    if "content" in answer:
        return safe(answer["content"])
    if "deleted" in answer:
        return f"deleted  {answer['kind']} {answer['deleted']}"
    where = answer["branch"] or "your own"
    return f"saved  {answer['kind']} {answer['name']}  ({safe(where)})"


def _list_prompts(prompts: list[dict[str, Any]]) -> str:
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
