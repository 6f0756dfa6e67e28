"""Memories as nodes, links as edges: looked around in, walked through, counted.

A network is made of index entries, so no memory is parsed for it. It never changes: whoever sees
other memories has another network, which may be made from this one. Forgotten memories are not in
it, nor are links that lead to one; they are back when the memory is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from treering.model.taxonomy import family_of

#: A temporal link says "at about the same time", which is worth nothing a month later.
FADING_DAYS = 30
_DAY = 86_400.0


class Node(Protocol):
    """The fields a network needs of a memory; an index entry has them."""

    @property
    def blob(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def created(self) -> float: ...
    @property
    def flags(self) -> tuple[str, ...] | None: ...
    @property
    def links(self) -> tuple[tuple[str, str, float, str, float], ...]: ...


class Edge(NamedTuple):
    """One link; `since` is the moment it was made, 0 where nobody knows."""

    source: str
    target: str
    relation: str
    confidence: float = 0.8
    by: str = ""
    since: float = 0.0

    def confidence_at(self, now: float) -> float:
        return fade(self.relation, self.confidence, now - self.since if self.since else 0.0)

    def other(self, memory_id: str) -> str:
        return self.source if memory_id == self.target else self.target


class Reached(NamedTuple):
    """A memory reached over `edge` from `via`, `depth` links away."""

    id: str
    depth: int
    edge: Edge
    via: str


def fade(relation: str, confidence: float, age: float) -> float:
    """Return what is left of a link's confidence `age` seconds later: all of it, but for temporal
    ones."""
    if family_of(relation) != "temporal":
        return confidence
    return round(confidence * min(1.0, max(0.0, 1 - age / _DAY / FADING_DAYS)), 4)


def choose(relations: Iterable[str]) -> Callable[[str], bool]:
    """Return whether a relation was asked for, by its name or by its family; all are where none
    was."""
    words = {word.strip().lower() for word in relations if word.strip()}
    if not words:
        return lambda _: True
    return lambda relation: relation.lower() in words or family_of(relation) in words


class Network:
    """The graph of everything one caller sees."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes: dict[str, Node] = {}
        for node in nodes:
            if node.status != "deleted":
                self.nodes.setdefault(node.id, node)
        self._out: dict[str, list[Edge]] = {}
        self._in: dict[str, list[Edge]] = {}
        self._around: dict[str, tuple[list[Edge], list[Edge]]] = {}
        for node in self.nodes.values():
            for edge in _edges_of(node):
                if edge.target in self.nodes:
                    self._out.setdefault(node.id, []).append(edge)
                    self._in.setdefault(edge.target, []).append(edge)

    def node(self, memory_id: str) -> Node | None:
        return self.nodes.get(memory_id)

    def edges(self) -> Iterator[Edge]:
        return (edge for edges in self._out.values() for edge in edges)

    def around(
        self, memory_id: str, relations: Sequence[str] = (), direction: str = "both"
    ) -> list[Edge]:
        """The links of one memory, outgoing first, each kind the surest first."""
        if memory_id not in self._around:
            out, into = self._out.get(memory_id, ()), self._in.get(memory_id, ())
            self._around[memory_id] = (
                sorted(out, key=surest_first),
                sorted(into, key=surest_first),
            )
        out, into = self._around[memory_id]
        edges = out if direction == "out" else into if direction == "in" else out + into
        if not relations:
            return edges
        is_wanted = choose(relations)
        return [edge for edge in edges if is_wanted(edge.relation)]

    def degree(self, memory_id: str) -> int:
        return len(self._out.get(memory_id, ())) + len(self._in.get(memory_id, ()))

    def are_linked(self, one: str, other: str) -> bool:
        return any(edge.other(one) == other for edge in self.around(one))

    # --- walking ----------------------------------------------------------------------------------

    def reach(
        self,
        starts: Iterable[str],
        depth: int,
        relations: Sequence[str] = (),
        direction: str = "both",
    ) -> list[Reached]:
        """Everything up to `depth` links away, each once, nearest first."""
        return _walk(starts, depth, lambda at: self.around(at, relations, direction))

    def prerequisites(
        self, memory_id: str, depth: int, relations: Sequence[str] = ()
    ) -> list[Reached]:
        """Return what comes first: what a memory depends on, what is a prerequisite of it, and of
        those.

        `a depends_on b` and `b prerequisite_of a` both say that b comes before a.
        """
        is_wanted = choose(relations)

        def before(at: str) -> list[Edge]:
            needs = self.around(at, ("depends_on",), "out")
            first = self.around(at, ("prerequisite_of",), "in")
            return [edge for edge in (*needs, *first) if is_wanted(edge.relation)]

        return _walk([memory_id], depth, before)

    def path(
        self,
        start: str,
        end: str,
        most: int,
        relations: Sequence[str] = (),
        direction: str = "both",
        through: Callable[[str], bool] = lambda _: True,
    ) -> list[Edge] | None:
        """A shortest way from one memory to another, at most `most` links long; None for none.

        Searched from both ends at once, the smaller front first: two small circles instead of one
        that takes in half of the graph. `through` says which memories may lie in between.
        """
        back = {"in": "out", "out": "in"}.get(direction, "both")
        sides = (_Side(start, direction), _Side(end, back))
        if start == end:
            return []
        for _ in range(most):
            side, other = sorted(sides, key=lambda side: len(side.front))
            if not side.front:
                return None
            meeting = self._grow(side, other, relations, through)
            if meeting is not None:
                return [*reversed(sides[0].way_to(meeting)), *sides[1].way_to(meeting)]
        return None

    def _grow(
        self,
        side: "_Side",
        other: "_Side",
        relations: Sequence[str],
        through: Callable[[str], bool],
    ) -> str | None:
        """One step further on one side; the memory where both meet, if they do."""
        front = []
        for at in side.front:
            for edge in self.around(at, relations, side.direction):
                beyond = edge.other(at)
                if beyond in side.came:
                    continue
                if beyond in other.came:
                    side.came[beyond] = edge
                    return beyond
                if through(beyond):
                    side.came[beyond] = edge
                    front.append(beyond)
        side.front = front
        return None

    # --- counting ---------------------------------------------------------------------------------

    def components(self) -> list[set[str]]:
        """Groups of memories that hang together, the largest first; memories without links too."""
        members, groups = set[str](), list[set[str]]()
        for start in self.nodes:
            if start not in members:
                group, todo = {start}, [start]
                while todo:
                    at = todo.pop()
                    edges = (*self._out.get(at, ()), *self._in.get(at, ()))
                    beyond = {edge.other(at) for edge in edges} - group
                    group |= beyond
                    todo += beyond
                members |= group
                groups.append(group)
        return sorted(groups, key=len, reverse=True)

    def hubs(self, most: int) -> list[tuple[str, int]]:
        """The memories with the most links, and how many."""
        degrees = ((memory_id, self.degree(memory_id)) for memory_id in self.nodes)
        hubs = [pair for pair in degrees if pair[1]]
        return sorted(hubs, key=lambda pair: (-pair[1], pair[0]))[:most]

    def orphans(self) -> list[str]:
        return [memory_id for memory_id in self.nodes if not self.degree(memory_id)]

    def by_relation(self) -> dict[str, int]:
        return dict(Counter(edge.relation for edge in self.edges()).most_common())


