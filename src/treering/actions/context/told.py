"""What agents were told unasked, kept for a while, so that people can see it and what it cost.

    state/told.jsonl    a line for each time: when, whom, what, how long it took

It belongs to this user alone, holds no more than was said, without credentials, and never grows
large. It may be deleted at any time. `treering.told` false keeps nothing.
"""

import hashlib
import json
from contextlib import suppress
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.text.masking import mask

_FILE = "told.jsonl"
_LARGEST = 256 * 1024
_LONGEST = 8000


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
    workspace.state.append(_FILE, line.encode() + b"\n", _LARGEST)


def wants_log(workspace: Workspace) -> bool:
    return (workspace.repository.config("treering.told") or "true").lower() != "false"


def list_told(workspace: Workspace) -> list[ToldEntry]:
    """What is kept, newest first. A line that cannot be read is passed over."""
    data = workspace.state.read(_FILE) or b""
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
