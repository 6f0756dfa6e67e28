"""How the program is doing here: which verbs work, what was written, which model searches."""

import os
from typing import Any

from treering.actions.verbs import list_tools
from treering.actions.workspace import Workspace
from treering.git.log import below, count_commits
from treering.model.scope import HEADS
from treering.search import embedder_named


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
    can_write = os.access(workspace.repository.common_dir, os.W_OK)
    reason = "The repository cannot be written: only its reading operations work."
    available, missing = [], []
    for verb in list_tools():
        if can_write or (verb.tool and verb.tool.is_read_only):
            available.append(verb.name)
        else:
            missing.append({"tool": verb.name, "reason": reason})
    total = len(available) + len(missing)
    return {"available": sorted(available), "unavailable": missing, "total": total}


def _commits(workspace: Workspace) -> int:
    """How many changes were ever written: each is a commit."""
    folders = (vault.repository.common_dir for vault in workspace.store.vaults())
    return sum(count_commits(folder, [below(HEADS)]) for folder in folders)


def _semantic(workspace: Workspace) -> dict[str, Any]:
    setting = workspace.repository.config("treering.semantic") or "auto"
    embedder = embedder_named(setting)
    return {"setting": setting, "model": embedder.name if embedder else ""}
