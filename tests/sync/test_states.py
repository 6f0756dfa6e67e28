"""The state of a branch: status and gc say the same of it."""

from conftest import Repo
from sync.conftest import Team, publish


def _states(repo: Repo) -> dict[str, str]:
    return {line["branch"]: line["state"] for line in repo.tr.status()["branches"]}


def test_a_branch_of_a_teammate_is_live_in_status_as_in_gc(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "feature", "Learned on the feature")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.tr.sync()

    plan = {line.branch: line.verdict for line in bob.tr.gc(dry_run=True).plan}

    assert plan["feature"] == "live"
    assert _states(bob)["feature"] == "live"


def test_the_trunk_of_a_detached_checkout_is_live(clone: Team) -> None:
    """As a CI checks out: no local branch at all."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.git("checkout", "-q", "--detach")
    bob.git("branch", "-D", "main")

    bob.tr.sync()

    assert {line.branch: line.verdict for line in bob.tr.gc(dry_run=True).plan} == {"main": "live"}
    assert _states(bob)["main"] == "live"


def test_a_branch_of_our_own_that_was_deleted_is_gone(repo: Repo) -> None:
    repo.switch("idea", create=True).commit_file("idea.txt")
    repo.tr.remember("A radix tree is slower", type="insight")
    repo.switch("main").git("branch", "-D", "idea")

    assert _states(repo)["idea"] == "gone"
