"""treering graph"""

from collections.abc import Callable, Iterator
from typing import Any

import click

from treering.actions.graph import graph
from treering.actions.graph_answers import (
    Drawing,
    Edges,
    EdgeShown,
    NeighborsAnswer,
    NodeShown,
    PathAnswer,
    Prerequisites,
    Stats,
    SuggestedPairs,
)
from treering.cli.render import safe, table
from treering.cli.screen import bold, dim, short
from treering.cli.shared import Door


def run(door_: Door, op: str, words: tuple[str, ...], id: str, to: str, **given: Any) -> Any:
    """After the operation come the memory to start from, and for a path the one to end at."""
    if len(words) > 2 or (words and id) or (len(words) == 2 and to):
        raise click.UsageError("Give at most two memories.")
    start, end = (*words, *("", "")[len(words) :])
    return graph(door_.open(), op, id=start or id, to=end or to, **given)


def text(answer: Any) -> str:
    return "\n".join(_TEXTS[type(answer)](answer))


def _neighbours(found: NeighborsAnswer) -> Iterator[str]:
    yield f"{short(found.id)}  {bold(safe(found.title))}"
    yield from _branch(found.nodes, found.id, "")
    if found.total > len(found.nodes):
        yield f"{len(found.nodes)} of {found.total}: more with --limit"


def _branch(nodes: tuple[NodeShown, ...], at: str, indent: str) -> Iterator[str]:
    """What hangs below one memory, drawn as a tree."""
    shown = {node.id for node in nodes}
    root = not indent
    below = [n for n in nodes if n.via == at or (root and n.via not in shown)]
    for node in below:
        is_last = node is below[-1]
        arrow = f"{node.relation} →" if node.direction == "out" else f"← {node.relation}"
        line = f"{dim(safe(arrow))}  {short(node.id)}  {node.type}  {safe(node.title)}"
        yield f"{indent}{'└─' if is_last else '├─'} {line}"
        yield from _branch(nodes, node.id, indent + ("   " if is_last else "│  "))


def _edges(found: Edges) -> Iterator[str]:
    rows = [
        (short(edge.source), safe(edge.relation), short(edge.target), _sure(edge))
        for edge in found.edges
    ]
    yield table(rows) if rows else "No links."
    if found.total > len(rows):
        yield f"{len(rows)} of {found.total}: more with --limit"


def _sure(edge: EdgeShown) -> str:
    return dim(f"{edge.confidence:g} {safe(edge.by)}".strip())


def _path(found: PathAnswer) -> Iterator[str]:
    for station in found.path:
        yield f"{short(station.id)}  {safe(station.title)}"
        if station.relation_to_next:
            arrow = "↓" if station.direction_to_next == "out" else "↑"
            yield dim(f"  {arrow} {safe(station.relation_to_next)}")


def _prerequisites(found: Prerequisites) -> Iterator[str]:
    yield f"{short(found.id)}  {bold(safe(found.title))}"
    for before in found.prerequisites:
        yield f"{'  ' * before.depth}{short(before.id)}  {safe(before.title)}"
    if not found.prerequisites:
        yield "  needs nothing first"


def _stats(found: Stats) -> Iterator[str]:
    yield (
        f"{found.nodes} memories, {found.edges} links, {found.components} groups"
        f" (largest {found.largest_component}), {found.orphans} without links"
    )
    rows = [(safe(relation), str(count)) for relation, count in found.by_relation.items()]
    yield table(rows, indent="  ")
    yield table(
        [(str(hub.degree), short(hub.id), safe(hub.title)) for hub in found.hubs], indent="  "
    )


def _drawing(found: Drawing) -> Iterator[str]:
    yield safe(found.text)


def _suggestions(found: SuggestedPairs) -> Iterator[str]:
    for pair in found.pairs:
        yield f"{pair.score:.2f}  {short(pair.source)}  {safe(pair.source_title)}"
        yield f"      {short(pair.target)}  {safe(pair.target_title)}"
        yield dim(f"      {safe(pair.reason)}")
        yield f"      treering link {pair.source} {pair.relation} {pair.target}"
    if not found.pairs:
        yield "No links seem to be missing."


_TEXTS: dict[type, Callable[[Any], Iterator[str]]] = {
    NeighborsAnswer: _neighbours,
    Edges: _edges,
    PathAnswer: _path,
    Prerequisites: _prerequisites,
    Stats: _stats,
    Drawing: _drawing,
    SuggestedPairs: _suggestions,
}
