"""Before a write: the scope gets its branch's name, and is that branch's own."""

from treering.branches.apply import Actor, apply, put_aside, rename
from treering.branches.landing.judge import Judge
from treering.branches.names import scope_now
from treering.branches.plan import PlanLine, plan
from treering.branches.survey import survey
from treering.branches.versions import ScopeHistory
from treering.model.scope import Scope
from treering.store.vault import Vault


def settle(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Before a write: let the scope have the branch's name, and be the branch's own."""
    now = scope_now(actor.store.repository, vault, scope)
    if now == scope:
        return
    if vault.head(scope):
        _clear(actor, vault, scope)
    if now is not None and vault.head(scope) is None and vault.head(now):
        rename(actor.held, vault, now, scope)


def _clear(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Give what another branch left under this name to the one it belongs to, or move it aside."""
    repository = actor.store.repository
    lines = plan(repository, vault, survey(actor.store, vault), Judge.open(actor.store))
    if any(line.scope == scope and line.action == "rename" for line in lines):
        # Its new name may be taken in turn.
        apply(actor, vault, [line for line in lines if _gives_names(line)])
    elif tip := vault.head(scope):
        oldest = ScopeHistory(repository, vault, tip).oldest
        put_aside(actor, vault, scope, scope.aside(oldest))


def _gives_names(line: PlanLine) -> bool:
    return line.action in ("rename", "aside")
