"""Which agents are at work: one small file for each open session, beside the journal.

Only commits captured while a session is open become part of it, so losing a file loses a link at
most. One whose agent died without a word is closed when nothing was heard of it for long.
"""

import contextlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treering.capture.sessions import agent_session_id
from treering.git.files import read_file, replace_file
from treering.model.memory import is_id

_LARGEST = 64 * 1024


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
        self._folder = folder / "sessions"

    def note(self, agent: str, session: str, branch: str, when: float) -> OpenSession:
        """An agent is at work on a branch; a later branch is added to the ones before."""
        fresh = OpenSession(agent, session, when)
        known = self.find(fresh.id) or fresh
        now = known._replace(branches=tuple(dict.fromkeys((*known.branches, branch))))
        self._write(now)
        return now

    def update(self, session: OpenSession) -> None:
        """Keep what is now known of a session."""
        self._write(session)

    def close(self, session_id: str) -> None:
        (self._folder / session_id).unlink(missing_ok=True)

    def find(self, session_id: str) -> OpenSession | None:
        return self._read(self._folder / session_id)

    def on(self, branch: str, when: float, gap: float) -> OpenSession | None:
        """The session that was open on a branch at a moment, the latest one of several."""
        fitting = [s for s in self._all(gap) if branch in s.branches and s.start <= when]
        return max(fitting, key=lambda session: session.start) if fitting else None

    def _all(self, gap: float) -> list[OpenSession]:
        """Those heard of within the gap; the others are closed on the way."""
        sessions = []
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if time.time() - path.stat().st_mtime > gap:
                    path.unlink(missing_ok=True)
                elif session := self._read(path):
                    sessions.append(session)
        return sessions

    def _write(self, session: OpenSession) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        # As a whole: another hook of the same agent may look at the same moment.
        replace_file(self._folder / session.id, json.dumps(session._asdict()).encode())

    def _read(self, path: Path) -> OpenSession | None:
        """What a file says, if it is one of ours: it names the memory that its own words make."""
        try:
            data = read_file(path)[:_LARGEST] if is_id(path.name) else b""
            session = _parse(json.loads(data))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return session if session.id == path.name else None


def _parse(fields: Mapping[str, Any]) -> OpenSession:
    return OpenSession(
        str(fields["agent"]),
        str(fields["session"]),
        float(fields["start"]),
        tuple(map(str, fields["branches"])),
        float(fields["written"]),
        fields["is_asked"] is True,
    )
