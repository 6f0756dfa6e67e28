"""Whose memories stand under a name: names change, and are used again."""

from collections.abc import Iterator

from treering.branches import reflog
from treering.capture.masking import mask_branch
from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.vault import Vault


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
    for name, when in _earlier(repository, branch):
        tip = vault.tip(Scope(name))
        if tip and repository.tip_of(name) and _claimant(repository, vault, name, tip) != branch:
            continue
        if tip and (when is None or not _is_of_another(vault, tip, when, log)):
            return Scope(name)
    return None


def _earlier(repository: Repository, branch: str) -> Iterator[tuple[str, int | None]]:
    yield from reflog.renames(repository, branch)
    if hint := repository.config(f"branch.{branch}.treeringscope"):
        yield hint, None


def _is_of_another(vault: Vault, tip: str, renamed: int, log: list[reflog.Line]) -> bool:
    """Whether a scope was written after the rename, from a commit the branch never made."""
    try:
        commit = vault.repository.objects.commit(tip)
    except StoreDamaged:
        return False
    if commit.time <= renamed:
        return False
    made = {line.new for line in log[1:] if line.old != line.new}
    return message.read(commit.message).code.head not in made


def is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str) -> bool:
    """Whether a scope belongs to a branch that was deleted before this one of its name was made.

    An amended or rebased branch has its old commits in its log; a new one has not.
    """
    head = repository.tip_of(scope.branch)
    if head is None:
        return False
    # A write asks before and after it takes the view; nothing here changes without one of these.
    key = (scope, tip, head, reflog.state_of(repository, scope.branch))
    if vault.left_over.get(scope, ((), False))[0] != key:
        vault.left_over[scope] = (key, _is_left_over(repository, vault, scope, tip, head))
    return vault.left_over[scope][1]


def _is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str, head: str) -> bool:
    try:
        recorded = message.read(vault.repository.objects.commit(tip).message).code.head
    except StoreDamaged:
        return False
    if not _was_made_here(vault, scope, tip):
        return _is_strange(repository, scope.branch, recorded, head)
    if _is_before_rename(repository, vault, scope.branch, tip):
        return True
    if _claimant(repository, vault, scope.branch, tip):
        return True
    if recorded is None or repository.is_ancestor(recorded, head):
        return False
    log = reflog.of_branch(repository, scope.branch)
    return bool(log) and not reflog.has_held(repository, scope.branch, recorded)


def _was_made_here(vault: Vault, scope: Scope, tip: str) -> bool:
    """Whether a scope's newest commit was written in this clone; the ref's log tells of a sync."""
    log = reflog.lines(vault.repository.common_dir / "logs" / scope.ref)
    return bool(log) and log[-1].new == tip and not log[-1].said.startswith("sync")


def _is_strange(repository: Repository, branch: str, recorded: str | None, head: str) -> bool:
    """Whether what another clone wrote is of other work under this name.

    Where its code is not here it cannot be told, and it may well be in a remote's branch.
    """
    if recorded is None or repository.resolve(recorded) is None:
        return False
    places = [f"refs/remotes/{remote}/{branch}" for remote in repository.remotes()]
    tips = [head, *filter(None, map(repository.resolve, places))]
    if any(repository.is_ancestor(recorded, tip) for tip in tips):
        return False
    logs = [reflog.of_ref(repository, ref) for ref in (f"refs/heads/{branch}", *places)]
    return bool(logs[0]) and not any(recorded in (ln.old, ln.new) for log in logs for ln in log)


def _is_before_rename(repository: Repository, vault: Vault, branch: str, tip: str) -> bool:
    """Whether a scope was there before a branch with memories elsewhere was given its name."""
    renamed = reflog.renames(repository, branch)
    written = _written(vault, branch, tip) if renamed else None
    if written is None or written > renamed[0][1]:
        return False
    return earlier_scope(repository, vault, branch) is not None


def _claimant(repository: Repository, vault: Vault, name: str, tip: str) -> str | None:
    """The branch that had a name, and wrote a scope, before the present branch got that name."""
    log = reflog.of_branch(repository, name)
    if not log:
        return None
    renamed = reflog.renames(repository, name)
    written, named = _written(vault, name, tip), renamed[0][1] if renamed else log[0].when
    if written is None or written >= named:
        return None  # the usual case: nobody else's log is looked at
    for other in repository.branches():
        if other != name and any(
            old == name and written <= when <= named
            for old, when in reflog.renames(repository, other)
        ):
            return other
    return None


def _written(vault: Vault, name: str, tip: str) -> int | None:
    """When a scope was last written to; None if under another name: then it has followed here."""
    try:
        commit = vault.repository.objects.commit(tip)
    except StoreDamaged:
        return None
    said = message.read(commit.message).code.branch
    return commit.time if said in (name, mask_branch(name)) else None
