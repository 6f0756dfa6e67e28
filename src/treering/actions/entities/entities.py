"""entities: the people, organizations, technologies, concepts and files that memories speak of.

An entity is a memory of type entity: its title is the name, `details.kind` says what it is. So it
has a branch, a history and links like any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from treering.actions import inputs
from treering.actions.entities.merge import merge_entities
from treering.actions.entities.roster import Entity, Roster, content_of
from treering.actions.forget import forget
from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid
from treering.model.choices import ENTITY_KINDS, ENTITY_OPS
from treering.model.memory import Link, Memory
from treering.model.taxonomy import one_of
from treering.text import secrets
from treering.text.extraction import NamedEntity, extract, kind_of

_MOST = 1000
_MOST_PROPERTIES = 50


class _EntityRequest(NamedTuple):
    """One call, its words checked."""

    name: str
    kind: str
    text: str
    ids: tuple[str, ...]
    canonical: str
    properties: Mapping[str, Any]
    min_confidence: float
    store: bool
    dry_run: bool
    limit: int
    branch: str


def entities(
    workspace: Workspace,
    op: str,
    *,
    name: str = "",
    kind: str = "",
    text: str = "",
    ids: Sequence[str] = (),
    canonical: str = "",
    properties: Mapping[str, Any] | None = None,
    min_confidence: float = 0.6,
    store: bool = False,
    dry_run: bool = True,
    limit: int = 50,
    branch: str = "",
) -> dict[str, Any]:
    """Do one of the operations; the answer is the contract's for it."""
    if not 1 <= limit <= _MOST:
        raise Invalid(f"limit is {limit}, not between 1 and {_MOST}.")
    asked = _EntityRequest(
        name=inputs.line_given(name, "name"),
        kind=one_of(kind, ENTITY_KINDS, "kind") if kind else "",
        text=inputs.text_given(text, "text"),
        ids=tuple(ids),
        canonical=inputs.line_given(canonical, "canonical name"),
        properties=_plain(properties or {}),
        min_confidence=inputs.confidence_given(min_confidence, "min_confidence"),
        store=store,
        dry_run=dry_run,
        limit=limit,
        branch=branch,
    )
    return _OPERATIONS[one_of(op, ENTITY_OPS, "operation")](workspace, asked)


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    if len(properties) > _MOST_PROPERTIES:
        raise Invalid(f"An entity has at most {_MOST_PROPERTIES} properties.")
    found: dict[str, Any] = {}
    for key, value in properties.items():
        if not isinstance(value, str | int | float | bool):
            raise Invalid(f"The property {key} is neither text nor a number.")
        name = inputs.line_given(str(key), "property")
        found[name] = inputs.line_given(value, "property") if isinstance(value, str) else value
    return found


