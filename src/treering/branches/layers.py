"""The scopes seen from a branch, and the one written to. Looked at anew at every call:
an agent may switch branches between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from treering.branches.names import scope_now
from treering.branches.trunk import former_names, is_in_trunk, trunk_of
from treering.errors import BranchNotFound, Invalid, StoreDamaged
from treering.git import refs
from treering.git.binding import reference_is_valid_name
from treering.git.repository import Head, Repository
from treering.model.scope import HEADS, Scope, is_utf8
from treering.store import message
from treering.store.store import Store
from treering.store.trees import Snapshot
from treering.store.vault import Vault
from treering.store.view import Layer, View

_OF_TRUNK = ("private_trunk", "trunk")
#: Kinds of layers where all are shown, the nearest first: an id is read in the first that has it.
_NEAREST = ("private", "branch", *_OF_TRUNK, "other")


def scope_of_head(store: Store, head: Head) -> Scope:
    """The scope a write goes to.

    On a detached HEAD that is the trunk only when the commit is in it: half-done work in a detached
    worktree must not become everyone's.
    """
    if head.branch:
        if not is_utf8(head.branch):
            raise Invalid(
                "The name of this branch is not UTF-8.", hint="`git branch -m NAME` renames."
            )
        return Scope(head.branch)
    trunk = trunk_of(store.repository)
    if head.commit is None or is_in_trunk(store.repository, head.commit):
        return Scope(trunk)
    return Scope.detached_at(head.commit)


def scope_named(store: Store, name: str, *, create: bool = False) -> Scope:
    """The scope of a branch known as a branch, by memories, or by a remote's memories."""
    if Scope(name).is_aside and any(vault.tip(Scope(name)) for vault in store.vaults()):
        return Scope(name)
    if not name.isprintable() or not reference_is_valid_name(f"refs/heads/{name}"):
        raise Invalid(f"{name!r} is not a branch name.", hint="`git branch --all` lists the names.")
    scope = Scope(name)
    repository = store.repository
    if repository.tip_of(name) or name == repository.head().branch:
        return scope
    if any(vault.tip(scope) for vault in store.vaults()) or any(
        repository.remote_tip_of(remote, name) for remote in repository.remotes()
    ):
        return scope
    at_commit = Scope(name, is_detached=True)
    if name.startswith("@") and any(vault.tip(at_commit) for vault in store.vaults()):
        return at_commit
    if create:
        return scope
    from treering.model.spelling import suggest

    scopes = [scope.branch for vault in store.vaults() for scope in vault.scopes()]
    hint = suggest(name, [*repository.branches(), *scopes], BranchNotFound.hint)
    raise BranchNotFound(f"No branch {name} is known here, and no memories of one.", hint)


def view_of(store: Store, scope: Scope, head: str | None) -> View:
    """Return what is seen from a scope: private, own, detached, stacked, private trunk, trunk."""
    return View(scope.branch, tuple(_cover(list(_layers(store, scope, head)))))


def _cover(layers: list[Layer]) -> Iterator[Layer]:
    """Let what the trunk took over give way to the copy there, unless a layer in between has
    one: that would be seen instead, and knows nothing of it."""
    for number, layer in enumerate(layers):
        between = [one for one in layers[number + 1 :] if one.kind not in _OF_TRUNK]
        if layer.taken_over and between:
            ids = {memory_id for one in between for memory_id in one.listing()}
            taken = {key: blob for key, blob in layer.taken_over.items() if key not in ids}
            layer = layer._replace(taken_over=taken)
        yield layer


def _layers(store: Store, scope: Scope, head: str | None) -> Iterator[Layer]:
    below = Scope(trunk_of(store.repository))
    if scope != below:
        kind = "detached" if scope.is_detached else "branch"
        yield from _both(store, scope, "private", kind)
    if head:
        for other in _list_detached(store, head):
            if other != scope:
                yield from _both(store, other, "private", "detached")
    if scope.is_detached and head:
        for branch in list_checked_out(store, head):
            yield from _both(store, branch, "private", "base")
    if scope != below and not scope.is_detached:
        from treering.branches.stack import bases_of

        for base in bases_of(store.repository, scope.branch):
            yield from _both(store, Scope(base), "private", "base")
    yield from _both(store, below, "private_trunk", "trunk")
    for former in map(Scope, former_names(store.repository, below.branch)):
        if former != scope:
            yield from _both(store, former, "private_trunk", "trunk")


def _both(store: Store, scope: Scope, private_kind: str, kind: str) -> Iterator[Layer]:
    if store.private:
        yield _layer(store, store.private, scope, private_kind)
    yield _layer(store, store.shared, scope, kind)


def _layer(store: Store, vault: Vault, scope: Scope, kind: str) -> Layer:
    now = scope_now(store.repository, vault, scope)
    if now is None:
        return Layer(kind, vault, vault.snapshot_at(scope, None))
    snapshot = vault.snapshot(now)
    there = None if kind in _OF_TRUNK else vault.snapshot(Scope(trunk_of(store.repository)))
    if there is None or snapshot.tip is None or there.tip is None:
        return Layer(kind, vault, snapshot, name=scope.branch)
    from treering.branches import overlay  # only where two scopes meet

    taken = overlay.list_taken_over(vault, snapshot, there)
    return Layer(kind, vault, snapshot, taken, name=scope.branch)


