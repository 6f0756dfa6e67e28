"""graph: neighbours, links, paths and prerequisites of memories, counted, drawn and suggested."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from treering.actions.marks import NO_MARKS, Marks, NewerMemory, OutdatedBy, Reverted, mark_blobs
from treering.actions.origin import flags_of_node
from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.call import Advice, Call
from treering.errors import Invalid, MemoryNotFound, PathNotFound
from treering.graph.drawing import draw
from treering.graph.inference import Gap, gaps
from treering.graph.network import Edge, Network, Reached, stations
from treering.graph.subject import Subject
from treering.model.taxonomy import type_named
from treering.search.entry import Entry, hashes_of
from treering.text.likeness import INDEX_SKETCH as SKETCH
from treering.text.values import jsonable
from treering.text.words import words


class GraphNode(NamedTuple):
    """The head of a memory in an answer, and where it stands there."""

    id: str
    title: str
    #: In reach of another memory: how many links away, and the link it was reached by.
    type: str | None = None
    depth: int | None = None
    via: str | None = None
    relation: str | None = None
    direction: str | None = None
    #: On a path; the link to the next may point either way.
    relation_to_next: str | None = None
    direction_to_next: str | None = None
    #: Of what is linked best: how many links it has.
    degree: int | None = None
    flags: tuple[str, ...] | None = None
    outcome: str | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None


class EdgeShown(NamedTuple):
    source: str
    target: str
    relation: str
    confidence: float
    by: str


class NeighborsAnswer(NamedTuple):
    """`total` counts what is in reach, beyond the limit too."""

    id: str
    title: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[EdgeShown, ...]
    total: int
    flags: tuple[str, ...] | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None


class Edges(NamedTuple):
    edges: tuple[EdgeShown, ...]
    total: int


class PathAnswer(NamedTuple):
    path: tuple[GraphNode, ...]
    length: int

    def as_json(self) -> dict[str, object]:
        """The last one has no next, and says so."""
        last = {"relation_to_next": None, "direction_to_next": None}
        nodes = [{n: v for n, v in node._asdict().items() if v is not None} for node in self.path]
        head, tail = ("id", "title"), nodes[-1]
        nodes[-1] = {n: tail[n] for n in head} | last | tail
        return {"path": nodes, "length": self.length}


class Prerequisites(NamedTuple):
    id: str
    title: str
    prerequisites: tuple[GraphNode, ...]
    flags: tuple[str, ...] | None = None


class Stats(NamedTuple):
    nodes: int
    edges: int
    by_relation: dict[str, int]
    components: int
    hubs: tuple[GraphNode, ...]
    orphans: int
    largest_component: int
    mean_degree: float


class Drawing(NamedTuple):
    format: str
    text: str
    nodes: int
    edges: int
    total: int


class SuggestedPairs(NamedTuple):
    pairs: tuple[Gap, ...]


GraphAnswer = (
    NeighborsAnswer | Edges | PathAnswer | Prerequisites | Stats | Drawing | SuggestedPairs
)


_HUBS = 10


class Depth(NamedTuple):
    usual: int
    most: int


DEPTHS = {
    "neighbors": Depth(1, 5),
    "path": Depth(5, 10),
    "prerequisites": Depth(3, 5),
    "draw": Depth(2, 5),
}
_LIMITS = {"suggest": 10}


@dataclass(frozen=True, slots=True)
class _Question:
    """A checked question, and the network it is asked of."""

    network: Network
    start: str
    end: str
    relations: tuple[str, ...]
    direction: str
    depth: int
    types: frozenset[str]
    format: str
    threshold: float
    limit: int
    now: float
    search_view: SearchView
    mark: Callable[[Collection[str]], dict[str, Marks]]
    progress: Callable[[int, int], None] | None

    def is_of_type(self, memory_id: str) -> bool:
        node = self.network.nodes.get(memory_id)
        return node is not None and (not self.types or node.type in self.types)

    def title(self, memory_id: str) -> str:
        node = self.network.nodes.get(memory_id)
        return node.title if node else ""

    def flags(self, memory_id: str) -> tuple[str, ...] | None:
        return flags_of_node(self.network.nodes.get(memory_id))

    def marks(self, ids: Iterable[str]) -> dict[str, Marks]:
        """Return what there is to say of the truth of some memories."""
        blobs = {node.blob: node.id for i in ids if (node := self.network.nodes.get(i))}
        marks = {blobs[blob]: mark for blob, mark in self.mark(blobs).items()}
        return dict.fromkeys(blobs.values(), NO_MARKS) | marks

    def show_node(self, memory_id: str, marks: Mapping[str, Marks], **place: Any) -> GraphNode:
        """Return the head of a memory, with its marks and its place in the answer."""
        node = self.network.nodes.get(memory_id)
        return GraphNode(
            id=memory_id,
            title=node.title if node else "",
            flags=flags_of_node(node),
            outcome=(node.outcome or None) if node else None,
            **marks[memory_id]._asdict(),
            **place,
        )

    def reach(self) -> list[Reached]:
        """Return what is in reach of the start; types choose what is shown, not what is walked
        through."""
        steps = self.network.reach([self.start], self.depth, self.relations, self.direction)
        return [step for step in steps if self.is_of_type(step.id)]

    def show(self, edges: Sequence[Edge]) -> tuple[EdgeShown, ...]:
        return tuple(
            EdgeShown(e.source, e.target, e.relation, e.confidence_at(self.now), e.by)
            for e in edges
        )


def graph(
    workspace: Workspace,
    op: str,
    *,
    id: str = "",
    to: str = "",
    relation: Sequence[str] = (),
    direction: str = "both",
    depth: int = 0,
    types: Sequence[str] = (),
    format: str = "mermaid",
    threshold: float = 0.8,
    limit: int = 0,
    branch: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Answer one question about the links of everything visible from here or from `branch`.

    `progress` is called between the steps of what takes long.
    """
    ids = {"neighbors": (id,), "path": (id, to), "prerequisites": (id,)}.get(op, ())
    if not all(ids):
        raise Invalid(f"{op} needs {'two ids' if op == 'path' else 'an id'}.")
    position = workspace.position(branch)
    view = workspace.view_from(position)
    search_view = workspace.searcher.search_view(view)

    def full_id(text: str) -> str:
        place = view.find(text) if text else None
        if place and place.memory().is_forgotten:
            raise MemoryNotFound(
                f"The memory {place.id} was forgotten.",
                hint=Advice("{} brings it back.", Call("forget", place.id, restore=True)),
            )
        return place.id if place else ""

    question = _Question(
        network=search_view.network,
        start=full_id(id),
        end=full_id(to),
        relations=tuple(relation),
        direction=direction,
        depth=_depth(op, depth),
        types=frozenset(type_named(word) for word in types if word),
        format=format,
        threshold=threshold,
        limit=limit or _LIMITS.get(op, 50),
        now=workspace.clock(),
        search_view=search_view,
        mark=lambda blobs: mark_blobs(workspace, search_view, blobs, position.head),
        progress=progress,
    )
    answer = _ANSWERS[op](question)
    workspace.learn_in_background()
    return answer


