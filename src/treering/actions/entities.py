"""entities: the people, organizations, technologies, concepts and files that memories speak of.

An entity is a memory of type entity: its title is the name, `details.kind` says what it is. So it
has a branch, a history and links like any other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.remember import identify
from treering.actions.revise import forget
from treering.actions.tidying import Rewrite, surest
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Call, ways
from treering.errors import Invalid, MemoryNotFound
from treering.model.memory import Link, Memory, is_id
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
        word = inputs.line_given(word, "name")
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


def list_entities(
    workspace: Workspace, *, name: str, kind: str, limit: int, branch: str
) -> EntityList:
    """Return the entities of a kind, or with a part of a name, the most mentioned first."""
    roster = EntityIndex(workspace, branch)
    part = inputs.line_given(name, "name").casefold()
    pairs = [
        (roster.mentions(entity), entity)
        for entity in roster.all()
        if (not kind or entity.kind == kind) and part in entity.name.casefold()
    ]
    pairs.sort(key=lambda pair: (-len(pair[0]), pair[1].name.casefold(), pair[1].id))
    page: list[EntityCount] = [
        {"id": entity.id, "name": entity.name, "kind": entity.kind, "mentions": len(sources)}
        for sources, entity in pairs[:limit]
    ]
    return {"entities": page, "total": len(pairs)}


def get_entity(
    workspace: Workspace, *, name: str, ids: Sequence[str], kind: str, limit: int, branch: str
) -> EntityFound:
    """Return one entity, and the memories that mention it."""
    roster = EntityIndex(workspace, branch)
    word = name or (ids[0] if len(ids) == 1 else "")
    if not word:
        raise Invalid("Which entity?", hint="Give its name or its id.")
    entity = roster.resolve(word, kind)
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
            {"id": memory_id, "title": title} for memory_id, title in list(sources.items())[:limit]
        ],
    }


def add_entity(
    workspace: Workspace,
    *,
    name: str,
    kind: str,
    properties: Mapping[str, object] | None,
    branch: str,
    caller: str,
) -> EntityAdded:
    """Store an entity, or what is new about one that is there."""
    name, facts = inputs.line_given(name, "name"), _plain(properties or {})
    if not name:
        raise Invalid("An entity needs a name.")
    secrets.refuse(name, *(str(value) for value in facts.values()))
    kind = kind or kind_of(name)
    EntityIndex(workspace, branch)  # may build the index: not under the lock

    def attempt(writing: Writing) -> EntityAdded:
        roster = EntityIndex(workspace, branch, writing.view)
        entity = roster.by_name(name, kind)
        if entity is None:
            memory, existing = _draft(workspace, roster, name, kind, caller)
            if not existing or existing.memory().is_forgotten:
                memory = memory.with_details(properties=facts) if facts else memory
                writing.commit("remember", [Change(memory, existing, False)])
                return {"id": memory.id, "name": name, "kind": kind, "created": True}
            entity = entity_of(existing, existing.memory())  # under another title by now
        if not facts.items() <= entity.properties.items():
            writing.commit("revise", [_with_properties(workspace, entity, facts)])
        return {"id": entity.id, "name": entity.name, "kind": entity.kind, "created": False}

    return workspace.write(branch, attempt)


def _draft(
    workspace: Workspace, roster: EntityIndex, name: str, kind: str, caller: str
) -> tuple[Memory, Copy | None]:
    """A memory for an entity that nobody knows by this name, and the copy it repeats."""
    draft = inputs.draft_memory(
        workspace,
        "entity",
        content_of(name, kind, ()),
        title=name[:200],
        caller=caller,
        commit=workspace.repository.head().commit or "",
        details={"kind": kind},
    )
    return identify(roster.view, draft, private=False)


def _with_properties(
    workspace: Workspace, entity: Entity, properties: Mapping[str, object]
) -> Change:
    memory = entity.place.memory()
    new = memory.with_details(properties=dict(entity.properties) | dict(properties))
    new = new.touch(workspace.now())
    return Change(new, entity.place, entity.place.is_private)


def delete_entities(
    workspace: Workspace, *, name: str, ids: Sequence[str], kind: str, branch: str
) -> EntitiesDeleted:
    """Forget entities."""
    roster = EntityIndex(workspace, branch)
    words = ids or ((name,) if name else ())
    if not words:
        raise Invalid("Which entity?", hint="Give its name, or ids.")
    entity_ids = [roster.resolve(word, kind).id for word in words]
    forget(workspace, entity_ids, reason="entity deleted", branch=branch)
    back = ways(Call("forget", *entity_ids, restore=True, branch=branch))
    return {"deleted": entity_ids, "back": back}


class _EntityMerge(NamedTuple):
    """A merge of entities that can be written."""

    into: Entity
    name: str
    others: tuple[Entity, ...]
    rewrite: Rewrite
    links_moved: int


def merge_entities(
    workspace: Workspace, *, ids: Sequence[str], canonical: str, dry_run: bool, branch: str
) -> EntitiesMerged:
    """Merge the entities meant by ids or names; without `canonical` the first one stays."""
    canonical = inputs.line_given(canonical, "canonical name")
    secrets.refuse(canonical)
    plan, back = _plan_merge(workspace, EntityIndex(workspace, branch), ids, canonical), None
    if not dry_run:

        def attempt(writing: Writing) -> tuple[_EntityMerge, str | None]:
            seen = EntityIndex(workspace, branch, writing.view)
            plan = _plan_merge(workspace, seen, ids, canonical)
            plan.rewrite.commit(writing, "merge")
            return plan, writing.back

        plan, back = workspace.write(branch, attempt)
    answer: EntitiesMerged = {
        "dry_run": dry_run,
        "into": plan.into.id,
        "name": plan.name,
        "merged": [other.id for other in plan.others],
        "links_moved": plan.links_moved,
    }
    if back:
        answer["back"] = back
    return answer


def _plan_merge(
    workspace: Workspace, roster: EntityIndex, ids: Sequence[str], canonical: str
) -> _EntityMerge:
    by_id = {entity.id: entity for entity in map(roster.resolve, ids)}
    into = _choose_heir(roster, by_id, canonical)
    others = tuple(entity for entity in by_id.values() if entity.id != into.id)
    if not others:
        raise Invalid("Merging needs two different entities.", hint="Give two ids or names.")
    if into.place.is_private and (shared := [e for e in others if not e.place.is_private]):
        raise Invalid(
            f"{into.name} is private, and {shared[0].name} is shared.",
            hint=ways(Call("entities", "merge", ids=list(by_id), canonical=shared[0].id)),
        )
    name = into.name if not canonical or _is_called(into, canonical) else canonical
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


def extract_entities(
    workspace: Workspace,
    *,
    text: str,
    ids: Sequence[str],
    min_confidence: float,
    store: bool,
    limit: int,
    branch: str,
    caller: str,
) -> EntitiesExtracted:
    """From a text, or from memories, which then get links to what they mention."""
    roster = EntityIndex(workspace, branch)
    text = inputs.text_given(text, "text")
    memories = [roster.view.find(word).memory() for word in ids]
    if not text and not memories:
        raise Invalid("There is no text to extract from.", hint="Give a text, or ids of memories.")
    whole = "\n\n".join([text, *map(_words_of, memories)])
    items = extract(whole, min_confidence)[:limit]
    if store and items:
        found = _store(workspace, items, text, ids, min_confidence, branch, caller)
    else:
        found = {
            item: entity.id for item in items if (entity := roster.by_name(item.name, item.kind))
        }
    return {
        "entities": [
            {"name": item.name, "kind": item.kind, "confidence": item.confidence,
             "id": found.get(item, "")}
            for item in items
        ],
        "stored": bool(store and items),
    }  # fmt: skip


def _words_of(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}"


def _store(
    workspace: Workspace,
    items: Sequence[NamedEntity],
    text: str,
    ids: Sequence[str],
    min_confidence: float,
    branch: str,
    caller: str,
) -> dict[NamedEntity, str]:
    """Everything that is new, and the links of the memories it was found in, in one commit."""
    secrets.refuse(*(item.name for item in items))

    def attempt(writing: Writing) -> dict[NamedEntity, str]:
        roster = EntityIndex(workspace, branch, writing.view)
        rewrite = Rewrite(workspace, writing.view)
        entity_ids: dict[NamedEntity, str] = {}
        places = [writing.view.find(word) for word in ids]
        shared = [_words_of(place.memory()) for place in places if not place.is_private]
        # What only private memories name stays private, too.
        names = {found.name.casefold() for each in (text, *shared) for found in extract(each, 0.0)}
        for item in items:
            entity = roster.by_name(item.name, item.kind)
            if entity is None:
                memory, existing = _draft(workspace, roster, item.name, item.kind, caller)
                if not existing or existing.memory().is_forgotten:
                    memory = memory._replace(confidence=item.confidence)
                    is_private = item.name.casefold() not in names
                    rewrite.add(memory, existing, is_private=is_private)
            entity_ids[item] = entity.id if entity else memory.id
        for place in places:
            rewrite.change(
                place, _mention(place.memory(), entity_ids, min_confidence), by_hand=False
            )
        rewrite.commit(writing, "remember")
        return entity_ids

    return workspace.write(branch, attempt)


def _mention(
    memory: Memory, entity_ids: Mapping[NamedEntity, str], min_confidence: float
) -> Memory:
    """Link a memory to the entities that it names, but for those that somebody unlinked."""
    found, avoid = set(extract(_words_of(memory), min_confidence)), {memory.id, *memory.unlinked}
    for item, target in entity_ids.items():
        if item in found and target not in avoid and not memory.has_link("mentions", target):
            link = Link("mentions", target, item.confidence, "system", "named in the text")
            memory = memory.link(link)
    return memory


OPERATIONS: dict[str, Callable[..., EntityAnswer]] = {
    "list": list_entities,
    "get": get_entity,
    "add": add_entity,
    "delete": delete_entities,
    "merge": merge_entities,
    "extract": extract_entities,
}
