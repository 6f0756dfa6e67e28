"""What goes to a remote and what comes from it, scope by scope.

A scope that has vanished from the remote is not a deletion: a mirror push from a clone that has no
scopes would delete everyone's. It is pushed again, unless all of it is in another scope there.
"""

import os
from typing import NamedTuple

from treering.branches import undo
from treering.branches.apply import Actor, forget_tip, rename, trash_name
from treering.branches.names import earlier_scope, is_left_over
from treering.branches.promotion import is_taken_over
from treering.branches.survey import local_scopes
from treering.branches.trash import REDACTED
from treering.branches.trunk import trunk_of
from treering.errors import FormatTooNew, StoreDamaged, TreeringError
from treering.git import reach, refs
from treering.git.repository import Repository
from treering.model.document import FORMAT
from treering.model.scope import HEADS, REMOTES, Scope
from treering.store import heads, layout, message
from treering.store.absence import Loss, find_loss, put_back, tell
from treering.store.merge.replay import is_redacted
from treering.store.redaction import rewrite
from treering.store.store import Store
from treering.store.tree_diff import differing, tree_of
from treering.store.vault import Vault

#: Bytes of trees: some two million memories.
_MOST_LISTED = 80 * 1024 * 1024


class ScopeOutcome(NamedTuple):
    """What became of one scope, in the contract's word, and what to tell about it."""

    status: str
    notes: tuple[str, ...] = ()
    memories: int = 0  # changed on both sides
    #: What the remote's tip is without what was redacted: it is to take that one's place.
    instead: str | None = None
    #: The remote's tip with what was left out of it, where the scope is not ours.
    mended: str | None = None
    #: Where our tip from before is kept, if something of ours is not as it was.
    undo: str | None = None


class Outgoing(NamedTuple):
    """What a push should do: scopes with their tips, scopes to remove, and those whose history is
    to be replaced, both with the tip they still must have."""

    new: dict[Scope, str]
    gone: dict[Scope, str]
    replaced: dict[Scope, str]


def fetched_ref(remote: str, scope: Scope) -> str:
    return f"{REMOTES}{remote}/heads/{scope.component}"


def list_fetched(repository: Repository, remote: str) -> dict[str, str]:
    """The scopes a remote was last seen to have: ref component -> tip."""
    prefix = f"{REMOTES}{remote}/heads/"
    tips = refs.list_refs(repository.common_dir, prefix)
    return {name.removeprefix(prefix): tip for name, tip in tips.items()}


def find_left_out(store: Store, vault: Vault, scope: Scope, theirs: str, known: str | None) -> Loss:
    """What is missing from what was fetched; `known` is what the remote was last seen to have.

    It may take long for a long history, so it is asked before the lock is taken.
    """
    ours = refs.read(vault.repository.handle, scope.ref)
    try:
        _refuse_unreadable(vault, scope, theirs)
        if ours is None and not _is_wanted(store, vault, scope, theirs):
            return find_loss(vault, scope, theirs, known) if known != theirs else {}
        if ours and vault.repository.is_ancestor(theirs, ours):
            return {}
        return find_loss(vault, scope, theirs, ours)
    except TreeringError:
        return {}  # it will be refused, with a reason


def take_in(actor: Actor, vault: Vault, scope: Scope, theirs: str, loss: Loss) -> ScopeOutcome:
    """Bring one scope up to date with what was fetched.

    1 only the remote has it, no branch here -> stays the remote's, and can be read
    2 only the remote has it, a branch here  -> copied
    3 same tip, or ours is ahead             -> nothing
    4 theirs is ahead                        -> moved forward
    5 both moved                             -> merged, two parents
    6 one side redacted what the other has   -> both without it, then as above

    What is missing from theirs is put back first.
    """
    _refuse_unreadable(vault, scope, theirs)
    _follow_name(actor, vault, scope)
    repository = vault.repository
    ours = refs.read(repository.handle, scope.ref)
    if ours is None and not _is_wanted(actor.store, vault, scope, theirs):
        whole, notes = _with_left_out(vault, scope, theirs, loss)
        return ScopeOutcome("unchanged", notes, mended=whole if whole != theirs else None)
    if ours and repository.is_ancestor(theirs, ours):
        return ScopeOutcome("unchanged")
    whole, notes = _with_left_out(vault, scope, theirs, loss)
    outcome = _take_in_whole(actor, vault, scope, ours, whole)
    return outcome._replace(notes=notes + outcome.notes)


def _take_in_whole(
    actor: Actor, vault: Vault, scope: Scope, ours: str | None, theirs: str
) -> ScopeOutcome:
    if ours is None:
        vault.move_ref(actor.held, scope.ref, theirs, old=None, why="sync: new")
        return ScopeOutcome("new")
    if vault.repository.is_ancestor(ours, theirs):
        vault.move_ref(actor.held, scope.ref, theirs, old=ours, why="sync: updated")
        return _with_way_back(actor, vault, scope, ours, ScopeOutcome("updated"))
    if ids := _list_redacted(vault, ours, theirs):
        return _take_in_redacted(actor, vault, scope, ours, theirs, ids)
    return _with_way_back(actor, vault, scope, ours, _merge(actor, vault, scope, ours, theirs))


