"""Whose memories stand under a name: names change, and are used again."""

from collections.abc import Iterator
from typing import NamedTuple

from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.git import log, reflog
from treering.git.repository import Repository
from treering.model.scope import Scope
from treering.store import message
from treering.store.vault import Vault
from treering.text.masking import mask_branch

#: How the log of a scope's ref begins where the ref went to a commit that was not written then.
_CAME_FROM_ELSEWHERE = ("sync", "renamed", "revived", "restored", "redact", "doctor")


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
        if tip and (when is None or not _is_of_another(vault, Scope(name), tip, when, log)):
            return Scope(name)
    return None


def _earlier(repository: Repository, branch: str) -> Iterator[tuple[str, int | None]]:
    yield from reflog.renames(repository, branch)
    if hint := repository.config(f"branch.{branch}.treeringscope"):
        yield hint, None


def _is_of_another(
    vault: Vault, scope: Scope, tip: str, renamed: int, log: list[reflog.ReflogLine]
) -> bool:
    """Whether a scope was written after the rename, from a commit the branch never made; what
    others write to the old name says nothing of what was ours."""
    if not _was_made_here(vault, scope, tip):
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
    """Whether a scope belongs to a branch that was deleted before this one of its name was made.

    An amended or rebased branch has its old commits in its log; a new one has not. The trunk's is
    never left over, whatever its history did.
    """
    head = repository.tip_of(scope.branch)
    if head is None or scope.branch == trunk_of(repository):
        return False
    # A write asks before and after it takes the view; nothing here changes without one of these.
    key = (scope, tip, head, reflog.state_of(repository, scope.branch))
    if vault.left_over.get(scope, ((), False))[0] != key:
        vault.left_over[scope] = (key, _is_left_over(repository, vault, scope, tip, head))
    return vault.left_over[scope][1]


def _is_left_over(repository: Repository, vault: Vault, scope: Scope, tip: str, head: str) -> bool:
    try:
        code = message.read(vault.repository.objects.commit(tip).message).code.head
    except StoreDamaged:
        return False
    if not _was_made_here(vault, scope, tip):
        return _is_strange(repository, vault, scope.branch, tip, code, head)
    if _is_before_rename(repository, vault, scope.branch, tip):
        return True
    if _claimant(repository, vault, scope.branch, tip):
        return True
    if code is None or repository.is_ancestor(code, head):
        return False
    log = reflog.of_branch(repository, scope.branch)
    return bool(log) and not reflog.has_held(repository, scope.branch, code)


def list_made_here(vault: Vault, scope: Scope) -> frozenset[str]:
    """The commits of a scope that were written in this clone, as the log of its ref tells.

    A name or an address in a commit proves nothing: whoever pushes writes what they like.
    """
    log = reflog.lines(vault.repository.common_dir / "logs" / scope.ref)
    return frozenset(line.new for line in log if not line.said.startswith(_CAME_FROM_ELSEWHERE))


def _was_made_here(vault: Vault, scope: Scope, tip: str) -> bool:
    return tip in list_made_here(vault, scope)


def _is_strange(
    repository: Repository, vault: Vault, branch: str, tip: str, recorded: str | None, head: str
) -> bool:
    """Whether what another clone wrote is of other work under this name.

    A trailer of others is a hint. Only where all of them name code that is here, and none of it is
    the branch's, is it believed: one forged line cannot hide what others wrote.
    """
    branch_past = _BranchPast.of(repository, branch, head)
    if recorded is None or not branch_past.is_elsewhere(recorded):
        return False  # the usual case: no history is read
    return all(branch_past.is_elsewhere(code) for code in code_heads(vault, tip))


class _BranchPast(NamedTuple):
    """What refs and logs here tell of a branch."""

    repository: Repository
    tips: tuple[str, ...]
    held: frozenset[str]

    @classmethod
    def of(cls, repository: Repository, branch: str, head: str) -> "_BranchPast":
        places = [f"refs/remotes/{remote}/{branch}" for remote in repository.remotes()]
        tips = (head, *filter(None, map(repository.resolve, places)))
        logs = [reflog.of_ref(repository, ref) for ref in (f"refs/heads/{branch}", *places)]
        commits = frozenset(oid for log in logs for line in log for oid in (line.old, line.new))
        return cls(repository, tips, commits if logs[0] else frozenset())

    def is_elsewhere(self, code: str) -> bool:
        """Whether a commit is here, and was never the branch's; where it is not here, or the branch
        has no log, it cannot be told."""
        if not self.held or code in self.held or self.repository.resolve(code) is None:
            return False
        return not any(self.repository.is_ancestor(code, tip) for tip in self.tips)


def code_heads(vault: Vault, tip: str) -> list[str]:
    """Every code commit that a history's trailers name."""
    rows = log.read_trailers(vault.repository.common_dir, tip, ["Code-Head"])
    return list(dict.fromkeys(code for _, codes in rows for code in codes.split()))


def _is_before_rename(repository: Repository, vault: Vault, branch: str, tip: str) -> bool:
    """Whether a scope was there before a branch with memories elsewhere was given its name."""
    renames = reflog.renames(repository, branch)
    last_write = _last_write(vault, branch, tip) if renames else None
    if last_write is None or last_write > renames[0][1]:
        return False
    return earlier_scope(repository, vault, branch) is not None


def _claimant(repository: Repository, vault: Vault, name: str, tip: str) -> str | None:
    """The branch that had a name, and wrote a scope, before the present branch got that name."""
    log = reflog.of_branch(repository, name)
    if not log:
        return None
    renames = reflog.renames(repository, name)
    last_write, since = _last_write(vault, name, tip), renames[0][1] if renames else log[0].when
    if last_write is None or last_write >= since:
        return None  # the usual case: nobody else's log is looked at
    for other in repository.branches():
        if other != name and any(
            old == name and last_write <= when <= since
            for old, when in reflog.renames(repository, other)
        ):
            return other
    return None


def _last_write(vault: Vault, name: str, tip: str) -> int | None:
    """When a scope was last written to; None if under another name: then it has followed here."""
    try:
        commit = vault.repository.objects.commit(tip)
    except StoreDamaged:
        return None
    branch = message.read(commit.message).code.branch
    return commit.time if branch in (name, mask_branch(name)) else None
