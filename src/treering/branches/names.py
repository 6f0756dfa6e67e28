"""Owners of the scope under a name: names change, and are used again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from treering.branches.long_lived import is_long_lived, long_lived, tips_at
from treering.branches.trunk import former_names, trunk_of
from treering.errors import StoreDamaged
from treering.git import reflog, refs
from treering.git.objects import CommitInfo
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.ancestry import contains
from treering.store.heads import RENAMED
from treering.store.vault import Vault
from treering.text.masking import mask_branch

#: How the log of a scope's ref begins where the ref went to a commit that was not written then.
_CAME_FROM_ELSEWHERE = (
    "sync", "renamed", "revived", "restored", "redact", "doctor", "promote",
)  # fmt: skip


def scope_now(repository: Repository, vault: Vault, scope: Scope) -> Scope | None:
    """The scope a branch's memories are in.

    1 its own                                        -> itself
    2 none of its own, but the one of its former name -> that one
    3 one left by another branch so named, no other  -> None: it starts empty
    """
    if scope.is_detached:
        return scope
    try:
        tip = vault.tip(scope)
    except StoreDamaged:
        return scope  # its own, though it cannot be read: the vault falls back to its log
    if tip is None:
        return earlier_scope(repository, vault, scope.branch) or scope
    if is_left_over(repository, vault, scope, tip):
        return earlier_scope(repository, vault, scope.branch)
    return scope


def earlier_scope(repository: Repository, vault: Vault, branch: str) -> Scope | None:
    """The scope under a name the branch had before, if nobody else has or had that name since."""
    log = reflog.of_branch(repository, branch)
    names: list[tuple[str, int | None]] = [*reflog.renames(repository, branch)]
    if hint := repository.config(f"branch.{branch}.treeringscope"):
        names.append((hint, None))
    for name, when in names:
        tip = vault.tip(Scope(name))
        if tip and repository.tip_of(name) and _claimant(repository, vault, name, tip) != branch:
            continue
        if tip and log and _find_renamed(repository, vault, name, tip, log[0].when, branch):
            continue
        newest = _last_write_here(vault, Scope(name)) if tip and when is not None else None
        if newest and _was_made_after(repository, branch, newest):
            continue  # a branch made anew had that name for a while
        if tip and (when is None or not _is_of_another(vault, Scope(name), tip, when, log)):
            return Scope(name)
    return None


def _is_of_another(
    vault: Vault, scope: Scope, tip: str, renamed: int, log: list[reflog.ReflogLine]
) -> bool:
    """Return whether a scope was written after the rename, from a commit the branch never made;
    what others write to the old name says nothing of what was ours."""
    if tip not in _list_made_here(vault, scope):
        return False
    try:
        commit = vault.repository.objects.commit(tip)
    except StoreDamaged:
        return False
    if commit.time <= renamed:
        return False
    commits = {line.new for line in log[1:] if line.old != line.new}
    return message.read(commit.message).code.head not in commits


def is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str) -> bool:
    """Return whether a scope belongs to a branch before the one that has the name now.

    In doubt it does not: a memory too many is better than one that is hidden. Long-lived branches
    are one by name, whatever their history did.
    """
    head = repository.tip_of(scope.branch)
    if head is None or scope.is_detached or is_long_lived(repository, scope.branch):
        return False
    if not _is_left_over(repository, vault, scope, tip):
        return False
    trunk = trunk_of(repository)
    return scope.branch not in (trunk, *former_names(repository, trunk))


def _is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str) -> bool:
    if vault.head(scope) is None and not refs.read(vault.repository.handle, scope.view_ref):
        return False  # what other clones say of other work is not under this name
    newest = _last_write_here(vault, scope)
    if newest is None:  # what others wrote, or a log that expired
        is_theirs = vault.head(scope) is None and not any(
            vault.remote_names.name_there(remote, scope) for remote in repository.remotes()
        )
        if is_theirs:
            return True
        # What a fetch saw under a name may all be with a branch of ours that was renamed since.
        other = _claimant(repository, vault, scope.branch, tip)
        own = vault.head(Scope(other)) if other else None
        return own is not None and contains(vault.repository, own, tip)
    return (
        _is_before_rename(repository, vault, scope.branch, tip)
        or _claimant(repository, vault, scope.branch, tip) is not None
        or _was_made_after(repository, scope.branch, newest)
    )


def _was_made_after(repository: Repository, branch: str, written: CommitInfo) -> bool:
    """Return whether a branch was made anew after something was written: its log begins later, and
    from a commit of a long-lived branch. One that is back at a commit of its own was deleted by
    mistake.

    A clock may have been set back: what names a commit that the branch made since was written
    since. And of two things in one second a branch knows where it has been.
    """
    log = reflog.of_branch(repository, branch)
    if not log or log[0].when < written.time or log[0].old.strip("0"):
        return False
    code, start = message.read(written.message).code, log[0].new
    if code.head in reflog.list_made(log, ()):
        return False
    if log[0].when == written.time and any(code.head in (line.old, line.new) for line in log):
        return False
    # As they were then: a commit of a branch may have landed since.
    names = long_lived(repository)
    tips = {tip for name in names for tip in tips_at(repository, name, log[0].when)}
    return any(repository.is_ancestor(start, tip) for tip in tips)


def _last_write_here(vault: Vault, scope: Scope) -> CommitInfo | None:
    """Return what this clone last wrote to a scope, by the commits its log names."""
    head = vault.head(scope)
    # A log outlives its ref: what a scope of the same name once held is not in its history now.
    for oid in _list_made_here(vault, scope) if head else ():
        if vault.repository.is_ancestor(oid, head or ""):
            with suppress(StoreDamaged):
                return vault.repository.objects.commit(oid)
    return None


def _list_made_here(vault: Vault, scope: Scope) -> Iterator[str]:
    """The commits of a scope that were written in this clone, newest first, as the log of its ref
    tells.

    A name or an address in a commit proves nothing: whoever pushes writes what they like.
    """
    log = reflog.newest_first(vault.repository.common_dir / "logs" / scope.ref)
    return (line.new for line in log if not line.said.startswith(_CAME_FROM_ELSEWHERE))


def code_heads(vault: Vault, tip: str) -> list[str]:
    """Every code commit that a history's trailers name."""
    commits = reversed(vault.history.read(vault, [tip]).values())
    return list(dict.fromkeys(commit.code.head for commit in commits if commit.code.head))


