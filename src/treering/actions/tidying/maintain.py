"""maintain: housekeeping under one verb, a dry run first wherever something could go.

The operations are a table: each line names the function that does the work, and the parameters it
is limited by. A function imports its action when it is called: a door that lists the operations
loads none of them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from treering.actions.answers import jsonable
from treering.actions.inputs import confidence_given
from treering.actions.tidying.request import MaintainRequest
from treering.actions.tidying.writer import Writer
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.model.choices import MAINTAIN_OPS, MaintainOp
from treering.model.taxonomy import unknown_word

Answer = TypeVar("Answer", covariant=True)
_MOST = 1000


class Maintained(NamedTuple, Generic[Answer]):
    """What an operation answered, under the name it was asked by."""

    op: MaintainOp
    dry_run: bool
    answer: Answer

    def as_json(self) -> dict[str, object]:
        fields: dict[str, object] = jsonable(self.answer)
        return {"op": self.op, "dry_run": self.dry_run} | fields


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
    keep_lessons: bool = True,
    before_sync: bool = False,
    undo: bool = False,
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
    request = MaintainRequest(
        branch=branch,
        into=into,
        ids=ids,
        type=type,
        query=query,
        content=content,
        title=title,
        threshold=confidence_given(threshold, "threshold"),
        min_confidence=confidence_given(min_confidence, "min_confidence"),
        limit=limit,
        remote=remote,
        direction=direction,
        purge=purge,
        older_than=older_than,
        force=force,
        keep_lessons=keep_lessons,
        before_sync=before_sync,
        undo=undo,
        dry_run=line.shows_first if dry_run is None else dry_run,
        writer=writer,
        progress=progress,
    )
    for word in _LIMITS:
        if getattr(request, word) and word not in line.takes:
            raise Invalid(f"{name} does not take {word}.")
    return Maintained(name, request.dry_run, line.run(workspace, request))


def _check_op(op: str) -> MaintainOp:
    word = op.strip().lower().replace("-", "_")
    for name in MAINTAIN_OPS:
        if name == word:
            return name
    raise unknown_word(op, MAINTAIN_OPS, "op")


# --- one function an op --------------------------------------------------------------------------


def _gc(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.gc import gc

    return gc(
        workspace,
        branch=request.branch,
        dry_run=request.dry_run,
        purge=request.purge,
        older_than=request.older_than,
        force=request.force,
        keep_lessons=request.keep_lessons,
        remote=request.remote,
    )


def _promote(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.gc import promote_by_hand

    return promote_by_hand(
        workspace,
        request.branch,
        into=request.into,
        undo=request.undo,
        ids=request.ids,
        dry_run=request.dry_run,
    )


def _restore(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.restore import restore

    return restore(
        workspace, request.branch, before_sync=request.before_sync, dry_run=request.dry_run
    )


def _reindex(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.reindex import reindex

    return reindex(workspace, dry_run=request.dry_run, progress=request.progress)


def _sync(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.sync import sync

    return sync(workspace, request.direction, remote=request.remote, dry_run=request.dry_run)


def _merge(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.merge import merge_memories

    return merge_memories(workspace, request)


def _dedupe(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.dedupe import dedupe

    return dedupe(workspace, request)


def _summarize(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.summarize import summarize

    return summarize(workspace, request)


def _enrich(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.enrich import enrich

    return enrich(workspace, request)


def _infer_links(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.links import infer_links

    return infer_links(
        workspace,
        ids=request.ids,
        query=request.query,
        type=request.type,
        min_confidence=request.min_confidence,
        limit=request.limit,
        branch=request.branch,
        dry_run=request.dry_run,
    )


def _prune_links(workspace: Workspace, request: MaintainRequest) -> object:
    from treering.actions.tidying.links import prune_links

    return prune_links(
        workspace,
        ids=request.ids,
        limit=request.limit,
        branch=request.branch,
        dry_run=request.dry_run,
    )


class MaintainLine(NamedTuple):
    """One operation: what does it, which of the limits it takes, whether it only shows what it
    would do until told."""

    run: Callable[[Workspace, MaintainRequest], object]
    takes: tuple[str, ...] = ()
    shows_first: bool = True
    needs_branch: bool = False


#: Whoever gives one of these means less than everything, or hands in a text: where it cannot be
#: used it is refused. Any other parameter an operation does not take changes nothing.
_LIMITS = ("branch", "into", "ids", "type", "query", "content", "title", "remote")
_CHOOSE = ("branch", "ids", "type", "query")
_WRITE = (*_CHOOSE, "content", "title")

OPS: dict[MaintainOp, MaintainLine] = {
    "gc": MaintainLine(_gc, ("branch", "remote")),
    "promote": MaintainLine(_promote, ("branch", "into", "ids"), needs_branch=True),
    "restore": MaintainLine(_restore, ("branch",), shows_first=False, needs_branch=True),
    "reindex": MaintainLine(_reindex, shows_first=False),
    "sync": MaintainLine(_sync, ("remote",)),
    "merge": MaintainLine(_merge, _WRITE),
    "dedupe": MaintainLine(_dedupe, _CHOOSE),
    "summarize": MaintainLine(_summarize, _WRITE),
    "enrich": MaintainLine(_enrich, _WRITE),
    "infer_links": MaintainLine(_infer_links, _CHOOSE),
    "prune_links": MaintainLine(_prune_links, ("branch", "ids")),
}
