"""Standing: a proposal, or accepted with the landing that git records."""

from collections.abc import Callable

import pytest

from conftest import Repo


def propose(repo: Repo, branch: str = "feature") -> str:
    """A decision on a branch with a commit of its own."""
    repo.switch(branch, create=True)
    repo.commit_file("db.py", "timeout = 30\n", "Wait")
    return repo.tr.remember("Thirty seconds", type="decision", files=["db.py"]).id


def land(repo: Repo, how: str, branch: str = "feature") -> str:
    repo.switch("main")
    repo.now += 60
    if how == "squash":
        repo.git("merge", "-q", "--squash", branch)
        repo.git("commit", "-q", "-m", "Wait (#7)")
    else:
        repo.git("merge", "-q", "--no-ff", "-m", f"Merge branch '{branch}'", branch)
    repo.git("branch", "-D", branch)
    repo.tr.gc()
    return repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize("how", ["squash", "merge"])
def test_a_memory_is_proposed_until_its_code_landed(repo: Repo, how: str) -> None:
    decision = propose(repo)
    before = repo.json("read", decision)
    merged_as = land(repo, how)

    after = repo.json("read", decision)

    assert (before["standing"], "landed" in before) == ("proposed", False)
    assert after["standing"] == "accepted"
    assert (after["landed"]["branch"], after["landed"]["merged_as"]) == ("feature", merged_as)


def test_every_card_says_it(repo: Repo) -> None:
    decision = propose(repo)
    land(repo, "squash")

    (hit,) = repo.json("recall", "thirty seconds")["results"]
    (why,) = repo.json("why", "db.py:1")["memories"]
    context = repo.json("context", "--file", "db.py")

    assert {hit["id"], why["id"]} == {decision}
    (entry,) = [*context["high"], *context["medium"], *context["low"]]
    assert hit["standing"] == why["standing"] == entry["standing"] == "accepted"
    assert hit["landed"] == why["landed"] == entry["landed"]


def test_a_pull_request_text_names_proposals(repo: Repo) -> None:
    propose(repo)

    text = repo.cli("diff", "main..feature", "--markdown").stdout

    assert "proposed" in text


def test_what_is_said_on_the_trunk_did_not_land(repo: Repo) -> None:
    """Nobody has looked at it: a memory is pushed without review."""
    said = repo.tr.remember("Tabs", type="convention").id

    assert repo.tr.read(said).standing == "proposed"


def test_a_memory_ref_pushed_straight_to_the_trunk_is_no_landing(repo: Repo) -> None:
    decision = propose(repo)
    repo.git("update-ref", "refs/treering/heads/main", "refs/treering/heads/feature")
    repo.switch("main")

    assert repo.tr.read(decision).standing == "proposed"


def test_a_promotion_by_hand_is_no_landing(repo: Repo) -> None:
    decision = propose(repo)
    repo.switch("main")
    repo.tr.promote("feature")

    assert repo.tr.read(decision).standing == "proposed"


def test_a_text_changed_since_it_landed_is_a_proposal_again(repo: Repo) -> None:
    decision = propose(repo)
    land(repo, "squash")
    repo.tr.revise(decision, tags_add=["db"])
    tagged = repo.tr.read(decision).standing
    repo.tr.revise(decision, content="Three hundred seconds")

    assert tagged == "accepted"
    assert repo.tr.read(decision).standing == "proposed"


def test_a_commit_on_the_trunk_has_landed_as_itself(repo: Repo) -> None:
    commit = repo.commit_file("a.py", "a = 1\n", "Add a\n\nBecause b needs it.")
    repo.tr.backfill()

    hit = repo.tr.recall("b needs it", records="only", type="commit").results[0]

    assert hit.standing == "accepted"
    assert hit.landed is not None
    assert hit.landed.merged_as == commit


def test_derived_state_may_be_destroyed(repo: Repo) -> None:
    decision = propose(repo)
    land(repo, "squash")
    repo.tr.read(decision)
    (repo.path / ".git/treering/treering.db").unlink()

    assert repo.tr.read(decision).standing == "accepted"


def test_tell_decides_what_is_told_unasked(repo: Repo, start: Callable[[Repo], str]) -> None:
    propose(repo)
    land(repo, "squash")
    repo.tr.remember("Tabs everywhere", type="convention")

    told = {}
    for setting in ("all", "accepted", "own"):
        repo.tr.config("tell", setting)
        told[setting] = start(repo)

    assert "Thirty seconds" in told["all"]
    assert "Tabs everywhere" in told["all"]
    assert "Thirty seconds" in told["accepted"]
    assert "Tabs everywhere" not in told["accepted"]
    assert "Tabs everywhere" in told["own"]


@pytest.fixture
def start() -> Callable[[Repo], str]:
    """The start of an agent's session, as its hook answers."""

    def call(repo: Repo) -> str:
        feed = f'{{"session_id": "{repo.now}", "cwd": "{repo.path}", "source": "startup"}}'
        repo.now += 1
        return repo.cli("hook", "agent", "claude", "SessionStart", feed=feed).stdout

    return call
