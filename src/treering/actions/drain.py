"""Draining the journal: what hooks noted is captured, by a worker, by hand, or before a read."""

import os
import time
from contextlib import suppress
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.capture.journal import Journal

_BRIEFLY = 0.2  # seconds a reader waits for what is pending
_MANY = 500  # events at once
_FEW, _SOME = 8, 50  # for a reader, who must be able to stop; many at once are cheaper by far


class Drained(NamedTuple):
    """How many commits were captured, how many events wait still, and which ones are done."""

    captured: int
    pending: int
    events: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def drain_briefly(workspace: Workspace) -> int:
    """Before a read: capture what waits, if nobody is writing and it is soon done.

    Returns how many events wait still. Costs one look at a folder where there are none.
    """
    journal = Journal(workspace.store.folder)
    if pending := journal.pending():
        if not os.access(workspace.repository.common_dir, os.W_OK):
            return pending
        with suppress(Exception):  # whatever it is, it is no reason not to answer: the worker logs
            drain(workspace, seconds=_BRIEFLY)
        pending = journal.pending()
    return pending


def drain(workspace: Workspace, *, seconds: float | None = None) -> Drained:
    """Capture what hooks noted; with `seconds` as much as can be done by then, without waiting.

    The branch plan is not run here: reads drain, too, and reads move no branch's memories.
    """
    from treering.actions.record_events import (
        EventRecorder,  # reads with nothing to drain need not pay
    )

    journal = Journal(workspace.store.folder)
    events = journal.events()
    journal.expect_no_worker(events)
    until = None if seconds is None else time.monotonic() + seconds
    capturing = EventRecorder(workspace, journal, until)
    size = _MANY if until is None else _FEW if len(events) < _SOME else _SOME
    for at in range(0, len(events), size):
        if until is not None and time.monotonic() >= until:
            break
        capturing.take(events[at : at + size])
    names = tuple(event.name for event in capturing.done)
    return Drained(capturing.captured, journal.pending(), names, tuple(capturing.errors))
