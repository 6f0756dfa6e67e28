"""reindex: build the index anew from what the scopes hold now."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treering.actions.searcher import LearningSearcher, refuse_unusable_model
from treering.actions.workspace import Workspace
from treering.git.repository import Repository
from treering.store.view import View


@dataclass(frozen=True, slots=True)
class Reindexed:
    op: str
    indexed: int
    removed: int
    seconds: float


def forget_derived(workspace: Workspace) -> None:
    """Drop index and database, and kept answers with the words in them."""
    workspace.searcher.index.drop()
    workspace.database.clear()
    workspace.rows.forget()
    workspace.state.remove("outputs", "pages", "turns", "told.jsonl")


def catch_up(workspace: Workspace) -> None:
    """Make what was just written or fetched searchable: whoever brings in many memories watches a
    progress bar, and neither the next question nor the next capture should pay for it."""
    workspace.searcher.catch_up(workspace.view_of_all())
    workspace.ledger.catch_up()


def open_beside(git_dir: Path, cache: Path | None) -> tuple[LearningSearcher, View]:
    """A searcher for another thread of this process, and all there is to search."""
    workspace = Workspace(Repository(git_dir), cache=cache)
    return workspace.searcher, workspace.view_of_all()


def tidy(workspace: Workspace) -> None:
    """Index what is new and look at the memories there was no time for, in a process that nobody
    waits for."""
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
    workspace.searcher.index.catch_up()
    workspace.searcher.index.inspect_rest()


def reindex(
    workspace: Workspace,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reindexed:
    """Index every blob of every scope; what no scope holds any more goes."""
    start = time.perf_counter()
    before = workspace.rows.blobs()
    view = workspace.view_of_all()
    if dry_run:
        blobs = view.ranks_of_all()
        return Reindexed("reindex", len(blobs), len(before - blobs.keys()), 0.0)
    workspace.database.clear("vectors")  # those of a slow model took long
    workspace.rows.forget()
    count = workspace.searcher.rebuild(view, progress)
    removals = len(before - workspace.rows.blobs())
    # Words and the table are there by now: what is missing are the vectors of the model.
    refuse_unusable_model(workspace.searcher.learning.model.setting)
    return Reindexed("reindex", count, removals, round(time.perf_counter() - start, 3))
