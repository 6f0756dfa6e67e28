"""The worker a shim starts: it drains the journal, lets memories follow their branches, and ends.

It runs in the background of someone's git command, so it says nothing, never fails loudly, and
gives way: one at a time, in a session of its own, as nice as the shim made it. What goes wrong is
written to a log that stays small.
"""

import os
import time
import traceback
from contextlib import suppress
from pathlib import Path

from treering.actions.drain import Drained, drain
from treering.actions.gc import follow_branches
from treering.actions.workspace import Workspace
from treering.capture.journal import Journal
from treering.errors import Busy, TreeringError
from treering.git import lock
from treering.text.masking import mask

_LOG_BYTES = 64 * 1024
_PAUSE, _TURNS = 0.05, 200  # between looks at a lock that another worker holds, and how many
_MOVES_NOTHING = {"post-commit"}  # a commit alone lets no memory follow its branch


def work(path: str, event: str = "") -> None:
    """Do what there is to do for the repository at `path`. `event` is what just happened."""
    with suppress(OSError):
        os.setsid()  # a terminal that closes must not take a write with it
    try:
        workspace = Workspace.open(path, is_named=True, is_brief=True)
    except TreeringError:
        return  # not a repository any more
    os.chdir("/")  # nobody's folder is held back
    try:
        if "pre-push" in _work(workspace, {event} - {""}):
            _share(workspace)
    except TreeringError as error:
        log(workspace.store.folder, error.message)
    except Exception:  # the door: there is nobody to tell
        log(workspace.store.folder, traceback.format_exc())


def _work(workspace: Workspace, events: set[str]) -> set[str]:
    """Drain until nothing is left, as the only worker, and tell what had happened.

    It looks again after taking its pid away, since until then shims start no other, and once more
    after letting go. Whoever finds the lock taken takes its pid away, too, and leaves as soon as
    nothing is left to do: a shim may have relied on it.
    """
    folder = workspace.store.folder
    journal = Journal(folder)
    all_events, turns = set(events), _TURNS
    while True:
        try:
            with lock.hold(folder / "worker.lock", patience=0):
                events |= set(_drain(workspace).events)
                all_events |= events
                if events - _MOVES_NOTHING:
                    follow_branches(workspace)
                journal.take_pid_away()
                looked_at = set(journal.events())
                events = set(_drain(workspace).events)
                stuck = looked_at.intersection(journal.events())
                all_events |= events
        except Busy:
            journal.take_pid_away()
            turns -= 1
            if not turns or not journal.events():
                return all_events
            time.sleep(_PAUSE)
            continue
        if not set(journal.events()) - stuck and not events - _MOVES_NOTHING:
            return all_events


def _share(workspace: Workspace) -> None:
    """Memories go where the code went, if that is wanted. One at a time, and not as the worker: a
    remote may let us wait for minutes, in which commits are to be captured."""
    from treering.actions.sync import share_in_background  # only a push needs the network

    with suppress(Busy), lock.hold(workspace.store.folder / "share.lock", patience=0):
        share_in_background(workspace)


def _drain(workspace: Workspace) -> Drained:
    answer = drain(workspace)
    for error in answer.errors:
        log(workspace.store.folder, error)
    return answer


def log(folder: Path, text: str) -> None:
    """A line in the log. The older half goes when it has grown too large."""
    path = folder / "hook.log"
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {mask(text).strip()}\n"
    with suppress(OSError):
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.write_bytes(path.read_bytes()[-_LOG_BYTES // 2 :])
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line)
