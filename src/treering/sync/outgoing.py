"""What we have to say to a remote, and what it need not have any more.

A reason to push is a commit, no join, that we have and no head of its scope there holds, whoever
made it. A head that has vanished is not a deletion: a mirror push may wipe those of dead clones.
"""

from collections.abc import Collection, Mapping, Sequence

from treering.branches import undo
from treering.branches.apply import Actor, forget_tip
from treering.branches.long_lived import is_long_lived
from treering.branches.names import is_left_over
from treering.branches.promotion import is_taken_over
from treering.branches.survey import local_scopes, seen_scopes
from treering.branches.trash import list_trash
from treering.branches.trunk import trunk_of
from treering.git import log, reach, refs
from treering.git.lock import Held
from treering.git.repository import Repository
from treering.model.scope import PUSHED, REMOTES, Scope
from treering.model.value import NamedTuple
from treering.store import heads, message
from treering.store.fetched import CLONES_SEEN, LOST, FetchedHead
from treering.store.holding import is_held, list_held
from treering.store.news import list_below, read_news
from treering.store.store import Store
from treering.store.vault import JOIN, Vault
from treering.sync.remote_heads import RemoteHead, ref_of
from treering.sync.wanted import is_wanted
from treering.sync.withdrawal import list_withdrawn


class Outgoing(NamedTuple):
    """What a push should do: our own refs there with their new tips, histories of others that are
    to be replaced, refs to remove, and what each of them has now ("" for nothing)."""

    new: dict[Scope, str]
    replaced: dict[str, str]
    gone: dict[str, Scope]
    leases: dict[str, str]

    @property
    def is_empty(self) -> bool:
        return not (self.new or self.replaced or self.gone)


def pushed_ref(remote: str, scope: Scope) -> str:
    return f"{PUSHED}{remote}/{scope.component}"


class Place(NamedTuple):
    """A remote as it was last listed: its name, ours on it, and what lies there by scope."""

    remote: str
    prefix: str
    clone: str
    heads: dict[Scope, list[RemoteHead]]

    def list_heads(self) -> list[RemoteHead]:
        return [head for some in self.heads.values() for head in some]

    def own_ref(self, scope: Scope) -> str:
        return ref_of(self.prefix, self.clone, scope)

    def own_head(self, scope: Scope) -> str:
        """What our own ref has there, or nothing."""
        ours = (head.tip for head in self.heads.get(scope, ()) if head.clone == self.clone)
        return next(ours, "")

    def tips(self, scope: Scope) -> Collection[str]:
        """What heads of a scope are at, in their order; of thousands one is found at once."""
        return dict.fromkeys(head.tip for head in self.heads.get(scope, ()))


def list_outgoing(
    store: Store, vault: Vault, place: Place, more: Mapping[Scope, Collection[str]]
) -> dict[Scope, list[str]]:
    """The scopes with something to say, and the heads that say it. `more` are heads that were seen
    there once, or that nobody has pushed yet."""
    trunk = Scope(trunk_of(store.repository))
    mine = local_scopes(vault)
    promotion = _Promoted(vault, trunk, mine)
    todo: dict[Scope, list[str]] = {}
    for scope, some in _list_known(store, vault, mine, more).items():
        there = place.tips(scope)
        news = [head for head in some if is_news(vault, head, there)]
        if scope not in mine:
            news = [head for head in news if not is_said_elsewhere(vault, place, scope, head)]
        if news:
            lost = _list_finished(store.repository, vault, place.remote, scope, news)
            news = [h for h in news if h not in lost or not promotion.is_all_of(scope, h)]
        news = [head for head in news if not _is_put_away(vault, trunk, scope, head)]
        if news:
            todo[scope] = news
    return todo


def _list_finished(
    repository: Repository, vault: Vault, remote: str, scope: Scope, news: Collection[str]
) -> set[str]:
    """The heads that need not be said where all of them was promoted. As long as a branch is there
    others may be at work on it, and see what we say: then it is what the remote had once. It was
    taken away on purpose, and who keeps a branch that landed does not say it again."""
    if is_long_lived(repository, scope.branch):
        return set()
    if is_gone(repository, scope):
        return set(news)
    last = refs.read(vault.repository.handle, pushed_ref(remote, scope))
    lost = refs.list_refs(vault.repository.common_dir, f"{REMOTES}{remote}/{LOST}/")
    return {head for head in news if head == last or head in lost.values()}


