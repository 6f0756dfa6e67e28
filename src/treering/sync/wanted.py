"""Which scopes of others are seen as ours."""

from treering.branches.trunk import trunk_of
from treering.model.scope import Scope
from treering.store import heads
from treering.store.vault import Vault


def is_wanted(vault: Vault, scope: Scope) -> bool:
    """Whether a scope is seen as ours: a branch here, or something of ours to say."""
    repository = vault.repository
    return bool(
        repository.tip_of(scope.branch)
        or repository.head().branch == scope.branch
        or heads.list_heads(vault, scope)
        or scope.branch == trunk_of(repository)
    )
