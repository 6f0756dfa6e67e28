"""entities: the people, organizations, technologies, concepts and files that memories speak of.

An entity is a memory of type entity: its title is the name, `details.kind` says what it is. So it
has a branch, a history and links like any other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.entities.roster import Entity, EntityIndex, content_of
from treering.actions.revise import forget
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Call, ways
from treering.errors import Invalid
from treering.model.memory import Link, Memory, is_id
from treering.store.view import Copy
from treering.text import secrets
from treering.text.extraction import NamedEntity, extract, kind_of


class EntitiesMerged(TypedDict):
    dry_run: bool
    into: str
    name: str
    merged: list[str]
    links_moved: int
    back: NotRequired[str]  # the command that undoes it


class _EntityMerge(NamedTuple):
    """What a merge would write."""

    into: Entity
    name: str
    others: tuple[Entity, ...]
    changes: list[Change]
    links_moved: int


def merge_entities(
    workspace: Workspace, words: Sequence[str], canonical: str, *, dry_run: bool, branch: str
) -> EntitiesMerged:
    """Merge the entities meant by ids or names; without `canonical` the first one stays."""
    secrets.refuse(canonical)
    roster = EntityIndex(workspace, branch)
    work, back = _plan(workspace, roster, words, canonical), None
    if not dry_run:

        def attempt(writing: Writing) -> tuple[_EntityMerge, str | None]:
            plan = _plan(workspace, EntityIndex(workspace, branch, writing.view), words, canonical)
            writing.commit("merge", plan.changes)
            return plan, writing.back

        work, back = workspace.write(branch, attempt)
    answer: EntitiesMerged = {
        "dry_run": dry_run,
        "into": work.into.id,
        "name": work.name,
        "merged": [other.id for other in work.others],
        "links_moved": work.links_moved,
    }
    if back:
        answer["back"] = back
    return answer


def _plan(
    workspace: Workspace, roster: EntityIndex, words: Sequence[str], canonical: str
) -> _EntityMerge:
    by_id = {entity.id: entity for entity in (roster.resolve(word) for word in words)}
    into = _into(roster, by_id, canonical)
    others = tuple(entity for entity in by_id.values() if entity.id != into.id)
    if not others:
        raise Invalid("Merging needs two different entities.", hint="Give two ids or names.")
    name = into.name if not canonical or _is_known(into, canonical) else canonical
    now, old_ids = workspace.now(), {other.id for other in others}

    count = 0
    changes: dict[str, Change] = {}
    for place in {p.id: p for other in others for p in roster.linking_to(other)}.values():
        memory = place.memory()
        if memory.id in old_ids or memory.id == into.id:
            continue
        count += sum(link.target in old_ids for link in memory.links)
        links = _redirect(memory.links, old_ids, into.id, memory.id)
        new = memory._replace(links=links, modified=now)
        changes[memory.id] = Change(new, place, place.is_private)
    other_links = [link for other in others for link in other.place.memory().links]
    count += sum(link.target not in old_ids and link.target != into.id for link in other_links)
    canonical_memory = _enlarge(into, name, others, other_links, now)
    changes[into.id] = Change(canonical_memory, into.place, into.place.is_private)
    for other in others:
        old_memory = _retire(other.place.memory(), into.id, now)
        changes[other.id] = Change(old_memory, other.place, other.place.is_private)
    return _EntityMerge(into, name, others, list(changes.values()), count)


def _into(roster: EntityIndex, by_id: dict[str, Entity], canonical: str) -> Entity:
    """The entity that stays: the one named as canonical where there is one, else the first."""
    if not by_id:
        raise Invalid("Which entities should be merged?", hint="Give two ids or names.")
    if not canonical:
        return next(iter(by_id.values()))
    for entity in by_id.values():
        if _is_known(entity, canonical):
            return entity
    if is_id(canonical):
        return roster.resolve(canonical)
    return roster.by_name(canonical) or next(iter(by_id.values()))


def _is_known(entity: Entity, word: str) -> bool:
    return word == entity.id or word.casefold() == entity.name.casefold()


def _redirect(links: Iterable[Link], old_ids: set[str], into: str, holder: str) -> tuple[Link, ...]:
    """Links with their new target; two that become one keep the surer one's words."""
    edges: dict[tuple[str, str], Link] = {}
    for link in links:
        new = link._replace(target=into) if link.target in old_ids else link
        if new.target == holder:
            continue
        other = edges.get((new.relation, new.target))
        if other is None or new.confidence > other.confidence:
            edges[new.relation, new.target] = new
    return tuple(edges.values())


def _enlarge(
    into: Entity, name: str, others: Sequence[Entity], other_links: Sequence[Link], now: str
) -> Memory:
    memory = into.place.memory()
    names = [*into.names, *(word for other in others for word in other.names)]
    aliases = [word for word in dict.fromkeys(names) if word != name]
    properties: dict[str, object] = {}
    for other in reversed(others):
        properties |= other.properties
    properties |= into.properties
    details = dict(memory.details) | {"kind": into.kind, "aliases": aliases}
    details |= {"properties": properties} if properties else {}
    old_ids = {other.id for other in others}
    return memory._replace(
        title=name,
        content=content_of(name, into.kind, aliases),
        links=_redirect((*memory.links, *other_links), old_ids, into.id, memory.id),
        details=details,
        modified=now,
    )


