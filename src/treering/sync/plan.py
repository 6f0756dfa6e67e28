"""The plan of a push: what a remote should have, what it need not have any more, what stays here;
and what a sync tells in the end, of every scope, in the contract's words.

A reason to push is a commit, no join, that we have and no head of its scope there holds, whoever
made it, if git shows the scope's branch on the remote. A head that has vanished is not a deletion:
a mirror push may wipe those of dead clones.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treering.branches import undo
from treering.branches.apply import Actor, forget_tip
from treering.branches.long_lived import is_long_lived
from treering.branches.names import is_gone, is_left_over
from treering.branches.promotion import is_taken_over
from treering.branches.sharing import SharingRules, pushed_ref, read_pushed
from treering.branches.survey import list_trash, local_scopes, seen_scopes
from treering.branches.trunk import trunk_of
from treering.git import reach, refs
from treering.git.repository import Repository
from treering.model.scope import REMOTES, Scope
from treering.store import heads, message
from treering.store.ancestry import contains, list_below, list_contained, read_news
from treering.store.fetched import LOST
from treering.store.store import Store
from treering.store.vault import Vault
from treering.sync.remote_state import RemoteState
from treering.sync.withdrawal import find_withdrawal


@dataclass(frozen=True, slots=True)
class SyncedScope:
    """One scope of the answer; `reason` says why it was refused or stays here, `notes` what a merge
    decided."""

    branch: str
    status: str
    reason: str | None = None
    notes: tuple[str, ...] | None = None
    undo: str | None = None  # the ref of what we saw before, where the sync changed that


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync: `fetched`, `pushed` and `merged` count branches."""

    remote: str
    scopes: tuple[SyncedScope, ...]
    fetched: int
    pushed: int
    merged: int
    memories_fetched: int | None = None  # not known before a fetch
    memories_pushed: int = 0
    memories_merged: int = 0
    dry_run: bool = False
    notes: tuple[str, ...] | None = None


class SyncPlan(NamedTuple):
    """The heads that say something new to a remote, by scope, and why other scopes stay here."""

    heads: dict[Scope, list[str]]
    stays: dict[Scope, str]


class Outgoing(NamedTuple):
    """A push: our own refs there with their new tips, histories of ours that are to be replaced,
    refs to remove, and what each of them has now ("" for nothing)."""

    new: dict[Scope, str]
    replaced: dict[str, str]
    gone: dict[str, Scope]
    leases: dict[str, str]

    @property
    def is_empty(self) -> bool:
        return not (self.new or self.replaced or self.gone)


def plan_push(
    store: Store,
    vault: Vault,
    state: RemoteState,
    rules: SharingRules,
    more: Mapping[Scope, Collection[str]],
) -> SyncPlan:
    """Decide what goes to a remote. `more` are heads that were seen there once, or that nobody has
    pushed yet."""
    trunk = Scope(rules.trunk)
    mine = local_scopes(vault)
    targets = list_targets(vault, trunk)
    known = {
        scope: heads.list_heads(vault, scope)
        for scope, tip in mine.items()
        if not is_left_over(store.repository, vault, scope, tip)  # which gc will judge
    }
    for scope, some in more.items():
        known.setdefault(scope, []).extend(some)
    todo: dict[Scope, list[str]] = {}
    stays: dict[Scope, str] = {}
    for scope, some in known.items():
        there = state.tips(scope)
        news = [head for head in some if has_unpushed_commits(vault, head, there)]
        if scope not in mine:
            news = [head for head in news if not is_published_elsewhere(vault, state, scope, head)]
        if news:
            lost = _list_finished(store.repository, vault, state, scope, news)
            news = [h for h in news if h not in lost or not is_promoted(vault, scope, h, targets)]
        if not news:
            continue
        if reason := rules.find(scope, some).reason:
            stays |= {scope: reason} if scope in mine else {}
            continue
        if scope.is_aside:
            news = _list_pushed_before(vault, state, scope, news)
        if who := _find_withdrawal(vault, trunk, scope, news):
            stays[scope] = f"{who} withdrew it from {state.remote}"
            continue
        news = [head for head in news if not _is_trashed(vault, scope, head)]
        if news:
            todo[scope] = news
    return SyncPlan(todo, stays)


