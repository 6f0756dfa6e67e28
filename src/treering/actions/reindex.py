"""reindex: build the index anew from what the scopes hold now."""

import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from treering.actions.learning import refuse_unusable_model
from treering.actions.searcher import Searcher
from treering.actions.workspace import Workspace
from treering.git.files import check_folder
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
    folder = workspace.derived("index")
    with contextlib.suppress(OSError):
        check_folder(folder, levels=2)  # nothing behind a link is deleted
        shutil.rmtree(folder, ignore_errors=True)
    workspace.database.clear()
    workspace.neighbourhood.forget()
    workspace.state.remove("outputs", "pages", "turns", "told.jsonl")


def catch_up(workspace: Workspace) -> None:
    """Make what was just written or fetched searchable, and the clues to it known: whoever brings
    in many memories has a person waiting with a bar to look at, and neither the next question nor
    the next capture should pay for it."""
    view = workspace.view_of_all()
    workspace.searcher.catch_up(view)
    workspace.neighbourhood.catch_up_alone(view)


def leave_ready(workspace: Workspace) -> None:
    """The same at the end of it all: the first question costs what later ones do."""
    catch_up(workspace)
    workspace.searcher.get_ready(workspace.view(), workspace.clock())


def open_beside(git_dir: Path, cache: Path | None) -> tuple[Searcher, View]:
    """A searcher for another thread of this process, and all there is to search."""
    workspace = Workspace(Repository(git_dir), cache=cache)
    return workspace.searcher, workspace.view_of_all()


def tidy(workspace: Workspace) -> None:
    """Join the many small parts of the index into few, look at the memories there was no time for,
    and note the clues that are new; for a process that nobody waits for."""
    workspace.neighbourhood.catch_up_alone(workspace.view_of_all())
    for index in workspace.searcher.indexes:
        index.inspect_rest()
        index.tidy()


def reindex(
    workspace: Workspace,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Reindexed:
    """Index every blob of every scope; what no scope holds any more goes."""
    start = time.perf_counter()
    index = workspace.searcher.index
    before = set(index.entries())
    view = workspace.view_of_all()
    if dry_run:
        blobs = view.ranks_of_all()
        return Reindexed("reindex", len(blobs), len(before - blobs.keys()), 0.0)
    workspace.database.clear("vectors")  # those of a slow model took long
    workspace.neighbourhood.forget()
    workspace.neighbourhood.catch_up(view)
    count = workspace.searcher.rebuild(view, progress)
    removals = len(before - set(index.entries()))
    # Words and the table are there by now: what is missing are the vectors of the model.
    refuse_unusable_model(workspace.searcher.learning.model.setting)
    return Reindexed("reindex", count, removals, round(time.perf_counter() - start, 3))
