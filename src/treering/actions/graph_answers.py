"""What graph answers, one record an op; field names are the contract's words.

`flags` stand beside a title, and name what looks wrong with the memory it is of.
"""

from typing import NamedTuple

from treering.actions.marks import NewerMemory, OutdatedBy, Reverted
from treering.graph.inference import Gap


class NodeShown(NamedTuple):
    """A memory in an answer; the last three say how it was reached."""

    id: str
    title: str
    type: str
    depth: int
    via: str | None = None
    relation: str | None = None
    direction: str | None = None
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
    nodes: tuple[NodeShown, ...]
    edges: tuple[EdgeShown, ...]
    total: int
    flags: tuple[str, ...] | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None


class Edges(NamedTuple):
    edges: tuple[EdgeShown, ...]
    total: int


class Station(NamedTuple):
    """A memory on a path; the link to the next may point either way."""

    id: str
    title: str
    relation_to_next: str | None
    direction_to_next: str | None
    flags: tuple[str, ...] | None = None
    outcome: str | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None

    def as_json(self) -> dict[str, object]:
        """The last one has no next, and says so."""
        may_lack = ("flags", "outcome", "outdated_by", "newer", "reverted")
        return {k: v for k, v in self._asdict().items() if v or k not in may_lack}


class PathAnswer(NamedTuple):
    path: tuple[Station, ...]
    length: int


class Prerequisite(NamedTuple):
    id: str
    title: str
    depth: int
    flags: tuple[str, ...] | None = None
    outcome: str | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None


class Prerequisites(NamedTuple):
    id: str
    title: str
    prerequisites: tuple[Prerequisite, ...]
    flags: tuple[str, ...] | None = None


class Hub(NamedTuple):
    id: str
    title: str
    degree: int
    flags: tuple[str, ...] | None = None
    outcome: str | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None


class Stats(NamedTuple):
    nodes: int
    edges: int
    by_relation: dict[str, int]
    components: int
    hubs: tuple[Hub, ...]
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