def _with_way_back(
    actor: Actor, vault: Vault, scope: Scope, ours: str, outcome: ScopeOutcome
) -> ScopeOutcome:
    """Keep our tip from before, where something of ours is not as it was."""
    effect = undo.measure(vault, ours, vault.tip(scope))
    if not effect.changed:
        return outcome
    note = f"{effect}: `treering restore {scope.branch} --before-sync` takes it back"
    notes = (*outcome.notes, note) if effect.is_large else outcome.notes
    return outcome._replace(notes=notes, undo=undo.keep(actor, vault, scope, ours))


def _with_left_out(
    vault: Vault, scope: Scope, theirs: str, loss: Loss
) -> tuple[str, tuple[str, ...]]:
    """The remote's tip with what is missing from it put back, and who had left that out."""
    if not loss:
        return theirs, ()
    notes = (
        f"{part.files} files were left out by {part.author} in {part.commit[:12]}: put back"
        for part in tell(vault, scope, loss)
    )
    return put_back(vault, scope, theirs, loss), tuple(notes)


def _merge(actor: Actor, vault: Vault, scope: Scope, ours: str, theirs: str) -> ScopeOutcome:
    commit, result = heads.combine(vault, scope, [ours, theirs])
    heads.move_head(vault, actor.held, scope, commit, why="sync: merged")
    return ScopeOutcome("merged", result.notes if result else (), len(result.ids if result else ()))


def _list_redacted(vault: Vault, ours: str, theirs: str) -> list[str]:
    """The memories whose text one history has and the other has taken out for good."""
    pairs = differing(vault, tree_of(vault, ours), tree_of(vault, theirs))
    ids = []
    for path, blobs in pairs.items():
        if (memory_id := layout.id_of_path(path)) and all(blobs):
            stones = [is_redacted(vault.try_memory(blob)) for blob in blobs]
            if stones[0] != stones[1]:
                ids.append(memory_id)
    return ids


def _take_in_redacted(
    actor: Actor, vault: Vault, scope: Scope, ours: str, theirs: str, ids: list[str]
) -> ScopeOutcome:
    """Both histories written again without the text, whoever took it out.

    Our own of before goes to the trash: anyone who may push could redact anything, and thirty days
    are enough to notice.
    """
    history = rewrite(vault, ids, [ours, theirs])
    os.sync()  # one for all objects, before any ref names them
    mine, other = (history.commits.get(tip, tip) for tip in (ours, theirs))
    if mine != ours:
        name = trash_name(vault, scope, actor.seconds, REDACTED)
        vault.move_ref(actor.held, name, ours, old=None, why="sync: redacted by others")
        vault.move_ref(actor.held, scope.ref, mine, old=ours, why="sync: redacted")
    notes = (f"redacted: {', '.join(ids)}",)
    instead = other if other != theirs else None
    if vault.repository.is_ancestor(other, mine):
        return ScopeOutcome("updated" if mine != ours else "unchanged", notes, instead=instead)
    if vault.repository.is_ancestor(mine, other):
        vault.move_ref(actor.held, scope.ref, other, old=mine, why="sync: updated")
        return ScopeOutcome("updated", notes, instead=instead)
    outcome = _merge(actor, vault, scope, mine, other)
    return outcome._replace(notes=notes + outcome.notes, instead=instead)


def _refuse_unreadable(vault: Vault, scope: Scope, tip: str) -> None:
    """A remote may hold anything: what is no scope of ours stays where it is."""
    objects = vault.repository.objects
    commit = objects.commit(tip)
    memories = vault.trees.folder(commit.tree, layout.MEMORIES)
    if memories and _size_of(vault, memories) > _MOST_LISTED:
        raise StoreDamaged(f"{scope.branch} has too many memories to be real.")
    vault.snapshot_at(scope, tip)
    if message.read(commit.message).format > FORMAT:
        raise FormatTooNew(f"{scope.branch} was written by a newer treering.")


def _size_of(vault: Vault, memories: str) -> int:
    """How many bytes there are to read before a single memory is: a tree may be a bomb."""
    objects = vault.repository.objects
    total = objects.size(memories)
    if total <= _MOST_LISTED:
        total += sum(objects.size(tree) for tree in vault.trees.shards(memories).values())
    return total


def _follow_name(actor: Actor, vault: Vault, scope: Scope) -> None:
    """A renamed branch's memories get its name before others' of that name come in."""
    handle = vault.repository.handle
    if actor.store.repository.tip_of(scope.branch) is None or refs.read(handle, scope.ref):
        return
    old = earlier_scope(actor.store.repository, vault, scope.branch)
    if old and refs.read(handle, old.ref):
        rename(actor.held, vault, old, scope)


