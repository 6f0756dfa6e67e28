"""The journal: what git hooks wrote down and nobody has looked at yet.

A folder with one file an event, which the shims in `hooks/` make with nothing but their shell. A
file is complete when its last line is a single dot; one that never got there is read as far as it
goes once it is old. Whoever drains writes an event's effect first and unlinks its file then, so a
kill in between means that it is looked at again: every effect must bear that.

Most events also ask to look what became of branches, which is for the driver alone. Whoever else
takes their commits in leaves them here under another name.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from treering.errors import Invalid
from treering.git.files import check_folder, make_shared_folder, open_plain, read_plain

_END = ".\n"
_ABANDONED = 600.0  # seconds without the last line: its writer is dead
_MOST_BYTES = 8 * 1024 * 1024
_HEADS = "refs/heads/"
_BRANCH = f"ref: {_HEADS}"
_CAPTURED = ".captured"  # ends the name of an event that only waits for the driver


class JournalEvent(NamedTuple):
    """One thing git did: where HEAD was, and what the hook was told."""

    path: Path
    when: float
    name: str
    head: str = ""
    commit: str = ""
    input_lines: tuple[str, ...] = ()

    @property
    def branch(self) -> str:
        """The branch HEAD named; empty when it was detached."""
        return self.head.removeprefix(_BRANCH) if self.head.startswith(_BRANCH) else ""

    @property
    def is_for_driver(self) -> bool:
        """Return whether there is more to do than to take its commits in."""
        return self.name != "post-commit"

    @property
    def rewrites(self) -> dict[str, list[str]]:
        """Return what a post-rewrite tells: a new commit -> those it took the place of."""
        old_commits: dict[str, list[str]] = {}
        for line in self.input_lines if self.name == "post-rewrite" else ():
            old, _, rest = line.partition(" ")
            new = rest.partition(" ")[0]
            if _is_commit(old) and _is_commit(new) and old != new:
                old_commits.setdefault(new, []).append(old)
        return old_commits

    @property
    def pushes(self) -> dict[str, str]:
        """Return what a pre-push tells: the remote-tracking ref of each branch that is being
        pushed, and the commit it will have."""
        remote, *lines = (
            [*self.input_lines[:1], *self.input_lines[2:]] if self.name == "pre-push" else [""]
        )
        words = [line.split(" ") for line in lines]
        return {
            f"refs/remotes/{remote}/{there.removeprefix(_HEADS)}": commit
            for _, commit, there in (some[:3] for some in words if len(some) == 4)
            if remote and there.startswith(_HEADS) and _is_commit(commit) and commit.strip("0")
        }


class Journal:
    """The journal of one repository, in its folder `treering`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "journal"
        self._worker = folder / "worker"

    def make(self) -> None:
        """Begin one: hooks do nothing without the folder."""
        make_shared_folder(self._folder, levels=2)

    def pending(self) -> int:
        """Return how many events wait; all there is to pay where there are none."""
        try:
            self._check()
            with os.scandir(self._folder) as entries:
                return sum(1 for _ in entries)
        except OSError:
            return 0

    def _check(self) -> None:
        """ForeignFile where a link leads out of the repository: whatever is read is removed."""
        check_folder(self._folder, levels=2, is_own=False)

    def uncaptured(self) -> int:
        """Return how many events wait whose commits nobody has taken in."""
        return sum(1 for path in self._paths() if not path.name.endswith(_CAPTURED))

    def waiting_seconds(self) -> float:
        """For how many seconds the oldest event has waited; 0 where there is none."""
        try:
            moments = [path.lstat().st_mtime for path in self._paths()]
        except OSError:
            return 0.0
        return max((time.time() - moment for moment in moments), default=0.0)

    def worker(self) -> str:
        """The program shims start, as it was written down for them; empty: the one on the path."""
        try:
            return read_plain(self._worker).decode().partition("\n")[0]
        except (OSError, UnicodeDecodeError):
            return ""

    def events(self) -> list[JournalEvent]:
        """The events whose commits can be taken in, in the order they happened."""
        return _read_all(path for path in self._paths() if not path.name.endswith(_CAPTURED))

    def captured(self) -> list[JournalEvent]:
        """The events that wait for the driver, their commits taken in."""
        return _read_all(path for path in self._paths() if path.name.endswith(_CAPTURED))

    def _paths(self) -> list[Path]:
        try:
            self._check()
            with os.scandir(self._folder) as entries:
                return [Path(e.path) for e in entries if e.is_file(follow_symlinks=False)]
        except OSError:
            return []

    def finish(self, events: Iterable[JournalEvent]) -> None:
        """Their commits are taken in: they may go, or wait for the driver."""
        for event in events:
            self._check()
            if not event.is_for_driver:
                event.path.unlink(missing_ok=True)  # another drainer may have been here
                continue
            # The name is free for a later event from now on, so it says when this one happened.
            name = f"{event.path.name}.{event.when:.9f}{_CAPTURED}"
            with suppress(FileNotFoundError):
                event.path.rename(event.path.with_name(name))

    def remove(self, events: Iterable[JournalEvent]) -> None:
        """All they asked for is done."""
        for event in events:
            self._check()
            event.path.unlink(missing_ok=True)


def _read_all(paths: Iterable[Path]) -> list[JournalEvent]:
    found = [event for path in paths if (event := _read(path)) is not None]
    return sorted(found, key=lambda event: (event.when, event.path))


def _is_commit(text: str) -> bool:
    return len(text) == 40 and not text.strip("0123456789abcdef")


def _read(path: Path) -> JournalEvent | None:
    """The event in a file; None while it is being written."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            moment = os.fstat(file.fileno()).st_mtime_ns / 1e9
            text = file.read(_MOST_BYTES).decode(errors="surrogateescape")
    except OSError:
        return None
    if not text.endswith("\n" + _END) and abs(time.time() - moment) < _ABANDONED:
        return None
    lines = text.removesuffix(_END).split("\n")[:-1]
    name, head, commit = (*lines[:3], "", "", "")[:3]
    return JournalEvent(
        path, moment, name, head, commit if _is_commit(commit) else "", tuple(lines[3:])
    )


# --- the shims that write it ----------------------------------------------------------------------


#: The hooks that have one.
HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite", "pre-push")


def shims_folder() -> Path:
    """Return where the shims are: inside the installed package, or at the top of a source tree."""
    package = Path(__file__).parents[1]
    shims = package / "hooks" / "shims"
    return shims if shims.is_dir() else package.parents[1] / "hooks"


def shim(name: str) -> bytes:
    """The text of one hook; it is the same for all of them and works unchanged everywhere."""
    if name not in HOOKS:
        raise Invalid(f"There is no shim for {name!r}.", hint=f"There are: {', '.join(HOOKS)}.")
    return (shims_folder() / name).read_bytes()
