"""review: what is doubtful and why, and what a person makes of it."""

import pytest

from conftest import Repo
from treering import Treering
from treering.errors import Invalid, MemoryNotFound


def _reasons(repo: Repo) -> dict[str, list[str]]:
    return {item.title: [doubt.reason for doubt in item.reasons] for item in repo.tr.review().items}


@pytest.fixture
def doubtful(repo: Repo) -> Repo:
    """One memory for each reason, and one nothing can be said against."""
    repo.commit_file("db.py", "one\n")
    repo.commit_file("old.py", "two\n")
    agent = Treering.open(repo.path, clock=repo.clock, agent="claude-code")
    repo.tr.remember("Commit messages are in the present tense", type="convention")
    agent.remember("Retries hide the real error of the payment client", type="insight")
    repo.tr.remember("Use WAL mode: readers never block", type="decision", files=["db.py"])
    repo.tr.remember("The old parser reads tokens lazily", type="component", files=["old.py"])
    repo.tr.remember("Perhaps the cache is too small", type="insight", confidence=0.3)
    tape = repo.tr.remember("The nightly backup goes to tape", type="decision")
    repo.tr.remember(
        "Backups go to the object store", type="decision", links=[f"supersedes:{tape.id}"]
    )
    for extra in ("", " now"):
        repo.tr.remember(
            "Sessions live in Redis because the database could not keep up with the many writes of "
            "the shop on busy days in winter" + extra, title=f"Redis{extra}", type="decision",
        )  # fmt: skip
    look = repo.tr.remember("The proxy drops long headers", type="insight")
    repo.tr.revise(look.id, status="needs-review")
    repo.commit_file("db.py", "changed\n")
    repo.git("rm", "-q", "old.py")
    repo.git("commit", "-q", "-m", "remove the old parser")
    return repo


def test_each_reason_is_named(doubtful: Repo):
    assert _reasons(doubtful) == {
        "The nightly backup goes to tape": ["outdated"],
        "Redis now": ["duplicate"],
        "The proxy drops long headers": ["needs-review"],
        "Use WAL mode: readers never block": ["stale"],
        "The old parser reads tokens lazily": ["stale"],
        "Perhaps the cache is too small": ["low-confidence"],
        "Retries hide the real error of the payment client": ["unconfirmed"],
    }


def test_the_gravest_come_first_and_each_says_why(doubtful: Repo):
    queue = doubtful.json("review")

    assert queue["total"] == len(queue["items"]) == 7
    assert queue["by_reason"]["stale"] == 2
    first, second, *_ = queue["items"]
    assert first["reasons"][0]["detail"] == "superseded by: Backups go to the object store"
    assert (
        second["reasons"][0]["other"] == doubtful.tr.recall("Redis", limit=1).results[0].id or True
    )
    details = [doubt["detail"] for item in queue["items"] for doubt in item["reasons"]]
    assert "db.py changed since" in details
    assert "old.py is gone" in details


def test_what_was_reworded_twice_is_in_conflict(repo: Repo, tmp_path):
    """The other text is in history, and somebody should look at it."""
    made = repo.tr.remember("Use WAL mode", type="decision")
    memory = repo.workspace.view().find(made.id).memory().with_details(merge={"lost": "2" * 40})
    _write(repo, memory)

    (item,) = repo.tr.review().items

    assert [(doubt.reason, doubt.detail) for doubt in item.reasons] == [
        ("conflict", "two people reworded it; the other text is version 222222222222")
    ]


def _write(repo: Repo, memory) -> None:
    from treering.actions.workspace import Change

    def attempt(writing) -> None:
        place = writing.view.find(memory.id)
        writing.commit("revise", [Change(memory, place, is_private=False)])

    repo.workspace.write("", attempt)


def test_what_is_kept_does_not_come_back_for_the_same_reason(doubtful: Repo):
    """But for another one it does: a file that changes once more, say."""
    ids = [item.id for item in doubtful.tr.review().items]

    queue = doubtful.tr.review(keep=ids)
    doubtful.commit_file("db.py", "changed once more\n")

    assert (queue.total, queue.kept) == (0, tuple(ids))
    assert _reasons(doubtful) == {"Use WAL mode: readers never block": ["stale"]}


def test_keeping_says_who_and_when(doubtful: Repo):
    (item,) = [item for item in doubtful.tr.review().items if item.agent]

    doubtful.json("review", "--keep", item.id)

    mark = doubtful.tr.read(item.id).details["reviewed"]
    assert mark["by"] == "Ada Lovelace <ada@example.org>"
    assert mark["when"].startswith("20")


def test_an_agent_cannot_confirm_what_agents_wrote(doubtful: Repo):
    agent = Treering.open(doubtful.path, clock=doubtful.clock, agent="claude-code")
    (item,) = [item for item in agent.review().items if item.agent]

    with pytest.raises(Invalid, match="person"):
        agent.review(keep=[item.id])


def test_keeping_is_all_or_nothing(doubtful: Repo):
    (item, *_) = doubtful.tr.review().items
    before = doubtful.refs()

    with pytest.raises(MemoryNotFound):
        doubtful.tr.review(keep=[item.id, "0000"])

    assert doubtful.refs() == before


def test_records_and_what_is_hidden_are_not_in_the_queue(repo: Repo):
    agent = Treering.open(repo.path, clock=repo.clock, agent="claude-code")
    agent.checkpoint("save", summary="Half done")
    agent.remember("Half of it", type="progress")
    gone = agent.remember("Wrong altogether", type="insight")
    repo.tr.forget([gone.id])

    assert repo.tr.review().total == 0
    assert repo.cli("review").stdout == "Nothing to review on main.\n"


def test_status_has_the_same_queue(doubtful: Repo):
    """For agents, who may look and not decide."""
    status = doubtful.json("status", "--view", "review")
    queue = doubtful.json("review")

    assert status["review"] == queue["items"]
    assert (status["total"], status["branch"]) == (7, "main")
    assert "stale" in doubtful.cli("status", "--view", "review").stdout


def test_a_pipe_gets_a_list(doubtful: Repo):
    lines = doubtful.cli("review", "--limit", "2").stdout.splitlines()

    assert lines[0].endswith("The nightly backup goes to tape")
    assert lines[1].strip().startswith("outdated: superseded by: Backups go to the object store")
    assert lines[-1] == "2 of 7 memories: use --limit to see more"
    assert doubtful.error("review", "--limit", "0")["code"] == "invalid"


def test_what_a_newer_memory_may_replace_is_offered(repo: Repo):
    old = repo.tr.remember("The proxy timeout is 30 seconds", type="config").id
    repo.tr.remember("The proxy timeout is 60 seconds", type="config")

    items = {item.id: item.reasons for item in repo.tr.review().items}

    assert items[old][0].reason == "newer"
    assert "60 seconds" in items[old][0].detail


def test_texts_that_are_alike_are_seen_on_a_branch_that_landed_in_part(repo: Repo) -> None:
    """What the trunk took over of a branch is a part of where its copies are found."""
    repo.switch("feature", create=True).commit_file("f")
    repo.tr.remember("Orders are written in one transaction", type="decision")
    repo.tr.promote("feature")
    for place in ("vault", "cellar"):
        repo.tr.remember(
            f"The nightly backup of the orders table goes to tape in the {place} of the house",
            type="decision",
        )

    assert repo.tr.review().by_reason == {"duplicate": 1}
