"""treering entities"""

import sys
from typing import Any

import click

from treering.actions.entities import entities
from treering.cli import door
from treering.cli.door import Door
from treering.cli.render import safe, table
from treering.errors import Invalid


@click.command(
    "entities",
    epilog="Example: treering entities extract 'Ada moved src/db.py to Redis' --store",
)
@click.argument("op", metavar="OP")
@click.argument("words", nargs=-1)
@click.option("--name", default="", help="The name, instead of the argument.")
@click.option("--kind", default="", help="person, organization, technology, concept or file.")
@click.option("--text", default="", help="extract: the text, instead of the argument.")
@door.listed("--id", "--ids", "ids", help="merge, delete, extract: ids or names; may be repeated.")
@click.option("--canonical", default="", help="merge: the one that stays, or its new name.")
@door.listed("--property", "--properties", "properties", metavar="NAME=VALUE", help="add.")
@click.option("--min-confidence", type=float, default=0.6, show_default=True, help="extract.")
@click.option("--store", is_flag=True, help="extract: store what was found.")
@click.option("--dry-run/--apply", default=True, help="merge: only show (the default), or do it.")
@click.option("-n", "--limit", type=int, default=50, show_default=True)
@click.option("-b", "--branch", default="", help="As seen from, or stored on, another branch.")
@door.command
def command(
    door_: Door,
    op: str,
    words: tuple[str, ...],
    name: str,
    text: str,
    ids: tuple[str, ...],
    properties: tuple[str, ...],
    **given: Any,
) -> None:
    """Who and what memories speak of: list, get, add, delete, merge, extract.

    After the operation come a name (get, add, delete, list), a text (extract), or the entities to
    merge.
    """
    wanted = op.strip().lower()
    if wanted == "extract":
        text = text or (" ".join(words) if words else "" if ids else _from_stdin())
    elif wanted in ("merge", "delete") and len(words) + len(ids) > 1:
        ids = (*words, *ids)
    else:
        name = name or " ".join(words)
    answer = entities(
        door_.open(),
        op,
        name=name,
        text=text,
        ids=ids,
        properties=dict(_pair(word) for word in properties),
        **given,
    )
    door_.answer(answer, _text)


def _from_stdin() -> str:
    return "" if sys.stdin.isatty() else door.content_from("-", None)


def _pair(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign:
        raise Invalid(f"{word!r} is no property.", hint="Write NAME=VALUE.")
    return name, value


def _text(answer: dict[str, Any]) -> str:
    if "entities" in answer:
        return table([_row(item) for item in answer["entities"]]) or "No entities."
    if "deleted" in answer:
        return "deleted  " + ", ".join(answer["deleted"])
    if "merged" in answer:
        verb = "would merge" if answer["dry_run"] else "merged"
        moved = f"{answer['links_moved']} links move"
        return f"{verb}  {', '.join(answer['merged'])} into {answer['into']} ({moved})"
    lines = [f"{answer['id']}  {answer['kind']:<12}  {safe(answer['name'])}"]
    lines += [f"  also called: {', '.join(map(safe, answer['aliases']))}"] * bool(
        answer.get("aliases")
    )
    lines += [f"  {safe(k)}: {safe(str(v))}" for k, v in answer.get("properties", {}).items()]
    lines += [f"  {m['id']}  {safe(m['title'])}" for m in answer.get("mentioned_by", [])]
    return "\n".join(lines)


def _row(item: dict[str, Any]) -> tuple[str, ...]:
    last = f"{item['mentions']} mentions" if "mentions" in item else f"{item['confidence']:.2f}"
    return (item["id"] or "-", item["kind"], safe(item["name"]), last)
