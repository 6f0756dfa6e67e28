"""maintain: housekeeping under one verb, a dry run first wherever something could go."""

from typing import Any

from treering.actions.answer import jsonable
from treering.actions.gc import gc, promote_by_hand, restore
from treering.actions.reindex import reindex
from treering.actions.sync import sync
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.model.taxonomy import one_of

OPS = ("gc", "promote", "restore", "reindex", "sync")
#: Those that only show what they would do until they are told to do it.
SHOWN_FIRST = ("gc", "promote")


def maintain(
    workspace: Workspace,
    op: str,
    *,
    branch: str = "",
    into: str = "",
    purge: bool = False,
    older_than: str = "30d",
    force: bool = False,
    keep_lessons: bool = False,
    remote: str = "",
    direction: str = "full",
    dry_run: bool | None = None,
) -> dict[str, Any]:
    """Do one of the operations; the answer is that operation's own, with `op` and `dry_run`."""
    op = one_of(op, OPS, "op")
    dry = op in SHOWN_FIRST if dry_run is None else dry_run
    if op in ("promote", "restore") and not branch:
        raise Invalid(f"{op} needs a branch.")
    answer: Any
    if op == "gc":
        answer = gc(
            workspace, branch=branch, dry_run=dry, purge=purge, older_than=older_than, force=force,
            keep_lessons=keep_lessons, remote=remote,
        )  # fmt: skip
    elif op == "promote":
        answer = promote_by_hand(workspace, branch, into=into, dry_run=dry)
    elif op == "sync":
        answer = sync(workspace, direction, remote=remote, dry_run=dry)
    elif op == "restore":
        answer = restore(workspace, branch)
    else:
        answer = reindex(workspace)
    told: dict[str, Any] = jsonable(answer)
    return {"op": op, "dry_run": dry} | told
