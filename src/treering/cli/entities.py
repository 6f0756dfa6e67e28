"""treering entities"""

import sys
from typing import Any

from treering.actions.entities.entities import entities
from treering.cli import shared
from treering.cli.render import safe, table
from treering.cli.shared import Door


def run(
    door_: Door,
    op: str,
    words: tuple[str, ...],
    name: str,
    text: str,
    ids: tuple[str, ...],
    **given: Any,
) -> dict[str, Any]:
    """After the operation come a name, a text to extract from, or the entities to merge."""
    wanted = op.strip().lower()
    if wanted == "extract":
        text = text or (" ".join(words) if words else "" if ids else _from_stdin())
    elif wanted in ("merge", "delete") and len(words) + len(ids) > 1:
        ids = (*words, *ids)
    else:
        name = name or " ".join(words)
    return entities(door_.open(), op, name=name, text=text, ids=ids, **given)


def _from_stdin() -> str:
    return "" if sys.stdin.isatty() else shared.content_from("-")


def text(answer: dict[str, Any]) -> str:
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
