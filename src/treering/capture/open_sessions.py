"""Which agents are at work: one small file for each open session, beside the journal.

Only commits captured while a session is open are linked to it, so losing a file loses a link at
most. One whose agent died without a word is closed when nothing was heard of it for long.
"""

import contextlib
import time
from pathlib import Path
from typing import NamedTuple

from treering.model.memory import is_id


class OpenSession(NamedTuple):
    """A session under way: the memory it is, since when, and the branches it was seen on."""

    id: str
    start: float
    branches: tuple[str, ...]


class OpenSessions:
    """The open agent sessions of one repository, in its folder `treering`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "sessions"

    def note(self, session_id: str, branch: str, when: float) -> None:
        """An agent is at work on a branch; a later branch is added to the ones before."""
        known = self._read(self._folder / session_id) or OpenSession(session_id, when, ())
        branches = dict.fromkeys((*known.branches, branch))
        self._folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join((f"{known.start:.0f}", *branches)) + "\n"
        (self._folder / session_id).write_text(text, encoding="utf-8")

    def close(self, session_id: str) -> None:
        (self._folder / session_id).unlink(missing_ok=True)

    def on(self, branch: str, when: float, gap: float) -> str:
        """The session that was open on a branch at a moment, the latest one of several; or ""."""
        fitting = [s for s in self._all(gap) if branch in s.branches and s.start <= when]
        return max(fitting, key=lambda session: session.start).id if fitting else ""

    def _all(self, gap: float) -> list[OpenSession]:
        """Those heard of within the gap; the others are closed on the way."""
        found = []
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if time.time() - path.stat().st_mtime > gap:
                    path.unlink(missing_ok=True)
                elif session := self._read(path):
                    found.append(session)
        return found

    def _read(self, path: Path) -> OpenSession | None:
        try:
            start, *branches = path.read_text(encoding="utf-8").splitlines()
            return (
                OpenSession(path.name, float(start), tuple(branches)) if is_id(path.name) else None
            )
        except (OSError, ValueError):
            return None
