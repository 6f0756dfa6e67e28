"""entities: the people, organizations, technologies, concepts and files that memories speak of.

An entity is a memory of type entity: its title is the name, `details.kind` says what it is. So it
has a branch, a history and links like any other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.revise import forget
from treering.actions.tidying import Rewrite, surest
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Call, ways
from treering.errors import Invalid, MemoryNotFound
from treering.model.memory import Link, Memory, derive_id, is_id
from treering.model.query import Filters, Query
from treering.store.view import Copy, View
from treering.text import secrets
from treering.text.extraction import NamedEntity, extract, kind_of

_MOST_PROPERTIES = 50
_MAX_ENTITIES = 5000
_MOST_NAMESAKES = 50


class Entity(NamedTuple):
    id: str
    name: str
    kind: str
    aliases: tuple[str, ...]
    properties: Mapping[str, object]
    place: Copy

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def entity_of(place: Copy, memory: Memory) -> Entity:
    """A memory of type entity, read as one; who wrote it by hand may have left things out."""
    aliases, properties = memory.details.get("aliases"), memory.details.get("properties")
    return Entity(
        id=memory.id,
        name=memory.title,
        kind=str(memory.details.get("kind") or "concept"),
        aliases=tuple(str(word) for word in aliases) if isinstance(aliases, list) else (),
        properties=properties if isinstance(properties, dict) else {},
        place=place,
    )


def content_of(name: str, kind: str, aliases: Sequence[str]) -> str:
    """Return what an entity's memory says; name and kind make its id, aliases make it findable."""
    also = f"\nAlso called: {', '.join(aliases)}" if aliases else ""
    return f"{name} ({kind}){also}"


class EntityIndex:
    """Entities as seen in one view."""

    def __init__(self, workspace: Workspace, branch: str = "", view: View | None = None) -> None:
        self.view = view or workspace.view(branch)
        self._index = workspace.searcher.index
        self._search_view = workspace.searcher.search_view(self.view)
        self._now = workspace.clock()

    def all(self) -> Iterator[Entity]:
        for entry in self._index.newest(self._search_view.ranks, _MAX_ENTITIES, ("entity",)):
            if entity := self._read(entry.blob):
                yield entity

    def by_name(self, name: str, kind: str = "") -> Entity | None:
        """The entity of this name or alias, in any case; the one with the very name first."""
        folded_name = name.casefold()
        fitting = [
            entity
            for entity in self._namesakes(name)
            if (not kind or entity.kind == kind)
            and folded_name in (word.casefold() for word in entity.names)
        ]
        return min(fitting, key=lambda entity: entity.name != name, default=None)

    def _namesakes(self, name: str) -> Iterator[Entity]:
        result = self._index.search(
            Query(name, name),
            self._search_view.ranks,
            filters=Filters(types=("entity",)),
            mode="text",
            now=self._now,
            limit=_MOST_NAMESAKES,
        )
        for hit in result.hits:
            for blob in (hit.blob, *hit.folded):
                if entity := self._read(blob):
                    yield entity

    def resolve(self, word: str, kind: str = "") -> Entity:
        """The entity someone means by a name or an id."""
        if entity := self.by_name(word, kind):
            return entity
        try:
            place = self.view.find(word)
            memory = place.memory()
        except (Invalid, MemoryNotFound):
            raise MemoryNotFound(
                f"There is no entity {word[:100]!r}.",
                hint=Advice("{} shows them.", Call("entities", "list")),
            ) from None
        if memory.type != "entity" or memory.is_forgotten:
            raise MemoryNotFound(f"The memory {memory.id} is not an entity.")
        return entity_of(place, memory)

    def free_id(self, content: str) -> tuple[str, Copy | None]:
        """An id for a new entity: a free one, or that of the same entity forgotten before."""
        n = 0
        while True:
            candidate = derive_id("entity", content, n)
            place = self.view.place(candidate)
            memory = place.try_memory() if place and not place.is_private else None
            if place is None or (memory and memory.is_forgotten):
                return candidate, place
            n += 1

    def mentions(self, entity: Entity) -> dict[str, str]:
        """Return who mentions an entity, by a link or by name: id and title."""
        titles: dict[str, str] = {}
        network = self._search_view.network
        for edge in network.around(entity.id, ["mentions"], "in"):
            titles[edge.source] = network.nodes[edge.source].title
        for name in entity.names:
            for entry in self._index.holding(name, self._search_view.ranks):
                if entry.type != "entity":
                    titles.setdefault(entry.id, entry.title)
        return titles

    def _read(self, blob: str) -> Entity | None:
        place = self._search_view.place(blob)
        memory = place.try_memory() if place else None
        return entity_of(place, memory) if place and memory else None


