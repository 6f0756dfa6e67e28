"""What is seen anew since a view was made ready to be searched, gathered step by step.

Who reads one memory after a write wants to know whether the new one outdates it. Mostly it has
nothing to do with it, which is seen without an index that has it.
"""

import threading

from treering.errors import TreeringError
from treering.search.entry import Entry, describe
from treering.search.succession import VisibleChange
from treering.store.view import View, list_changed

_FEW = 16  # memories, from which on everything had better be indexed


class ChangesSince:
    """The memories that later views of the same scopes show otherwise than the first one."""

    def __init__(self, first: View) -> None:
        self._first = self._last = first
        self._news: dict[str, list[Entry]] = {}
        self._lock = threading.Lock()

    def up_to(self, view: View) -> VisibleChange | None:
        """What changed up to a view; None where that is much, or cannot be told."""
        with self._lock:
            try:
                self._follow(view)
            except TreeringError:
                return None
            if self._last is not view:
                return None
            ids = self._news
            gone = [b for layer in self._first.layers for i in ids if (b := layer.blob(i))]
            return VisibleChange(gone, [entry for some in ids.values() for entry in some])

    def _follow(self, view: View) -> None:
        ids = list_changed(self._last, view)
        if ids is None or len(ids) + len(self._news) > _FEW:
            return
        for memory_id in ids:
            copies = [(ly.vault, blob) for ly in view.layers if (blob := ly.blob(memory_id))]
            self._news[memory_id] = [describe(blob, vault.memory(blob)) for vault, blob in copies]
        self._last = view
