"""Before a write: the scope gets its branch's name, and is that branch's own."""

from treering.branches.apply import Actor, apply, rename
from treering.branches.landing.judge import Judge
from treering.branches.names import scope_now
from treering.branches.plan import PlanLine, plan
from treering.branches.survey import survey
from treering.model.scope import Scope
from treering.store.vault import Vault


def settle(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Before a write: let the scope have the branch's name, and be the branch's own."""
    now = scope_now(actor.store.repository, vault, scope)
    if now == scope:
        return
    if vault.tip(scope):
        _clear(actor, vault, scope)
    if now is not None and vault.tip(scope) is None and (tip := vault.tip(now)):
        rename(actor.held, vault, now, tip, scope)


def _clear(actor: Actor, vault: Vault, scope: Scope) -> None:
    """Put away what another branch left under this name, or give it to the one it belongs to."""
    repository = actor.store.repository
    lines = plan(repository, vault, survey(actor.store, vault), Judge(repository))
    mine = [line for line in lines if line.scope == scope and line.action != "revive"]
    if any(line.action == "rename" for line in mine):  # its new name may be taken in turn
        apply(actor, vault, [ln for ln in lines if ln.action == "rename" or _is_cleared(ln)])
        return
    # In doubt it goes to the trash, from where it can be restored: the branch has to start empty.
    apply(
        actor, vault, [ln if ln.drops else ln._replace(action="trash", drops=True) for ln in mine]
    )


def _is_cleared(line: PlanLine) -> bool:
    return line.verdict == "recreated" and line.drops
