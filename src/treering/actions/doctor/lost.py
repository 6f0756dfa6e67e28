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
from treering.branches.survey import local_scopes
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged, TreeringError
from treering.git import refs
from treering.git.lock import Held
from treering.model.dates import format_moment
from treering.model.scope import HEADS, KEEP, REFS, Scope
from treering.store.absence import find_loss, list_kept, put_back, tell
from treering.store.lost_commits import Lost, find_lost

_ELSEWHERE = (
    "Get them from where they still are: a remote (`treering sync`), another clone "
    f"(git fetch PATH '{HEADS}*:{HEADS}*'), or an export (`treering import FILE`)."
)


def count_vanished(workspace: Workspace) -> int:
    """How many shared memories are known, where no ref leads to any; 0 where one does."""
    names = refs.list_refs(workspace.repository.common_dir, REFS)
    if any(not name.startswith(KEEP) for name in names):
        return 0
    known = set(workspace.searcher.index.entries()) | workspace.neighbourhood.known_blobs()
    try:
        private = workspace.store.private
    except StoreDamaged:
        return 0  # whose they were cannot be told
    return sum(not (private and private.repository.objects.exists(blob)) for blob in known)


def find_lost_refs(workspace: Workspace, held: Held | None) -> Iterator[Finding]:
    """Say so, and bring back what git has not pruned yet; without the lock only look."""
    if not (count := count_vanished(workspace)):
        return
    said = f"No memory ref is left, though {count} memories were here{_culprit(workspace)}."
    lost = find_lost(workspace.store.shared)
    if not lost:
        yield Finding("memories-vanished", "error", said, _ELSEWHERE)
        return
    if held:
        _bring_back(workspace, held, lost)
    branches = ", ".join(sorted({entry.scope.branch for entry in lost}))
    yield Finding(
        "memories-vanished",
        "error",
        f"{said} git still has those of {branches}.",
        "treering doctor brings them back.",
        fixed=held is not None,
    )


def _culprit(workspace: Workspace) -> str:
    """git filter-repo writes down which refs it deleted."""
    told = workspace.repository.common_dir / "filter-repo" / "ref-map"
    try:
        deleted = f"{'0' * 40} {REFS}" in told.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return ": git filter-repo deleted them" if deleted else ""


def _bring_back(workspace: Workspace, held: Held, lost: list[Lost]) -> None:
    """The newest history of a branch that is here becomes its scope again.

    All others go to the trash, from where nothing is shared: they may have been purged on purpose.
    """
    repository, vault = workspace.repository, workspace.store.shared
    here = {*repository.branches(), repository.head().branch, trunk_of(repository)}
    seen: Counter[Scope] = Counter()
    for entry in lost:
        seen[entry.scope] += 1
        is_first = seen[entry.scope] == 1
        if is_first and (entry.scope.is_detached or entry.scope.branch in here):
            name = entry.scope.ref
        else:
            name = trash_name(vault, entry.scope, workspace.clock())
        vault.move_ref(held, name, entry.tip, old=None, why="doctor: brought back")


def find_left_out(workspace: Workspace, held: Held | None) -> Iterator[Finding]:
    scopes = local_scopes(workspace.store.shared)
    for scope, tip in scopes.items():
        yield from _find_vanished(workspace, held, scope, tip)
    for kept in list_kept(workspace.store.shared, list(scopes.values()), whole=True):
        said = (
            f"{kept.files} files of {kept.branch} were left out by {kept.author} in "
            f"{kept.commit[:12]} and put back."
        )
        yield Finding("kept", "info", said, "Ask them; nothing was lost.")


def ways_back(workspace: Workspace) -> Iterator[Finding]:
    """Syncs that changed or hid much of what was here."""
    vault = workspace.store.shared
    for before in undo.list_before(vault):
        try:
            tip = refs.read(vault.repository.handle, before.scope.ref)
            effect = undo.measure(vault, before.tip, tip) if tip else None
        except TreeringError:
            continue
        if effect and effect.is_large:
            branch = before.scope.branch
            said = f"Since a sync at {format_moment(before.when)} {effect} on {branch}."
            fix = f"If nobody meant to: treering restore {branch} --before-sync"
            yield Finding("undo", "info", said, fix)


def _find_vanished(
    workspace: Workspace, held: Held | None, scope: Scope, tip: str
) -> Iterator[Finding]:
    """Files that are in the history of a scope and were taken away by nobody's word."""
    vault = workspace.store.shared
    try:
        loss = find_loss(vault, scope, tip, None)
        if loss and held:
            whole = put_back(vault, scope, tip, loss)
            vault.move_ref(held, scope.ref, whole, old=tip, why="doctor: put back")
    except TreeringError:
        return  # a history that cannot be read has a finding of its own
    for kept in tell(vault, scope, loss):
        said = (
            f"{kept.files} files of {kept.branch} were left out by {kept.author} in "
            f"{kept.commit[:12]}, and nobody forgot them."
        )
        yield Finding("vanished", "error", said, "treering doctor", fixed=held is not None)
