"""Tips: where the code of branches that have memories was last, kept for when they are gone.

A branch that was squashed, deleted and pruned can be judged only by its last commit, which git may
forget at once: a deleted branch takes its log along, a pruned one never had any. So refs of ours
follow the branches here, and those that remotes were last seen to have; as refs they also keep the
code they name from being pruned.
"""

from typing import NamedTuple

from treering.branches.names import is_left_over
from treering.branches.rewrites import follow_detached
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.git import reflog, refs
from treering.git.lock import Held
from treering.git.repository import Repository
from treering.model.scope import HEADS, KEEP, KEEP_REMOTE, Scope, escape
from treering.store.store import Store


class MovedTip(NamedTuple):
    """A ref of ours that is behind the branch it follows."""

    ref: str
    old: str | None
    new: str


def list_moved_tips(store: Store) -> list[MovedTip]:
    """Return what there is to remember; nothing is written. A few lists of refs, whatever is
    stored."""
    repository, trunk = store.repository, trunk_of(store.repository)
    scopes = {
        scope: tip
        for scope, tip in store.shared.scopes().items()
        if not scope.is_detached and scope.branch != trunk
    }
    if not scopes:
        return []
    kept = refs.list_refs(repository.common_dir, KEEP)
    kept |= refs.list_refs(repository.common_dir, KEEP_REMOTE)
    ours = refs.list_refs(repository.common_dir, HEADS)
    here = repository.branches()
    there = {remote: repository.remote_branches(remote) for remote in repository.remotes()}
    moved = []
    for scope, memories in scopes.items():
        branch, ref = scope.branch, KEEP + scope.component
        tips = {remote_tip_ref(remote, scope): there[remote].get(branch) for remote in there}
        tip = here.get(branch) if scope.ref in ours else None
        # A branch may have nothing to do with the memories under its name: they are those of one
        # before it, and so is the last tip that is known.
        is_new = tip and tip != kept.get(ref)
        if is_new and not is_left_over(repository, store.shared, scope, memories):
            tips[ref] = tip
        moved += [
            MovedTip(name, kept.get(name), new)
            for name, new in tips.items()
            if new and kept.get(name) != new and time_of(repository, new) >= 0
        ]
    return moved


def remember_tips(store: Store, held: Held) -> int:
    """Let our refs follow the branches, here and on remotes; how many moved."""
    moved = list_moved_tips(store)
    for tip in moved:
        store.shared.move_ref(held, tip.ref, tip.new, old=tip.old, why="keep")
    return len(moved)


def remember_new_tips(store: Store) -> None:
    """The same, with the lock taken only where something moved."""
    if list_moved_tips(store):
        with store.lock() as held:
            remember_tips(store, held)


def forget_tips(store: Store, held: Held, before: float) -> None:
    """Keep refs hold code a user may have wanted gone: they end with the scope they are for, and
    once a branch that cannot be judged has been gone since `before`."""
    repository, vault = store.repository, store.shared
    heads = refs.list_refs(repository.common_dir, HEADS)
    seen = {scope.component: scope for scope in vault.scopes()}
    ours = {name: scope for name, scope in seen.items() if scope.ref in heads}
    remotes = {escape(name): repository.remote_branches(name) for name in repository.remotes()}
    for prefix, scopes in ((KEEP, ours), (KEEP_REMOTE, seen)):
        for name, tip in refs.list_refs(repository.common_dir, prefix).items():
            remote, _, component = name.removeprefix(prefix).rpartition("/")
            branches = remotes.get(remote, {}) if remote else repository.branches()
            scope = scopes.get(component)
            is_gone = scope is None or scope.branch not in branches
            log = reflog.of_ref(repository, name) if is_gone else []
            if scope is None or (is_gone and log and log[-1].when < before):
                vault.move_ref(held, name, None, old=tip, why="judged")


def remote_tip_ref(remote: str, scope: Scope) -> str:
    """The ref that follows a branch of a remote; both names may have slashes."""
    return f"{KEEP_REMOTE}{escape(remote)}/{scope.component}"


def last_tips(repository: Repository, scope: Scope) -> tuple[str, ...]:
    """Every last commit that is known of a branch, here and on remotes, newest first.

    A remote's may be someone else's branch of the same name: that is for the caller to tell.
    Commits that are not here any more come last.
    """
    if scope.is_detached:
        commit = repository.resolve(scope.branch[1:])
        return tuple(follow_detached(repository, commit)) if commit else ()
    kept = refs.list_refs(repository.common_dir, KEEP_REMOTE)
    candidates = [
        repository.tip_of(scope.branch),
        refs.read(repository.handle, KEEP + scope.component),
        *(repository.remote_tip_of(remote, scope.branch) for remote in repository.remotes()),
        *(tip for name, tip in kept.items() if name.rpartition("/")[2] == scope.component),
        reflog.last_left(repository, scope.branch),
    ]
    known = list(dict.fromkeys(tip for tip in candidates if tip))
    return _newest_first(repository, known)


def _newest_first(repository: Repository, tips: list[str]) -> tuple[str, ...]:
    """By their dates; but clocks differ, and what was built on another is newer than that one."""
    ordered: list[str] = []
    for tip in sorted(tips, key=lambda tip: time_of(repository, tip), reverse=True):
        above = [n for n, other in enumerate(ordered) if repository.is_ancestor(other, tip)]
        ordered.insert(above[0] if above else len(ordered), tip)
    return tuple(ordered)


def time_of(repository: Repository, commit: str) -> int:
    """Return when a commit was made; before all others where it is not here, or no commit."""
    try:
        return repository.objects.commit(commit).time
    except (StoreDamaged, ValueError):
        return -1
