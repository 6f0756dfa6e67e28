"""What hooks noted, and whether there is anyone to look at it."""

import os
from collections.abc import Iterator

from treering.actions.doctor.finding import Finding
from treering.actions.setup.hook_files import list_lost
from treering.actions.workspace import Workspace
from treering.capture.journal import Journal

_LONG_PENDING = 3600.0


def hooks(workspace: Workspace) -> Iterator[Finding]:
    journal = Journal(workspace.store.folder)
    if (waited := journal.waiting_seconds()) > _LONG_PENDING:
        yield Finding(
            "journal-pending",
            "warning",
            f"{journal.pending()} hook events wait, the oldest for {waited / 3600:.0f} hours.",
            "treering hook drain",
        )
    if names := list_lost(workspace.repository):
        yield Finding(
            "hooks-lost",
            "warning",
            f"git no longer runs our hooks {', '.join(names)}: another tool wrote its own.",
            "treering init",
        )
    if (worker := journal.worker()) and not os.access(worker, os.X_OK):
        yield Finding(
            "worker-gone",
            "warning",
            f"The program that hooks start is not there any more: {worker}",
            "treering init",
        )
