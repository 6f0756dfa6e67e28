"""graph: the contract's questions, asked of a real repository."""

import json

import pytest

from conftest import Repo
from treering.errors import Invalid, MemoryNotFound, PathNotFound


@pytest.fixture
def chain(repo: Repo) -> dict[str, str]:
    """a -> b -> c, d apart; a needs b, b needs c."""
    kinds = {"a": "decision", "b": "component", "c": "config", "d": "insight"}
    texts = {"a": "Apples", "b": "Bridges", "c": "Castles", "d": "Dragons"}
    ids = {name: repo.tr.remember(texts[name], type=kinds[name]).id for name in kinds}
    repo.tr.link(ids["a"], ids["b"], relation="depends_on")
    repo.tr.link(ids["c"], ids["b"], relation="prerequisite_of", confidence=0.9)
    return ids


def test_neighbors_to_a_depth(repo: Repo, chain: dict[str, str]) -> None:
    """Nearest first, with the links between what is shown."""
    near = repo.tr.graph("neighbors", id=chain["a"])
    far = repo.tr.graph("neighbors", id=chain["a"], depth=2)

    assert [(n.id, n.depth) for n in near.nodes] == [(chain["b"], 1)]
    assert [(n.id, n.depth) for n in far.nodes] == [(chain["b"], 1), (chain["c"], 2)]
    assert {(e.source, e.relation, e.target) for e in far.edges} == {
        (chain["a"], "depends_on", chain["b"]),
        (chain["c"], "prerequisite_of", chain["b"]),
    }


def test_neighbors_by_direction_relation_type_and_limit(repo: Repo, chain: dict[str, str]) -> None:
    """Types choose what is shown; the walk goes on through the others."""

    def ids(**asked: object) -> list[str]:
        return [n.id for n in repo.tr.graph("neighbors", **asked).nodes]

    assert ids(id=chain["b"], direction="out") == []
    assert set(ids(id=chain["b"], direction="in")) == {chain["a"], chain["c"]}
    assert ids(id=chain["b"], relation=["depends_on"]) == [chain["a"]]
    assert ids(id=chain["a"], depth=2, types=["config"]) == [chain["c"]]
    cut = repo.tr.graph("neighbors", id=chain["b"], limit=1)
    assert (len(cut.nodes), cut.total) == (1, 2)


def test_edges_of_one_memory_or_of_all(repo: Repo, chain: dict[str, str]) -> None:
    """Each link once."""
    every = repo.tr.graph("edges")
    own = repo.tr.graph("edges", id=chain["a"])

    assert (len(every.edges), every.total) == (2, 2)
    assert [(e.source, e.target, e.by) for e in own.edges] == [(chain["a"], chain["b"], "user")]


def test_a_path_has_as_many_links_as_its_length(repo: Repo, chain: dict[str, str]) -> None:
    """And the relation of each step; none is an error of its own."""
    found = repo.tr.graph("path", id=chain["a"], to=chain["c"])

    assert found.length == 2
    assert [(s.id, s.relation_to_next) for s in found.path] == [
        (chain["a"], "depends_on"),
        (chain["b"], "prerequisite_of"),
        (chain["c"], None),
    ]
    assert repo.tr.graph("path", id=chain["a"], to=chain["a"]).length == 0
    for asked in ({"to": chain["d"]}, {"to": chain["c"], "depth": 1}):
        with pytest.raises(PathNotFound):
            repo.tr.graph("path", id=chain["a"], **asked)


def test_prerequisites_are_a_chain(repo: Repo, chain: dict[str, str]) -> None:
    """b because a depends on it, c because it is a prerequisite of b."""
    found = repo.tr.graph("prerequisites", id=chain["a"])

    assert [(p.id, p.depth) for p in found.prerequisites] == [(chain["b"], 1), (chain["c"], 2)]
    assert repo.tr.graph("prerequisites", id=chain["c"]).prerequisites == ()


def test_stats_count_everything(repo: Repo, chain: dict[str, str]) -> None:
    """Also what has no links."""
    found = repo.tr.graph("stats")

    assert (found.nodes, found.edges, found.components, found.orphans) == (4, 2, 2, 1)
    assert found.by_relation == {"depends_on": 1, "prerequisite_of": 1}
    assert (found.hubs[0].id, found.hubs[0].degree) == (chain["b"], 2)


