"""reindex: build the index anew from what the scopes hold now."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from treering.actions.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reindexed:
    op: str
    indexed: int
    removed: int
    seconds: float


def tidy(workspace: Workspace) -> None:
    """Join the many small parts of the index into few, and note the clues it has not seen yet;
    nothing to see but the speed."""
    workspace.surroundings.catch_up_alone(workspace.everything())
    workspace.lookout.index.tidy()


def reindex(
    workspace: Workspace,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reindexed:
    """Index every blob of every scope; what no scope holds any more goes."""
    start = time.perf_counter()
    workspace.surroundings.forget()
    workspace.surroundings.catch_up(workspace.everything())
    index = workspace.lookout.index
    before = set(index.entries())
    wanted = workspace.everything().ranks_of_all()
    if dry_run:
        return Reindexed("reindex", len(wanted), len(before - wanted.keys()), 0.0)
    indexed = index.rebuild(wanted, progress)
    removed = len(before - set(index.entries()))
    return Reindexed("reindex", indexed, removed, round(time.perf_counter() - start, 3))
