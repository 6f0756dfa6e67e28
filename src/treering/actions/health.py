"""How the program is doing here: which verbs work, what was written, which model searches."""

import os
from typing import Any

from treering.actions.workspace import Workspace
from treering.git import process
from treering.index import embedder_named
from treering.model.scope import HEADS

_READING = ("recall", "read", "graph", "context", "status")
_WRITING = (
    "remember", "revise", "forget", "link", "entities", "checkpoint", "prompts", "maintain",
)  # fmt: skip


def vitals(workspace: Workspace) -> dict[str, Any]:
    """What `status(view=health)` says beyond the summary."""
    return {
        "tools": _tools(workspace),
        "events": {"total": _commits(workspace)},
        "semantic": _semantic(workspace),
    }


def _tools(workspace: Workspace) -> dict[str, Any]:
    """Every verb, and why one of them would not work; where nothing can be written, reading does.

    Some of the writing verbs can also read: they are listed with what they still do.
    """
    if os.access(workspace.repository.common_dir, os.W_OK):
        available, missing = [*_READING, *_WRITING], []
    else:
        available = list(_READING)
        reason = "The repository cannot be written: only its reading operations work."
        missing = [{"tool": name, "reason": reason} for name in _WRITING]
    total = len(_READING) + len(_WRITING)
    return {"available": sorted(available), "unavailable": missing, "total": total}


def _commits(workspace: Workspace) -> int:
    """How many changes were ever written: each is a commit."""
    found = 0
    for vault in workspace.store.vaults():
        text = process.run(
            vault.repository.common_dir, "rev-list", "--count", f"--glob={HEADS}*", "--"
        )
        found += int(text.strip() or 0)
    return found


def _semantic(workspace: Workspace) -> dict[str, Any]:
    setting = workspace.repository.config("treering.semantic") or "auto"
    embedder = embedder_named(setting)
    return {"setting": setting, "model": embedder.name if embedder else ""}
