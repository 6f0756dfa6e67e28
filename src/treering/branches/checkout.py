"""Which branch a detached HEAD was checked out for: builds check out a commit, not a branch."""

from treering.errors import StoreDamaged
from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.store import Store

_TRACKED = "refs/remotes/"


def list_checked_out(store: Store, commit: str, trunk: str) -> list[Scope]:
    """The scopes of branches that a remote has at a commit, or at what it merged: a host makes such
    a merge to test a pull request.

    Where no ref tells, as in a shallow clone of one commit, those whose memories were made there.
    """
    repository = store.repository
    merged = _list_merged(repository, commit)
    wanted = {commit, *merged}
    found = _list_tracked(repository, wanted) - {trunk}
    if not found and (merged or repository.is_shallow):
        found = _list_remembered(store, wanted) - {trunk}
    return [Scope(branch) for branch in sorted(found)]


def _list_merged(repository: Repository, commit: str) -> list[str]:
    """What a commit merged, as it says itself: to libgit2 it has no parents in a shallow clone."""
    try:
        head = repository.objects.raw_commit(commit).partition(b"\n\n")[0]
    except StoreDamaged:
        return []
    lines = head.decode(errors="replace").splitlines()
    parents = [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]
    return parents[1:]


def _list_tracked(repository: Repository, commits: set[str]) -> set[str]:
    found = set()
    for remote in repository.remotes():
        prefix = f"{_TRACKED}{remote}/"
        tips = refs.list_refs(repository.common_dir, prefix)
        found |= {ref.removeprefix(prefix) for ref, tip in tips.items() if tip in commits}
    return found


def _list_remembered(store: Store, commits: set[str]) -> set[str]:
    found = set()
    for scope, tip in store.shared.scopes().items():
        try:
            code = message.read(store.repository.objects.commit(tip).message).code
        except StoreDamaged:
            continue
        if not scope.is_detached and code.head in commits:
            found.add(scope.branch)
    return found
