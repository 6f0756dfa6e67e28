"""Dates at which changes count as made: a date is a claim, and a forged one wins nothing.

A merge lets the later of two changes stand, so whoever dates a commit 2099 would win for ever. What
is known for sure is the order of history: a commit comes after its parents and before what was
built on it. No I/O: values come in, values go out, the same in every clone.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from treering.model.dates import format_moment, instant

if TYPE_CHECKING:
    from treering.store.history import HistoryCommit

#: Seconds a clock may be wrong without being taken for forged.
TOLERANCE = 24 * 60 * 60


def judge_times(commits: Sequence["HistoryCommit"], now: float) -> dict[str, int]:
    """Return when each commit counts as made, in seconds; parents are given before their children.

    1 it claims to be later than now                  -> right after its parents
    2 or later than something that was built on it    -> right after its parents
    3 it claims to be earlier than one of its parents -> right after that one
    4 else                                            -> when it says
    """
    latest = _latest_credible(commits)
    times: dict[str, int] = {}
    for commit in commits:
        after = max((times[p] for p in commit.parents if p in times), default=0)
        is_forged = commit.time > min(latest.get(commit.oid, math.inf), now) + TOLERANCE
        times[commit.oid] = after if is_forged else max(after, commit.time)  # 1, 2; 3, 4
    return times


def _latest_credible(commits: Sequence["HistoryCommit"]) -> Mapping[str, float]:
    """The earliest date among what was built on each commit.

    One that claims to be older than the beginning of its own history is no witness: else a single
    commit of 1970 would make all before it look forged.
    """
    begin: dict[str, int] = {}
    for commit in commits:
        begin[commit.oid] = min(
            (begin[p] for p in commit.parents if p in begin), default=commit.time
        )
    earliest: dict[str, float] = {}
    for commit in reversed(commits):
        mine = commit.time if commit.time >= begin[commit.oid] else math.inf
        for parent in commit.parents:
            times = min(mine, earliest.get(commit.oid, math.inf))
            earliest[parent] = min(times, earliest.get(parent, math.inf))
    return earliest


def newest(times: Sequence[int], now: float) -> int:
    """The latest of some dates that can be true; now, where none can."""
    return max((time for time in times if time <= now + TOLERANCE), default=int(now))


def limit_date(modified: str, seconds: float) -> str:
    """A date in a document, which cannot be later than the commit that brought it."""
    return modified if is_possible(modified, seconds) else format_moment(seconds)


def is_possible(modified: str, seconds: float) -> bool:
    """Return whether a document's date can be true, when its commit was made at some time."""
    try:
        return instant(modified) <= seconds + TOLERANCE
    except (ValueError, OverflowError):
        return not modified  # a prompt need not have one
