"""The journal: what git hooks wrote down and nobody has looked at yet.

A folder with one file an event, which the shims in `hooks/` make with nothing but their shell. A
file is complete when its last line is a single dot; one that never got there is read as far as it
goes once it is old. Whoever drains writes an event's effect first and unlinks its file then, so a
kill in between means that it is looked at again: every effect must bear that.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_END = ".\n"
_ABANDONED = 600.0  # seconds without the last line: its writer is dead
_OVERDUE = 60.0  # seconds after which no living worker can be the reason that a file is there
_MOST_BYTES = 8 * 1024 * 1024
_BRANCH = "ref: refs/heads/"


class JournalEvent(NamedTuple):
    """One thing git did: where HEAD was, and what the hook was told."""

    path: Path
    when: float
    name: str
    head: str = ""
    commit: str = ""
    told: tuple[str, ...] = ()

    @property
    def branch(self) -> str:
        """The branch HEAD named; empty when it was detached."""
        return self.head.removeprefix(_BRANCH) if self.head.startswith(_BRANCH) else ""

    @property
    def rewrites(self) -> dict[str, list[str]]:
        """What a post-rewrite tells: a new commit -> those it took the place of."""
        old_commits: dict[str, list[str]] = {}
        for line in self.told if self.name == "post-rewrite" else ():
            old, _, rest = line.partition(" ")
            new = rest.partition(" ")[0]
            if _is_commit(old) and _is_commit(new) and old != new:
                old_commits.setdefault(new, []).append(old)
        return old_commits


class Journal:
    """The journal of one repository, in its folder `treering`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "journal"
        self._pid = folder / "worker.pid"
        self._worker = folder / "worker"

    def make(self) -> None:
        """Begin one: hooks do nothing without the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def pending(self) -> int:
        """How many events wait; all there is to pay where there are none."""
        try:
            with os.scandir(self._folder) as entries:
                return sum(1 for _ in entries)
        except OSError:
            return 0

    def waiting_seconds(self) -> float:
        """For how many seconds the oldest event has waited; 0 where there is none."""
        try:
            moments = [path.stat().st_mtime for path in self._folder.iterdir()]
        except OSError:
            return 0.0
        return max((time.time() - moment for moment in moments), default=0.0)

    def worker(self) -> str:
        """The program shims start, as it was written down for them; empty: the one on the path."""
        try:
            return self._worker.read_text(encoding="utf-8").partition("\n")[0]
        except (OSError, UnicodeDecodeError):
            return ""

    def events(self) -> list[JournalEvent]:
        """The events that can be looked at, in the order they happened."""
        try:
            with os.scandir(self._folder) as entries:
                paths = [Path(e.path) for e in entries if e.is_file(follow_symlinks=False)]
        except OSError:
            return []
        events = [event for path in paths if (event := _read(path)) is not None]
        return sorted(events, key=lambda event: (event.when, event.path))

    def remove(self, events: Iterable[JournalEvent]) -> None:
        """Their effect is on disk: they may go."""
        for event in events:
            event.path.unlink(missing_ok=True)  # another drainer may have been here

    def expect_no_worker(self, events: Iterable[JournalEvent]) -> None:
        """Where an event has waited for long, the pid that keeps shims from starting a worker is
        that of some other process: take it away."""
        if any(time.time() - event.when > _OVERDUE for event in events):
            self.take_pid_away()

    def take_pid_away(self) -> None:
        """From now on a shim starts a worker again."""
        self._pid.unlink(missing_ok=True)


def _is_commit(text: str) -> bool:
    return len(text) == 40 and not text.strip("0123456789abcdef")


def _read(path: Path) -> JournalEvent | None:
    """The event in a file; None while it is being written."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            moment = os.fstat(file.fileno()).st_mtime_ns / 1e9
            text = file.read(_MOST_BYTES)
    except OSError:
        return None
    if not text.endswith("\n" + _END) and abs(time.time() - moment) < _ABANDONED:
        return None
    lines = text.removesuffix(_END).split("\n")[:-1]
    name, head, commit = (*lines[:3], "", "", "")[:3]
    return JournalEvent(
        path, moment, name, head, commit if _is_commit(commit) else "", tuple(lines[3:])
    )
