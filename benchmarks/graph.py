"""What the graph costs: building it, walking it, and looking for links at each capture."""

import itertools
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._bench import git, heading, milliseconds, repository, row
from benchmarks.write import thought
from treering import Treering
from treering.actions.neighbourhood import LinkClues
from treering.actions.workspace import Workspace
from treering.graph.network import Network
from treering.model.memory import derive_id

MEMORIES, LINKS = 10_000, 30_000
_RELATIONS = ("depends_on", "uses", "relates_to", "supersedes", "affects")


def main(quick: bool) -> None:
    memories, links = (1_000, 3_000) if quick else (MEMORIES, LINKS)
    with repository() as path, tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(path)
        Treering(workspace).import_path(records(Path(folder), memories, links))
        walks(workspace, memories, links)
        git(path, "repack", "-adq")
        print()
        captures(workspace, memories, rounds=40 if quick else 100)


def records(folder: Path, memories: int, links: int) -> Path:
    """Memories that say nothing of each other, and links drawn by lot, a few hubs among them."""
    lots = random.Random(1)
    texts = [thought(number) for number in range(memories)]
    ids = [derive_id("insight", text) for text in texts]
    held: dict[int, list[dict[str, str]]] = {}
    for _ in range(links):
        source, target = lots.randrange(memories), int(memories * lots.random() ** 2)
        link = {"relation": lots.choice(_RELATIONS), "target": ids[target]}
        held.setdefault(source, []).append(link)
    path = folder / "records.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            record = {"content": text, "type": "insight", "links": held.get(number, [])}
            file.write(json.dumps(record) + "\n")
    return path


def walks(workspace: Workspace, memories: int, links: int) -> None:
    treering = Treering(workspace)
    search_view = workspace.searcher.search_view(workspace.view())
    list(search_view.entries())
    built = _median(lambda: Network(search_view.entries()), 5)
    network = search_view.network
    ids, lots = list(network.nodes), random.Random(2)
    heading(f"{memories:,} memories, {links:,} links", "median")
    row("  build", milliseconds(built))
    row("  neighbors, depth 1", milliseconds(_each(ids, lots, network, 1)))
    row("  neighbors, depth 3", milliseconds(_each(ids, lots, network, 3)))
    row("  neighbors, depth 5", milliseconds(_each(ids, lots, network, 5)))
    pairs = [lots.sample(ids, 2) for _ in range(200)]
    row("  path", milliseconds(_over(pairs, lambda pair: network.path(*pair, 10))))
    row("  prerequisites, depth 5", milliseconds(_prerequisites(ids, lots, network)))
    row("  stats", milliseconds(_median(lambda: treering.graph("stats"), 3)))
    row("  draw, 50 memories", milliseconds(_median(lambda: treering.graph("draw"), 3)))
    row("  suggest", milliseconds(_median(lambda: treering.graph("suggest"), 1)))


def captures(workspace: Workspace, memories: int, rounds: int) -> None:
    """The same captures with and without the look around, each side with the lock to itself."""
    started = time.perf_counter()
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
    noted = time.perf_counter() - started
    treering, around = Treering(workspace), workspace.neighbourhood
    numbers = itertools.count(memories)
    looks, notes, whole = [], [], []
    find, note = around.find_link_clues, around.note

    def found(*given: object, **named: object) -> LinkClues:
        begun = time.perf_counter()
        answer = find(*given, **named)  # type: ignore[arg-type]
        looks.append(time.perf_counter() - begun)
        return answer

    def kept(*given: object, **named: object) -> None:
        begun = time.perf_counter()
        note(*given, **named)  # type: ignore[arg-type]
        notes.append(time.perf_counter() - begun)

    around.find_link_clues, around.note = found, kept  # type: ignore[method-assign, assignment]
    for _ in range(rounds):
        begun = time.perf_counter()
        treering.remember(thought(next(numbers)), type="insight")
        whole.append(time.perf_counter() - begun)

    heading(f"one capture, with {memories:,} memories", "median", "of a capture")
    row("  all of it", milliseconds(median(whole)))
    for what, taken in (("looking around", looks), ("noting it", notes)):
        part = median(taken)
        row(f"  {what}", milliseconds(part), f"{part / median(whole):.0%}")
    row(f"  all {memories:,} read into the table, once", f"{noted:.2f} s")


def _each(ids: list[str], lots: random.Random, network: Network, depth: int) -> float:
    return _over(lots.sample(ids, 100), lambda start: network.reach([start], depth))


def _prerequisites(ids: list[str], lots: random.Random, network: Network) -> float:
    return _over(lots.sample(ids, 100), lambda start: network.prerequisites(start, 5))


def _over(items: list[Any], do: Callable[[Any], object]) -> float:
    taken = []
    for item in items:
        begun = time.perf_counter()
        do(item)
        taken.append(time.perf_counter() - begun)
    return median(taken)


def _median(do: Callable[[], object], rounds: int) -> float:
    return _over(list(range(rounds)), lambda _: do())
