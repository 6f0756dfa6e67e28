"""Commits that were amended or rebased: which one took the place of which.

An amend is in the logs of the branch and of HEAD, old and new side by side. A rebase is not, commit
by commit, but it keeps the patches, so the new commit is the one of the branch's own with the same
patch.
"""

import time
from collections.abc import Iterable, Sequence

from treering.branches.landing.judge import Judge, Target
from treering.branches.landing.patches import Patches
from treering.errors import StorageFailed, StoreDamaged
from treering.git import reflog
from treering.git.diff import CommitRange
from treering.git.repository import Repository

_MOST = 500
_SECONDS = 3.0


def follow_detached(repository: Repository, commit: str) -> list[str]:
    """A commit that HEAD was detached at, and all that took its place when it was amended or
    rebased, newest first."""
    places = [commit]
    for old, new in reflog.head_rewrites(repository):
        if new not in places and any(repository.is_ancestor(place, old) for place in places):
            places.append(new)
    return places[::-1]


def successors(
    repository: Repository, branch: str, tip: str, trunk: Sequence[Target], commits: Iterable[str]
) -> dict[str, str]:
    """Old commit -> the one on the branch that took its place, for those that are neither on it nor
    in the trunk: that one was picked, and stays what it was."""
    places = [tip, *(target.tip for target in trunk)]
    old_commits = [
        commit
        for commit in dict.fromkeys(commits)
        if not any(repository.is_ancestor(commit, place) for place in places)
    ]
    if not old_commits:
        return {}
    amends = _list_amended(repository, branch)
    successor_of: dict[str, str] = {}
    for commit in old_commits:
        now = commit
        while now in amends and amends[now] != commit:
            now = amends[now]
        if now != commit and repository.is_ancestor(now, tip):
            successor_of[commit] = now
    return successor_of | _by_patch(
        repository, tip, trunk, [c for c in old_commits if c not in successor_of], amends
    )


def _list_amended(repository: Repository, branch: str) -> dict[str, str]:
    """Of the branch's own log, and of HEAD's: a branch that is deleted takes its log along."""
    lines = [*reflog.of_heads(repository), *reflog.of_branch(repository, branch)]
    return {line.old: line.new for line in lines if line.said.startswith("commit (amend)")}


def _by_patch(
    repository: Repository,
    tip: str,
    trunk: Sequence[Target],
    old_commits: list[str],
    amends: dict[str, str],
) -> dict[str, str]:
    """By equal patches among the newest own commits of the branch."""
    if not old_commits:
        return {}
    try:
        own = Judge(repository).own_commits(tip, trunk)[:_MOST]
        if not own:  # it is in the trunk by now, and so are they
            own = repository.history([tip], without=old_commits)[-_MOST:]
        steps = {commit: _step(repository, amends.get(commit, commit)) for commit in old_commits}
        new = {commit: _step(repository, commit) for commit in own}
        until = time.monotonic() + _SECONDS
        known_steps = [step for step in (*steps.values(), *new.values()) if step is not None]
        prints = Patches(repository).fingerprints(known_steps, until)
    except (StorageFailed, StoreDamaged):
        return {}
    by_print = {prints[step]: commit for commit, step in new.items() if step in prints}
    return {
        commit: by_print[prints[step]]
        for commit, step in steps.items()
        if step in prints and prints[step] in by_print
    }


def _step(repository: Repository, commit: str) -> CommitRange | None:
    """A commit as a change of its first parent; None for a merge, or one that is gone."""
    try:
        parents = repository.objects.commit(commit).parents
    except StoreDamaged:
        return None
    return CommitRange(commit, parents[0] if parents else "") if len(parents) < 2 else None
