"""What was just done, told once more on the page that follows, with the way back.

Kept in memory only, and only the last few. Whatever is done is a commit: `treering log` and
`treering revert` know the way back when nothing here does any more.
"""

import secrets
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST = 64


class UndoStep(NamedTuple):
    """One call of a verb that takes something back."""

    verb: str
    arguments: Mapping[str, Any]


class Notice(NamedTuple):
    """What was done, in words, where it can be looked at, and the steps that undo it."""

    text: str
    undo: tuple[UndoStep, ...] = ()
    #: Lines below the text: one for each thing that was done.
    lines: tuple[str, ...] = ()
    #: The address it was done from, where whoever takes it back goes on.
    back: str = ""


class Notices:
    """The last things that were done, by a key nobody can guess."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[str, Notice] = {}

    def keep(self, notice: Notice) -> str:
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._by_key[key] = notice
            for oldest in list(self._by_key)[:-_MOST]:
                del self._by_key[oldest]
        return key

    def find(self, key: str) -> Notice | None:
        return self._by_key.get(key)

    def take_undo(self, key: str) -> Notice | None:
        """A notice that is about to be undone: once."""
        with self._lock:
            notice = self._by_key.get(key)
            if notice is None or not notice.undo:
                return None
            self._by_key[key] = notice._replace(undo=())
            return notice
