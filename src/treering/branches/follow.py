"""Which scope holds a branch's memories now: names change, and are used again."""

from treering.branches import reflog
from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.vault import Vault


def scope_now(repository: Repository, vault: Vault, scope: Scope) -> Scope | None:
    """The scope a branch's memories are in.

    1 its own                                  -> itself
    2 none, but the one of its earlier name    -> that one
    3 its own, left by another branch so named -> None: it starts empty
    """
    if scope.is_detached:
        return scope
    try:
        tip = vault.tip(scope)
    except StoreDamaged:
        return scope  # its own, though it cannot be read: the vault falls back to its log
    if tip is None:
        return earlier_scope(repository, vault, scope) or scope
    return None if is_left_over(repository, vault, scope, tip) else scope


def earlier_scope(repository: Repository, vault: Vault, scope: Scope) -> Scope | None:
    """The scope under a name the branch had before, if nobody else has that name now."""
    hint = repository.config(f"branch.{scope.branch}.treeringscope")
    for name in [*reflog.earlier_names(repository, scope.branch), *([hint] if hint else [])]:
        if repository.tip_of(name) is None and vault.tip(Scope(name)):
            return Scope(name)
    return None


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
