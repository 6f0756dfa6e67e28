"""Truth over time: what was outdated never stands as current."""

from conftest import Repo
from treering.actions.recall import Recalled, RecallHit

HOUR = 3600


def _later(repo: Repo, hours: float = 2) -> None:
    repo.now += hours * HOUR


def _hit(answer: Recalled, memory_id: str) -> RecallHit:
    return next(hit for hit in answer.results if hit.id == memory_id)


def _ids(answer: Recalled) -> list[str]:
    return [hit.id for hit in answer.results]


def test_another_value_outdates_and_says_which(repo: Repo) -> None:
    old = repo.tr.remember("The session timeout is 30 minutes", type="config").id
    new = repo.tr.remember("The session timeout is 60 minutes", type="config").id

    answer = repo.tr.recall("session timeout")

    assert _ids(answer)[0] == new
    mark = repo.tr.read(old).outdated_by
    assert mark is not None
    assert (mark.id, mark.how, mark.said, mark.says) == (new, "value", "30", "60")
    assert mark.title == "The session timeout is 60 minutes"
    assert repo.tr.read(new).outdated_by is None
    assert [(o.id, o.how) for o in repo.tr.read(new).outdates or ()] == [(old, "value")]


def test_a_link_made_by_hand_puts_the_old_one_right_below_and_marks_it(repo: Repo) -> None:
    """Its status stays what it was, and when the link goes so does the mark."""
    old = repo.tr.remember("The nightly backup goes to tape", type="decision").id
    for n in range(4):
        repo.tr.remember(f"The backup of service {'abcd'[n]} is checked by its owner")
    new = repo.tr.remember("Backup goes to the object store of the other site", type="decision").id
    repo.tr.link(new, old, relation="supersedes")

    answer = repo.tr.recall("nightly backup tape")

    ids = _ids(answer)
    assert ids.index(old) == ids.index(new) + 1
    mark = _hit(answer, old).outdated_by
    assert mark is not None
    assert (mark.id, mark.how) == (new, "supersedes")
    assert _hit(answer, old).status == "active"

    repo.tr.link(new, old, relation="supersedes", remove=True)
    answer = repo.tr.recall("nightly backup tape")
    assert _ids(answer)[0] == old
    assert _hit(answer, old).outdated_by is None
