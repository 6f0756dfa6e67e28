"""The network: walked, counted, and compared with a slow way to the same answer."""

import random
from typing import NamedTuple

import pytest

from treering.graph.network import Edge, Network, fade, stations


class Node(NamedTuple):
    id: str
    links: tuple[tuple[str, str, float, str, float], ...] = ()
    type: str = "insight"
    status: str = "active"
    created: float = 1.0
    flags: tuple[str, ...] | None = ()
    outcome: str = ""

    @property
    def title(self) -> str:
        return f"title of {self.id}"


def network(*edges: str, extra: tuple[Node, ...] = ()) -> Network:
    """`a depends_on b` lines as a network."""
    nodes: dict[str, list[tuple[str, str, float, str, float]]] = {}
    for line in edges:
        source, relation, target = line.split()
        nodes.setdefault(target, [])
        nodes.setdefault(source, []).append((relation, target, 0.8, "user", 0.0))
    return Network([*(Node(name, tuple(links)) for name, links in nodes.items()), *extra])


def test_neighbours_are_found_in_both_directions_or_one() -> None:
    """A link says something about both of its ends."""
    net = network("a uses b", "c uses a", "b uses d")

    assert [r.id for r in net.reach(["a"], 1)] == ["b", "c"]
    assert [r.id for r in net.reach(["a"], 1, direction="out")] == ["b"]
    assert [r.id for r in net.reach(["a"], 1, direction="in")] == ["c"]
    assert [(r.id, r.depth, r.via) for r in net.reach(["a"], 2, direction="out")] == [
        ("b", 1, "a"),
        ("d", 2, "b"),
    ]


def test_relations_are_chosen_by_name_or_family_in_any_case() -> None:
    """Implementation is uses, depends_on and the like."""
    net = network("a uses b", "a supersedes c", "a frobs d")

    assert [r.id for r in net.reach(["a"], 1, ["Supersedes"])] == ["c"]
    assert [r.id for r in net.reach(["a"], 1, ["implementation"])] == ["b"]
    assert [r.id for r in net.reach(["a"], 1, ["association"])] == ["d"]


def test_circles_end() -> None:
    """Links between memories often go round."""
    net = network("a uses b", "b uses c", "c uses a")

    assert {r.id for r in net.reach(["a"], 5)} == {"b", "c"}
    assert [r.id for r in net.prerequisites("a", 5)] == []


def test_a_link_to_itself_or_to_nobody_is_none() -> None:
    """What is fetched may hold anything."""
    net = Network([Node("a", (("uses", "a", 0.8, "", 0.0), ("uses", "gone", 0.8, "", 0.0)))])

    assert list(net.edges()) == []
    assert net.orphans() == ["a"]


def test_forgotten_memories_and_their_links_are_hidden() -> None:
    """They come back with the memory, because nothing was taken away."""
    net = network("a uses b", extra=(Node("d", (("uses", "a", 0.8, "", 0.0),), status="deleted"),))

    assert set(net.nodes) == {"a", "b"}
    assert net.degree("a") == 1


def test_prerequisites_follow_both_ways_of_saying_it() -> None:
    """`a depends_on b` and `c prerequisite_of a`: b and c come first, and not what a is for."""
    net = network(
        "a depends_on b", "c prerequisite_of a", "b depends_on d", "e prerequisite_of d",
        "x depends_on a", "a prerequisite_of y", "a uses z",
    )  # fmt: skip

    found = {r.id: r.depth for r in net.prerequisites("a", 3)}

    assert found == {"b": 1, "c": 1, "d": 2, "e": 3}
    assert {r.id for r in net.prerequisites("a", 1)} == {"b", "c"}
    assert {r.id for r in net.prerequisites("a", 3, ["depends_on"])} == {"b", "d"}


def test_a_path_counts_links_and_respects_its_limit() -> None:
    """Two memories that are linked are one link apart."""
    net = network("a uses b", "b uses c", "d uses c")

    found = net.path("a", "d", 5)

    assert found is not None
    assert stations("a", found) == ["a", "b", "c", "d"]
    assert net.path("a", "d", 3) is not None
    assert net.path("a", "d", 2) is None
    assert net.path("a", "a", 5) == []
    assert net.path("a", "d", 5, direction="out") is None
    assert net.path("a", "c", 5, direction="out") is not None
    assert net.path("c", "a", 5, direction="in") is not None
    assert net.path("a", "c", 5, through=lambda memory_id: memory_id != "b") is None


def _slow_distance(net: Network, start: str, end: str, direction: str) -> int | None:
    level, seen, steps = {start}, {start}, 0
    while level:
        if end in level:
            return steps
        level = {e.other(at) for at in level for e in net.around(at, (), direction)} - seen
        seen |= level
        steps += 1
    return None


@pytest.mark.parametrize("seed", range(30))
def test_paths_from_both_ends_are_as_short_as_from_one(seed: int) -> None:
    """The search from both ends must not stop at the first meeting that is not the nearest."""
    rng = random.Random(seed)
    names = [f"n{i}" for i in range(40)]
    edges = {" uses ".join(rng.sample(names, 2)) for _ in range(rng.randint(20, 90))}
    net = network(*edges, extra=tuple(Node(name) for name in names))
    for _ in range(40):
        start, end = rng.sample(names, 2)
        direction = rng.choice(["both", "in", "out"])

        found = net.path(start, end, 50, direction=direction)

        slow = _slow_distance(net, start, end, direction)
        assert (None if found is None else len(found)) == slow, (seed, start, end, direction)
        if found is not None:
            assert stations(start, found)[-1] == end


def test_counts_add_up() -> None:
    """Groups, hubs and loners of one small graph."""
    net = network("a uses b", "a affects c", "d uses e", extra=(Node("f"),))

    assert sorted(map(len, net.components())) == [1, 2, 3]
    assert net.hubs(1) == [("a", 2)]
    assert net.orphans() == ["f"]
    assert net.by_relation() == {"uses": 2, "affects": 1}


def test_temporal_links_fade_and_others_stay() -> None:
    """A thirtieth of the confidence a day."""
    day = 86_400.0

    assert fade("follows", 0.6, 0) == 0.6
    assert fade("follows", 0.6, 15 * day) == 0.3
    assert fade("precedes", 0.6, 31 * day) == 0
    assert fade("follows", 0.6, -day) == 0.6
    assert fade("supersedes", 0.6, 300 * day) == 0.6
    assert Edge("a", "b", "follows", 0.9, since=day).confidence_at(11 * day) == 0.6
