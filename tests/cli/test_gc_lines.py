"""Lines of the plan of gc as a person reads them."""

from conftest import Repo


def test_a_private_scope_is_told_from_the_shared_one_of_its_name(repo: Repo) -> None:
    repo.tr.remember("Of everyone", type="insight")
    repo.tr.remember("Of mine", type="insight", private=True)

    names = [line.partition("  ")[0] for line in repo.cli("gc").stdout.splitlines()]

    assert names == ["main", "main (private)"]
