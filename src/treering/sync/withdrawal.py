"""Withdrawals: what was purged from a remote is not pushed again, by anyone.

A commit on the trunk says so, in a line for each scope: it travels, where a deletion would only be
an absence.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from treering.branches.apply import Actor
from treering.branches.sharing import pushed_ref
from treering.errors import SyncRefused
from treering.git import refs
from treering.git.lock import Held
from treering.git.remote import Remote
from treering.model.scope import Scope
from treering.store import message
from treering.store.ancestry import contains
from treering.store.message import Message
from treering.store.store import Store
from treering.store.vault import Vault
from treering.sync import refspec
from treering.sync.remote_state import RemoteState, read_listing
from treering.text.masking import mask_branch

WITHDRAW = "withdraw"


def withdraw_from(
    store: Store,
    act: Callable[[Held], Actor],
    wire: Remote,
    trash: Mapping[Scope, Sequence[str]],
) -> tuple[str, ...]:
    """Take heads off a remote that are all in the trash here, and say so on the trunk, so that
    nobody pushes them again; the refs that went. Written to since, a head stays."""
    vault = store.shared
    prefix = refspec.prefix_of(store.repository)
    listing = wire.look(prefix)
    state = RemoteState.of(vault, wire.name, prefix, "", read_listing(listing.refs, prefix))
    gone = [
        (scope, head)
        for scope, some in state.heads.items()
        for head in some
        if any(contains(vault.repository, tip, head.tip) for tip in trash.get(scope, ()))
    ]
    if not gone:
        return ()
    tips = {(scope, head.tip) for scope, head in gone}
    with store.lock() as held:
        actor = act(held)
        lines = tuple(f"{mask_branch(scope.branch)} {tip}" for scope, tip in sorted(tips))
        trunk, subject = Scope(actor.trunk), f"withdraw {len(lines)} scopes"
        why = Message(WITHDRAW, subject, actor.code_of(trunk), withdrawn=lines)
        actor.write(vault, trunk, {}, why)
    leases = {head.ref: head.tip for _, head in gone}
    results = list(wire.push({}, leases, leases))
    if refusals := [result for result in results if not result.is_done]:
        raise SyncRefused(f"{wire.name} keeps {refusals[0].ref}: {refusals[0].reason}")
    with store.lock() as held:
        for scope, head in gone:
            names = [head.seen_at(wire.name).ref, pushed_ref(wire.name, state.name_of(scope))]
            for name in names:
                if tip := refs.read(vault.repository.handle, name):
                    vault.move_ref(held, name, None, old=tip, why="sync: withdrawn")
    return tuple(f"{wire.name}:{head.ref}" for _, head in gone)


def find_withdrawal(vault: Vault, trunk: Scope, scope: Scope, some: Collection[str]) -> str:
    """Return who withdrew a scope that holds one of some heads, or nothing."""
    tip = vault.tip(trunk)
    commits = vault.history.read(vault, [tip], ops=(WITHDRAW,)) if tip else {}
    for commit in reversed(commits.values()):
        said = message.read(vault.repository.objects.commit(commit.oid).message)
        for line in said.withdrawn:
            name, oid, *_ = (*line.split(" "), "")
            if name == mask_branch(scope.branch) and any(
                contains(vault.repository, oid, head) for head in some
            ):
                return commit.author.partition(" <")[0] or "somebody"
    return ""
