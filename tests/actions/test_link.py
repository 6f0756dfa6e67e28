"""link: made, strengthened, removed; and what forgetting and branches do to links."""

import pytest

from conftest import Repo
from treering.errors import BlockedSecret, Invalid, MemoryNotFound


@pytest.fixture
def pair(repo: Repo) -> tuple[str, str]:
    """Two memories that have nothing in common."""
    return repo.tr.remember("Use WAL mode").id, repo.tr.remember("Name things twice").id


def _links(repo: Repo, memory_id: str) -> list[tuple[str, str, str, float]]:
    return [(n.direction, n.relation, n.id, n.confidence) for n in repo.tr.read(memory_id).links]


def test_a_link_is_seen_from_both_ends(repo: Repo, pair: tuple[str, str]) -> None:
    """It lives in the source and is found from the target."""
    one, two = pair

    answer = repo.tr.link(one, two, relation="depends_on", confidence=0.7)

    assert (answer.source, answer.target, answer.relation) == (one, two, "depends_on")
    assert (answer.confidence, answer.created) == (0.7, True)
    assert _links(repo, one) == [("out", "depends_on", two, 0.7)]
    assert _links(repo, two) == [("in", "depends_on", one, 0.7)]


def test_naming_a_link_again_strengthens_it(repo: Repo, pair: tuple[str, str]) -> None:
    """The higher confidence stays, the newer note too; no second link, no empty commit."""
    one, two = pair
    repo.tr.link(one, two, confidence=0.9, note="first")

    answer = repo.tr.link(one, two, confidence=0.3, note="second")

    assert (answer.created, answer.confidence, answer.note) == (False, 0.9, "second")
    before = repo.refs()
    assert repo.tr.link(one, two, confidence=0.3).created is False
    assert repo.refs() == before
    assert len(repo.tr.read(one).links) == 1


def test_a_link_is_removed_and_removing_it_twice_is_no_error(
    repo: Repo, pair: tuple[str, str]
) -> None:
    """Whoever cleans up need not know what is there."""
    one, two = pair
    repo.tr.link(one, two, relation="affects")

    wrong = repo.tr.link(one, two, remove=True)
    first = repo.tr.link(one, two, relation="affects", remove=True)
    second = repo.tr.link(one, two, relation="affects", remove=True)

    assert (wrong.removed, wrong.relations) == (False, ("affects",))
    assert (first.removed, second.removed) == (True, False)
    assert repo.tr.read(one).links == ()


def test_prefixes_relations_in_any_spelling_and_words_of_ones_own(
    repo: Repo, pair: tuple[str, str]
) -> None:
    """Known relations come in our spelling; any other word is kept as written."""
    one, two = pair

    assert repo.tr.link(one[:4], two[:5], relation="Depends-On").relation == "depends_on"
    assert repo.tr.link(one, two, relation="Blocks").relation == "Blocks"


def test_what_cannot_be_linked_says_why(repo: Repo, pair: tuple[str, str]) -> None:
    """Nothing is written in any of these cases."""
    one, two = pair
    before = repo.refs()

    for wrong, error in (
        ({"target": one}, Invalid),
        ({"target": "zzzzzzzzzzzz"}, MemoryNotFound),
        ({"target": two, "relation": "no\nword; rm"}, Invalid),
        ({"target": two, "confidence": 1.5}, Invalid),
        ({"target": two, "branch": "nowhere"}, Exception),
        ({"target": two, "note": "ghp_" + "a1B2" * 9}, BlockedSecret),
    ):
        with pytest.raises(error):
            repo.tr.link(one, **wrong)

    assert repo.refs() == before


def test_links_of_a_forgotten_memory_come_back_with_it(repo: Repo, pair: tuple[str, str]) -> None:
    """Hidden, not lost; and while it is forgotten it cannot be linked."""
    one, two = pair
    repo.tr.link(one, two)

    assert repo.tr.forget([two]).links_hidden == 1
    assert repo.tr.read(one).links == ()
    with pytest.raises(MemoryNotFound, match="forgotten"):
        repo.tr.link(one, two, confidence=1.0)
    repo.tr.forget([two], restore=True)
    assert _links(repo, one) == [("out", "relates_to", two, 0.8)]


def test_a_link_made_on_a_branch_is_the_branchs_own(repo: Repo, pair: tuple[str, str]) -> None:
    """The trunk's memory gets a copy on the branch, made from a base that a merge can find."""
    one, two = pair
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")

    repo.tr.link(one, two, relation="uses")

    assert _links(repo, one) == [("out", "uses", two, 0.8)]
    said = repo.git("log", "-1", "--format=%B", "refs/treering/heads/feature")
    assert f"Treering-Base: {one}" in said
    assert "Treering-Op: link" in said
    repo.switch("main")
    assert repo.tr.read(one).links == ()


def test_temporal_links_fade_when_shown(repo: Repo, pair: tuple[str, str]) -> None:
    """A thirtieth a day; what is stored stays what it was."""
    one, two = pair
    repo.tr.link(one, two, relation="follows", confidence=0.9)
    repo.now += 10 * 86_400

    (shown,) = repo.tr.read(one).links
    (edge,) = repo.tr.graph("edges").edges

    assert shown.confidence == edge.confidence == pytest.approx(0.6, abs=0.001)


def test_the_command_takes_two_or_three_words(repo: Repo, pair: tuple[str, str]) -> None:
    """`link A B`, `link A RELATION B`, and JSON as the contract says."""
    one, two = pair

    assert repo.json("link", one, two) == {
        "source": one,
        "target": two,
        "relation": "relates_to",
        "confidence": 0.8,
        "created": True,
    }
    assert repo.json("link", one, "uses", two, "--note", "why")["relation"] == "uses"
    assert repo.json("link", one, "uses", two, "--remove") == {"removed": True}
    assert repo.json("link", one, "uses", two, "--remove")["removed"] is False
    assert repo.error("link", one, "uses", one)["code"] == "invalid"
    assert repo.error("link", one, "zzzzzzzz")["code"] == "memory_not_found"
    assert repo.cli("link", one, "a", "b", two).returncode == 2
    assert repo.cli("link", one).returncode == 2