def test_drawings_in_three_formats_whole_or_centred(repo: Repo, chain: dict[str, str]) -> None:
    """A limit cuts off the rim, and says so."""
    whole = repo.tr.graph("draw")
    centred = repo.tr.graph("draw", id=chain["a"], depth=1, format="dot")
    data = json.loads(repo.tr.graph("draw", format="json", limit=2).text)

    assert whole.format == "mermaid"
    assert whole.text.startswith("graph LR")
    assert (whole.nodes, whole.edges, whole.total) == (4, 2, 4)
    assert centred.text.startswith("digraph")
    assert (centred.nodes, centred.edges) == (2, 1)
    assert len(data["nodes"]) == 2


def test_suggest_names_pairs_that_are_alike_and_not_linked(repo: Repo) -> None:
    """With a reason, a score and a relation; linked pairs are not missing a link."""
    one = repo.tr.remember("Redis keeps the user sessions of the shop, with a limit of an hour")
    two = repo.tr.remember("Redis keeps user sessions of the shop and has a limit of two hours")
    repo.tr.remember("The painter wants brighter colours on the landing page")
    for link in (*one.links, *two.links):
        pytest.fail(f"this test is about what is not linked: {link}")

    (pair,) = repo.tr.graph("suggest").pairs

    assert {pair.source, pair.target} == {one.id, two.id}
    assert pair.score >= 0.8
    assert pair.relation == "similar_to"
    assert "words" in pair.reason
    assert repo.tr.graph("suggest", id=one.id).pairs == (pair,)
    assert repo.tr.graph("suggest", threshold=1.0).pairs == ()
    repo.tr.link(two.id, one.id)
    assert repo.tr.graph("suggest").pairs == ()


def test_the_graph_is_that_of_the_branch(repo: Repo, chain: dict[str, str]) -> None:
    """Links of one branch are not seen from another, forgotten memories from none."""
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.tr.link(chain["d"], chain["a"])
    repo.tr.forget([chain["c"]])

    assert repo.tr.graph("stats").edges == 2
    assert [n.id for n in repo.tr.graph("neighbors", id=chain["d"]).nodes] == [chain["a"]]
    with pytest.raises(MemoryNotFound, match="forgotten"):
        repo.tr.graph("neighbors", id=chain["c"])
    main = repo.tr.graph("neighbors", id=chain["d"], branch="main")
    assert main.nodes == ()
    assert repo.tr.graph("stats", branch="main").edges == 2


def test_bad_questions_are_invalid(repo: Repo, chain: dict[str, str]) -> None:
    """Depths have their own maximum in each op."""
    start = chain["a"]
    for op, asked in (
        ("dance", {}),
        ("neighbors", {}),
        ("path", {"id": start}),
        ("neighbors", {"id": start, "depth": 6}),
        ("path", {"id": start, "to": chain["c"], "depth": 11}),
        ("prerequisites", {"id": start, "depth": 6}),
        ("draw", {"depth": 6}),
        ("edges", {"direction": "up"}),
        ("draw", {"format": "svg"}),
        ("stats", {"types": ["nonsense"]}),
        ("suggest", {"threshold": 2}),
        ("edges", {"limit": -1}),
    ):
        with pytest.raises(Invalid):
            repo.tr.graph(op, **asked)
    with pytest.raises(MemoryNotFound):
        repo.tr.graph("neighbors", id="zzzzzzzz")


def test_the_command_speaks_json_and_draws_trees(repo: Repo, chain: dict[str, str]) -> None:
    """The contract's shapes, and something a person likes to look at."""
    a, b, c, d = chain.values()

    assert repo.json("graph", "path", a, c)["length"] == 2
    assert repo.json("graph", "path", a, c)["path"][-1]["relation_to_next"] is None
    assert set(repo.json("graph", "neighbors", a)) >= {"id", "nodes", "edges"}
    assert set(repo.json("graph", "neighbors", a)["nodes"][0]) >= {"id", "title", "type", "depth"}
    assert set(repo.json("graph", "edges")["edges"][0]) == {
        "source", "target", "relation", "confidence", "by",
    }  # fmt: skip
    assert repo.json("graph", "prerequisites", "--id", a)["prerequisites"][0]["id"] == b
    assert repo.error("graph", "path", a, d)["code"] == "path_not_found"
    tree = repo.cli("graph", "neighbors", a, "--depth", "2").stdout
    assert "└─ depends_on →" in tree
    assert "   └─ ← prerequisite_of" in tree
    for op in (["path", a, c], ["edges"], ["stats"], ["draw"], ["suggest"], ["prerequisites", a]):
        assert repo.cli("graph", *op).returncode == 0