def _list_pushed_before(
    vault: Vault, state: RemoteState, scope: Scope, news: Collection[str]
) -> list[str]:
    """List what of a scope that moved aside the remote had under the branch's name: the push that
    starts the name anew carries it, and nothing that was never there."""
    plain = Scope(scope.branch.rpartition("~")[0])
    last = [read_pushed(vault, state.remote, one) for one in (plain, scope)]
    return [
        tip
        for tip in dict.fromkeys(last)
        if tip
        and tip not in state.tips(scope)
        and any(contains(vault.repository, head, tip) for head in news)
    ]


def _list_finished(
    repository: Repository, vault: Vault, state: RemoteState, scope: Scope, news: Collection[str]
) -> set[str]:
    """The heads that need not be said where all of them was promoted. As long as a branch is there
    others may be at work on it, and see what we say: then it is what the remote had once. It was
    taken away on purpose, and who keeps a branch that landed does not say it again."""
    if is_long_lived(repository, scope.branch):
        return set()
    if is_gone(repository, scope):
        return set(news)
    last = refs.read(vault.repository.handle, pushed_ref(state.remote, state.name_of(scope)))
    lost = refs.list_refs(vault.repository.common_dir, f"{REMOTES}{state.remote}/{LOST}/")
    return {head for head in news if head == last or head in lost.values()}


def is_wanted(vault: Vault, scope: Scope) -> bool:
    """Return whether a scope is seen as ours: a branch here, or something of ours to say."""
    repository = vault.repository
    return bool(
        repository.tip_of(scope.branch)
        or repository.head().branch == scope.branch
        or heads.list_heads(vault, scope)
        or scope.branch == trunk_of(repository)
    )


def list_not_contained(vault: Vault, some: Collection[str], there: Collection[str]) -> list[str]:
    """The heads that none there holds."""
    exists = vault.repository.objects.exists
    new = [head for head in some if head not in there and exists(head)]
    here = [tip for tip in there if exists(tip)]
    graph = read_news(vault.repository, new, here) if new else {}
    held = list_contained(vault.repository, here, [head for head in new if head not in graph])
    return [head for head in new if head not in held]


def has_unpushed_commits(vault: Vault, head: str, there: Collection[str]) -> bool:
    """Return whether a head says something that no head there does."""
    if head in there:
        return False
    here = [tip for tip in there if vault.repository.objects.exists(tip)]
    commits = vault.history.read(vault, [head], without=here)
    if any(commit.op != message.JOIN for commit in commits.values()):
        return True
    below = list_below({oid: commit.parents for oid, commit in commits.items()}, head)
    below.difference_update(here)
    return below != list_contained(vault.repository, here, below)


def is_published_elsewhere(
    vault: Vault, state: RemoteState, scope: Scope, head: str, own: Sequence[str] = ()
) -> bool:
    """Return whether a ref there that is not among our `own` holds a head, under whatever name: one
    that was renamed, or was said beside other work of its name, is known. Where the branch is here
    only its own name counts: all who work on it are to see the same.

    Of equal ones that of the smaller name stays, if the last of `own` is the one that is asked for.
    """
    others = state.heads.get(scope, []) if is_wanted(vault, scope) else state.list_heads()
    return any(
        other.ref not in own
        and (not own or other.tip != head or other.ref < own[-1])
        and contains(vault.repository, other.tip, head)
        for other in others
    )


def _is_trashed(vault: Vault, scope: Scope, head: str) -> bool:
    """Return whether a head is all in the trash here. What was put away for a text in it says
    nothing of a head: the text is taken out of that one."""
    trash = (entry for entry in list_trash(vault) if not entry.is_redacted)
    tips = [entry.tip for entry in trash if entry.scope == scope]
    return any(contains(vault.repository, tip, head) for tip in tips)


