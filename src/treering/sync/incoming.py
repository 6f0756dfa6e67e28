"""Heads of other clones, taken in scope by scope: each is looked at, and seen with ours.

Nothing is merged into what we say ourselves. What is missing from a head is put back first. What
somebody redacted is taken out of all we have by redactions.py.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from treering.branches import undo
from treering.branches.apply import Actor, rename
from treering.branches.names import earlier_scope
from treering.call import Advice, Call
from treering.errors import FormatTooNew, StoreDamaged, TreeringError
from treering.git import refs
from treering.model.document import FORMAT
from treering.model.scope import HEADS, Scope
from treering.store import heads, message
from treering.store.absence import Loss, describe_losses, find_losses, put_back
from treering.store.ancestry import TOO_LARGE, contains, list_below, list_contained, read_news
from treering.store.dates import TOLERANCE
from treering.store.message import Message
from treering.store.store import Store
from treering.store.vault import Vault
from treering.sync.plan import is_wanted
from treering.sync.remote_state import RemoteState

#: Bytes of trees: some two million memories.
_MOST_LISTED = 80 * 1024 * 1024


class IncomingScope(NamedTuple):
    """News of one scope: heads, each with what a fetch saw before it, and what they lack."""

    scope: Scope
    heads: tuple[str, ...]
    before: str | None  # what was seen so far
    losses: Mapping[str, Loss]
    #: Why a head was refused, by its tip.
    refusals: Mapping[str, str] = MappingProxyType({})
    #: What is known to be whole of each head, or nothing.
    bases: Mapping[str, str | None] = MappingProxyType({})

    def as_rewritten(self, vault: Vault, commits: Mapping[str, str]) -> "IncomingScope":
        """The same after a redaction, which wrote commits again: what they lack is looked for in
        the new ones, where it has no text that was taken out."""
        if commits.keys().isdisjoint(self.heads):
            return self
        pairs = ((commits.get(tip, tip), base) for tip, base in self.bases.items())
        bases = {tip: commits.get(base, base) if base else None for tip, base in pairs}
        losses = find_losses(vault, self.scope, bases)
        return self._replace(heads=tuple(bases), losses=losses, bases=bases)

    def without(self, heads: Collection[str]) -> "IncomingScope":
        """The same without some heads."""
        left = tuple(head for head in self.heads if head not in heads)
        return self._replace(
            heads=left, losses={h: self.losses[h] for h in left if h in self.losses}
        )


class ScopeOutcome(NamedTuple):
    """The outcome for one scope, in the contract's word, and what to tell about it."""

    status: str
    notes: tuple[str, ...] = ()
    memories: int = 0  # changed on several sides
    #: Where what we saw before is kept, if something of it is not as it was.
    undo: str | None = None
    #: Heads with what was left out of them, which nobody has pushed yet.
    repaired: tuple[str, ...] = ()


def look_over(
    vault: Vault, scope: Scope, heads_there: Mapping[str, str | None], before: str | None
) -> IncomingScope:
    """Look at heads, each with what is known to be whole of it, before the lock is taken: a long
    history takes its time. `before` is what was seen of the scope so far."""
    bases: dict[str, str | None] = {}
    refusals: dict[str, str] = {}
    oversized = vault.history.find_oversized(vault, heads_there.keys())
    for tip, base in heads_there.items():
        try:
            if tip in oversized:
                raise StoreDamaged(f"{scope.branch} has a commit {TOO_LARGE}.")
            refuse_unreadable(vault, scope, tip)
            bases[tip] = base
        except TreeringError as error:
            refusals[tip] = error.message
    losses = find_losses(vault, scope, bases)
    return IncomingScope(scope, tuple(bases), before, losses, refusals, bases)


def refuse_unreadable(vault: Vault, scope: Scope, tip: str) -> None:
    """A remote may hold anything: what is no scope of ours stays where it is."""
    commit = vault.repository.objects.commit(tip)
    memories = vault.trees.memories(commit.tree)
    if memories:  # a tree may be a bomb
        objects = vault.repository.objects
        size = objects.size(memories)
        if size <= _MOST_LISTED:
            size += sum(objects.size(tree) for tree in vault.trees.shards(memories).values())
        if size > _MOST_LISTED:
            raise StoreDamaged(f"{scope.branch} has too many memories to be real.")
    vault.snapshot_at(scope, tip)
    if message.read(commit.message).format > FORMAT:
        raise FormatTooNew(f"{scope.branch} was written by a newer treering.")


# --- taking in -----------------------------------------------------------------------------------