def _list_detached(store: Store, head: str) -> list[Scope]:
    """The scopes of detached commits that are part of this history, or whose place a commit of it
    took."""
    scopes: dict[Scope, None] = {}
    for vault in store.vaults():
        for name in refs.list_refs(vault.repository.common_dir, f"{HEADS}%40"):
            scope = Scope.of_component(name.removeprefix(HEADS))
            commit = store.repository.resolve(scope.branch[1:]) if scope else None
            if scope and commit and _is_part_of(store.repository, commit, head):
                scopes[scope] = None
    return list(scopes)


def _is_part_of(repository: Repository, commit: str, head: str) -> bool:
    if repository.is_ancestor(commit, head):
        return True
    from treering.branches.rewrites import follow_detached  # what was thrown away is rarely there

    return any(repository.is_ancestor(place, head) for place in follow_detached(repository, commit))


def layer_at(layer: Layer, seconds: float) -> Layer:
    """A layer as what had been said in it by some moment."""
    from treering.store import heads, history  # the past is rarely asked for

    scope, tip = layer.snapshot.scope, layer.snapshot.tip
    newest = history.list_heads_at(layer.vault, tip, seconds) if tip else []
    past = heads.read_merged(layer.vault, scope, newest) if newest else None
    return Layer(layer.kind, layer.vault, layer.vault.snapshot_at(scope, past), mark=layer.mark)


def everything(store: Store, branch: str) -> View:
    """Return every scope of every branch as a layer of its own: the branch first, then the trunk.
    A scope that cannot be read is left out, for doctor to name."""
    layers = []
    trunk = trunk_of(store.repository)
    kinds = {branch: "branch", trunk: "trunk"}
    kinds |= dict.fromkeys(former_names(store.repository, trunk), "trunk")
    for vault in store.vaults():
        for scope, tip in vault.scopes().items():
            kind = kinds.get(scope.branch, "other")
            if vault.is_private:
                kind = {"trunk": "private_trunk", "branch": "private"}.get(kind, kind)
            with suppress(StoreDamaged):
                layers.append(Layer(kind, vault, _snapshot(vault, scope, tip)))
    return View(branch, tuple(sorted(layers, key=lambda layer: _NEAREST.index(layer.kind))))


def _snapshot(vault: Vault, scope: Scope, tip: str) -> Snapshot:
    """Read a scope at the tip that is known of it; where that cannot be read, an earlier one."""
    try:
        return vault.snapshot_at(scope, tip)
    except StoreDamaged:
        return vault.snapshot(scope)


def view_of_trash(store: Store, branch: str) -> View:
    """Return what was dropped, as layers of its own; what a redaction put away is not looked at."""
    from treering.branches.survey import list_trash

    entries = (
        (vault, entry)
        for vault in store.vaults()
        for entry in list_trash(vault)
        if not entry.is_redacted
    )
    found = []
    for vault, entry in entries:
        with suppress(StoreDamaged):
            found.append(Layer("trash", vault, vault.snapshot_at(entry.scope, entry.tip)))
    return View(branch, tuple(found))


def list_checked_out(store: Store, commit: str) -> list[Scope]:
    """The scopes of branches that a remote has at a commit, or at what it merged: a host makes such
    a merge to test a pull request.

    Where no ref tells, as in a shallow clone of one commit, those whose memories were made there.
    """
    repository, trunk = store.repository, trunk_of(store.repository)
    merged = _list_merged(repository, commit)
    wanted = {commit, *merged}
    found = _list_tracked(repository, wanted) - {trunk}
    if not found and (merged or repository.is_shallow):
        found = _list_remembered(store, wanted) - {trunk}
    return [Scope(branch) for branch in sorted(found)]


def _list_merged(repository: Repository, commit: str) -> list[str]:
    """Return what a commit merged, as it says itself: to libgit2 it has no parents in a shallow
    clone."""
    try:
        head = repository.objects.raw_commit(commit).partition(b"\n\n")[0]
    except StoreDamaged:
        return []
    lines = head.decode(errors="replace").splitlines()
    parents = [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]
    return parents[1:]


def _list_tracked(repository: Repository, commits: set[str]) -> set[str]:
    found = set()
    for remote in repository.remotes():
        tips = repository.remote_branches(remote)
        found |= {branch for branch, tip in tips.items() if tip in commits}
    return found


def _list_remembered(store: Store, commits: set[str]) -> set[str]:
    found = set()
    for scope, tip in store.shared.scopes().items():
        try:
            code = message.read(store.repository.objects.commit(tip).message).code
        except StoreDamaged:
            continue
        if not scope.is_detached and code.head in commits:
            found.add(scope.branch)
    return found