def _list(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    roster = Roster(workspace, asked.branch)
    counted = [
        (roster.mentions(entity), entity)
        for entity in roster.all()
        if not asked.kind or entity.kind == asked.kind
        if not asked.name or asked.name.casefold() in entity.name.casefold()
    ]
    counted.sort(key=lambda pair: (-len(pair[0]), pair[1].name.casefold(), pair[1].id))
    listed = [
        {"id": entity.id, "name": entity.name, "kind": entity.kind, "mentions": len(found)}
        for found, entity in counted[: asked.limit]
    ]
    return {"entities": listed, "total": len(counted)}


def _get(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    roster = Roster(workspace, asked.branch)
    entity = roster.resolve(_one_named(asked), asked.kind)
    found = roster.mentions(entity)
    return {
        "id": entity.id,
        "name": entity.name,
        "kind": entity.kind,
        "aliases": list(entity.aliases),
        "properties": dict(entity.properties),
        "branch": entity.place.layer.branch,
        "mentions": len(found),
        "mentioned_by": [
            {"id": memory_id, "title": title}
            for memory_id, title in list(found.items())[: asked.limit]
        ],
    }


def _one_named(asked: _EntityRequest) -> str:
    word = asked.name or (asked.ids[0] if len(asked.ids) == 1 else "")
    if not word:
        raise Invalid("Which entity?", hint="Give its name or its id.")
    return word


def _add(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    if not asked.name:
        raise Invalid("An entity needs a name.")
    secrets.refuse(asked.name, *(str(value) for value in asked.properties.values()))
    kind = asked.kind or kind_of(asked.name)
    Roster(workspace, asked.branch)  # may build the index: not under the lock

    def attempt(writing: Writing) -> dict[str, Any]:
        roster = Roster(workspace, asked.branch, writing.view)
        known = roster.by_name(asked.name, kind)
        if known is None:
            memory, replaces = _new(workspace, roster, asked.name, kind, asked.properties)
            writing.commit("remember", [Change(memory, replaces, False)])
            return {"id": memory.id, "name": asked.name, "kind": kind, "created": True}
        if asked.properties and not asked.properties.items() <= known.properties.items():
            writing.commit("revise", [_with_properties(workspace, known, asked.properties)])
        return {"id": known.id, "name": known.name, "kind": known.kind, "created": False}

    return workspace.write(asked.branch, attempt)


def _new(
    workspace: Workspace, roster: Roster, name: str, kind: str, properties: Mapping[str, Any]
) -> tuple[Memory, Any]:
    """A memory for an entity nobody knows, under a free id or the one it was forgotten under."""
    content, now = content_of(name, kind, ()), workspace.now()
    memory_id, replaces = roster.free_id(content)
    memory = Memory(
        id=memory_id,
        type="entity",
        title=name[:200],
        content=content,
        created=now,
        modified=now,
        source="agent" if workspace.agent else "person",
        author=str(workspace.person),
        agent=workspace.agent,
        commit=workspace.repository.head().commit or "",
        details={"kind": kind} | ({"properties": dict(properties)} if properties else {}),
    )
    return memory, replaces


def _with_properties(workspace: Workspace, known: Entity, properties: Mapping[str, Any]) -> Change:
    memory = known.place.memory()
    new = memory.with_details(properties=dict(known.properties) | dict(properties))
    new = new.touch(workspace.now())
    return Change(new, known.place, known.place.is_private)


def _delete(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    roster = Roster(workspace, asked.branch)
    words = asked.ids or ((asked.name,) if asked.name else ())
    if not words:
        raise Invalid("Which entity?", hint="Give its name, or ids.")
    wanted = [roster.resolve(word, asked.kind).id for word in words]
    forget(workspace, wanted, reason="entity deleted", branch=asked.branch)
    return {"deleted": wanted}


def _merge(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    return merge_entities(
        workspace, asked.ids, asked.canonical, dry_run=asked.dry_run, branch=asked.branch
    )


def _extract(workspace: Workspace, asked: _EntityRequest) -> dict[str, Any]:
    """From a text, or from memories, which then get links to what they mention."""
    roster = Roster(workspace, asked.branch)
    places = [roster.view.find(word) for word in asked.ids]
    texts = [place.memory() for place in places]
    if not asked.text and not texts:
        raise Invalid("There is no text to extract from.", hint="Give a text, or ids of memories.")
    whole = "\n\n".join([asked.text, *(f"{m.title}\n{m.content}" for m in texts)])
    found = extract(whole, asked.min_confidence)[: asked.limit]
    if asked.store and found:
        ids = _store(workspace, asked, found)
    else:
        ids = {item: known.id for item in found if (known := roster.by_name(item.name, item.kind))}
    return {
        "entities": [
            {"name": item.name, "kind": item.kind, "confidence": item.confidence,
             "id": ids.get(item, "")}
            for item in found
        ],
        "stored": bool(asked.store and found),
    }  # fmt: skip


def _store(
    workspace: Workspace, asked: _EntityRequest, found: Sequence[NamedEntity]
) -> dict[NamedEntity, str]:
    """Everything that is new, and the links of the memories it was found in, in one commit."""
    secrets.refuse(*(item.name for item in found))

    def attempt(writing: Writing) -> dict[NamedEntity, str]:
        roster = Roster(workspace, asked.branch, writing.view)
        ids: dict[NamedEntity, str] = {}
        changes: list[Change] = []
        for item in found:
            known = roster.by_name(item.name, item.kind)
            if known is None:
                memory, replaces = _new(workspace, roster, item.name, item.kind, {})
                changes.append(Change(replace(memory, confidence=item.confidence), replaces, False))
            ids[item] = known.id if known else changes[-1].memory.id
        changes += _mentioning(workspace, writing, asked, ids)
        if changes:
            writing.commit("remember", changes)
        return ids

    return workspace.write(asked.branch, attempt)


def _mentioning(
    workspace: Workspace, writing: Writing, asked: _EntityRequest, ids: Mapping[NamedEntity, str]
) -> list[Change]:
    changes = []
    for word in asked.ids:
        place = writing.view.find(word)
        memory = place.memory()
        named = set(extract(f"{memory.title}\n{memory.content}", asked.min_confidence))
        new = [
            Link("mentions", target, item.confidence, "system", "named in the text")
            for item, target in ids.items()
            if item in named and not memory.has_link("mentions", target) and target != memory.id
        ]
        if new:
            linked = replace(memory, links=(*memory.links, *new), modified=workspace.now())
            changes.append(Change(linked, place, place.is_private))
    return changes


_OPERATIONS = {
    "list": _list,
    "get": _get,
    "add": _add,
    "delete": _delete,
    "merge": _merge,
    "extract": _extract,
}
