"""Sharing follows the branch: a scope is on a remote where git itself shows its branch there.

A branch is there if the remote has one of its name, or of its upstream's, that holds or once held a
commit of the branch that no long-lived branch has. Two people may both call their work `wip`: the
commits tell them apart, and what a remote calls `wip` is read as `origin/wip` beside our own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from treering.branches.long_lived import is_long_lived, long_lived, long_lived_tips
from treering.branches.names import code_heads
from treering.branches.trunk import former_names, trunk_of
from treering.clock import Clock
from treering.errors import StoreDamaged
from treering.git import reflog, refs
from treering.git.repository import Repository
from treering.model.scope import KEEP, PUSHED, Scope
from treering.store.ancestry import contains
from treering.store.store import Store
from treering.store.vault import ScopeNames, Vault

#: Whether a branch here and one on a remote are one; unknown where one has no commit of its own.
Comparison = Literal["same", "apart", "unknown"]


def open_store(repository: Repository, clock: Clock) -> Store:
    """Open the store of a repository, whose shared vault knows which scopes remotes have."""
    store = Store(repository, clock)
    store.shared.remote_names = RemoteNames(repository, store.shared)
    return store


class RemoteNames(ScopeNames):
    """Match scopes with the names their branches have on a remote, as far as fetches told."""

    def __init__(self, repository: Repository, vault: Vault) -> None:
        self._repository = repository
        self._vault = vault
        #: Remote -> the branches it has just listed; others are known by remote-tracking refs.
        self.listed: dict[str, Mapping[str, str]] = {}

    def name_there(self, remote: str, scope: Scope) -> Scope | None:
        """Return the scope as a remote calls it; None where the remote has other work, or none."""
        if self._is_foreign(remote, scope):
            return Scope(scope.branch.removeprefix(f"{remote}/"))
        if not self._is_here(scope) or self._has_fixed_name(scope):
            return scope
        upstream = self._repository.upstream_of(scope.branch)
        for name in list_names(self._repository, remote, scope.branch):
            if self._was_pushed(remote, name, scope):
                return Scope(name)
            tip = self.listed.get(remote, {}).get(name)
            tip = tip or self._repository.remote_tip_of(remote, name)
            own = self._vault.head(scope)
            found = compare(self._vault, scope, [own], remote, name, tip) if tip else "unknown"
            is_followed = upstream == (remote, name) or not self._repository.tip_of(scope.branch)
            if found == "same" or (found == "unknown" and is_followed):
                return Scope(name)
        return None

    def scope_here(self, remote: str, there: Scope) -> Scope:
        """Return the scope that holds what a remote has under a name."""
        is_here = self._is_here(there)
        followers = list_followers(self._repository, remote, there.branch)
        if not (is_here or followers) or self._has_fixed_name(there):
            return there
        if is_here and self.name_there(remote, there) == there:
            return there
        for branch in followers:
            if self.name_there(remote, Scope(branch)) == there:
                return Scope(branch)
        return Scope(f"{remote}/{there.branch}") if is_here else there

    def _is_foreign(self, remote: str, scope: Scope) -> bool:
        """Return whether a scope is a remote's work beside ours of the same name."""
        name = scope.branch.removeprefix(f"{remote}/")
        return name != scope.branch and self.scope_here(remote, Scope(name)) == scope

    def _has_fixed_name(self, scope: Scope) -> bool:
        return scope.is_detached or scope.is_aside or is_long_lived(self._repository, scope.branch)

    def _is_here(self, scope: Scope) -> bool:
        branch = scope.branch
        return bool(
            self._repository.tip_of(branch)
            or self._repository.head().branch == branch
            or self._vault.head(scope)
        )

    def _was_pushed(self, remote: str, name: str, scope: Scope) -> bool:
        """Return whether this clone pushed the scope under a name."""
        own = self._vault.head(scope)
        last = read_pushed(self._vault, remote, Scope(name)) if own else None
        return bool(own and last and contains(self._vault.repository, own, last))


def list_names(repository: Repository, remote: str, branch: str) -> list[str]:
    """List the names a branch may have on a remote: its own, and its upstream's. A long-lived
    upstream only says where the branch began, and one that is a branch here is that branch's."""
    upstream = repository.upstream_of(branch)
    names = [branch]
    if upstream and upstream[0] == remote:
        name = upstream[1]
        if not is_long_lived(repository, name) and not repository.tip_of(name):
            names.append(name)
    return list(dict.fromkeys(names))


def list_followers(repository: Repository, remote: str, name: str) -> list[str]:
    """List the local branches of other names whose upstream is a remote's branch."""
    return [
        branch
        for branch, upstream in repository.upstreams().items()
        if upstream == (remote, name) and branch != name and repository.tip_of(branch)
    ]


