"""Folding: few heads on a remote instead of many, once the clones that made them are quiet.

One clone says a join of quiet heads as its own. Then the remote is listed again, and each head goes
that another of its scope holds there, with a lease. Asked of the remote alone: no lease guards a
ref that a push leaves alone, and two who fold at once would delete each other's reason.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from treering.git.remote import Remote
from treering.model.scope import HEADS, Scope
from treering.store import heads
from treering.store.ancestry import contains
from treering.store.store import Store
from treering.store.vault import Vault
from treering.sync.remote_state import WORKING, RemoteHead, RemoteState, read_listing

#: A clone that said nothing for so long counts as quiet.
_QUIET_FOR = 7 * 24 * 3600
#: So many quiet heads of a scope are worth a push.
_WORTH_IT = 3
#: So many go at once, the rest with the next syncs: git compares each lease with each ref there.
_BATCH_SIZE = 200


def fold(store: Store, wire: Remote, state: RemoteState, now: float) -> int:
    """Make fewer heads of many; how many went. What is not seen as one is left alone."""
    vault = store.shared
    contained = {scope: _list_contained_here(vault, state, scope) for scope in state.heads}
    quiet = {
        scope: some
        for scope in state.heads
        if len(some := _list_quiet(vault, state, scope, contained[scope], now)) >= _WORTH_IT
    }
    if not quiet and not any(contained.values()):
        return 0
    if quiet:
        _push_joins(store, vault, wire, state, quiet)
    heads_there = read_listing(wire.look(state.prefix, HEADS).refs, state.prefix)
    there = RemoteState.of(vault, state.remote, state.prefix, state.clone, heads_there)
    removals = {
        head.ref: head.tip for head in islice(list_contained_heads(vault, there.heads), _BATCH_SIZE)
    }
    return sum(result.is_done for result in wire.push({}, removals, removals)) if removals else 0


def _list_contained_here(vault: Vault, state: RemoteState, scope: Scope) -> set[str]:
    """The heads of other clones that ours hold."""
    seen = heads.list_heads(vault, scope)
    view = vault.tip(scope) if seen else None
    new = {head.tip for head in _list_others(state, scope)}.difference(seen)
    return {tip for tip in new if view and contains(vault.repository, view, tip)}


def _list_quiet(
    vault: Vault, state: RemoteState, scope: Scope, held: Collection[str], now: float
) -> list[RemoteHead]:
    """Heads of other clones that said nothing for long, and are seen as one with ours. Who was
    interrupted holds them on a head that nobody has."""
    objects, own = vault.repository.objects, vault.head(scope)
    seen = set(heads.list_heads(vault, scope))
    if own and own != state.own_head(scope):
        seen |= {tip for tip in held if contains(vault.repository, own, tip)}
    return [
        head
        for head in _list_others(state, scope)
        if head.tip in seen and objects.commit(head.tip).time < now - _QUIET_FOR
    ]


def _list_others(state: RemoteState, scope: Scope) -> list[RemoteHead]:
    """The heads of other clones."""
    return [h for h in state.heads[scope] if h.clone not in (state.clone, WORKING)]


def _push_joins(
    store: Store,
    vault: Vault,
    wire: Remote,
    state: RemoteState,
    quiet: dict[Scope, list[RemoteHead]],
) -> None:
    """Let our own heads hold quiet ones."""
    new: dict[Scope, str] = {}
    with store.lock() as lock:
        for scope, some in quiet.items():
            tip = heads.append_to_own_head(
                vault, lock, scope, [head.tip for head in some], "sync: fold"
            )
            if tip != state.own_head(scope):
                new[scope] = tip
    if not new:
        return
    todo = {state.own_ref(scope): tip for scope, tip in new.items()}
    leases = {state.own_ref(scope): state.own_head(scope) for scope in new}
    results = {result.ref: result for result in wire.push(todo, (), leases)}
    with store.lock() as lock:
        for scope, tip in new.items():
            if results[state.own_ref(scope)].is_done:
                state.note_pushed(vault, lock, scope, tip)


def list_contained_heads(
    vault: Vault, there: Mapping[Scope, Sequence[RemoteHead]]
) -> Iterator[RemoteHead]:
    """The heads that another one of their scope holds there; of equal ones the smaller name
    stays."""
    for some in there.values():
        exists = vault.repository.objects.exists
        here = [h for h in some if h.clone != WORKING and exists(h.tip)]
        if len(here) < 2:
            continue
        alone = set(heads.list_independent(vault, [head.tip for head in here]))
        names: dict[str, str] = {}
        for head in sorted(here):
            names.setdefault(head.tip, head.ref)
        yield from (h for h in here if h.tip not in alone or names[h.tip] != h.ref)
