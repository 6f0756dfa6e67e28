"""treering maintain"""

import json
from typing import Any

import click

from treering.actions.maintain import maintain
from treering.cli import door
from treering.cli.door import Door


@click.command("maintain", epilog="Example: treering maintain gc --apply")
@click.argument("op", metavar="OP")
@click.option("-b", "--branch", default="", help="Which branch.")
@click.option("--into", default="", help="promote: where to (default: the trunk).")
@click.option("--purge", is_flag=True, help="gc: delete old trash for good.")
@click.option("--older-than", default="30d", show_default=True, help="gc: how old, with --purge.")
@click.option("--force", is_flag=True, help="gc: what cannot be judged goes to the trash, too.")
@click.option("--keep-lessons", is_flag=True, help="gc: keep failed outcomes.")
@click.option("--remote", default="", help="sync: which remote; gc: purge there, too.")
@click.option("--direction", default="full", help="sync: full, push or fetch.")
@click.option("--apply", "do_it", is_flag=True, help="Do it; gc and promote only show otherwise.")
@door.command
def command(door_: Door, op: str, do_it: bool, **given: Any) -> None:
    """Housekeeping under one verb: gc, promote, restore, reindex, sync.

    The short forms `treering gc`, `promote`, `restore`, `reindex` and `sync` act at once.
    """
    answer = maintain(door_.open(), op, dry_run=False if do_it else None, **given)
    door_.answer(answer, lambda said: json.dumps(said, indent=1, ensure_ascii=False))