def _depth(op: str, depth: int) -> int:
    usual, most = DEPTHS.get(op, Depth(1, 10))
    if not 0 <= depth <= most:
        raise Invalid(f"depth is {depth}, not between 1 and {most}.")
    return depth or usual


# --- one function an op --------------------------------------------------------------------------


def _neighbors(query: _Question) -> NeighborsAnswer:
    """The memories in reach, and every link between them that the walk looked at."""
    steps = query.reach()
    marks = query.marks([query.start, *(step.id for step in steps[: query.limit])])
    nodes = tuple(_node_at(query, step, marks) for step in steps[: query.limit])
    inside = {query.start, *(node.id for node in nodes)}
    looked_at = [query.start, *(node.id for node in nodes if (node.depth or 0) < query.depth)]
    edges = dict.fromkeys(
        edge
        for at in looked_at
        for edge in query.network.around(at, query.relations, query.direction)
        if edge.other(at) in inside
    )
    return NeighborsAnswer(
        query.start,
        query.title(query.start),
        nodes,
        query.show(list(edges)),
        len(steps),
        query.flags(query.start),
        *marks[query.start],
    )


def _node_at(query: _Question, step: Reached, marks: Mapping[str, Marks]) -> GraphNode:
    direction = "out" if step.edge.target == step.id else "in"
    return query.show_node(
        step.id, marks, type=query.network.nodes[step.id].type, depth=step.depth, via=step.via,
        relation=step.edge.relation, direction=direction,
    )  # fmt: skip


def _edges(query: _Question) -> Edges:
    if query.start:
        edges = query.network.around(query.start, query.relations, query.direction)
        edges = [edge for edge in edges if query.is_of_type(edge.other(query.start))]
    else:
        edges = [
            edge
            for memory_id in query.network.nodes
            for edge in query.network.around(memory_id, query.relations, "out")
            if query.is_of_type(edge.source) and query.is_of_type(edge.target)
        ]
    return Edges(query.show(edges[: query.limit]), len(edges))


