"""Sessions: commits that belong together because one author made them in one go on one branch.

A session's id comes from its first commit, or from the agent's own session id, and everything else
of it from its commits. So it is the same memory whenever and wherever it is worked out.

Which agents are at work is kept beside the journal, in one small file for each open session. Only
commits captured while a session is open are linked to it, so losing a file loses a link at most.
One whose agent died without a word is closed when nothing was heard of it for long.
"""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from treering.model.dates import format_moment, instant
from treering.model.memory import MAX_TITLE, Memory, derive_id, is_id
from treering.model.provenance import TOLERANCE
from treering.text.hygiene import clean_line
from treering.text.masking import mask

_MOST_NAMED = 200
_MOST_FILES = 50
_LONGEST_SUMMARY = 4000


def session_id(first: str) -> str:
    """The id of the session that begins with a commit."""
    return derive_id("session", first)


def agent_session_id(agent: str, session: str) -> str:
    return derive_id("session", f"{agent}\0{session}")


def fits(session: Memory, commit: Memory, branch: str, gap: float) -> bool:
    """Whether a commit carries a session on: same author, same branch, no long pause.

    An agent's session is open or over, whoever commits next.
    """
    is_here = _text(session, "branch") == mask(branch)
    if session.agent or session.author != commit.author or not is_here:
        return False
    return abs(instant(commit.created) - instant(_text(session, "end"))) <= gap


def begin(first: Memory, branch: str) -> Memory:
    """The session that begins with a commit, which it does not yet hold."""
    return Memory(
        id=session_id(first.commit),
        type="session",
        title="-",
        content="-",
        created=first.created,
        modified=first.created,
        confidence=1.0,
        source="hook",
        author=first.author,
        details={"branch": mask(branch), "start": first.created, "end": first.created},
    )


def agent_session(agent: str, session: str, branch: str, author: str, when: float) -> Memory:
    """The session of an agent, by the id its client gave it."""
    moment = format_moment(when)
    return Memory(
        id=agent_session_id(agent, session),
        type="session",
        title="-",
        content="-",
        created=moment,
        modified=moment,
        confidence=1.0,
        source="agent",
        author=author,
        agent=mask(agent),
        session=mask(session),
        details={"branch": mask(branch), "start": moment, "end": moment},
    )


def lasting_until(session: Memory, when: float, summary: str = "") -> Memory:
    """The session as of a later moment, with what the agent says it did."""
    last = instant(_text(session, "end"))
    end = format_moment(max(last, when) if last <= when + TOLERANCE else when)
    details = dict(session.details) | {"end": end}
    if words := mask(summary).strip():
        details["summary"] = words[:_LONGEST_SUMMARY]
    return replace(session, details=details, modified=end)


def commits_of(session: Memory) -> list[str]:
    """The newest commits a session names, oldest first."""
    oids = session.details.get("commits")
    return [str(oid) for oid in oids] if isinstance(oids, list) else []


def add_commit(session: Memory, commit: Memory) -> Memory:
    """The session with one more commit."""
    names = commits_of(session)
    if commit.commit in names:
        return session
    moments = (_text(session, "start"), _text(session, "end"), commit.created)
    start, end = min(moments, key=instant), max(moments, key=instant)
    details = dict(session.details) | {
        "start": start,
        "end": end,
        "commits": [*names, commit.commit][-_MOST_NAMED:],
        "count": _count(session) + 1,
    }
    newest = {file.path: file for file in (*session.files, *commit.files)}
    files = tuple(newest.values())[-_MOST_FILES:]
    return replace(session, created=start, modified=end, files=files, details=details)


def without(session: Memory, gone: str) -> Memory:
    """The session without a commit that was rewritten."""
    names = commits_of(session)
    if gone not in names:
        return session
    rest = [oid for oid in names if oid != gone]
    details = dict(session.details) | {"commits": rest, "count": _count(session) - 1}
    return replace(session, details=details)


def describe(session: Memory, commits: Sequence[Memory]) -> Memory:
    """The session with title and text made from what it holds; `commits` are its memories."""
    start, end, branch = (_text(session, key) for key in ("start", "end", "branch"))
    count, who = _count(session), session.agent or session.author.partition(" <")[0]
    what = f"{count} commit{'' if count == 1 else 's'} on {clean_line(branch)}"
    lines = [f"{who}, {start} to {end}: {what}."]
    if summary := _text(session, "summary"):
        lines += ["", summary]
    if commits:
        lines += ["", *(f"- {commit.commit[:12]} {commit.title}" for commit in commits)]
    if session.files:
        more, less = (sum(_number(c, key) for c in commits) for key in ("insertions", "deletions"))
        files = ", ".join(file.path for file in session.files)
        lines += ["", f"Changed (+{more} -{less}): {files}"]
    title = f"Session: {what} by {who}"[:MAX_TITLE].strip()
    return replace(session, title=title, content="\n".join(lines))


def _count(session: Memory) -> int:
    return _number(session, "count") or len(commits_of(session))


def _number(memory: Memory, key: str) -> int:
    value = memory.details.get(key)
    return value if isinstance(value, int) else 0


def _text(memory: Memory, key: str) -> str:
    return str(memory.details.get(key, ""))


# --- under way -----------------------------------------------------------------------------------


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
        session = self._read(self._folder / session_id) or OpenSession(session_id, when, ())
        branches = dict.fromkeys((*session.branches, branch))
        self._folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join((f"{session.start:.0f}", *branches)) + "\n"
        (self._folder / session_id).write_text(text, encoding="utf-8")

    def close(self, session_id: str) -> None:
        (self._folder / session_id).unlink(missing_ok=True)

    def on(self, branch: str, when: float, gap: float) -> str:
        """The session that was open on a branch at a moment, the latest one of several; or ""."""
        fitting = [s for s in self._all(gap) if branch in s.branches and s.start <= when]
        return max(fitting, key=lambda session: session.start).id if fitting else ""

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

    def _read(self, path: Path) -> OpenSession | None:
        try:
            start, *branches = path.read_text(encoding="utf-8").splitlines()
            return (
                OpenSession(path.name, float(start), tuple(branches)) if is_id(path.name) else None
            )
        except (OSError, ValueError):
            return None
