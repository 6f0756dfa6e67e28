"""When changes count as made: dates are claims, the order of history is known."""

import random
from typing import NamedTuple

from treering.store.dates import TOLERANCE, judge_times, newest

DAY = 86_400
NOW = 100 * DAY


class Commit(NamedTuple):
    oid: str
    parents: tuple[str, ...]
    time: int


def judge(*commits: tuple[str, str, int]) -> dict[str, int]:
    """Commits as (id, ids of its parents, day)."""
    return judge_times([Commit(c, tuple(p), day * DAY) for c, p, day in commits], NOW)


def test_honest_dates_stand() -> None:
    assert judge(("a", "", 1), ("b", "a", 2), ("c", "ab", 5)) == {
        "a": DAY, "b": 2 * DAY, "c": 5 * DAY,
    }  # fmt: skip


def test_the_future_counts_as_right_after_the_parents() -> None:
    """Not as now: that would still beat every earlier honest change."""
    assert judge(("a", "", 1), ("b", "a", 27_000))["b"] == DAY


def test_a_clock_that_is_a_little_wrong_is_believed() -> None:
    times = judge_times([Commit("a", (), NOW + TOLERANCE)], NOW)

    assert times == {"a": NOW + TOLERANCE}


def test_what_was_built_on_a_commit_tells_that_it_cannot_be_later() -> None:
    """Its time has come meanwhile, but it was of the future when others built on it."""
    times = judge(("a", "", 1), ("b", "a", 50), ("c", "b", 3), ("d", "c", 60))

    assert times == {"a": DAY, "b": DAY, "c": 3 * DAY, "d": 60 * DAY}


def test_a_date_before_its_parents_counts_as_theirs() -> None:
    assert judge(("a", "", 5), ("b", "a", 5), ("c", "b", 4))["c"] == 5 * DAY


def test_one_commit_of_long_ago_makes_no_other_look_forged() -> None:
    """It claims to be older than the beginning of its own history."""
    times = judge(("a", "", 10), ("b", "a", 20), ("c", "b", 0))

    assert times == {"a": 10 * DAY, "b": 20 * DAY, "c": 20 * DAY}


def test_nobody_counts_as_made_before_a_parent_whatever_is_claimed() -> None:
    for seed in range(300):
        chance = random.Random(seed)
        commits: list[Commit] = []
        for number in range(chance.randrange(2, 15)):
            parents = chance.sample(commits, min(len(commits), chance.randrange(3)))
            ids = tuple(parent.oid for parent in parents)
            commits.append(Commit(str(number), ids, chance.randrange(-5, 300) * DAY))

        times = judge_times(commits, NOW)

        for commit in commits:
            assert all(times[parent] <= times[commit.oid] for parent in commit.parents), seed
            assert times[commit.oid] <= NOW + TOLERANCE


def test_a_merge_is_of_the_latest_date_that_can_be_true() -> None:
    assert newest([5 * DAY, 27_000 * DAY], NOW) == 5 * DAY
    assert newest([27_000 * DAY], NOW) == NOW
