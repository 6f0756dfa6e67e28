"""Memories that went missing: left out of a scope by others, or with every ref of ours gone.

Tools that rewrite or mirror repositories delete refs. Only what is derived remembers then that
there was something: the index, and the clues beside it.
"""

from collections import Counter
from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.workspace import Workspace
from treering.branches import undo
from treering.branches.apply import trash_name
from treering.branches.survey import seen_scopes
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged, TreeringError
from treering.git import refs
from treering.git.lock import Held
from treering.model.dates import format_moment
from treering.model.scope import HEADS, KEEP, KEEP_REMOTE, REFS, Scope
from treering.store import heads
from treering.store.absence import find_loss, list_kept, put_back, tell
from treering.store.lost_commits import Lost, find_lost

_ELSEWHERE = (
    "Get them from where they still are: a remote (`treering sync`), another clone "
    f"(git fetch PATH '{HEADS}*:{HEADS}*'), or an export (`treering import FILE`)."
)


def count_vanished(workspace: Workspace) -> int:
    """How many shared memories are known, where no ref leads to any; 0 where one does."""
    names = refs.list_refs(workspace.repository.common_dir, REFS)
    if any(not name.startswith((KEEP, KEEP_REMOTE)) for name in names):
        return 0
    blobs = workspace.rows.blobs()
    try:
        private = workspace.store.private
    except StoreDamaged:
        return 0  # whose they were cannot be told
    return sum(not (private and private.repository.objects.exists(blob)) for blob in blobs)


def find_lost_refs(workspace: Workspace, lock: Held | None) -> Iterator[Finding]:
    """Say so, and bring back what git has not pruned yet; without the lock only look."""
    if not (count := count_vanished(workspace)):
        return
    message = f"No memory ref is left, though {count} memories were here{_culprit(workspace)}."
    histories = find_lost(workspace.store.shared)
    if not histories:
        yield Finding("memories-vanished", "error", message, _ELSEWHERE)
        return
    if lock:
        _bring_back(workspace, lock, histories)
    branches = ", ".join(sorted({entry.scope.branch for entry in histories}))
    yield Finding(
        "memories-vanished",
        "error",
        f"{message} git still has those of {branches}.",
        "treering doctor brings them back.",
        fixed=lock is not None,
    )


def _culprit(workspace: Workspace) -> str:
    """git filter-repo writes down which refs it deleted."""
    file = workspace.repository.common_dir / "filter-repo" / "ref-map"
    try:
        has_deletion = f"{'0' * 40} {REFS}" in file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return ": git filter-repo deleted them" if has_deletion else ""


def _bring_back(workspace: Workspace, lock: Held, histories: list[Lost]) -> None:
    """The newest history of a branch that is here becomes its scope again.

    All others go to the trash, from where nothing is shared: they may have been purged on purpose.
    """
    repository, vault = workspace.repository, workspace.store.shared
    here = {*repository.branches(), repository.head().branch, trunk_of(repository)}
    counts: Counter[Scope] = Counter()
    for entry in histories:
        counts[entry.scope] += 1
        is_first = counts[entry.scope] == 1
        if is_first and (entry.scope.is_detached or entry.scope.branch in here):
            name = entry.scope.ref
        else:
            name = trash_name(vault, entry.scope, workspace.clock())
        vault.move_ref(lock, name, entry.tip, old=None, why="doctor: brought back")


def find_left_out(workspace: Workspace, lock: Held | None) -> Iterator[Finding]:
    scopes = seen_scopes(workspace.store.shared)
    for scope, tip in scopes.items():
        yield from _find_vanished(workspace, lock, scope, tip)
    for loss in list_kept(workspace.store.shared, list(scopes.values())):
        message = (
            f"{loss.files} files of {loss.branch} were left out by {loss.author} in "
            f"{loss.commit[:12]} and put back."
        )
        yield Finding("kept", "info", message, "Ask them. Nothing was lost.")


def ways_back(workspace: Workspace) -> Iterator[Finding]:
    """Syncs that changed or hid much of what was here."""
    vault = workspace.store.shared
    earlier = list(undo.list_before(vault))
    scopes = seen_scopes(vault) if earlier else {}
    for before in earlier:
        try:
            tip = scopes.get(before.scope)
            effect = undo.measure(vault, before.tip, tip) if tip else None
        except TreeringError:
            continue
        if effect and effect.is_large:
            branch = before.scope.branch
            message = f"Since a sync at {format_moment(before.when)} {effect} on {branch}."
            fix = f"If nobody wanted that: treering restore {branch} --before-sync"
            yield Finding("undo", "info", message, fix)


def _find_vanished(
    workspace: Workspace, lock: Held | None, scope: Scope, tip: str
) -> Iterator[Finding]:
    """Files that are in the history of a scope and were taken away by nobody's word."""
    vault = workspace.store.shared
    try:
        loss = find_loss(vault, scope, tip, None)
        if loss and lock:
            whole = put_back(vault, scope, tip, loss)
            heads.put(vault, lock, scope, [whole], "doctor: put back")
    except TreeringError:
        return  # a history that cannot be read has a finding of its own
    for part in tell(vault, scope, loss):
        message = (
            f"{part.files} files of {part.branch} were left out by {part.author} in "
            f"{part.commit[:12]}, and nobody forgot them."
        )
        yield Finding("vanished", "error", message, "treering doctor", fixed=lock is not None)
