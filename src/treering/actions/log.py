"""log: what happened to memories, newest first, or along the graph of branches."""

from dataclasses import dataclass

from treering.actions.marks import NO_MARKS, Marks, find_marks
from treering.actions.read import memory_events
from treering.actions.workspace import Workspace
from treering.derived.history import DrawnLine, MemoryEvent, draw, events
from treering.model.dates import format_moment
from treering.store.vault import Vault
from treering.store.view import View
from treering.text.flags import flags_in


@dataclass(frozen=True, slots=True)
class Log:
    entries: tuple[MemoryEvent, ...]


@dataclass(frozen=True, slots=True)
class LogDrawing:
    """The graph of memory commits, line by line; those between commits only carry lines on."""

    lines: tuple[DrawnLine, ...]


def log(
    workspace: Workspace, id: str = "", *, limit: int = 50, branch: str = "", all: bool = False
) -> Log:
    """The changes of one memory, of what is seen from here, or of every branch."""
    position = workspace.position(branch)
    view = workspace.view_of_all() if all else workspace.view_from(position)
    if id:
        found = memory_events(workspace, view, view.find(id).id)[:limit]
    else:
        found = _all_events(workspace, view, limit)
    ids = [event.id for event in found if event.id]
    marks = find_marks(workspace, view, ids, position.head)
    return Log(tuple(_complete(event, marks.get(event.id, NO_MARKS)) for event in found))


def _complete(event: MemoryEvent, marks: Marks) -> MemoryEvent:
    """Titles and authors of the past are in commits, which the index does not know."""
    flags = flags_in(f"{event.title}\n{event.author}\n{event.branch}") or None
    return event._replace(flags=flags, **marks._asdict())


def drawing(
    workspace: Workspace, *, limit: int = 50, branch: str = "", all: bool = False
) -> LogDrawing:
    """What is seen from here, or every branch, as git draws histories: a promotion is a merge."""
    view = workspace.view_of_all() if all else workspace.view(branch)
    lines: list[DrawnLine] = []
    for vault, tips in _tips(view):
        lines += draw(vault, tips, limit=limit)
    moments = workspace.ledger.moments(line.commit for line in lines if line.commit)
    return LogDrawing(
        tuple(
            line._replace(when=format_moment(moments[line.commit]))
            if line.commit in moments
            else line
            for line in lines
        )
    )


def _tips(view: View) -> list[tuple[Vault, dict[str, str]]]:
    """For each vault the tips of its scopes, each with the branch it belongs to."""
    by_vault: dict[Vault, dict[str, str]] = {}
    for layer in view.layers:
        if layer.snapshot.tip:
            tips = by_vault.setdefault(layer.vault, {})
            tips.setdefault(layer.snapshot.tip, layer.snapshot.scope.branch)
    return list(by_vault.items())


def _all_events(workspace: Workspace, view: View, limit: int) -> list[MemoryEvent]:
    """The newest events. git goes by the dates that commits claim: where one is not credible, all
    of them are read before the newest are chosen."""
    most = None if workspace.ledger.has_odd_moments() else limit
    found: list[MemoryEvent] = []
    for vault, tips in _tips(view):
        found += events(vault, list(tips), limit=most)
    return workspace.ledger.sort_events(found)[:limit]