def _find_withdrawal(vault: Vault, trunk: Scope, scope: Scope, some: Collection[str]) -> str:
    """Return who withdrew one of some heads. Anyone who may push can say so: it counts only where
    no branch of that name is alive here, and never for long-lived ones."""
    repository = vault.repository
    if repository.tip_of(scope.branch) or is_long_lived(repository, scope.branch):
        return ""
    return find_withdrawal(vault, trunk, scope, some)


def list_targets(vault: Vault, trunk: Scope) -> dict[Scope, str]:
    """Return the scopes that may have taken others over: the trunk's first, as a rule."""
    view = vault.tip(trunk)
    return ({trunk: view} if view else {}) | local_scopes(vault)


def is_promoted(vault: Vault, scope: Scope, head: str, targets: Mapping[Scope, str]) -> bool:
    """Return whether another scope has taken over all that a head says. Several heads that are seen
    as one are parents of a promotion, and their join is not."""
    here, joined = vault.snapshot_at(scope, head), heads.list_joined(vault, head)
    return any(
        other != scope
        and all(vault.repository.is_ancestor(one, tip) for one in joined)
        and is_taken_over(vault, here, vault.snapshot_at(other, tip))
        for other, tip in targets.items()
    )


# --- what need not be there ----------------------------------------------------------------------


def list_gone(
    store: Store, vault: Vault, state: RemoteState, new: Mapping[Scope, str]
) -> dict[str, Scope]:
    """Our own refs there that say nothing more: of what is in the trash here, was renamed, or is
    all in another scope. What nobody else holds stays, and so does what a branch that stays gave to
    another: others would say it again."""
    trunk = Scope(trunk_of(store.repository))
    targets = list_targets(vault, trunk)
    removals: dict[str, Scope] = {}
    for scope in state.heads:
        name, tip = state.own_ref(scope), state.own_head(scope)
        if not tip or vault.head(scope) or scope in new:
            continue
        if (
            _is_trashed(vault, scope, tip)
            or _find_withdrawal(vault, trunk, scope, [tip])
            or any(contains(vault.repository, other, tip) for other in new.values())
            or is_published_elsewhere(vault, state, scope, tip, [*removals, name])
            or (
                not is_long_lived(store.repository, scope.branch)
                and is_promoted(vault, scope, tip, targets)
            )
        ):
            removals[name] = scope
    over = [s for s in state.heads if s != trunk and is_gone(store.repository, s)]
    if over and (told := new.get(trunk)):
        # Heads of any clone whose branch is gone, and which are all in what the trunk now says.
        within = set(reach.list_tips_within(vault.repository.common_dir, told, REMOTES))
        removals |= {
            head.ref: scope
            for scope in over
            for head in state.heads[scope]
            if head.tip in within and is_promoted(vault, scope, head.tip, targets)
        }
    return removals


def drop_promoted(actor: Actor, vault: Vault) -> list[Scope]:
    """Let go of scopes that another clone promoted: the branch is gone, and all of it is held
    elsewhere."""
    trunk = Scope(actor.trunk)
    scopes = []
    for scope, tip in seen_scopes(vault).items():
        if scope == trunk or not is_gone(actor.store.repository, scope):
            continue
        if is_promoted(vault, scope, tip, list_targets(vault, trunk)):
            undo.keep(actor, vault, scope, tip)
            heads.move_head(vault, actor.held, scope, None, why="sync: promoted elsewhere")
            forget_tip(actor, vault, scope)
            scopes.append(scope)
    return scopes


def put_together(
    store: Store,
    vault: Vault,
    state: RemoteState,
    new: dict[Scope, str],
    redacted: Mapping[str, str],
) -> Outgoing:
    """A whole push: what is new, what replaces a text that was redacted, and what goes."""
    there = {head.ref: head.tip for head in state.list_heads()}
    own = {state.own_ref(scope) for scope in new}
    replacements = {
        ref: redacted[tip] for ref, tip in there.items() if tip in redacted and ref not in own
    }
    removals = list_gone(store, vault, state, new)
    leases = {ref: there.get(ref, "") for ref in (*own, *replacements, *removals)}
    return Outgoing(
        new, replacements, {r: s for r, s in removals.items() if r not in replacements}, leases
    )