def _is_before_rename(repository: Repository, vault: Vault, branch: str, tip: str) -> bool:
    """Return whether a scope was there before a branch with memories elsewhere was given its
    name."""
    renames = reflog.renames(repository, branch)
    if not renames:
        return False
    last_write = _last_write(vault, branch, tip)
    if last_write is None:
        followed = _followed_from(vault, branch)
        is_since = followed is None or followed in dict(renames)
    else:
        is_since = last_write > renames[0][1]
    return not is_since and earlier_scope(repository, vault, branch) is not None


def _claimant(repository: Repository, vault: Vault, name: str, tip: str) -> str | None:
    """The branch that had a name, and wrote a scope, before the present branch got that name."""
    log = reflog.of_branch(repository, name)
    if not log:
        return None
    renames = reflog.renames(repository, name)
    since = renames[0][1] if renames else log[0].when
    return _find_renamed(repository, vault, name, tip, since, name)


def _find_renamed(
    repository: Repository, vault: Vault, name: str, tip: str, since: int, without: str
) -> str | None:
    """The branch that wrote a scope under a name, and was given another name before `since`. Where
    all of it fell into one second, the commit that was written at tells whose it was."""
    last_write = _last_write(vault, name, tip)
    if last_write is None:
        return _find_followed(repository, vault, name, tip, since, without)
    if last_write > since:
        return None  # the usual case: nobody else's log is looked at
    codes = {message.read(commit.message).code.head for commit in _list_last_writes(vault, tip)}
    for other in repository.branches():
        if other == without or not any(
            old == name and last_write <= when <= since
            for old, when in reflog.renames(repository, other)
        ):
            continue
        if last_write < since or (
            codes & _list_places(repository, other) - _list_places(repository, name)
        ):
            return other
    return None


def _find_followed(
    repository: Repository, vault: Vault, name: str, tip: str, since: int, without: str
) -> str | None:
    """The branch that a scope followed to a name, and that was given another one before `since`:
    it had the scope's former name before, and still had it when the scope was last written to."""
    followed = _followed_from(vault, name)
    try:
        written = last_write(vault, tip) if followed else None
    except StoreDamaged:
        return None
    if written is None:
        return None
    for other in repository.branches():
        names = reflog.renames(repository, other) if other != without else []
        for number, (old, when) in enumerate(names):
            earlier = [until for former, until in names[number + 1 :] if former == followed]
            if old == name and when <= since and written.time <= max(earlier, default=0):
                return other
    return None


def _followed_from(vault: Vault, name: str) -> str | None:
    """Return the name that a scope had before it followed a branch to this one, by its log."""
    log = reflog.newest_first(vault.repository.common_dir / "logs" / Scope(name).ref)
    froms = (line.said.removeprefix(RENAMED) for line in log if line.said.startswith(RENAMED))
    return next(froms, None)


def _list_places(repository: Repository, branch: str) -> set[str]:
    """List the commits a branch has been at, by its log."""
    return {oid for line in reflog.of_branch(repository, branch) for oid in (line.old, line.new)}


def _last_write(vault: Vault, name: str, tip: str) -> int | None:
    """Return when a scope was last written to; None if under another name: then it has followed
    here."""
    try:
        commit = last_write(vault, tip)
    except StoreDamaged:
        return None
    branch = message.read(commit.message).code.branch if commit else None
    return commit.time if commit and branch in (name, mask_branch(name)) else None


def last_write(vault: Vault, tip: str) -> CommitInfo | None:
    """Return the newest of what someone wrote last, if anybody did."""
    return max(_list_last_writes(vault, tip), key=lambda commit: commit.time, default=None)


def _list_last_writes(vault: Vault, tip: str) -> Iterator[CommitInfo]:
    """Yield what someone wrote last, below what only puts heads together and promotions: those are
    as old as what they take, and say nothing of who has the name."""
    todo = [tip]
    while todo:
        commit = vault.repository.objects.commit(todo.pop())
        said = message.read(commit.message)
        if said.op == message.JOIN:
            todo += commit.parents
        elif not said.is_promotion:
            yield commit


def is_gone(repository: Repository, scope: Scope) -> bool:
    """Return whether neither this clone nor a remote it knows has the branch."""
    if repository.tip_of(scope.branch) or repository.head().branch == scope.branch:
        return False
    return not any(repository.remote_tip_of(r, scope.branch) for r in repository.remotes())