class SparseNetwork(Network):
    """A network of which only what is asked for is looked up, for views of very many memories.

    `find` gives a memory that is seen, `linking` the ids of those that may link to one.
    """

    def __init__(
        self, find: Callable[[str], Node | None], linking: Callable[[str], Iterable[str]]
    ) -> None:
        super().__init__(())
        self._find = find
        self._linking = linking
        self._held: dict[str, list[Edge]] = {}
        self._leading_to: dict[str, list[Edge]] = {}

    def node(self, memory_id: str) -> Node | None:
        node = self.nodes.get(memory_id) or self._find(memory_id)
        if node is None or node.status == "deleted":
            return None
        return self.nodes.setdefault(memory_id, node)

    def around(
        self, memory_id: str, relations: Sequence[str] = (), direction: str = "both"
    ) -> list[Edge]:
        if memory_id not in self._around and (node := self.node(memory_id)):
            self._out[memory_id] = [edge for edge in self._read(node) if self.node(edge.target)]
            for source in filter(None, map(self.node, self._linking(memory_id))):
                self._read(source)
            self._in[memory_id] = list(self._leading_to.get(memory_id, ()))
        return super().around(memory_id, relations, direction)

    def _read(self, node: Node) -> list[Edge]:
        """Return the links of a memory, each made once, however many lead to the same ones."""
        if node.id not in self._held:
            self._held[node.id] = _edges_of(node)
            for edge in self._held[node.id]:
                self._leading_to.setdefault(edge.target, []).append(edge)
        return self._held[node.id]

    def degree(self, memory_id: str) -> int:
        return len(self.around(memory_id))


def _edges_of(node: Node) -> list[Edge]:
    return [
        Edge(node.id, target, relation, confidence, by, since or node.created)
        for relation, target, confidence, by, since in node.links
        if target != node.id
    ]


class _Side:
    """One end of a search for a path: how each memory was come by, and the newest of them."""

    def __init__(self, start: str, direction: str) -> None:
        self.direction = direction
        self.front = [start]
        self.came: dict[str, Edge | None] = {start: None}

    def way_to(self, memory_id: str) -> list[Edge]:
        """The edges back from a memory to this end."""
        way, at = [], memory_id
        while (edge := self.came[at]) is not None:
            way.append(edge)
            at = edge.other(at)
        return way


def stations(start: str, path: Sequence[Edge]) -> list[str]:
    """The memories along a path, first and last included."""
    ids = [start]
    for edge in path:
        ids.append(edge.other(ids[-1]))
    return ids


def _walk(starts: Iterable[str], depth: int, around: Callable[[str], list[Edge]]) -> list[Reached]:
    front = list(dict.fromkeys(starts))
    ids, steps = set(front), list[Reached]()
    for level in range(1, depth + 1):
        ring = []
        for at in front:
            for edge in around(at):
                beyond = edge.other(at)
                if beyond not in ids:
                    ids.add(beyond)
                    ring.append(Reached(beyond, level, edge, at))
        steps += ring
        front = [step.id for step in ring]
        if not front:
            break
    return steps


def surest_first(edge: Edge) -> tuple[float, str, str]:
    return (-edge.confidence, edge.relation, edge.target + edge.source)
