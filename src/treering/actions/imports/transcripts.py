"""Sessions of agents from before there were hooks: transcripts of this repository, as sessions.

A few are written at a time, so that an interrupt keeps what was done. What was read is noted with
its size and time, in a file that may be lost: a session has one id however often it is read.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.actions.imports.records import Failure, Imported, Preview, Progress
from treering.actions.sessions import Account, change_of, tell_session, transcript_use
from treering.actions.workspace import Workspace, Writing
from treering.branches.trunk import trunk_of
from treering.capture.sessions import agent_session_id
from treering.capture.transcripts.reading import ENDINGS, read_transcript
from treering.capture.transcripts.transcript import Transcript
from treering.errors import Invalid
from treering.model.scope import is_utf8

#: What `--from` calls them -> how the agent is named in memories.
AGENTS = {"claude-code": "claude-code", "codex": "codex", "gemini": "gemini-cli"}
_BATCH_SIZE = 20
_MOST_FILES = 20_000
_DEEPEST = 6
_SHOWN = 20
_READ = "transcripts.json"


class AgentSession(NamedTuple):
    """A session that is to be written, and the file it was read from."""

    names: tuple[str, str]
    times: tuple[float, float]
    branch: str
    account: Account
    path: Path


def import_transcripts(
    workspace: Workspace,
    place: str,
    system: str,
    *,
    branch: str = "",
    private: bool = False,
    dry_run: bool = False,
    is_usual_place: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Bring in the sessions of this repository that an agent's client wrote down in a folder.

    Where the place is the client's usual one, only what says that it was done here is taken.
    """
    if transcript_use(workspace) == "off":
        raise Invalid(
            "Transcripts are not read here: treering.transcripts is off.",
            hint="`treering config transcripts private` lets them be read.",
        )
    paths = _list_files(Path(place).resolve())
    reading = _Reading(workspace, AGENTS[system], is_usual_place, private)
    known = _Known(workspace)
    imported, batch, previews = 0, list[AgentSession](), list[Preview]()
    for number, path in enumerate(paths, 1):
        session = None if known.has(path) else reading.read(path)
        batch += [session._replace(branch=branch or session.branch)] if session else []
        if len(batch) == _BATCH_SIZE or number == len(paths):
            titles = _write(workspace, batch, dry_run)
            previews += titles
            imported += len(titles)
            batch = []
            if not dry_run:
                known.keep()
        if progress:
            progress(number, len(paths))
    return Imported(
        imported,
        len(paths) - imported - len(reading.failures),
        tuple(reading.failures),
        source=system,
        dry_run=dry_run or None,
        preview=tuple(previews[:_SHOWN]) if dry_run else None,
    )


class _Reading:
    """Files read one after the other, and what was wrong with those somebody named."""

    def __init__(
        self, workspace: Workspace, agent: str, is_usual_place: bool, is_private: bool
    ) -> None:
        self._workspace = workspace
        self._agent = agent
        self._is_usual_place = is_usual_place
        self._is_private = is_private
        self._roots = [root.resolve() for root in workspace.repository.worktree_paths()]
        self.failures: list[Failure] = []

    def read(self, path: Path) -> AgentSession | None:
        """The session in a file, if it was one of this repository and something came of it."""
        transcript = read_transcript(path, self._agent)
        if transcript is None:
            self.failures.append(Failure(0, str(path), Invalid.code, "It cannot be read."))
            return None
        if not self._is_here(transcript):
            return None
        account = tell_session(self._workspace, transcript, is_private=self._is_private)
        if not account.text:
            return None
        now = self._workspace.clock()
        times = (min(transcript.start or now, now), min(transcript.end or now, now))
        name = transcript.session or path.stem
        return AgentSession((self._agent, name), times, self._branch(transcript), account, path)

    def _is_here(self, transcript: Transcript) -> bool:
        """Return whether a session was one of this repository, as far as it tells.

        One that names a folder which is gone, or none, may have been: it is taken if somebody named
        the place.
        """
        if transcript.project and self._hashes() & {transcript.project}:
            return True
        if not transcript.cwd:
            return not self._is_usual_place
        folder = Path(transcript.cwd)
        if any(folder.resolve().is_relative_to(root) for root in self._roots):
            return True
        return not self._is_usual_place and not folder.exists()

    def _hashes(self) -> set[str]:
        """Return how Gemini CLI names the folders of this repository."""
        return {hashlib.sha256(str(root).encode()).hexdigest() for root in self._roots}

    def _branch(self, transcript: Transcript) -> str:
        """The branch it was on; the trunk, where that is gone."""
        repository = self._workspace.repository
        name = transcript.branch
        is_here = is_utf8(name) and repository.tip_of(name) is not None if name else False
        return name if is_here else trunk_of(repository)


def _write(workspace: Workspace, batch: Sequence[AgentSession], dry_run: bool) -> list[Preview]:
    """Write some sessions, one commit a branch; those that were new or had more to tell."""
    titles: list[Preview] = []
    for branch in dict.fromkeys(session.branch for session in batch):
        # Of a session that was resumed there are several files: the one that ended last has it all.
        mine = {
            agent_session_id(*session.names): session
            for session in sorted(batch, key=lambda session: session.times[1])
            if session.branch == branch
        }

        def attempt(writing: Writing, mine: dict[str, AgentSession] = mine) -> list[str]:
            changes = [
                change
                for session in mine.values()
                if (
                    change := change_of(
                        workspace, writing, session.names, session.times, session.account
                    )
                )
            ]
            if changes and not dry_run:
                writing.commit("import", changes, allow_secret=True)  # masked where it was read
            return [change.memory.title for change in changes]

        new = workspace.write(branch, attempt, create=True)
        titles += [Preview("session", title, branch) for title in new]
    return titles


def _list_files(place: Path) -> list[Path]:
    """The transcripts at a place, oldest first; a link is not followed."""
    if not place.is_dir():
        if not place.exists():
            raise Invalid(f"There is no file {place}")
        return [place]
    paths = [path for path, _ in zip(_walk(place, _DEEPEST), range(_MOST_FILES), strict=False)]
    return sorted(paths, key=lambda path: (path.lstat().st_mtime, path))


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False) and depth:
            yield from _walk(Path(entry.path), depth - 1)
        elif entry.is_file(follow_symlinks=False) and entry.name.endswith(ENDINGS):
            yield Path(entry.path)


class _Known:
    """The files that were read, as they were then."""

    def __init__(self, workspace: Workspace) -> None:
        self._state = workspace.state
        kept = self._state.read_json(_READ)
        self._states: dict[str, object] = kept if isinstance(kept, dict) else {}

    def has(self, path: Path) -> bool:
        """Return whether a file was read as it is now; from now on it was."""
        info = path.lstat()
        state = [info.st_size, info.st_mtime_ns]
        is_known = self._states.get(str(path)) == state
        self._states[str(path)] = state
        return is_known

    def keep(self) -> None:
        self._state.write_json(_READ, self._states)