def _retire(memory: Memory, into: str, now: str) -> Memory:
    """Hidden like a forgotten one, so that it can be brought back; its links went over."""
    return memory.forget(f"merged into {into}").with_details(merged_into=into).touch(now)


_MOST_PROPERTIES = 50


class EntityCount(TypedDict):
    id: str
    name: str
    kind: str
    mentions: int


class EntityList(TypedDict):
    entities: list[EntityCount]
    total: int


class Mention(TypedDict):
    id: str
    title: str


class EntityFound(TypedDict):
    id: str
    name: str
    kind: str
    aliases: list[str]
    properties: dict[str, object]
    branch: str
    mentions: int
    mentioned_by: list[Mention]


class EntityAdded(TypedDict):
    id: str
    name: str
    kind: str
    created: bool


class EntitiesDeleted(TypedDict):
    deleted: list[str]
    back: str  # the command that undoes it


class EntityExtracted(TypedDict):
    """`id` is empty where it is not stored."""

    name: str
    kind: str
    confidence: float
    id: str


class EntitiesExtracted(TypedDict):
    entities: list[EntityExtracted]
    stored: bool


EntityAnswer = (
    EntityList | EntityFound | EntityAdded | EntitiesDeleted | EntitiesMerged | EntitiesExtracted
)


class _EntityRequest(NamedTuple):
    """One call, its words checked."""

    name: str
    kind: str
    text: str
    ids: tuple[str, ...]
    canonical: str
    properties: Mapping[str, object]
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
) -> EntityAnswer:
    """Do one of the operations; the answer is the contract's for it."""
    request = _EntityRequest(
        name=inputs.line_given(name, "name"),
        kind=kind,
        text=inputs.text_given(text, "text"),
        ids=tuple(ids),
        canonical=inputs.line_given(canonical, "canonical name"),
        properties=_plain(properties or {}),
        min_confidence=min_confidence,
        store=store,
        dry_run=dry_run,
        limit=limit,
        branch=branch,
    )
    return _OPERATIONS[op](workspace, request)


def _plain(properties: Mapping[str, object]) -> dict[str, object]:
    if len(properties) > _MOST_PROPERTIES:
        raise Invalid(f"An entity has at most {_MOST_PROPERTIES} properties.")
    plain: dict[str, object] = {}
    for key, value in properties.items():
        if not isinstance(value, str | int | float | bool):
            raise Invalid(f"The property {key} is neither text nor a number.")
        name = inputs.line_given(str(key), "property")
        plain[name] = inputs.line_given(value, "property") if isinstance(value, str) else value
    return plain


def _list(workspace: Workspace, request: _EntityRequest) -> EntityList:
    roster = EntityIndex(workspace, request.branch)
    pairs = [
        (roster.mentions(entity), entity)
        for entity in roster.all()
        if not request.kind or entity.kind == request.kind
        if not request.name or request.name.casefold() in entity.name.casefold()
    ]
    pairs.sort(key=lambda pair: (-len(pair[0]), pair[1].name.casefold(), pair[1].id))
    page: list[EntityCount] = [
        {"id": entity.id, "name": entity.name, "kind": entity.kind, "mentions": len(sources)}
        for sources, entity in pairs[: request.limit]
    ]
    return {"entities": page, "total": len(pairs)}


def _get(workspace: Workspace, request: _EntityRequest) -> EntityFound:
    roster = EntityIndex(workspace, request.branch)
    entity = roster.resolve(_one_named(request), request.kind)
    sources = roster.mentions(entity)
    return {
        "id": entity.id,
        "name": entity.name,
        "kind": entity.kind,
        "aliases": list(entity.aliases),
        "properties": dict(entity.properties),
        "branch": entity.place.layer.branch,
        "mentions": len(sources),
        "mentioned_by": [
            {"id": memory_id, "title": title}
            for memory_id, title in list(sources.items())[: request.limit]
        ],
    }


def _one_named(request: _EntityRequest) -> str:
    word = request.name or (request.ids[0] if len(request.ids) == 1 else "")
    if not word:
        raise Invalid("Which entity?", hint="Give its name or its id.")
    return word


def _add(workspace: Workspace, request: _EntityRequest) -> EntityAdded:
    if not request.name:
        raise Invalid("An entity needs a name.")
    secrets.refuse(request.name, *(str(value) for value in request.properties.values()))
    kind = request.kind or kind_of(request.name)
    EntityIndex(workspace, request.branch)  # may build the index: not under the lock

    def attempt(writing: Writing) -> EntityAdded:
        roster = EntityIndex(workspace, request.branch, writing.view)
        entity = roster.by_name(request.name, kind)
        if entity is None:
            memory, replaces = _new(workspace, roster, request.name, kind, request.properties)
            writing.commit("remember", [Change(memory, replaces, False)])
            return {"id": memory.id, "name": request.name, "kind": kind, "created": True}
        if request.properties and not request.properties.items() <= entity.properties.items():
            writing.commit("revise", [_with_properties(workspace, entity, request.properties)])
        return {"id": entity.id, "name": entity.name, "kind": entity.kind, "created": False}

    return workspace.write(request.branch, attempt)


