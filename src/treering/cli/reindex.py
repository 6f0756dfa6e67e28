"""treering reindex"""

from treering.actions.reindex import Reindexed, reindex, tidy
from treering.cli.progress import progress_bar
from treering.cli.shared import Door


def run(door_: Door, only_tidy: bool) -> Reindexed | None:
    workspace = door_.open()
    if only_tidy:
        tidy(workspace)
        return None
    with progress_bar("indexing", quiet=door_.as_json) as progress:
        return reindex(workspace, progress=progress)


def text(answer: Reindexed) -> str:
    return f"indexed {answer.indexed}, removed {answer.removed}, in {answer.seconds:g} s"
