"""Which agents are at work: one small file for each open session, in the state folder.

Only commits captured while a session is open become part of it, so losing a file loses a link at
most. One whose agent died without a word is closed when nothing was heard of it for long.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treering.capture.sessions import agent_session_id
from treering.model.memory import is_id
from treering.store.state import StateFolder

_FOLDER = "sessions"


class OpenSession(NamedTuple):
    """A session under way: whose it is, since when, the branches it was seen on, when it was last
    written down, and whether its agent was asked to remember what it learned."""

    agent: str
    session: str
    start: float
    branches: tuple[str, ...] = ()
    written: float = 0.0
    is_asked: bool = False

    @property
    def id(self) -> str:
        """The memory it is, or will be."""
        return agent_session_id(self.agent, self.session)


class OpenSessions:
    """The open agent sessions of one repository, in its folder `treering`."""

    def __init__(self, folder: Path) -> None:
        self._state = StateFolder(folder)

    def note(self, agent: str, session: str, branch: str, when: float) -> OpenSession:
        """An agent is at work on a branch; a later branch is added to the ones before."""
        fresh = OpenSession(agent, session, when)
        known = self.find(fresh.id) or fresh
        now = known._replace(branches=tuple(dict.fromkeys((*known.branches, branch))))
        self.update(now)
        return now

    def update(self, session: OpenSession) -> None:
        """Keep what is now known of a session."""
        # As a whole: another hook of the same agent may look at the same moment.
        self._state.write_json(f"{_FOLDER}/{session.id}", session._asdict())

    def close(self, session_id: str) -> None:
        self._state.remove(f"{_FOLDER}/{session_id}")

    def find(self, session_id: str) -> OpenSession | None:
        """Return what a file says, if it is one of ours: it names the memory its words make."""
        fields = self._state.read_json(f"{_FOLDER}/{session_id}") if is_id(session_id) else None
        try:
            session = _parse(fields) if isinstance(fields, dict) else None
        except (ValueError, TypeError, KeyError):
            return None
        return session if session and session.id == session_id else None

    def on(self, branch: str, when: float, gap: float) -> OpenSession | None:
        """Return the session that was open on a branch at a moment, the latest one of several.

        Those not heard of within the gap are closed on the way.
        """
        fitting = []
        for name, info in self._state.list_files(_FOLDER):
            session_id = name.rpartition("/")[2]
            if time.time() - info.st_mtime > gap:
                self.close(session_id)
            elif (s := self.find(session_id)) and branch in s.branches and s.start <= when:
                fitting.append(s)
        return max(fitting, key=lambda session: session.start) if fitting else None


def _parse(fields: Mapping[str, Any]) -> OpenSession:
    return OpenSession(
        str(fields["agent"]),
        str(fields["session"]),
        float(fields["start"]),
        tuple(map(str, fields["branches"])),
        float(fields["written"]),
        fields["is_asked"] is True,
    )