def _new(
    workspace: Workspace,
    roster: EntityIndex,
    name: str,
    kind: str,
    properties: Mapping[str, object],
) -> tuple[Memory, Copy | None]:
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


def _with_properties(
    workspace: Workspace, entity: Entity, properties: Mapping[str, object]
) -> Change:
    memory = entity.place.memory()
    new = memory.with_details(properties=dict(entity.properties) | dict(properties))
    new = new.touch(workspace.now())
    return Change(new, entity.place, entity.place.is_private)


def _delete(workspace: Workspace, request: _EntityRequest) -> EntitiesDeleted:
    roster = EntityIndex(workspace, request.branch)
    words = request.ids or ((request.name,) if request.name else ())
    if not words:
        raise Invalid("Which entity?", hint="Give its name, or ids.")
    entity_ids = [roster.resolve(word, request.kind).id for word in words]
    forget(workspace, entity_ids, reason="entity deleted", branch=request.branch)
    back = ways(Call("forget", *entity_ids, restore=True, branch=request.branch))
    return {"deleted": entity_ids, "back": back}


def _merge(workspace: Workspace, request: _EntityRequest) -> EntitiesMerged:
    return merge_entities(
        workspace, request.ids, request.canonical, dry_run=request.dry_run, branch=request.branch
    )


def _extract(workspace: Workspace, request: _EntityRequest) -> EntitiesExtracted:
    """From a text, or from memories, which then get links to what they mention."""
    roster = EntityIndex(workspace, request.branch)
    places = [roster.view.find(word) for word in request.ids]
    texts = [place.memory() for place in places]
    if not request.text and not texts:
        raise Invalid("There is no text to extract from.", hint="Give a text, or ids of memories.")
    whole = "\n\n".join([request.text, *(f"{m.title}\n{m.content}" for m in texts)])
    items = extract(whole, request.min_confidence)[: request.limit]
    if request.store and items:
        ids = _store(workspace, request, items)
    else:
        ids = {
            item: entity.id for item in items if (entity := roster.by_name(item.name, item.kind))
        }
    return {
        "entities": [
            {"name": item.name, "kind": item.kind, "confidence": item.confidence,
             "id": ids.get(item, "")}
            for item in items
        ],
        "stored": bool(request.store and items),
    }  # fmt: skip


def _store(
    workspace: Workspace, request: _EntityRequest, items: Sequence[NamedEntity]
) -> dict[NamedEntity, str]:
    """Everything that is new, and the links of the memories it was found in, in one commit."""
    secrets.refuse(*(item.name for item in items))

    def attempt(writing: Writing) -> dict[NamedEntity, str]:
        roster = EntityIndex(workspace, request.branch, writing.view)
        ids: dict[NamedEntity, str] = {}
        changes: list[Change] = []
        shared = [p.memory() for p in map(writing.view.find, request.ids) if not p.is_private]
        texts = [request.text, *(f"{memory.title}\n{memory.content}" for memory in shared)]
        # What only private memories name stays private, too.
        names = {found.name.casefold() for text in texts for found in extract(text, 0.0)}
        for item in items:
            entity = roster.by_name(item.name, item.kind)
            if entity is None:
                memory, replaces = _new(workspace, roster, item.name, item.kind, {})
                memory = memory._replace(confidence=item.confidence)
                changes.append(Change(memory, replaces, item.name.casefold() not in names))
            ids[item] = entity.id if entity else changes[-1].memory.id
        changes += _mentioning(workspace, writing, request, ids)
        if changes:
            writing.commit("remember", changes)
        return ids

    return workspace.write(request.branch, attempt)


def _mentioning(
    workspace: Workspace, writing: Writing, request: _EntityRequest, ids: Mapping[NamedEntity, str]
) -> list[Change]:
    changes = []
    for word in request.ids:
        place = writing.view.find(word)
        memory = place.memory()
        names = set(extract(f"{memory.title}\n{memory.content}", request.min_confidence))
        new = [
            Link("mentions", target, item.confidence, "system", "named in the text")
            for item, target in ids.items()
            if item in names and not memory.has_link("mentions", target) and target != memory.id
        ]
        if new:
            new_memory = memory._replace(links=(*memory.links, *new), modified=workspace.now())
            changes.append(Change(new_memory, place, place.is_private))
    return changes


_OPERATIONS: dict[str, Callable[[Workspace, _EntityRequest], EntityAnswer]] = {
    "list": _list,
    "get": _get,
    "add": _add,
    "delete": _delete,
    "merge": _merge,
    "extract": _extract,
}
