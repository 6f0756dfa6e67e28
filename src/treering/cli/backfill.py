"""treering backfill"""

from treering.actions.backfill import Backfilled, backfill
from treering.cli.progress import progress_bar
from treering.cli.render import safe, table
from treering.cli.shared import Door


def run(door_: Door, since: str, branch: str) -> Backfilled:
    with progress_bar("reading commits", quiet=door_.as_json) as progress:
        return backfill(door_.open(), since=since, branch=branch, progress=progress)


def text(answer: Backfilled) -> str:
    rows = [(safe(branch), str(count)) for branch, count in answer.branches.items()]
    said = f"captured {answer.captured} commits, passed over {answer.skipped}"
    return "\n".join([said, table(rows, indent="  ")]).rstrip()