def take_in(actor: Actor, vault: Vault, incoming: IncomingScope, *, is_ahead: bool) -> ScopeOutcome:
    """See what other clones say of a scope together with what we do.

    1 no branch of that name here, nothing of ours -> stays where it was fetched to, to be read
    2 else                                         -> seen as one

    `is_ahead` says that we have something to say there, too, that nobody has yet.
    """
    scope = incoming.scope
    if actor.store.repository.tip_of(scope.branch) and not vault.head(scope):
        # A renamed branch's memories get its name before others' of that name come in.
        old = earlier_scope(actor.store.repository, vault, scope.branch)
        if old and vault.head(old):
            rename(actor.held, vault, old, scope)
    notes: list[str] = []
    repaired: list[str] = []
    tips = list(incoming.heads)
    for number, tip in enumerate(tips):
        if loss := incoming.losses.get(tip):
            notes += (
                f"{part.files} files were left out by {part.author} in {part.commit[:12]}: put back"
                for part in describe_losses(vault, scope, loss)
            )
            tips[number] = put_back(vault, scope, tip, loss)
            repaired.append(tips[number])
    if not is_wanted(vault, scope):
        return ScopeOutcome("unchanged", tuple(notes), repaired=tuple(repaired))
    before = incoming.before
    view, result = heads.add_heads_to_view(vault, actor.held, scope, list(dict.fromkeys(tips)))
    if answer_future(actor, vault, scope):
        view = vault.tip(scope)
    if view == before or view is None:
        return ScopeOutcome("unchanged", tuple(notes), repaired=tuple(repaired))
    outcome = ScopeOutcome(
        status="new" if before is None else "merged" if is_ahead else "updated",
        notes=(*notes, *(result.notes if result else ())),
        memories=len(result.ids) if result else 0,
        repaired=tuple(repaired),
    )
    if before is None or not (effect := undo.measure(vault, before, vault.tip(scope))).changed:
        return outcome
    # Something of what we saw before is not as it was.
    told = Advice(f"{effect}: {{}} takes it back", Call("restore", scope.branch, before_sync=True))
    if effect.is_large:
        outcome = outcome._replace(notes=(*outcome.notes, told))
    return outcome._replace(undo=undo.keep(actor, vault, scope, before))


def answer_future(actor: Actor, vault: Vault, scope: Scope) -> bool:
    """Put a note on top of heads that claim to be of the future, as long as that can be told: once
    their time has come they would be believed. Whether there were any.

    Where most heads seem to be of the future it is our own clock that is wrong.
    """
    limit, own = actor.seconds + TOLERANCE, vault.head(scope)
    all_heads = heads.list_heads(vault, scope)
    objects = vault.repository.objects
    suspects = [head for head in all_heads if head != own and objects.commit(head).time > limit]
    if not suspects or 2 * len(suspects) > len(all_heads):
        return False
    heads.append_to_own_head(vault, actor.held, scope, suspects, "sync: dated later than now")
    why = Message(message.NOTE, "note what is dated later than now", actor.code_of(scope))
    actor.write(vault, scope, {}, why)
    return True


def list_unseen(
    store: Store,
    state: RemoteState,
    previous: Mapping[str, str] = MappingProxyType({}),
    verified: Collection[tuple[str, str]] = (),
    *,
    is_fetch_only: bool = False,
) -> dict[Scope, dict[str, str | None]]:
    """The heads of each scope that are not seen with ours, or were not looked at, each with what is
    known to be whole of it, or None.

    `previous` has what the ref of a head had before this sync, `verified` the names of scopes and
    heads of them that are not ours and that a sync looked at. With `is_fetch_only` only what a
    fetch saw counts: a clone on one disk has objects that nobody fetched.
    """
    unseen: dict[Scope, dict[str, str | None]] = {}
    exists = store.repository.objects.exists
    for scope in state.heads:
        tips = [tip for tip in state.tips(scope) if not is_fetch_only or tip in previous]
        tips = _leave_out_aside(store, scope, tips)
        ours = dict.fromkeys(heads.list_heads(store.shared, scope))
        if ours:
            tips = [tip for tip in tips if tip not in ours and exists(tip)]
            # What we said ourselves and have said more since, as before every push.
            last, own = state.own_head(scope), store.shared.head(scope)
            if last in tips and own and contains(store.repository, own, last):
                tips.remove(last)
            bases = _list_news(store, scope, tips, ours, previous)
        else:
            is_ours = is_wanted(store.shared, scope)
            bases = {
                tip: earlier if (scope.component, earlier) in verified else None
                for tip in tips
                for earlier in (previous.get(tip, ""),)
                if (is_ours or (scope.component, tip) not in verified) and exists(tip)
            }
        if bases:
            unseen[scope] = bases
    return unseen


def _leave_out_aside(store: Store, scope: Scope, tips: list[str]) -> list[str]:
    """Leave out what belongs to a branch before the one that has the name now: it lies aside."""
    folder, prefix = store.repository.common_dir, f"{scope.ref}%7E"
    aside = [
        head
        for name, tip in refs.list_refs(folder, prefix).items()
        if (other := store.shared.scope_named(name.removeprefix(HEADS), tip))
        for head in heads.list_heads(store.shared, other)
    ]
    held = list_contained(store.repository, aside, tips) if aside else ()
    return [tip for tip in tips if tip not in aside and tip not in held]


def _list_news(
    store: Store,
    scope: Scope,
    tips: Collection[str],
    ours: Collection[str],
    previous: Mapping[str, str],
) -> dict[str, str | None]:
    """Heads that say something ours do not. What is whole of one is the head it was made from,
    where that is one of ours, or all we see; nothing, where it has no past in common with us, or
    ours have it only behind a promotion, where nobody looked."""
    graph = read_news(store.shared.repository, tips, ours) if tips else {}
    held = list_contained(store.repository, ours, [tip for tip in tips if tip not in graph])
    bases: dict[str, str | None] = {}
    for tip in tips:
        if tip not in graph:
            bases |= {} if tip in held else {tip: None}
            continue
        below = list_below(graph, tip)
        known = [head for head in (previous.get(tip), *below) if head in ours]
        is_sure = bool(known) and (len(below) == 1 or known[0] == previous.get(tip))
        bases[tip] = known[0] if is_sure else store.shared.tip(scope) if below else None
    return bases
