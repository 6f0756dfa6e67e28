"""Before a write: the scope gets its branch's name, and is that branch's own."""

from treering.branches.apply import Hand, apply, rename
from treering.branches.landing import Judge
from treering.branches.plan import plan
from treering.branches.survey import survey
from treering.model.scope import Scope
from treering.store.vault import Vault


def settle(hand: Hand, vault: Vault, scope: Scope, now: Scope | None) -> None:
    """Make `scope` hold a branch's memories, which so far are in `now` (None: nowhere)."""
    repository = hand.store.repository
    if now is not None:
        if tip := vault.tip(now):
            rename(hand.held, vault, now, tip, scope)
        return
    lines = plan(
        repository, vault, survey(hand.store, vault), Judge(repository), branch=scope.branch
    )
    # In doubt it goes to the trash, from where it can be restored: the branch has to start empty.
    mine = [line for line in lines if line.scope == scope]
    apply(hand, vault, [ln if ln.drops else ln._replace(action="trash", drops=True) for ln in mine])
