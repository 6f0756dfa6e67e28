"""The MCP memory server: one JSONL file of entities with observations, and relations by name."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treering.actions.imports.records import Numbered, check, read
from treering.errors import Invalid
from treering.model.taxonomy import TYPES, type_named


def is_here(path: Path) -> bool:
    if not path.is_file() or path.suffix.lower() not in (".json", ".jsonl"):
        return False
    first = next((line for line in read(path).splitlines() if line.strip()), b"")
    found = _line(first)
    return found.get("type") in ("entity", "relation") and not {"content", "id"} & set(found)


def records(path: Path) -> Iterator[Numbered]:
    """An entity is a memory that holds its observations; a relation is a link of its source."""
    lines = [(n, _line(line)) for n, line in enumerate(read(path).splitlines(), 1) if line.strip()]
    relations: dict[str, list[dict[str, str]]] = {}
    for _, found in lines:
        if found.get("type") == "relation" and found.get("from") and found.get("to"):
            link = {"relation": _word(found.get("relationType")), "target": str(found["to"])}
            relations.setdefault(str(found["from"]), []).append(link)
    for number, found in lines:
        where = f"line {number}"
        if found.get("type") == "entity" and found.get("name"):
            name = str(found["name"])
            yield check(number, where, _entity(found, relations.get(name, [])), name)
        elif found.get("type") != "relation":
            yield Numbered(number, where, Invalid("The line is neither an entity nor a relation."))


def _entity(found: dict[str, Any], links: list[dict[str, str]]) -> dict[str, Any]:
    name, kind = str(found["name"]), str(found.get("entityType") or "concept")
    told = found.get("observations")
    facts = [str(fact) for fact in told] if isinstance(told, list) else []
    return {
        "title": name,
        "type": _type(kind),
        "content": "\n".join([f"# {name}", "", *(f"- {fact}" for fact in facts)]).strip(),
        "details": {"kind": kind.lower(), "imported_from": "server-memory"},
        "links": links,
        "source": "server-memory",
    }


def _type(kind: str) -> str:
    """Kinds that are types of ours are those; a person or a tool is an entity."""
    try:
        named = type_named(kind)
    except Invalid:
        return "entity"
    return named if named in TYPES else "entity"


def _word(relation: object) -> str:
    return "_".join(str(relation or "relates_to").lower().split()) or "relates_to"


def _line(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