class EntitiesMerged(TypedDict):
    dry_run: bool
    into: str
    name: str
    merged: list[str]
    links_moved: int
    back: NotRequired[str]  # the command that undoes it


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
    caller: str


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
    caller: str = "",
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
        caller=caller,
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
            memory, replaces = _new(workspace, request, roster, request.name, kind)
            if request.properties:
                memory = memory.with_details(properties=dict(request.properties))
            writing.commit("remember", [Change(memory, replaces, False)])
            return {"id": memory.id, "name": request.name, "kind": kind, "created": True}
        if request.properties and not request.properties.items() <= entity.properties.items():
            writing.commit("revise", [_with_properties(workspace, entity, request.properties)])
        return {"id": entity.id, "name": entity.name, "kind": entity.kind, "created": False}

    return workspace.write(request.branch, attempt)


def _new(
    workspace: Workspace, request: _EntityRequest, roster: EntityIndex, name: str, kind: str
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
        source="agent" if request.caller else "person",
        author=str(workspace.person),
        agent=request.caller,
        commit=workspace.repository.head().commit or "",
        details={"kind": kind},
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


class _EntityMerge(NamedTuple):
    """What a merge would write."""

    into: Entity
    name: str
    others: tuple[Entity, ...]
    rewrite: Rewrite
    links_moved: int


def _merge(workspace: Workspace, request: _EntityRequest) -> EntitiesMerged:
    """Merge the entities meant by ids or names; without `canonical` the first one stays."""
    secrets.refuse(request.canonical)
    plan, back = _plan_merge(workspace, request, EntityIndex(workspace, request.branch)), None
    if not request.dry_run:

        def attempt(writing: Writing) -> tuple[_EntityMerge, str | None]:
            seen = EntityIndex(workspace, request.branch, writing.view)
            plan = _plan_merge(workspace, request, seen)
            plan.rewrite.commit(writing, "merge")
            return plan, writing.back

        plan, back = workspace.write(request.branch, attempt)
    answer: EntitiesMerged = {
        "dry_run": request.dry_run,
        "into": plan.into.id,
        "name": plan.name,
        "merged": [other.id for other in plan.others],
        "links_moved": plan.links_moved,
    }
    if back:
        answer["back"] = back
    return answer


def _plan_merge(workspace: Workspace, request: _EntityRequest, roster: EntityIndex) -> _EntityMerge:
    by_id = {entity.id: entity for entity in map(roster.resolve, request.ids)}
    into = _choose_heir(roster, by_id, request.canonical)
    others = tuple(entity for entity in by_id.values() if entity.id != into.id)
    if not others:
        raise Invalid("Merging needs two different entities.", hint="Give two ids or names.")
    if into.place.is_private and (shared := [e for e in others if not e.place.is_private]):
        raise Invalid(
            f"{into.name} is private, and {shared[0].name} is shared.",
            hint=ways(Call("entities", "merge", ids=list(by_id), canonical=shared[0].id)),
        )
    name = request.canonical
    name = into.name if not name or _is_called(into, name) else name
    # What is private adds nothing to what is shared.
    givers = [e for e in others if into.place.is_private or not e.place.is_private]
    rewrite = Rewrite(workspace, roster.view)
    memory = rewrite.memory(into.place)
    taken = [
        link
        for giver in givers
        for link in rewrite.memory(giver.place).links
        if link.target not in by_id
    ]
    own = (link for link in memory.links if link.target not in by_id)
    names = [*into.names, *(word for giver in givers for word in giver.names)]
    aliases = [word for word in dict.fromkeys(names) if word != name]
    properties: dict[str, object] = {}
    for entity in (*reversed(givers), into):
        properties |= entity.properties
    details = dict(memory.details) | {"kind": into.kind, "aliases": aliases}
    details |= {"properties": properties} if properties else {}
    content = content_of(name, into.kind, aliases)
    links = surest((*own, *taken), but=into.id)
    memory = memory._replace(title=name, content=content, links=links, details=details)
    rewrite.change(into.place, memory)
    for other in others:
        old = rewrite.memory(other.place).forget(f"merged into {into.id}")
        rewrite.change(other.place, old.with_details(merged_into=into.id))
    moved = rewrite.move_links({other.id: into.id for other in others})
    return _EntityMerge(into, name, others, rewrite, moved + len(taken))


def _choose_heir(roster: EntityIndex, by_id: dict[str, Entity], canonical: str) -> Entity:
    """Return the entity that stays: the canonical one if there is one, else the first."""
    if not by_id:
        raise Invalid("Which entities should be merged?", hint="Give two ids or names.")
    if not canonical:
        return next(iter(by_id.values()))
    for entity in by_id.values():
        if _is_called(entity, canonical):
            return entity
    if is_id(canonical):
        return roster.resolve(canonical)
    return roster.by_name(canonical) or next(iter(by_id.values()))


def _is_called(entity: Entity, word: str) -> bool:
    return word == entity.id or word.casefold() == entity.name.casefold()


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
                memory, replaces = _new(workspace, request, roster, item.name, item.kind)
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
