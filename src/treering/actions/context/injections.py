"""Context injected by hooks: what each session of an agent was given, and a log for people.

    state/sessions-told/<session>    the task's words, how many prompts there were, the ids told
    state/told.jsonl                 a line for each time: when, whom, what, how long it took

A memory is told once in a session, until its context is compacted. Both belong to this user alone,
hold no credentials, stay small, and may be deleted at any time: then something is told twice.
`treering.told` false keeps no log.
"""

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.store.state import StateFolder
from treering.text.masking import mask
from treering.text.words import words

_LOG = "told.jsonl"
_LARGEST = 256 * 1024
_LONGEST = 8000
_FOLDER = "sessions-told"
_MOST_SESSIONS, _MOST_TOLD, _MOST_WORDS = 64, 1000, 80
_DIGEST = 12


class HookSession:
    """What one session of an agent is about, and what it was told."""

    def __init__(self, state: StateFolder | None, session: str) -> None:
        self._state = state if session else None
        self._file = f"{_FOLDER}/{_hash(session)}"
        #: The telling words of its first prompt.
        self.task: frozenset[str] = frozenset()
        self.prompts = 0
        self.told: set[str] = set()
        match self._state.read_json(self._file) if self._state else None:
            case [int(prompts), list(task), list(told)]:
                self.prompts = prompts
                self.task = frozenset(word for word in task if isinstance(word, str))
                self.told = {key for key in told if isinstance(key, str)}

    def begin(self) -> None:
        """Start over: the agent knows nothing any more of what it was told."""
        self.task, self.prompts, self.told = frozenset(), 0, set()

    def note_prompt(self, prompt: str) -> None:
        """Count a prompt that asks for something; the first one is what the session is about."""
        asked = words(mask(prompt))[:_MOST_WORDS]
        if not self.prompts:
            self.task = frozenset(asked)
        self.prompts += 1

    def save(self, told: Iterable[str] = ()) -> None:
        """Keep what is known of the session, with the memories that it was told now."""
        self.told.update(told)
        if self._state:
            ids = sorted(self.told)[:_MOST_TOLD]
            self._state.write_json(self._file, [self.prompts, sorted(self.task), ids])
            self._state.trim(_FOLDER, count=_MOST_SESSIONS)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:_DIGEST]


class ToldEntry(NamedTuple):
    """One time an agent was told something, or should have been and was not in time."""

    when: str
    agent: str
    session: str
    kind: str
    seconds: float
    limit: float
    is_missed: bool
    text: str


def note_told(
    workspace: Workspace,
    agent: str,
    session: str,
    kind: str,
    text: str,
    *,
    seconds: float,
    limit: float,
    is_missed: bool,
) -> None:
    """Keep what was said, if that is wanted. Where it cannot be kept, it is lost."""
    if not wants_log(workspace) or not (text or is_missed):
        return
    line = json.dumps(
        {
            "when": workspace.now(),
            "agent": mask(agent)[:80],
            "session": hashlib.sha256(session.encode(errors="replace")).hexdigest()[:8],
            "kind": kind,
            "seconds": round(seconds, 3),
            "limit": round(limit, 3),
            "missed": is_missed,
            "text": mask(text)[:_LONGEST],
        }
    )
    workspace.state.append(_LOG, line.encode() + b"\n", _LARGEST)


def wants_log(workspace: Workspace) -> bool:
    return (workspace.repository.config("treering.told") or "true").lower() != "false"


def list_told(workspace: Workspace) -> list[ToldEntry]:
    """What is kept, newest first. A line that cannot be read is passed over."""
    data = workspace.state.read(_LOG) or b""
    entries = (_parse(line) for line in data.splitlines())
    return [entry for entry in entries if entry][::-1]


def _parse(line: bytes) -> ToldEntry | None:
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        fields = json.loads(line)
        return ToldEntry(
            when=str(fields["when"]),
            agent=str(fields["agent"]),
            session=str(fields["session"]),
            kind=str(fields["kind"]),
            seconds=float(fields["seconds"]),
            limit=float(fields["limit"]),
            is_missed=fields["missed"] is True,
            text=str(fields["text"]),
        )
    return None