def _list_known(
    store: Store, vault: Vault, mine: Mapping[Scope, str], more: Mapping[Scope, Collection[str]]
) -> dict[Scope, list[str]]:
    """What we know of each scope. Work of others that has the name of ours, or of one another, is
    said aside: under one name it would become one."""
    heads_of: dict[Scope, list[str]] = {}
    for scope, tip in mine.items():
        if not is_left_over(store.repository, vault, scope, tip):  # another's, which gc will judge
            heads_of[scope] = heads.list_heads(vault, scope)
    for scope, more_heads in more.items():
        kin = vault.kinship.choose(scope, list(more_heads), is_sure=True)
        if is_long_lived(store.repository, scope.branch):
            heads_of.setdefault(scope, []).extend(kin)
            continue
        groups = _group(
            vault, [head for head in more_heads if scope not in heads_of or head not in kin]
        )
        if scope in heads_of:
            heads_of[scope] += kin
        elif groups:
            heads_of[scope] = groups.pop(0)
        for group in groups:
            oldest = log.list_commits(vault.repository.common_dir, group)[-1]
            heads_of.setdefault(scope.aside(oldest), []).extend(group)
    return heads_of


def _group(vault: Vault, some: Collection[str]) -> list[list[str]]:
    """Heads by the commits they share: each group is one piece of work."""
    groups: list[list[str]] = []
    for head in sorted(some):
        near = [g for g in groups if any(vault.repository.merge_base(head, one) for one in g)]
        groups = [g for g in groups if g not in near]
        groups.append([head, *(one for group in near for one in group)])
    return groups


def list_unheld(vault: Vault, some: Collection[str], there: Collection[str]) -> list[str]:
    """The heads that none there holds."""
    exists = vault.repository.objects.exists
    new = [head for head in some if head not in there and exists(head)]
    here = [tip for tip in there if exists(tip)]
    graph = read_news(vault, new, here) if new else {}
    held = list_held(vault.repository, [head for head in new if head not in graph], here)
    return [head for head in new if head not in held]


def is_news(vault: Vault, head: str, there: Collection[str]) -> bool:
    """Whether a head says something that no head there does."""
    if head in there:
        return False
    here = [tip for tip in there if vault.repository.objects.exists(tip)]
    commits = list(log.read_log(vault.repository.common_dir, [head], without=here))
    if any(message.read(commit.message).op != JOIN for commit in commits):
        return True
    below = list_below({commit.oid: commit.parents for commit in commits}, head).difference(here)
    return below != list_held(vault.repository, below, here)


def is_said_elsewhere(
    vault: Vault, place: Place, scope: Scope, head: str, own: Sequence[str] = ()
) -> bool:
    """Whether a ref there that is not among our `own` holds a head, under whatever name: one that
    was renamed, or was said beside other work of its name, is known. Where the branch is here only
    its own name counts: all who work on it are to see the same.

    Of equal ones that of the smaller name stays, if the last of `own` is the one that is asked for.
    """
    others = place.heads.get(scope, []) if is_wanted(vault, scope) else place.list_heads()
    return any(
        other.ref not in own
        and (not own or other.tip != head or other.ref < own[-1])
        and is_held(vault.repository, head, other.tip)
        for other in others
    )


def _is_put_away(vault: Vault, trunk: Scope, scope: Scope, head: str) -> bool:
    """Whether a head is all in the trash here, or was withdrawn. What was put away for a text in it
    says nothing of a head: the text is taken out of that one."""
    trash = (entry for entry in list_trash(vault) if not entry.is_redacted)
    tips = [entry.tip for entry in trash if entry.scope == scope]
    tips += list_withdrawn(vault, trunk, scope)
    return any(is_held(vault.repository, head, tip) for tip in tips)


class _Promoted:
    """Whether another scope has taken all of one over: the trunk's first, as a rule."""

    def __init__(self, vault: Vault, trunk: Scope, tips: Mapping[Scope, str]) -> None:
        self._vault = vault
        view = vault.tip(trunk)
        self._tips = ({trunk: view} if view else {}) | dict(tips)

    def is_all_of(self, scope: Scope, head: str) -> bool:
        """Several heads that are seen as one are parents of a promotion, and their join is not."""
        here, joined = self._vault.snapshot_at(scope, head), heads.list_joined(self._vault, head)
        is_ancestor = self._vault.repository.is_ancestor
        return any(
            other != scope
            and all(is_ancestor(one, tip) for one in joined)
            and is_taken_over(self._vault, here, self._vault.snapshot_at(other, tip))
            for other, tip in self._tips.items()
        )


def is_promoted(vault: Vault, trunk: Scope, scope: Scope, head: str) -> bool:
    """Whether all a head says is in another scope of ours."""
    return _Promoted(vault, trunk, local_scopes(vault)).is_all_of(scope, head)


