"""The Python door: `Treering.open(path)`, and the verbs as methods.

A `Treering` has a workspace and shows nothing of it: what stands here is all there is to rely on.
The answers are typed. Their classes are in `treering.answers`.
"""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from treering.clock import Clock, wall_clock
from treering.text.values import strip_control_characters
from treering.verbs import history, knowledge, memories, setup, transfer, upkeep, work
from treering.verbs.verb import verb_of

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace
    from treering.git.objects import Person

__all__ = ["Treering"]

P = ParamSpec("P")
Answer = TypeVar("Answer")


def _method(
    verb: "Callable[Concatenate[Workspace, P], Answer]",
) -> "Callable[Concatenate[Treering, P], Answer]":
    """Return a verb as a method."""

    @wraps(verb)
    def method(self: "Treering", /, *args: P.args, **options: P.kwargs) -> Answer:
        given = verb_of(verb).name_caller(self._agent, options)
        answer: Answer = strip_control_characters(verb(self._workspace, *args, **given))
        return answer

    return method


class Treering:
    """The memories of one repository, seen from the branch that is checked out at each call.

    >>> tr = Treering.open(".")
    >>> tr.remember("Use WAL mode: readers never block", type="decision").title
    'Use WAL mode: readers never block'
    """

    def __init__(self, workspace: "Workspace", agent: str = "") -> None:
        self._workspace, self._agent = workspace, agent

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        agent: str = "",
        person: "Person | None" = None,
        clock: Clock = wall_clock,
        cache: Path | None = None,
        user_folder: Path | None = None,
        hub: str | Path = "",
    ) -> "Treering":
        """Open the repository that holds `path`.

        `agent` and `person`, a `treering.Person`, are named as the authors of what is written;
        without a person it is git's own user. `cache` is a folder to use where the repository
        cannot be written, and `user_folder` the one with the user's own prompts. `hub` is the place
        that `repos` are looked for in; without one it is `treering.hub` of git's configuration.

        >>> tr = Treering.open(".", agent="reviewer")
        >>> tr.read(tr.remember("Reviews wait for the tests").id).agent
        'reviewer'
        """
        from treering.actions.workspace import Workspace
        from treering.hub.place import HubSetting

        workspace = Workspace.open(
            path,
            person=person,
            clock=clock,
            cache=cache,
            user_folder=user_folder,
            hub=HubSetting(str(hub), cache=cache),
        )
        return cls(workspace, agent)

    remember = _method(memories.remember)
    recall = _method(memories.recall)
    read = _method(memories.read)
    revise = _method(memories.revise)
    forget = _method(memories.forget)
    link = _method(memories.link)
    graph = _method(knowledge.graph)
    entities = _method(knowledge.entities)
    status = _method(knowledge.status)
    checkpoint = _method(work.checkpoint)
    context = _method(work.context)
    prompts = _method(work.prompts)
    why = _method(history.why)
    review = _method(history.review)
    log = _method(history.log)
    diff = _method(history.diff)
    guard = _method(history.guard)
    revert = _method(history.revert)
    exported = _method(transfer.export)
    export_markdown = _method(transfer.export_markdown)
    import_path = _method(transfer.import_)
    backfill = _method(transfer.backfill)
    drain = _method(transfer.drain)
    gc = _method(upkeep.gc)
    promote = _method(upkeep.promote)
    restore = _method(upkeep.restore)
    sync = _method(upkeep.sync)
    merge = _method(upkeep.merge)
    dedupe = _method(upkeep.dedupe)
    summarize = _method(upkeep.summarize)
    enrich = _method(upkeep.enrich)
    infer_links = _method(upkeep.infer_links)
    prune_links = _method(upkeep.prune_links)
    maintain = _method(upkeep.maintain)
    reindex = _method(upkeep.reindex)
    doctor = _method(upkeep.doctor)
    redact = _method(upkeep.redact)
    config = _method(setup.config)
    init = _method(setup.init)
    try_out = _method(setup.try_)
    uninstall = _method(setup.uninstall)
