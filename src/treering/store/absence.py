"""Absence is not a deletion: what a history had and its tip no longer has is put back.

Only what is written down takes a memory away: a forget, a redaction. Whoever may push could leave
memories out of a tree, by malice or by a tool that knows nothing of us; then one commit on top puts
them back as they last were, and names the commits that left them out. It depends on the history
alone, so that clones that find the same loss make the same commit.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from treering.errors import StoreDamaged, TreeringError
from treering.git import process
from treering.git.binding import without_fsync
from treering.model.scope import Scope
from treering.store import layout, message
from treering.store.dates import newest
from treering.store.message import CodePosition, Message
from treering.store.tree_diff import KEEP, differing, tree_of
from treering.store.vault import NOBODY, Vault

#: The newest commits of all scopes in which a reader looks for what was put back.
_LOOKED_AT = 1_000
_MOST_CULPRITS = 20
_RAW = r":(\d{6}) (\d{6}) ([0-9a-f]{40}) [0-9a-f]{40} [A-Z]\d*\t(.+)"
_HEAD = r"([0-9a-f]{40})(?: \(from ([0-9a-f]{40})\))? "
_PLAIN = "100644"


class Missing(NamedTuple):
    """A file that is no longer there: the blob it last was, and the commit that left it out."""

    blob: str
    commit: str


#: Path -> what is missing there.
Loss = dict[str, Missing]


class Kept(NamedTuple):
    """Files that were put back on a branch, and who had left them out."""

    branch: str
    files: int
    commit: str
    author: str


def find_loss(vault: Vault, scope: Scope, tip: str, known: str | None) -> Loss:
    """What the history of `tip` had and its tree has not, as far as it is not that of `known`.

    git compares the trees that came in, so the cost follows their number. Our own reader compares
    the two ends: it also misses what git would still show, a file that is there twice for example.
    """
    found = dict(_removals(vault, scope, tip, known))
    if known and vault.repository.is_ancestor(known, tip):
        pairs = differing(vault, tree_of(vault, known), tree_of(vault, tip))
        for path, (before, now) in pairs.items():
            if before and not now:
                found.setdefault(path, Missing(before, tip))
    root, objects = tree_of(vault, tip), vault.repository.objects
    return {
        path: missing
        for path, missing in sorted(found.items())
        if vault.trees.blob(root, path) is None and objects.exists(missing.blob)
    }


def _removals(
    vault: Vault, scope: Scope, tip: str, known: str | None
) -> Iterator[tuple[str, Missing]]:
    """Every file of ours that a commit has no longer and one of its parents has, oldest first."""
    text = process.run(
        vault.repository.common_dir,
        # A user may have chosen another way to show merges; each parent counts here.
        *("-c", "log.diffMerges=separate", "log", "-m", "--raw", "--no-abbrev", "--no-renames"),
        *("--diff-filter=DTM", "--topo-order", "--reverse", "--no-show-signature", "--no-color"),
        *("--format=oneline", "--no-abbrev-commit", "--no-decorate", tip),
        *([f"^{known}"] if known else []),
        "--",  # and no paths: git would leave out a side of a merge whose other side is the same
        may_fail=(128,),  # a part of the past is damaged, or not here: the ends are compared
    )
    commit = parent = ""
    for line in text.decode(errors="replace").splitlines():
        if head := re.match(_HEAD, line):
            commit, parent = head[1], head[2] or ""
        elif (raw := re.fullmatch(_RAW, line)) and raw[1] == _PLAIN != raw[2]:
            path, blob = raw[4], raw[3]
            if layout.is_ours(path) and not _stays_behind(vault, scope, commit, parent, blob):
                yield path, Missing(blob, commit)


def _stays_behind(vault: Vault, scope: Scope, commit: str, parent: str, blob: str) -> bool:
    """Whether a file need not be in a commit although a parent has it: a promotion leaves some
    kinds behind, and a merge need not have what was another branch's."""
    try:
        found = vault.repository.objects.commit(commit)
        if message.read(found.message).op == "promote" and vault.memory(blob).is_passing:
            return True
        branches = {oid: vault.scope_of(oid).branch for oid in found.parents}
    except TreeringError:
        return False
    return scope.branch in branches.values() and branches.get(parent, scope.branch) != scope.branch


def put_back(vault: Vault, scope: Scope, tip: str, loss: Loss) -> str:
    """A commit on top of `tip` that has what it lost; no ref is moved.

    Of this clone and this moment there is nothing in it, unless the tip claims to be of the future.
    """
    objects = vault.repository.objects
    culprits = Counter(missing.commit for missing in loss.values())
    said = Message(
        op=KEEP,
        subject=f"keep {len(loss)} files that were left out of {scope.branch}",
        code=CodePosition(scope.branch),
        memories=tuple(mid for path in loss if (mid := layout.id_of_path(path))),
        left_out=dict(sorted(culprits.items())[:_MOST_CULPRITS]),
    )
    with without_fsync():  # not by fast-import, which would carry a folder of two names along
        blobs = {path: missing.blob for path, missing in loss.items()}
        tree = vault.write_folder(objects.commit(tip).tree, blobs)
    os.sync()
    seconds = newest([objects.commit(tip).time], vault.clock())
    return objects.write_commit(tree, (tip,), NOBODY, seconds, said.as_text())


def tell(vault: Vault, scope: Scope, loss: Loss) -> Iterator[Kept]:
    """Who left out how many files of a scope."""
    for commit, count in Counter(missing.commit for missing in loss.values()).items():
        yield Kept(scope.branch, count, commit, _author(vault, commit))


def _author(vault: Vault, commit: str) -> str:
    try:
        return vault.repository.objects.commit(commit).author
    except StoreDamaged:
        return "unknown"


def list_kept(vault: Vault, tips: Sequence[str], *, whole: bool = False) -> list[Kept]:
    """What was put back in the histories of some tips, newest first; the newest commits of them are
    looked at, or all."""
    if not tips:
        return []
    text = process.run(
        vault.repository.common_dir,
        *("log", "-z", "--format=%B", "--no-show-signature", "--no-color"),
        *([] if whole else [f"--max-count={_LOOKED_AT}"]),
        *dict.fromkeys(tips),
        "--",
        may_fail=(128,),
    )
    messages = map(message.read, text.decode(errors="replace").split("\0"))
    found = (
        Kept(said.code.branch, count, commit, _author(vault, commit))
        for said in messages
        if said.op == KEEP
        for commit, count in said.left_out.items()
    )
    return list(dict.fromkeys(found))
