"""Flags: what a reader is told about a memory that looks wrong, the same by every door.

The index knows them for what it holds. A past version, or what the index had no time for, is looked
at now, within the budget of one answer, and remembered for as long as the process lives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from treering.actions.origin import is_own
from treering.actions.workspace import MemoryWorkspace
from treering.store.view import Copy
from treering.text.flags import UNSCANNED, DetectorRules, flags_in

if TYPE_CHECKING:
    from treering.graph.network import Node


class Flags:
    """The flags of one answer's memories; made anew for each answer, which gives it its budget."""

    def __init__(self, workspace: MemoryWorkspace) -> None:
        self._workspace = workspace
        self._inspect = DetectorRules().inspect_briefly()
        self._branches: dict[str, tuple[str, ...]] = {}

    def of(self, place: Copy) -> tuple[str, ...]:
        """Return what looks wrong with a copy of a memory, or with the name of the branch it is
        on."""
        return _join(self.of_text(place), self._of_branch(place.layer.branch))

    def of_text(self, place: Copy) -> tuple[str, ...]:
        """Return what looks wrong with the memory itself."""
        entry = self._workspace.rows.entry(place.blob)
        flags = entry.flags if entry else None
        if flags is None:
            flags = self._workspace.inspected.get(place.blob)
        if flags is None:
            flags = self._inspect(place.memory())
            if flags is None:
                return (UNSCANNED,)
            self._workspace.inspected[place.blob] = flags
        return flags

    def withholds(self, place: Copy) -> bool:
        """Return whether a memory is not injected: it is flagged, and not of this clone's own
        writing. The name of a branch is never somebody's own word."""
        if self._of_branch(place.layer.branch):
            return True
        if not self.of_text(place):
            return False
        memory = place.try_memory()
        return memory is None or not is_own(self._workspace, place.blob, memory)

    def _of_branch(self, name: str) -> tuple[str, ...]:
        if name not in self._branches:
            self._branches[name] = flags_in(name)
        return self._branches[name]


def flags_of_node(node: Node | None) -> tuple[str, ...] | None:
    """Return what the index knows to be wrong, None for nothing: for answers made of entries
    alone."""
    if node is None:
        return None
    return (UNSCANNED,) if node.flags is None else node.flags or None


def _join(*flags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flag for some in flags for flag in some))
