"""Whose memories stand under a name: names change, and are used again."""

from collections.abc import Iterator

from treering.branches import reflog
from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.vault import Vault


def earlier_scope(repository: Repository, vault: Vault, branch: str) -> Scope | None:
    """The scope under a name the branch had before, if nobody else has or had that name since."""
    log = reflog.of_branch(repository, branch)
    for name, when in _earlier(repository, branch):
        if repository.tip_of(name) is None and (tip := vault.tip(Scope(name))):
            if when is None or not _is_of_another(vault, tip, when, log):
                return Scope(name)
    return None


def _earlier(repository: Repository, branch: str) -> Iterator[tuple[str, int | None]]:
    yield from reflog.renames(repository, branch)
    if hint := repository.config(f"branch.{branch}.treeringscope"):
        yield hint, None


def _is_of_another(vault: Vault, tip: str, renamed: int, log: list[reflog.Line]) -> bool:
    """Whether a scope was written after the rename, from a commit the branch never made."""
    try:
        commit = vault.repository.objects.commit(tip)
    except StoreDamaged:
        return False
    if commit.time <= renamed:
        return False
    made = {line.new for line in log[1:] if line.old != line.new}
    return message.read(commit.message).code.head not in made


def is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str) -> bool:
    """Whether a scope belongs to a branch that was deleted before this one of its name was made.

    An amended or rebased branch has its old commits in its log; a new one has not.
    """
    head = repository.tip_of(scope.branch)
    if head is None:
        return False
    try:
        recorded = message.read(vault.repository.objects.commit(tip).message).code.head
    except StoreDamaged:
        return False
    if recorded is None or repository.is_ancestor(recorded, head):
        return False
    log = reflog.of_branch(repository, scope.branch)
    return bool(log) and not reflog.has_held(repository, scope.branch, recorded)
