"""Commits that were amended or rebased: which one took the place of which.

An amend is in the logs of the branch and of HEAD, old and new side by side. A rebase is not, commit
by commit. But both keep who wrote a commit and when, to the second, and a rebase keeps the patch.
So the new commit is the one of the branch's own with the same author and date that changes one of
the same files; or, where that does not tell, the one with the same patch.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from treering.branches.landing.judge import Judge, Target
from treering.errors import StorageFailed, StoreDamaged
from treering.git import diff, reflog
from treering.git.diff import CommitRange
from treering.git.repository import Repository

_MAX_REWRITES = 500
_SECONDS = 60.0


def follow_detached(repository: Repository, commit: str) -> list[str]:
    """A commit that HEAD was detached at, and all that took its place when it was amended or
    rebased, newest first."""
    places = [commit]
    for old, new in reflog.head_rewrites(repository):
        if new not in places and any(repository.is_ancestor(place, old) for place in places):
            places.append(new)
    return places[::-1]


def successors(
    repository: Repository,
    branch: str,
    tip: str,
    trunk: Sequence[Target],
    commits: Iterable[str],
    judge: Judge,
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
        now = _follow(amends, commit)
        if now != commit and repository.is_ancestor(now, tip):
            successor_of[commit] = now
    left = [commit for commit in old_commits if commit not in successor_of]
    if not left:
        return successor_of
    try:
        own = judge.own_commits(tip, trunk)[:_MAX_REWRITES]
        if not own:  # it is in the trunk by now, and so are they
            own = repository.history([tip], without=left)[-_MAX_REWRITES:]
        successor_of |= _by_author(repository, own, left, judge, trunk)
        left = [commit for commit in left if commit not in successor_of]
        return successor_of | _by_patch(repository, own, left, amends)
    except (StorageFailed, StoreDamaged):
        return successor_of


def _list_amended(repository: Repository, branch: str) -> dict[str, str]:
    """Of the branch's own log, and of HEAD's: a branch that is deleted takes its log along."""
    lines = [*reflog.of_heads(repository), *reflog.of_branch(repository, branch)]
    return {line.old: line.new for line in lines if line.said.startswith("commit (amend)")}


def _follow(amends: Mapping[str, str], commit: str) -> str:
    now = commit
    while now in amends and amends[now] != commit:
        now = amends[now]
    return now


def follow_amends(repository: Repository, branch: str, commit: str) -> str:
    """Return the commit that took the place of another one when it was amended, or that one."""
    return _follow(_list_amended(repository, branch), commit)


def _by_author(
    repository: Repository,
    own: Sequence[str],
    old_commits: Sequence[str],
    judge: Judge,
    trunk: Sequence[Target],
) -> dict[str, str]:
    """By the author and the date of a commit, where no other one on either side has the same: a
    script makes several in a second."""
    authorship = repository.objects.authorship
    by_author = _list_single(repository, own)
    found = {}
    for commit in old_commits:
        new = by_author.get(authorship(commit))
        steps = (_step(repository, commit), _step(repository, new) if new else None)
        paths = [{file.path for file in diff.diff_one(repository, step)} for step in steps if step]
        if new is None or len(paths) < 2 or paths[0].isdisjoint(paths[1]):
            continue
        before = judge.own_commits(commit, trunk)[:_MAX_REWRITES]
        if authorship(commit) in _list_single(repository, before):
            found[commit] = new
    return found


def _list_single(repository: Repository, commits: Iterable[str]) -> dict[tuple[str, int], str]:
    """Author and date -> the commit, of those that share them with no other."""
    authors = {commit: repository.objects.authorship(commit) for commit in commits}
    counts = Counter(authors.values())
    return {author: commit for commit, author in authors.items() if counts[author] == 1}


def _by_patch(
    repository: Repository, own: Sequence[str], old_commits: Sequence[str], amends: dict[str, str]
) -> dict[str, str]:
    """By equal patches among the newest own commits of the branch."""
    if not old_commits:
        return {}
    steps = {commit: _step(repository, amends.get(commit, commit)) for commit in old_commits}
    new = {commit: _step(repository, commit) for commit in own}
    known_steps = list(dict.fromkeys(filter(None, (*steps.values(), *new.values()))))
    hashes = diff.hash_patches(repository, known_steps, seconds=_SECONDS)
    prints = dict(zip(known_steps, hashes, strict=True))
    by_print = {prints[step]: commit for commit, step in new.items() if step in prints}
    return {
        commit: by_print[prints[step]]
        for commit, step in steps.items()
        if step in prints and prints[step] in by_print
    }


def _step(repository: Repository, commit: str) -> CommitRange | None:
    """A commit as a change of its first parent; None for a merge, or one that is gone."""
    parents = repository.parents_of(commit)
    return CommitRange(commit, *parents) if parents is not None and len(parents) < 2 else None
