"""Draining the journal: the commits hooks noted are taken in, by the driver or before a read."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.capture.journal import Journal, JournalEvent
from treering.errors import TreeringError
from treering.git import lock

_BRIEFLY = 0.2  # seconds a reader waits for what is pending
_BATCH_SIZE = 500  # events at once
_FETCHED = "fetched"  # when each worktree last fetched, as far as that was looked at
_FETCH_SECONDS, _MOST_WORKTREES = 2.0, 50
_FEW, _SOME = 8, 50  # for a reader, who must be able to stop; many at once are cheaper by far


class Drained(NamedTuple):
    """The result of a drain: commits captured, events that still wait, and events done."""

    captured: int
    pending: int
    events: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def drain_briefly(workspace: Workspace) -> int:
    """Before a read: capture what waits, if nobody is writing and it is soon done.

    What became of branches is not for a reader to see to: the events that ask for it stay, and a
    driver is started where none runs. Returns how many events were not looked at. Costs one look at
    a folder where there are none.
    """
    journal = Journal(workspace.store.folder)
    _take_in_fetched(workspace)
    if not journal.pending():
        return 0
    if os.access(workspace.repository.common_dir, os.W_OK):
        with suppress(Exception):  # whatever it is, it is no reason not to answer: the worker logs
            capture(workspace, seconds=_BRIEFLY)
        start_driver(workspace, lambda event: event.is_for_driver)
    return journal.uncaptured()


def _take_in_fetched(workspace: Workspace) -> None:
    """See memories that any `git fetch` or `git pull` brought since the last look: no hook tells of
    a fetch, but each one writes FETCH_HEAD. Costs one look at that file where there was none."""
    path = workspace.repository.git_dir / "FETCH_HEAD"
    try:
        when = os.stat(path).st_mtime
    except OSError:
        return  # nothing was ever fetched
    noted = workspace.state.read_json(_FETCHED)
    known = noted if isinstance(noted, dict) else {}
    if known.get(str(path)) == when or not os.access(workspace.repository.common_dir, os.W_OK):
        return
    with suppress(TreeringError):  # what cannot be taken in now is left to a sync, which says why
        from treering.actions.sync import take_in_fetched  # few reads follow a fetch

        take_in_fetched(workspace)
    if abs(time.time() - when) > _FETCH_SECONDS:  # else git may be at it still
        recent = dict(list(known.items())[-_MOST_WORKTREES:])
        workspace.state.write_json(_FETCHED, recent | {str(path): when})


def start_driver(workspace: Workspace, is_reason: Callable[[JournalEvent], bool]) -> None:
    """Let a process work the journal off if an event asks for it and nobody is at it.

    So is any that came while we looked whether somebody is: its shim may have found the lock taken
    by this very look, and left.
    """
    journal = Journal(workspace.store.folder)
    before = set(journal.events())
    if lock.is_held(workspace.store.driver_lock_path):
        return
    events = (*journal.events(), *journal.captured())
    reasons = [event for event in events if event not in before or is_reason(event)]
    workspace.start_driver({event.path.name for event in reasons})


def capture(workspace: Workspace, *, seconds: float | None = None) -> Drained:
    """Take in the commits hooks noted; with `seconds` as many as can be done by then, without
    waiting. Events that ask for more than that stay, for the driver."""
    from treering.actions.record_events import (
        EventRecorder,  # reads with nothing to drain need not pay
    )

    journal = Journal(workspace.store.folder)
    events = journal.events()
    until = None if seconds is None else time.monotonic() + seconds
    capturing = EventRecorder(workspace, journal, until)
    size = _BATCH_SIZE if until is None else _FEW if len(events) < _SOME else _SOME
    for at in range(0, len(events), size):
        if until is not None and time.monotonic() >= until:
            break
        capturing.take(events[at : at + size])
    names = tuple(event.name for event in capturing.done)
    return Drained(capturing.captured, journal.pending(), names, tuple(capturing.errors))