def compare(
    vault: Vault, scope: Scope, heads: Iterable[str | None], remote: str, name: str, tip: str
) -> Comparison:
    """Tell whether a remote's branch, which is at `tip`, is the branch of a scope.

    It is if it holds, or its remote-tracking log shows that it held, a commit of the branch that no
    long-lived branch has. `heads` are the branch's memories.
    """
    repository = vault.repository
    limits = _list_long_lived(repository, remote)
    here, exists = repository.tip_of(scope.branch), repository.objects.exists
    base = repository.merge_base(here, tip) if here and exists(tip) else None
    if base and not any(repository.is_ancestor(base, limit) for limit in limits):
        return "same"
    log = reflog.of_ref(repository, f"refs/remotes/{remote}/{name}")
    theirs = {tip, repository.remote_tip_of(remote, name), *(line.new for line in log)}
    theirs.discard(None)
    ours = {here, refs.read(repository.handle, KEEP + scope.component)}
    ours.update(line.new for line in reflog.of_branch(repository, scope.branch))
    for head in filter(None, heads):
        ours.update(code_heads(vault, head))
    ours.discard(None)
    if not ours:
        return "same"  # there never was such a branch here: what is said is of the remote's
    if tip in ours and not exists(tip):
        return "same"  # the remote is at a commit that memories name and that was never here
    mine, other = (_own_commits(repository, some, limits) for some in (ours, theirs))
    return "unknown" if not mine or not other else "apart" if mine.isdisjoint(other) else "same"


def _list_long_lived(repository: Repository, remote: str) -> list[str]:
    """List where a remote's long-lived branches are: what only landed here says nothing there."""
    there = [repository.remote_tip_of(remote, name) for name in long_lived(repository)]
    return [tip for tip in there if tip] or [
        tip for tips in long_lived_tips(repository).values() for tip in tips
    ]


def _own_commits(
    repository: Repository, tips: Iterable[str | None], limits: list[str]
) -> frozenset[str]:
    here = [tip for tip in tips if tip and repository.resolve(tip)]
    return frozenset(repository.history(here, without=limits)) if here else frozenset()


def pushed_ref(remote: str, there: Scope) -> str:
    """Return the ref that keeps what we last pushed to our own ref of a scope on a remote."""
    return f"{PUSHED}{remote}/{there.component}"


def read_pushed(vault: Vault, remote: str, there: Scope) -> str | None:
    try:
        return refs.read(vault.repository.handle, pushed_ref(remote, there))
    except StoreDamaged:
        return None


# --- what a sync shares ---------------------------------------------------------------------------


class Sharing(NamedTuple):
    """The place of a scope on a remote, or the reason why it stays here."""

    there: Scope | None
    reason: str = ""


class SharingRules:
    """Decide what may be pushed to a remote, from the branches it has just listed."""

    def __init__(
        self, repository: Repository, vault: Vault, remote: str, branches: Mapping[str, str]
    ) -> None:
        self._repository = repository
        self._vault = vault
        self._remote = remote
        self._branches = branches
        self.trunk = trunk_of(repository)
        self._of_trunk = {self.trunk, *former_names(repository, self.trunk)}
        self._trunk_only = (repository.config("treering.share") or "").lower() == "trunk"
        self._known: dict[Scope, Sharing] = {}

    def find(self, scope: Scope, heads: Collection[str] = ()) -> Sharing:
        """Decide about a scope; `heads` are its memories, where they are not ours."""
        if scope not in self._known:
            self._known[scope] = self._find(scope, self._vault.head(scope), heads)
        return self._known[scope]

    def _find(self, scope: Scope, own: str | None, heads: Collection[str]) -> Sharing:
        remote, branch = self._remote, scope.branch
        if self._trunk_only and branch not in self._of_trunk:
            return Sharing(None, "treering.share is trunk")
        if scope.is_detached:
            is_there = self._is_commit_there(branch[1:])
            return Sharing(scope) if is_there else Sharing(None, f"no branch on {remote} holds it")
        if scope.is_aside:
            plain = Scope(branch.rpartition("~")[0])
            was_there = any(read_pushed(self._vault, remote, one) for one in (scope, plain))
            return Sharing(scope) if was_there else Sharing(None, "it was never pushed")
        if branch in self._of_trunk or is_long_lived(self._repository, branch):
            if branch in self._branches or self.trunk in self._branches:
                return Sharing(scope)
            return Sharing(None, f"{remote} does not have {branch}")
        names = [n for n in list_names(self._repository, remote, branch) if n in self._branches]
        for name in names:
            tip = self._branches[name]
            some = [own] if own else heads
            if compare(self._vault, scope, some, remote, name, tip) == "same":
                return Sharing(Scope(name))
        if names:
            return Sharing(None, f"{names[0]} on {remote} has no commit of this branch")
        if read_pushed(self._vault, remote, scope):
            return Sharing(None, f"the branch is gone from {remote}")
        return Sharing(None, f"the branch is not on {remote}")

    def _is_commit_there(self, prefix: str) -> bool:
        commit = self._repository.resolve(prefix)
        tracked = self._repository.remote_branches(self._remote)
        tips = {*self._branches.values(), *tracked.values()}
        return commit is not None and any(self._repository.is_ancestor(commit, t) for t in tips)