def _path(query: _Question) -> PathAnswer:
    through: Callable[[str], bool] = query.is_of_type if query.types else lambda _: True
    edges = query.network.path(
        query.start, query.end, query.depth, query.relations, query.direction, through
    )
    if edges is None:
        raise PathNotFound(
            f"No path of at most {query.depth} links leads from {query.start} to {query.end}"
        )
    ids = stations(query.start, edges)
    marks = query.marks(ids)
    links = [
        (edge.relation, "out" if edge.source == at else "in")
        for at, edge in zip(ids, edges, strict=False)
    ]
    return PathAnswer(
        tuple(
            query.show_node(at, marks, relation_to_next=one, direction_to_next=way)
            for at, (one, way) in zip(ids, (*links, (None, None)), strict=True)
        ),
        len(edges),
    )


def _prerequisites(query: _Question) -> Prerequisites:
    steps = query.network.prerequisites(query.start, query.depth, query.relations)
    page = [s for s in steps if query.is_of_type(s.id)][: query.limit]
    marks = query.marks(step.id for step in page)
    return Prerequisites(
        query.start,
        query.title(query.start),
        tuple(query.show_node(step.id, marks, depth=step.depth) for step in page),
        query.flags(query.start),
    )


def _stats(query: _Question) -> Stats:
    network = query.network
    if query.types:
        network = Network(n for n in network.nodes.values() if n.type in query.types)
    groups = network.components()
    count = sum(1 for _ in network.edges())
    hubs = network.hubs(min(query.limit, _HUBS))
    marks = query.marks(memory_id for memory_id, _ in hubs)
    return Stats(
        nodes=len(network.nodes),
        edges=count,
        by_relation=network.by_relation(),
        components=len(groups),
        hubs=tuple(query.show_node(mid, marks, degree=degree) for mid, degree in hubs),
        orphans=len(network.orphans()),
        largest_component=len(groups[0]) if groups else 0,
        mean_degree=round(2 * count / len(network.nodes), 2) if network.nodes else 0.0,
    )


def _draw(query: _Question) -> Drawing:
    """Around one memory; or the whole, the best linked first, so that a limit cuts off the rim."""
    if query.start:
        ids = [query.start, *(step.id for step in query.reach())]
    else:
        network = query.network
        hubs = [mid for mid, _ in network.hubs(len(network.nodes))]
        ids = [mid for mid in (*hubs, *network.orphans()) if query.is_of_type(mid)]
    page = [mid for mid in ids[: query.limit] if mid in query.network.nodes]
    inside = set(page)
    edges = [
        edge
        for mid in page
        for edge in query.network.around(mid, query.relations, "out")
        if edge.target in inside
    ]
    nodes = [query.network.nodes[mid] for mid in page]
    marks = {
        mid: (mark.words, jsonable({name: one for name, one in mark._asdict().items() if one}))
        for mid, mark in query.marks(page).items()
    }
    text = draw(query.format, nodes, edges, query.start, marks)
    return Drawing(query.format, text, len(nodes), len(edges), len(ids))


def _suggest(query: _Question) -> SuggestedPairs:
    """Leave out what bears a flag: nobody asked for it."""
    entries = (entry for entry in query.search_view.entries() if entry.flags == ())
    subjects = (_subject(entry) for entry in entries if query.is_of_type(entry.id))
    pairs = gaps(
        subjects, query.network, query.threshold, query.start, SKETCH, progress=query.progress
    )
    return SuggestedPairs(tuple(pairs[: query.limit]))


def _subject(entry: Entry) -> Subject:
    """Return what the index knows of a memory, ready to be compared with others."""
    title = words(entry.title)
    return Subject(
        id=entry.id,
        blob=entry.blob,
        type=entry.type,
        title=entry.title,
        status=entry.status,
        outcome=entry.outcome,
        created=entry.created,
        session=entry.session,
        topic=entry.topic,
        tags=frozenset(tag.lower() for tag in entry.tags),
        files=frozenset(entry.files),
        words=tuple(title),
        about=frozenset(title),
        sample=frozenset(hashes_of(entry)),
    )


_ANSWERS: dict[str, Callable[[_Question], Any]] = {
    "neighbors": _neighbors,
    "edges": _edges,
    "path": _path,
    "prerequisites": _prerequisites,
    "stats": _stats,
    "draw": _draw,
    "suggest": _suggest,
}
