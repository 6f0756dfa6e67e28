"""How a decision changes: superseded, judged, and told as one story."""

from conftest import Repo


def _three(repo: Repo) -> list[str]:
    """One choice made three times."""
    first = repo.tr.remember("Store sessions in files", type="decision", topic="web/sessions")
    second = repo.tr.remember(
        "Store sessions in memory", type="decision", topic="web/sessions", supersedes=first.id
    )
    third = repo.tr.remember(
        "Store sessions in Redis", type="decision", topic="web/sessions", supersedes=second.id
    )
    return [first.id, second.id, third.id]


def test_superseding_is_one_commit_with_link_status_and_both_memories(repo: Repo) -> None:
    """Nobody ever sees the new one without the old one marked."""
    first = repo.tr.remember("Store sessions in files", type="decision")
    second = repo.tr.remember("Sessions in memory", type="decision", supersedes=first.id)

    said = repo.git("log", "-1", "--format=%B", "refs/treering/heads/main")

    assert {f"Treering-Memory: {first.id}", f"Treering-Memory: {second.id}"} <= set(
        said.splitlines()
    )
    old = repo.tr.read(first.id)
    assert (old.status, old.details["superseded_by"]) == ("superseded", second.id)
    assert [(n.direction, n.relation, n.id) for n in old.links] == [("in", "supersedes", second.id)]


def test_an_old_one_can_be_superseded_later(repo: Repo) -> None:
    """Two memories that were there already, and still one commit."""
    one = repo.tr.remember("Alpha", type="decision").id
    two = repo.tr.remember("Omega", type="decision").id
    before = repo.git("rev-list", "--count", "refs/treering/heads/main")

    repo.tr.revise(one, supersede_with=two, outcome="failed", reason="too slow")

    after = repo.git("rev-list", "--count", "refs/treering/heads/main")
    assert int(after) - int(before) == 1
    old = repo.tr.read(one)
    assert old.status == "superseded"
    assert old.details == {"outcome": "failed", "reason": "too slow", "superseded_by": two}
    assert ("supersedes", one) in [(n.relation, n.id) for n in repo.tr.read(two).links]


def test_the_story_of_a_topic_is_told_from_the_oldest(repo: Repo) -> None:
    """recall finds what is in force, and expanding along `supersedes` brings what was before."""
    ids = _three(repo)

    told = repo.tr.recall(topic="web/sessions", relation=["supersedes"], expand=3, order="oldest")

    assert [result.id for result in told.results] == ids
    assert [result.status for result in told.results] == ["superseded", "superseded", "active"]
    assert [r.id for r in repo.tr.recall(topic="web/sessions").results] == ids[2:]


def test_the_story_of_one_decision_through_the_graph(repo: Repo) -> None:
    """The same chain, walked by the same network."""
    ids = _three(repo)

    found = repo.tr.graph("neighbors", id=ids[2], relation=["evolution"], direction="out", depth=5)

    assert [(n.id, n.depth) for n in found.nodes] == [(ids[1], 1), (ids[0], 2)]
    assert repo.tr.graph("path", id=ids[2], to=ids[0]).length == 2


def test_history_tells_each_step(repo: Repo) -> None:
    """Remembered, judged, replaced: newest first."""
    one = repo.tr.remember("Alpha", type="decision").id
    repo.tr.revise(one, outcome="partial")
    repo.tr.remember("Omega", type="decision", supersedes=one)

    history = repo.tr.read(one, history=True).history or ()

    assert [event.op for event in history] == ["remember", "revise", "remember"]
    assert repo.tr.read(one).details["outcome"] == "partial"
