"""treering reindex"""

import click

from treering.actions.reindex import Reindexed, reindex, tidy
from treering.cli import door
from treering.cli.door import Door
from treering.cli.progress import progress_bar


@click.command("reindex", epilog="Example: treering reindex")
@click.option("--tidy", "only_tidy", is_flag=True, help="Only join its small parts.")
@door.command
def command(door_: Door, only_tidy: bool) -> None:
    """Build the search index anew; it is derived from git and never needed to be safe."""
    workspace = door_.open()
    if only_tidy:
        tidy(workspace)
        return
    with progress_bar("indexing", quiet=door_.as_json) as progress:
        answer = reindex(workspace, progress=progress)
    door_.answer(answer, text)


def text(answer: Reindexed) -> str:
    return f"indexed {answer.indexed}, removed {answer.removed}, in {answer.seconds:g} s"
