"""The entities that are seen from a branch: found by name, alias or id, and who mentions them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.call import Advice, Call
from treering.errors import Invalid, MemoryNotFound
from treering.model.memory import Memory, derive_id
from treering.model.query import Filters, Query
from treering.store.view import Copy, View

_MOST = 5000
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
    """What an entity's memory says; name and kind make its id, aliases make it findable."""
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
        for entry in self._index.newest(self._search_view.ranks, _MOST, ("entity",)):
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
        """Who mentions an entity, by a link or by name: id and title."""
        titles: dict[str, str] = {}
        network = self._search_view.network
        for edge in network.around(entity.id, ["mentions"], "in"):
            titles[edge.source] = network.nodes[edge.source].title
        for name in entity.names:
            for entry in self._index.holding(name, self._search_view.ranks):
                if entry.type != "entity":
                    titles.setdefault(entry.id, entry.title)
        return titles

    def linking_to(self, entity: Entity) -> list[Copy]:
        """The memories that hold a link to an entity."""
        edges = self._search_view.network.around(entity.id, direction="in")
        sources = dict.fromkeys(edge.source for edge in edges)
        return [place for source in sources if (place := self.view.place(source))]

    def _read(self, blob: str) -> Entity | None:
        place = self._search_view.place(blob)
        memory = place.try_memory() if place else None
        return entity_of(place, memory) if place and memory else None
