"""Absence is not a deletion: what a history had and its tip no longer has is put back.

Only what is written down takes a memory away: a forget, a redaction, a promotion taken back.
Whoever may push could leave memories out of a tree, by malice or by a tool that knows nothing of
us; then one commit on top puts them back as they last were, and names the commits that left them
out. It depends on the history alone, so that clones that find the same loss make the same commit.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.errors import TreeringError
from treering.model.scope import Scope
from treering.store import message
from treering.store.ancestry import contains, name_author
from treering.store.dates import newest
from treering.store.history import HistoryCommit, kept_back, list_open, read_readable
from treering.store.message import KEEP, CodePosition, Message
from treering.store.vault import NOBODY, Vault

_MOST_CULPRITS = 20


class Missing(NamedTuple):
    """A file that is no longer there: the blob it last was, and the commit that left it out."""

    blob: str
    commit: str


#: Memory id -> what is missing of it.
Loss = dict[str, Missing]


class Kept(NamedTuple):
    """Files that were put back on a branch, and who had left them out."""

    branch: str
    files: int
    commit: str
    author: str


def find_losses(vault: Vault, scope: Scope, bases: Mapping[str, str | None]) -> dict[str, Loss]:
    """Return what is missing from heads, each with what is known to be whole of it, or None; those
    that lack nothing are left out. All are looked at together first: hardly ever is something
    missing."""
    known = [base for base in bases.values() if base]
    removals = _read_removals(vault, scope, list(bases), known) if len(bases) > 1 else None
    is_whole = removals is not None and not any(removals)
    losses = {
        tip: find_loss(vault, scope, tip, base, are_commits_whole=is_whole)
        for tip, base in bases.items()
        if tip != base
    }
    return {tip: loss for tip, loss in losses.items() if loss}


def find_loss(
    vault: Vault, scope: Scope, tip: str, base: str | None, *, are_commits_whole: bool = False
) -> Loss:
    """Return what the history of `tip` had and its tree has not, as far as it is not that of
    `base`.

    git compares the trees that came in, so the cost follows their number. Our own reader compares
    the two ends: it also misses what git would still show, a file that is there twice for example.
    """
    missing_memories: Loss = {}
    if not are_commits_whole:
        missing_memories |= _read_removals(vault, scope, [tip], [base] if base else []) or {}
    if base and contains(vault.repository, tip, base):
        for key, (before, now) in vault.diff(base, tip).items():
            if before and not now:
                missing_memories.setdefault(key, Missing(before, tip))
    root, objects = vault.tree_of(tip), vault.repository.objects
    loss = {
        key: missing
        for key, missing in sorted(missing_memories.items())
        if vault.trees.blob(root, key) is None and objects.exists(missing.blob)
    }
    taken_back = kept_back(vault, tip) if loss else {}
    return {key: miss for key, miss in loss.items() if (key, miss.blob) not in taken_back}


def _read_removals(
    vault: Vault, scope: Scope, tips: Sequence[str], known: Sequence[str]
) -> Loss | None:
    """Every file of ours that a commit has no longer and one of its parents has, as it last was;
    None where a part of the past cannot be read.

    What lies behind a promotion is another scope's.
    """
    try:
        commits = vault.history.read(vault, tips, without=known)
        own = {commit.oid for tip in tips for commit in list_open(commits, tip)}
        changes = vault.history.read_changes(vault, own)
        removals: Loss = {}
        for oid in (oid for oid in commits if oid in own):
            if len(commits[oid].parents) < 2:
                gone = {c.id: c.before[0] for c in changes[oid] if c.before and not c.blob}
            else:
                gone = _list_left_out(vault, scope, commits[oid])
            removals |= {key: Missing(blob, oid) for key, blob in gone.items()}
    except TreeringError:
        return None
    return removals


def _list_left_out(vault: Vault, scope: Scope, merge: HistoryCommit) -> dict[str, str]:
    """The files that a merge has not and one of its parents has. A promotion leaves some kinds
    behind, and a merge need not have what was another branch's."""
    if merge.is_promotion:
        return {}
    branches = {parent: vault.scope_of(parent).branch for parent in merge.parents}
    is_ours = scope.branch in branches.values()
    root = vault.tree_of(merge.oid)  # read once: a merge may name thousands of parents
    return {
        key: before
        for parent, branch in branches.items()
        if not is_ours or branch == scope.branch
        for key, (before, now) in vault.trees.differing(vault.tree_of(parent), root).items()
        if before and not now
    }


def put_back(vault: Vault, scope: Scope, tip: str, loss: Loss) -> str:
    """A commit on top of `tip` that has what it lost; no ref is moved.

    Of this clone and this moment there is nothing in it, unless the tip claims to be of the future.
    """
    objects = vault.repository.objects
    culprits = Counter(missing.commit for missing in loss.values())
    text = Message(
        op=KEEP,
        subject=f"keep {len(loss)} files that were left out of {scope.branch}",
        code=CodePosition(scope.branch),
        memories=tuple(loss),
        left_out=dict(sorted(culprits.items())[:_MOST_CULPRITS]),
    )
    blobs = {key: missing.blob for key, missing in loss.items()}
    with objects.write_together(vault.repository.common_dir):
        # Not by fast-import, which would carry a folder of two names along.
        tree = vault.write_loose_tree(objects.commit(tip).tree, blobs)
    seconds = newest([objects.commit(tip).time], vault.clock())
    return objects.write_commit(tree, (tip,), NOBODY, seconds, text.as_text())


def describe_losses(vault: Vault, scope: Scope, loss: Loss) -> Iterator[Kept]:
    """Yield who left out how many files of a scope."""
    for commit, count in Counter(missing.commit for missing in loss.values()).items():
        yield Kept(scope.branch, count, commit, name_author(vault.repository, commit) or "unknown")


def list_kept(vault: Vault, tips: Sequence[str]) -> list[Kept]:
    """Return what was put back in the histories of some tips, newest first."""
    commits = read_readable(vault, tips, ops=(KEEP,))
    messages = [message.read(vault.repository.objects.commit(oid).message) for oid in commits]
    restored_files = (
        Kept(text.code.branch, count, commit, name_author(vault.repository, commit) or "unknown")
        for text in reversed(messages)
        for commit, count in text.left_out.items()
    )
    return list(dict.fromkeys(restored_files))