# --- what need not be there ----------------------------------------------------------------------


def list_gone(
    store: Store, vault: Vault, place: Place, new: Mapping[Scope, str]
) -> dict[str, Scope]:
    """Our own refs there that say nothing more: of what is in the trash here, was renamed, or is
    all in another scope. What nobody else holds stays, and so does what a branch that stays gave to
    another: others would say it again."""
    trunk = Scope(trunk_of(store.repository))
    removals: dict[str, Scope] = {}
    for scope in place.heads:
        name, tip = place.own_ref(scope), place.own_head(scope)
        if not tip or vault.head(scope) or scope in new:
            continue
        if (
            _is_put_away(vault, trunk, scope, tip)
            or any(is_held(vault.repository, tip, other) for other in new.values())
            or is_said_elsewhere(vault, place, scope, tip, [*removals, name])
            or (
                not is_long_lived(store.repository, scope.branch)
                and is_promoted(vault, trunk, scope, tip)
            )
        ):
            removals[name] = scope
    return removals | _list_promoted(store, vault, place, new.get(trunk), trunk)


def _list_promoted(
    store: Store, vault: Vault, place: Place, new: str | None, trunk: Scope
) -> dict[str, Scope]:
    """Heads of any clone whose branch is gone, and which are all in what the trunk now says."""
    if new is None:
        return {}
    over = [s for s in place.heads if s != trunk and is_gone(store.repository, s)]
    if not over:
        return {}
    within = set(reach.list_tips_within(vault.repository.common_dir, new, REMOTES))
    return {
        head.ref: scope
        for scope in over
        for head in place.heads[scope]
        if head.tip in within and is_promoted(vault, trunk, scope, head.tip)
    }


def is_gone(repository: Repository, scope: Scope) -> bool:
    """Whether neither this clone nor a remote it knows has the branch."""
    if repository.tip_of(scope.branch) or repository.head().branch == scope.branch:
        return False
    return not any(repository.remote_tip_of(r, scope.branch) for r in repository.remotes())


def drop_promoted(actor: Actor, vault: Vault) -> list[Scope]:
    """Let go of scopes that another clone promoted: the branch is gone, and all of it is held
    elsewhere."""
    trunk = Scope(trunk_of(actor.store.repository))
    scopes = []
    for scope, tip in seen_scopes(vault).items():
        if scope == trunk or not is_gone(actor.store.repository, scope):
            continue
        if is_promoted(vault, trunk, scope, tip):
            undo.keep(actor, vault, scope, tip)
            heads.move_head(vault, actor.held, scope, None, why="sync: promoted elsewhere")
            forget_tip(actor, vault, scope)
            scopes.append(scope)
    return scopes


# --- whose a ref is ------------------------------------------------------------------------------


def is_ours(vault: Vault, remote: str, scope: Scope, tip: str) -> bool:
    """Whether we pushed a tip, here, under this clone's name. If our ref on a remote has another,
    this repository or that one is a copy. What we last pushed is kept apart from what a fetch saw;
    where the answer to a push was lost, our own head had the tip."""
    last = refs.read(vault.repository.handle, pushed_ref(remote, scope))
    return tip == last or tip in refs.reflog(vault.repository.common_dir, scope.ref)


def put_together(
    store: Store,
    vault: Vault,
    place: Place,
    new: dict[Scope, str],
    redacted: Mapping[str, str],
) -> Outgoing:
    """A whole push: what is new, what replaces a text that was redacted, and what goes."""
    there = {head.ref: head.tip for head in place.list_heads()}
    own = {place.own_ref(scope) for scope in new}
    replacements = {
        ref: redacted[tip] for ref, tip in there.items() if tip in redacted and ref not in own
    }
    removals = list_gone(store, vault, place, new)
    leases = {ref: there.get(ref, "") for ref in (*own, *replacements, *removals)}
    return Outgoing(
        new, replacements, {r: s for r, s in removals.items() if r not in replacements}, leases
    )


def note_pushed(vault: Vault, held: Held, place: Place, scope: Scope, tip: str | None) -> None:
    """Remember what our own ref there has now, for the next lease and for what is seen."""
    tracking = FetchedHead(place.remote, CLONES_SEEN, place.clone, scope.component, tip or "").ref
    for name in (pushed_ref(place.remote, scope), tracking):
        old = refs.read(vault.repository.handle, name)
        if old != tip:
            vault.move_ref(held, name, tip, old=old, why="sync: pushed")
