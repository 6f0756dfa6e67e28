"""maintain: housekeeping under one verb, a dry run first wherever something could go.

The operations are a table: each line names the function that does the work and the parameters it
takes. Functions are imported when they are asked for; an operation whose module is not there is
not offered.
"""

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, NamedTuple, TypeVar

from treering.actions.answers import jsonable
from treering.actions.inputs import confidence_given
from treering.actions.tidying.writer import Writer
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.model.choices import MaintainOp

Answer = TypeVar("Answer", covariant=True)


class Op(NamedTuple):
    """One operation: where it lives, whether it only shows what it would do until told, and whether
    it counts its steps."""

    module: str
    function: str
    shows_first: bool = True
    needs_branch: bool = False
    counts: bool = False


OPS: dict[MaintainOp, Op] = {
    "gc": Op("gc", "gc"),
    "promote": Op("gc", "promote_by_hand", needs_branch=True),
    "restore": Op("restore", "restore", shows_first=False, needs_branch=True),
    "reindex": Op("reindex", "reindex", shows_first=False, counts=True),
    "sync": Op("sync", "sync", shows_first=False),
    "merge": Op("tidying.merge", "merge"),
    "dedupe": Op("tidying.dedupe", "dedupe"),
    "summarize": Op("tidying.summarize", "summarize"),
    "enrich": Op("tidying.enrich", "enrich"),
    "infer_links": Op("tidying.links", "infer_links"),
    "prune_links": Op("tidying.links", "prune_links"),
}
#: Whoever gives one of these means less than everything, or hands in a text: where it cannot be
#: used it is refused. Any other parameter an operation does not take changes nothing.
_MEANT = ("branch", "into", "ids", "type", "query", "content", "title", "remote")
_MOST = 1000


class Maintained(NamedTuple, Generic[Answer]):
    """What an operation answered, under the name it was asked by."""

    op: MaintainOp
    dry_run: bool
    answer: Answer

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = jsonable(self.answer)
        return {"op": self.op, "dry_run": self.dry_run} | told


def maintain(
    workspace: Workspace,
    op: str,
    *,
    branch: str = "",
    into: str = "",
    ids: Sequence[str] = (),
    type: str = "",
    query: str = "",
    content: str = "",
    title: str = "",
    threshold: float = 0.8,
    min_confidence: float = 0.7,
    limit: int = 20,
    remote: str = "",
    direction: str = "full",
    purge: bool = False,
    older_than: str = "30d",
    force: bool = False,
    keep_lessons: bool = False,
    before_sync: bool = False,
    dry_run: bool | None = None,
    writer: Writer | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Maintained[Any]:
    """Do one of the operations, or show what it would do.

    `writer` writes texts in the caller's place, where the operation needs one and none is given;
    `progress` is called between the steps of what counts them.
    """
    name = _check_op(op)
    line = OPS[name]
    if line.needs_branch and not branch:
        raise Invalid(f"{name} needs a branch.")
    if not 1 <= limit <= _MOST:
        raise Invalid(f"limit is {limit}, not between 1 and {_MOST}.")
    is_dry = line.shows_first if dry_run is None else dry_run
    given = {
        "branch": branch, "into": into, "ids": ids, "type": type, "query": query,
        "content": content, "title": title, "threshold": confidence_given(threshold, "threshold"),
        "min_confidence": confidence_given(min_confidence, "min_confidence"), "limit": limit,
        "remote": remote, "direction": direction, "purge": purge, "older_than": older_than,
        "force": force, "keep_lessons": keep_lessons, "before_sync": before_sync,
        "dry_run": is_dry, "writer": writer, "progress": progress if line.counts else None,
    }  # fmt: skip
    function = _function(line)
    return Maintained(name, is_dry, function(workspace, **_fit_arguments(name, function, given)))


def present() -> tuple[MaintainOp, ...]:
    """The operations that are there."""
    return tuple(op for op, line in OPS.items() if find_spec(f"treering.actions.{line.module}"))


def _check_op(op: str) -> MaintainOp:
    name = op.strip().lower().replace("-", "_")
    for there in present():
        if there == name:
            return there
    raise Invalid(f"Unknown op {op!r}.", hint=f"Allowed: {', '.join(present())}.")


def _function(line: Op) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(
        import_module(f"treering.actions.{line.module}"), line.function
    )
    return function


def _fit_arguments(
    name: str, function: Callable[..., Any], given: dict[str, Any]
) -> dict[str, Any]:
    """What the function has parameters for."""
    known = inspect.signature(function).parameters
    if ignored := [word for word in _MEANT if given[word] and word not in known]:
        raise Invalid(f"{name} does not take {ignored[0]}.")
    return {word: value for word, value in given.items() if word in known}
