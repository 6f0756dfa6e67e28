"""What outdates the memories of an answer: the one place where `why` asks for it."""

from collections.abc import Sequence
from typing import TypedDict

from treering.actions.workspace import Workspace
from treering.model.memory import Memory
from treering.store.view import View


class OutdatedBy(TypedDict):
    """The newer memory, and how it is known to replace this one."""

    id: str
    title: str
    how: str


class Outdating:
    """Marks for some memories of a view."""

    def __init__(self, workspace: Workspace, view: View, ids: Sequence[str]) -> None:
        self._workspace = workspace
        self._view = view
        self._ids = ids

    def mark(self, memory_id: str, memory: Memory) -> OutdatedBy | None:
        """What outdates a memory, or None."""
        newer = str(memory.details.get("superseded_by", ""))
        place = self._view.place(newer) if newer and newer != memory_id else None
        successor = place.try_memory() if place else None
        if successor is None:
            return None
        return {"id": newer, "title": successor.title, "how": "supersedes"}
