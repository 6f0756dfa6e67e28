"""Sessions: commits that belong together because one author made them in one go on one branch.

A session's id comes from its first commit, or from the agent's own session id, and everything else
of it from its commits and from what its transcript tells. So it is the same memory whenever and
wherever it is worked out. One that has nothing to add to a single commit is not kept.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treering.model.dates import format_moment, instant
from treering.model.memory import FileRef, Link, Memory, derive_id, is_id, title_of
from treering.model.provenance import TOLERANCE
from treering.store.state import StateFolder
from treering.text.hygiene import clean_line
from treering.text.masking import mask

_MOST_NAMED = 200
_MOST_FILES = 50
_LONGEST_SUMMARY = 8000
_LONGEST_ASKED = 100


def session_id(first: str) -> str:
    """The id of the session that begins with a commit."""
    return derive_id("session", first)


def agent_session_id(agent: str, session: str) -> str:
    return derive_id("session", f"{agent}\0{session}")


def fits(session: Memory, commit: Memory, branch: str, gap: float) -> bool:
    """Return whether a commit carries a session on: same author, same branch, no long pause.

    An agent's session is open or over, whoever commits next.
    """
    is_here = _text(session, "branch") == mask(branch)
    if session.agent or session.author != commit.author or not is_here:
        return False
    return abs(instant(commit.created) - instant(_text(session, "end"))) <= gap


def begin(first: Memory, branch: str) -> Memory:
    """The session that begins with a commit, which it does not yet hold."""
    moment, author = first.created, first.author
    return _empty(session_id(first.commit), branch, moment, source="hook", author=author)


def agent_session(agent: str, session: str, branch: str, author: str, when: float) -> Memory:
    """The session of an agent, by the id its client gave it."""
    memory_id = agent_session_id(agent, session)
    empty = _empty(memory_id, branch, format_moment(when), source="agent", author=author)
    return empty._replace(agent=mask(agent), session=mask(session))


def _empty(memory_id: str, branch: str, moment: str, *, source: str, author: str) -> Memory:
    return Memory(
        id=memory_id,
        type="session",
        title="-",
        content="-",
        created=moment,
        modified=moment,
        confidence=1.0,
        source=source,
        author=author,
        details={"branch": mask(branch), "start": moment, "end": moment},
    )


def lasting_until(session: Memory, when: float) -> Memory:
    """The session as of a later moment."""
    last = instant(_text(session, "end"))
    end = format_moment(max(last, when) if last <= when + TOLERANCE else when)
    return session.with_details(end=end)._replace(modified=end)


def tell(session: Memory, summary: str, asked: str = "", files: Sequence[str] = ()) -> Memory:
    """The session with what was asked in it, and what was done and came out."""
    details = dict(session.details)
    if words := mask(summary).strip():
        details["summary"] = words[:_LONGEST_SUMMARY].rstrip()
    if title := clean_line(mask(asked)).strip():
        details["asked"] = _shorten(title)
    known = {file.path for file in session.files}
    more = tuple(FileRef(path) for path in dict.fromkeys(files) if path not in known)
    return session._replace(details=details, files=(*session.files, *more)[-_MOST_FILES:])


def is_worth_reading(session: Memory) -> bool:
    """Return whether it says more than a commit does by itself, or than that nothing happened."""
    return _count(session) > 1 or bool(_text(session, "summary"))


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
    return session._replace(created=start, modified=end, files=files, details=details)


def join(commit: Memory, session: Memory) -> Memory:
    """A commit's memory as part of a session, unless somebody took it out of that."""
    if commit.has_link("part_of", session.id) or session.id in commit.unlinked:
        return commit
    joined = commit.link(Link("part_of", session.id, 1.0, "system"))
    return joined._replace(session=session.id)


def without(session: Memory, gone: str) -> Memory:
    """The session without a commit that was rewritten."""
    names = commits_of(session)
    if gone not in names:
        return session
    rest = [oid for oid in names if oid != gone]
    details = dict(session.details) | {"commits": rest, "count": _count(session) - 1}
    return session._replace(details=details)


def describe(session: Memory, commits: Sequence[Memory]) -> Memory:
    """The session with title and text made from what it holds; `commits` are its memories."""
    start, end, branch = (_text(session, key) for key in ("start", "end", "branch"))
    count, who = _count(session), session.agent or session.author.partition(" <")[0]
    number = f"{count} commit{'' if count == 1 else 's'} " if count else ""
    what = f"{number}on {clean_line(branch)}"
    lines = [f"{who}, {start} to {end}: {what}."]
    if summary := _text(session, "summary"):
        lines += ["", summary]
    if commits:
        lines += ["", *(f"- {commit.commit[:12]} {commit.title}" for commit in commits)]
    if commits and session.files:
        more, less = (sum(_number(c, key) for c in commits) for key in ("insertions", "deletions"))
        files = ", ".join(file.path for file in session.files)
        lines += ["", f"Changed (+{more} -{less}): {files}"]
    title = _text(session, "asked") or f"{what} by {who}"
    return session._replace(title=title_of(f"Session: {title}"), content="\n".join(lines))


def _shorten(title: str) -> str:
    """The first words of what was asked, for a title."""
    if len(title) <= _LONGEST_ASKED:
        return title
    cut = title[:_LONGEST_ASKED]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,.;:") + "…"


def _count(session: Memory) -> int:
    return _number(session, "count") or len(commits_of(session))


def _number(memory: Memory, key: str) -> int:
    value = memory.details.get(key)
    return value if isinstance(value, int) else 0


def _text(memory: Memory, key: str) -> str:
    return str(memory.details.get(key, ""))


# --- those under way ------------------------------------------------------------------------------


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
