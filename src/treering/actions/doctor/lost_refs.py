"""Every memory ref is gone: deleted by a tool that rewrites or mirrors repositories.

Only what is derived remembers then that there was something: the index, and the clues beside it.
"""

from collections import Counter
from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.workspace import Workspace
from treering.branches.apply import trash_name
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.git import refs
from treering.git.lock import Held
from treering.model.scope import HEADS, KEEP, KEEP_REMOTE, REFS, Scope
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
