"""How the store is doing here: index, hooks, journal and sync; which verbs work, what was written,
which model searches."""

import os
from typing import NotRequired, TypedDict

from treering.actions.searcher import read_model_setting
from treering.actions.setup.hook_files import list_installed
from treering.actions.workspace import Workspace
from treering.branches.sharing import SharingRules, read_pushed
from treering.branches.survey import local_scopes, seen_scopes
from treering.branches.undo import list_before, measure
from treering.capture.journal import Journal
from treering.git import log, refs
from treering.model.choices import READING_TOOLS, WRITING_TOOLS
from treering.model.dates import format_moment
from treering.model.scope import HEADS, REMOTES, VIEWS, Scope
from treering.store.absence import list_kept
from treering.store.fetched import list_fetched
from treering.sync.refspec import find_sharing_remote


class IndexState(TypedDict):
    documents: int
    fresh: bool


class HookState(TypedDict):
    installed: list[str]


class JournalState(TypedDict):
    pending: int


class KeptFiles(TypedDict):
    """Files that others left out of a branch and were put back."""

    branch: str
    files: int
    commit: str
    author: str


class UndoState(TypedDict):
    """The way back from a sync; `many` where it changed much of what was there."""

    branch: str
    ref: str
    when: str
    changed: int
    hidden: int
    many: bool


class LocalScope(TypedDict):
    """Memories that stay here."""

    branch: str
    reason: str


class SyncState(TypedDict):
    remote: str
    ahead: int
    behind: int
    kept: NotRequired[list[KeptFiles]]
    undo: NotRequired[list[UndoState]]
    #: What is not shared, and why, as far as is known without asking the remote.
    local: NotRequired[list[LocalScope]]


class StoreState(TypedDict):
    index: IndexState
    hooks: HookState
    journal: JournalState
    sync: SyncState


class ToolMissing(TypedDict):
    tool: str
    reason: str


class ToolState(TypedDict):
    available: list[str]
    unavailable: list[ToolMissing]
    total: int


class EventCount(TypedDict):
    total: int


class SemanticState(TypedDict):
    setting: str
    model: str


class StatusHealth(StoreState):
    tools: ToolState
    events: EventCount
    semantic: SemanticState


def health(workspace: Workspace) -> StatusHealth:
    """All of it."""
    return {
        **store_state(workspace),
        "tools": _tools(workspace),
        "events": {"total": _commits(workspace)},
        "semantic": _semantic(workspace),
    }


def store_state(workspace: Workspace) -> StoreState:
    """The part that is in the summary too."""
    return {
        "index": _index(workspace),
        "hooks": {"installed": list(list_installed(workspace.repository))},
        "journal": {"pending": Journal(workspace.store.folder).pending()},
        "sync": _sync(workspace),
    }


class ShareState(TypedDict):
    """What waits: to be shared, and to be taken in."""

    journal: JournalState
    sync: SyncState


def share_state(workspace: Workspace) -> ShareState:
    """What has not left this clone yet, and what hooks noted that nobody has looked at."""
    return {
        "journal": {"pending": Journal(workspace.store.folder).pending()},
        "sync": _sync(workspace),
    }


def _index(workspace: Workspace) -> IndexState:
    """How much is indexed, and whether that is all there is."""
    indexed = workspace.searcher.index.list_indexed()
    there = workspace.view_of_all().ranks_of_all()
    return {"documents": len(indexed), "fresh": all(blob in indexed for blob in there)}


def _sync(workspace: Workspace) -> SyncState:
    """How many memory commits each side has that the other has not, as of the last fetch.

    What is in any scope there counts as there: a promoted branch has nothing left to push. Others'
    branches are read where they are, so only what is shared can be behind.
    """
    repository = workspace.repository
    remote = find_sharing_remote(repository)
    if not remote:
        return {"remote": "", "ahead": 0, "behind": 0}
    theirs, mine, views = log.below(f"{REMOTES}{remote}/"), log.below(HEADS), log.below(VIEWS)
    vault = workspace.store.shared
    rules = SharingRules(repository, vault, remote, repository.remote_branches(remote))
    going, local = [], list[LocalScope]()
    for scope in local_scopes(vault):
        if (head := vault.head(scope)) and head != read_pushed(vault, remote, scope):
            reason = rules.find(scope).reason
            going += [] if reason else [head]
            local += [{"branch": scope.branch, "reason": reason}] if reason else []
    folder = repository.common_dir
    ours = {name.removeprefix(HEADS) for name in refs.list_refs(folder, HEADS)}
    ours |= {name.removeprefix(VIEWS) for name in refs.list_refs(folder, VIEWS)}
    shared = [head.tip for head in list_fetched(repository, remote) if head.component in ours]
    state: SyncState = {
        "remote": remote,
        "ahead": log.count_commits(folder, going, without=[theirs]) if going else 0,
        "behind": log.count_commits(folder, shared, without=[mine, views]),
    }
    if kept := _list_kept(workspace):
        state["kept"] = kept
    if undo := _undo(workspace):
        state["undo"] = undo
    if local:
        state["local"] = local
    return state


def _undo(workspace: Workspace) -> list[UndoState]:
    """The newest way back from a sync, for each branch whose memories are still here."""
    vault = workspace.store.shared
    ways: dict[Scope, UndoState] = {}
    earlier = list(list_before(vault))
    scopes = seen_scopes(vault) if earlier else {}
    for before in earlier:
        tip = scopes.get(before.scope)
        if tip and before.scope not in ways:
            effect = measure(vault, before.tip, tip)
            ways[before.scope] = {
                "branch": before.scope.branch,
                "ref": before.ref,
                "when": format_moment(before.when),
                "changed": effect.changed,
                "hidden": effect.hidden,
                "many": effect.is_large,
            }
    return list(ways.values())


def _list_kept(workspace: Workspace) -> list[KeptFiles]:
    """What others left out of our scopes and was put back, as far as it is news."""
    vault = workspace.store.shared
    return [
        {"branch": kept.branch, "files": kept.files, "commit": kept.commit, "author": kept.author}
        for kept in list_kept(vault, list(seen_scopes(vault).values()))
    ]


def _tools(workspace: Workspace) -> ToolState:
    """Every verb, and why one of them would not work; where nothing can be written, reading does.

    Some of the writing verbs can also read: they are listed with what they still do.
    """
    can_write = os.access(workspace.repository.common_dir, os.W_OK)
    reason = "The repository cannot be written: only its reading operations work."
    available = sorted((*READING_TOOLS, *WRITING_TOOLS) if can_write else READING_TOOLS)
    missing: list[ToolMissing] = [
        {"tool": name, "reason": reason} for name in WRITING_TOOLS if not can_write
    ]
    return {
        "available": available, "unavailable": missing, "total": len(available) + len(missing)
    }  # fmt: skip


def _commits(workspace: Workspace) -> int:
    """How many changes were ever written: each is a commit."""
    folders = (vault.repository.common_dir for vault in workspace.store.vaults())
    return sum(log.count_commits(folder, [log.below(HEADS)]) for folder in folders)


def _semantic(workspace: Workspace) -> SemanticState:
    setting = read_model_setting(workspace.repository) or "auto"
    embedder = workspace.searcher.learning.model.best
    return {"setting": setting, "model": embedder.name if embedder else ""}