def _is_wanted(store: Store, vault: Vault, scope: Scope, tip: str) -> bool:
    repository = store.repository
    if repository.tip_of(scope.branch) is None:
        return repository.head().branch == scope.branch
    return not is_left_over(repository, vault, scope, tip)


# --- what goes out -------------------------------------------------------------------------------


def outgoing(
    store: Store,
    vault: Vault,
    theirs: dict[Scope, str],
    instead: dict[Scope, str],
    mended: dict[Scope, str],
) -> Outgoing:
    """What the remote does not have yet, and what it need not have any more.

    `instead` are histories that are to take the place of the remote's, `mended` those of scopes
    that are not ours, with what was left out of them.
    """
    repository = vault.repository
    mine = local_scopes(vault)
    trunk = Scope(trunk_of(store.repository))
    new = {
        scope: tip
        for scope, tip in mended.items()
        if scope not in mine and scope in theirs and repository.is_ancestor(theirs[scope], tip)
    }
    for scope, tip in mine.items():
        there = theirs.get(scope)
        if scope in instead and repository.is_ancestor(instead[scope], tip):
            new[scope] = tip
            continue
        if there == tip or (there and not repository.is_ancestor(there, tip)):
            continue  # the same, or not merged yet
        if is_left_over(store.repository, vault, scope, tip):
            continue  # another branch's, which gc will judge
        if there is None and scope != trunk and is_contained(vault, scope, tip, mine, trunk):
            continue
        new[scope] = tip
    old_tips = {scope: theirs[scope] for scope in new if scope in instead and scope in theirs}
    return Outgoing(new, _list_promoted(store, vault, theirs, mine, new, trunk), old_tips)


def is_contained(
    vault: Vault, scope: Scope, tip: str, tips: dict[Scope, str], trunk: Scope
) -> bool:
    """Whether another scope has taken all of this one over: the trunk's first, as a rule."""
    others = sorted((other for other in tips if other != scope), key=lambda other: other != trunk)
    here = vault.snapshot_at(scope, tip)
    return any(
        vault.repository.is_ancestor(tip, tips[other])
        and is_taken_over(vault, here, vault.snapshot_at(other, tips[other]))
        for other in others
    )


def _list_promoted(
    store: Store,
    vault: Vault,
    theirs: dict[Scope, str],
    mine: dict[Scope, str],
    new: dict[Scope, str],
    trunk: Scope,
) -> dict[Scope, str]:
    """The remote's scopes whose branch is gone and which are all in a scope that is now pushed."""
    if not new:
        return {}
    candidates = {
        scope: tip
        for scope, tip in theirs.items()
        if scope not in (*mine, *new, trunk) and is_gone(store.repository, scope)
    }
    if not candidates:
        return {}
    folder = vault.repository.common_dir
    tips = set().union(*(reach.list_tips_within(folder, tip, REMOTES) for tip in new.values()))
    return {
        scope: tip
        for scope, tip in candidates.items()
        if tip in tips and is_contained(vault, scope, tip, new, trunk)
    }


def is_gone(repository: Repository, scope: Scope) -> bool:
    """Whether neither this clone nor a remote it knows has the branch."""
    if repository.tip_of(scope.branch) or repository.head().branch == scope.branch:
        return False
    return not any(repository.remote_tip_of(r, scope.branch) for r in repository.remotes())


def drop_promoted(actor: Actor, vault: Vault, theirs: dict[Scope, str]) -> list[Scope]:
    """Let go of scopes that another clone promoted: gone there, gone here, and held elsewhere."""
    mine = local_scopes(vault)
    trunk = Scope(trunk_of(actor.store.repository))
    scopes = []
    for scope, tip in mine.items():
        if scope == trunk or scope in theirs or not is_gone(actor.store.repository, scope):
            continue
        if is_contained(vault, scope, tip, mine, trunk):
            undo.keep(actor, vault, scope, tip)
            vault.move_ref(actor.held, scope.ref, None, old=tip, why="sync: promoted elsewhere")
            forget_tip(actor, vault, scope)
            scopes.append(scope)
    return scopes


def scopes_in(vault: Vault, listed: dict[str, str]) -> dict[Scope, str]:
    """The refs of a remote that are scopes: their names are what a stranger chose."""
    scopes = {}
    for name, tip in listed.items():
        component = name.removeprefix(HEADS)
        if "/" in component or not component.isprintable():
            continue
        scope = Scope.of_component(component, _full_name(vault, component, tip))
        if scope:
            scopes[scope] = tip
    return scopes


def _full_name(vault: Vault, component: str, tip: str) -> str:
    """A name that was cut stands in the commit, once that is here."""
    if "%+" not in component:
        return ""
    try:
        return message.read(vault.repository.objects.commit(tip).message).code.branch
    except StoreDamaged:
        return ""
