"""treering reindex"""

import click

from treering.actions.reindex import Reindexed, reindex
from treering.cli import door
from treering.cli.door import Door
from treering.cli.progress import progress_bar


@click.command("reindex", epilog="Example: treering reindex")
@door.command
def command(door_: Door) -> None:
    """Build the search index anew; it is derived from git and never needed to be safe."""
    workspace = door_.open()
    with progress_bar("indexing", quiet=door_.as_json) as progress:
        answer = reindex(workspace, progress=progress)
    door_.answer(answer, _text)


def _text(answer: Reindexed) -> str:
    return f"indexed {answer.indexed}, removed {answer.removed}, in {answer.seconds:g} s"
