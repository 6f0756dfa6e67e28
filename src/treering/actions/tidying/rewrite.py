"""Memories changed together: each change sees the ones before it, and all become one commit."""

from collections.abc import Iterable, Mapping

from treering.actions.searcher import SearchView
from treering.actions.workspace import Change, Workspace, WriteOp, Writing
from treering.errors import Conflict
from treering.model.memory import FileRef, Link, Memory
from treering.model.taxonomy import RELATIONS
from treering.store.view import Copy, View


class Rewrite:
    """What is going to be written; nothing is until `commit`."""

    def __init__(self, workspace: Workspace, view: View) -> None:
        self._workspace = workspace
        self._view = view
        self._changes: dict[str, Change] = {}
        self.now = workspace.now()

    def still(self, copy: Copy) -> Copy:
        """The memory as it was when it was looked at, before the lock; Conflict when it is not."""
        place = self._view.place(copy.id)
        if place is None or place.blob != copy.blob:
            raise Conflict(f"The memory {copy.id} changed meanwhile")
        return place

    def memory(self, place: Copy) -> Memory:
        change = self._changes.get(place.id)
        return change.memory if change else place.memory()

    def add(self, memory: Memory, existing: Copy | None, *, is_private: bool) -> None:
        self._changes[memory.id] = Change(memory, existing, is_private)

    def change(self, place: Copy, memory: Memory, *, by_hand: bool = True) -> None:
        """Only what somebody meant to change is `modified`: of two versions that one must win."""
        if memory != self.memory(place):
            memory = memory.touch(self.now) if by_hand else memory
            is_private = place.is_private
            existing = self._changes[place.id].replaces if place.id in self._changes else place
            self._changes[place.id] = Change(memory, existing, is_private)

    def supersede(self, place: Copy, by: str) -> None:
        self.change(place, self.memory(place).supersede(by))

    def forget(self, place: Copy, reason: str) -> None:
        self.change(place, self.memory(place).forget(reason))

    def move_links(self, heirs: Mapping[str, str], *, with_history: bool = True) -> int:
        """Let links to the one end at the other; how many did. Without history, links that tell
        where a memory came from stay as they are."""
        count = 0
        search_view = self._workspace.searcher.search_view(self._view)
        sources = {source for old in heirs for _, source in incoming(search_view, old)}
        for source in sorted((sources | self._changes.keys()) - heirs.keys()):
            place = self._view.place(source)
            if place is None:
                continue
            memory = self.memory(place)
            links = [_move(link, heirs, with_history) for link in memory.links]
            count += sum(new != old for new, old in zip(links, memory.links, strict=True))
            links_now = surest(links, but=source)
            self.change(place, memory._replace(links=links_now), by_hand=False)
        return count

    def commit(self, writing: Writing, op: WriteOp) -> dict[str, str]:
        """Write it, and return the new version of each id."""
        return writing.commit(op, self._changes.values()) if self._changes else {}


def incoming(search_view: SearchView, memory_id: str) -> Iterable[tuple[str, str]]:
    """Relation and source of every link to a memory."""
    edges = search_view.network.around(memory_id, direction="in")
    return [(edge.relation, edge.source) for edge in edges]


def _move(link: Link, heirs: Mapping[str, str], with_history: bool) -> Link:
    tells_history = RELATIONS.get(link.relation) == "evolution"
    if link.target not in heirs or (tells_history and not with_history):
        return link
    return link._replace(target=heirs[link.target])


def surest(links: Iterable[Link], *, but: str = "") -> tuple[Link, ...]:
    """Each edge once, the surest copy of it; none that would end where it begins."""
    edges: dict[tuple[str, str], Link] = {}
    for link in links:
        key = (link.relation, link.target)
        if link.target != but and (key not in edges or link.confidence > edges[key].confidence):
            edges[key] = link
    return tuple(edges.values())


def files_of(memories: Iterable[Memory]) -> tuple[FileRef, ...]:
    """The files all of them are about, each as the newest memory saw it."""
    newest = sorted(memories, key=lambda memory: memory.modified)
    return tuple({file.path: file for memory in newest for file in memory.files}.values())


def tags_of(memories: Iterable[Memory]) -> tuple[str, ...]:
    """All their tags, each once in whatever case."""
    tags: dict[str, str] = {}
    for memory in memories:
        for tag in memory.tags:
            tags.setdefault(tag.lower(), tag)
    return tuple(tags.values())
