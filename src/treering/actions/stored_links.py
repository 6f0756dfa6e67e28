"""The links around one memory, as the memories themselves tell: without the index.

The table of clues names the memories of which some version links to another. Which of them are
seen from here, and what they say now, is read from git. Where the table is not complete the index
answers, which knows every link.
"""

from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.flags import Flags, flags_of_node
from treering.actions.link import LinkEnd, Links, own_links
from treering.actions.workspace import Workspace
from treering.errors import TreeringError
from treering.graph.network import Edge, Network, Node, choose, surest_first
from treering.model.dates import instant
from treering.model.memory import age_of_link
from treering.model.taxonomy import family_of
from treering.store.view import Copy, View


class ReadMemory(NamedTuple):
    """A memory at the end of a link, as git has it."""

    id: str
    title: str
    place: Copy


class StoredLinks:
    """Links looked up one memory at a time; what was read once is kept for the answer."""

    def __init__(self, workspace: Workspace, view: View, flags: Flags) -> None:
        self._workspace = workspace
        self._view = view
        self._flags = flags
        self._nodes: dict[str, ReadMemory | None] = {}

    def node(self, memory_id: str) -> ReadMemory | None:
        if memory_id not in self._nodes:
            self._nodes[memory_id] = self._read(memory_id)
        return self._nodes[memory_id]

    def _read(self, memory_id: str) -> ReadMemory | None:
        try:
            place = self._view.place(memory_id)
        except TreeringError:
            return None
        memory = place.try_memory() if place else None
        if place is None or memory is None or memory.is_forgotten:
            return None
        return ReadMemory(memory.id, memory.title, place)

    def around(
        self, memory_id: str, relations: Sequence[str] = (), direction: str = "both"
    ) -> list[Edge]:
        out = self._out(memory_id) if direction != "in" else []
        into = self._into(memory_id) if direction != "out" else []
        is_wanted = choose(relations)
        edges = sorted(out, key=surest_first) + sorted(into, key=surest_first)
        return [edge for edge in edges if is_wanted(edge.relation)]

    def flags(self, end: LinkEnd) -> tuple[str, ...] | None:
        node = self.node(end.id)
        return self._flags.of_text(node.place) or None if node else None

    def _out(self, memory_id: str) -> list[Edge]:
        node = self.node(memory_id)
        return [edge for edge in _edges_of(self._workspace, node) if self.node(edge.target)]

    def _into(self, memory_id: str) -> list[Edge]:
        if self.node(memory_id) is None:
            return []  # to what was forgotten nothing leads
        sources = map(self.node, self._workspace.neighbourhood.linking_to(memory_id))
        edges = (edge for source in sources for edge in _edges_of(self._workspace, source))
        return [edge for edge in edges if edge.target == memory_id]


def _edges_of(workspace: Workspace, node: ReadMemory | None) -> list[Edge]:
    """The links of a memory. One that fades and does not say since when is as old as the memory,
    whose date others may have made up."""
    if node is None:
        return []
    memory = node.place.memory()
    edges = own_links(memory)
    if any(family_of(ln.relation) == "temporal" and not age_of_link(ln) for ln in memory.links):
        version = workspace.ledger.version(node.place.blob)
        made = instant(workspace.ledger.date(memory, version).created)
        ages = (age_of_link(link) for link in memory.links if link.target != memory.id)
        edges = [edge._replace(since=age or made) for edge, age in zip(edges, ages, strict=True)]
    return edges


class IndexedLinks:
    """Links as the index knows them."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def node(self, memory_id: str) -> Node | None:
        return self._network.node(memory_id)

    def around(
        self, memory_id: str, relations: Sequence[str] = (), direction: str = "both"
    ) -> list[Edge]:
        return self._network.around(memory_id, relations, direction)

    def flags(self, end: LinkEnd) -> tuple[str, ...] | None:
        return flags_of_node(self._network.node(end.id))


def links_seen(workspace: Workspace, view: View, flags: Flags) -> Links:
    """The links of what a view shows."""
    if workspace.neighbourhood.knows(view):
        return StoredLinks(workspace, view, flags)
    return IndexedLinks(workspace.searcher.search_view(view).network)
