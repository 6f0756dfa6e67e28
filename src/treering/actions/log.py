"""log: what happened to memories, newest first."""

from dataclasses import dataclass

from treering.actions.read import memory_events
from treering.actions.workspace import Workspace
from treering.errors import Invalid
from treering.store import history
from treering.store.history import Event
from treering.store.view import View


@dataclass(frozen=True, slots=True)
class Log:
    entries: tuple[Event, ...]


def log(
    workspace: Workspace, id: str = "", *, limit: int = 50, branch: str = "", all: bool = False
) -> Log:
    """The changes of one memory, of what is seen from here, or of every branch."""
    if limit < 1:
        raise Invalid(f"limit is {limit}, not 1 or more.")
    view = workspace.everything() if all else workspace.view(branch)
    if id:
        return Log(tuple(memory_events(view, view.find(id).id)[:limit]))
    return Log(tuple(_all_events(view, limit)))


def _all_events(view: View, limit: int) -> list[Event]:
    found: list[Event] = []
    for vault in dict.fromkeys(layer.vault for layer in view.layers):
        tips = [ly.snapshot.tip for ly in view.layers if ly.vault is vault and ly.snapshot.tip]
        found += history.events(vault, tips, limit=limit)
    return sorted(found, key=lambda event: event.when, reverse=True)[:limit]
