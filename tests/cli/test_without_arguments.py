"""Commands that make sense without arguments do something sensible."""

from conftest import Repo


def test_graph_counts(repo: Repo) -> None:
    repo.tr.remember("Sessions live in Redis", type="decision")

    assert repo.json("graph")["nodes"] == 1


def test_restore_lists_the_trash(repo: Repo) -> None:
    assert "empty" in repo.cli("restore").stdout
    repo.switch("idea", create=True)
    repo.commit_file("x.py")
    repo.tr.remember("Bloom filters made the lookup slower", type="insight")
    repo.switch("main")
    repo.git("branch", "-D", "idea")
    repo.tr.gc(force=True)

    (entry,) = repo.json("restore")["trash"]

    assert (entry["branch"], entry["memories"]) == ("idea", 1)
    assert "idea" in repo.cli("restore").stdout
