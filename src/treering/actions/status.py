"""status: what is remembered here, counted in several ways, and how the store is doing."""

from collections import Counter
from typing import Any

from treering.actions import outputs
from treering.actions.doctor.lost import count_vanished
from treering.actions.health import vitals
from treering.actions.overview import files, recent_topics, tags, topics, types
from treering.actions.setup.hook_files import list_installed
from treering.actions.workspace import Position, Workspace
from treering.branches.remote_answers import read_answers
from treering.branches.survey import local_scopes
from treering.branches.undo import list_before, measure
from treering.capture.journal import Journal
from treering.errors import StoreDamaged
from treering.git import log, refs
from treering.model.choices import STATUS_VIEWS
from treering.model.dates import format_moment
from treering.model.document import FORMAT
from treering.model.scope import HEADS, REMOTES, Scope
from treering.model.taxonomy import one_of
from treering.search import Entry
from treering.store.absence import list_kept
from treering.sync.refspec import find_sharing_remote

_SIDES = {"types": types, "topics": topics, "tags": tags, "files": files}


def status(workspace: Workspace, *, view: str = "summary", branch: str = "") -> dict[str, Any]:
    """One of the views; the summary is the contract's whole answer."""
    name = one_of(view or "summary", STATUS_VIEWS, "view")
    position = workspace.position(branch)
    view_here = workspace.view_from(position)
    if name == "branches":
        return {"branches": branches(workspace)}
    if name == "health":
        return _health(workspace) | vitals(workspace)
    if name == "review":
        return _queue(workspace, branch)
    if name == "outputs":
        return {"outputs": outputs.list_outputs(workspace)}
    search_view = workspace.searcher.search_view(view_here)
    memories = list(search_view.entries())
    alive = [memory for memory in memories if memory.status != "deleted"]
    if name in _SIDES:
        return _SIDES[name](alive)
    return _summary(workspace, position, memories, len(search_view.ranks) - len(memories))


def _summary(
    workspace: Workspace, position: Position, memories: list[Entry], unreadable: int
) -> dict[str, Any]:
    repository, head = workspace.repository, workspace.repository.head()
    alive = [memory for memory in memories if memory.status != "deleted"]
    links = Counter(relation for memory in alive for relation, *_ in memory.links)
    return {
        "repository": {
            "branch": position.scope.branch,
            "trunk": position.trunk,
            "detached": head.is_detached,
            "bare": repository.is_bare,
            "worktrees": repository.worktrees(),
        },
        "format": FORMAT,
        "memories": {
            "visible": len(alive),
            "total": len(workspace.view_of_all().ranks_of_all()),
            "unreadable": unreadable,
            **({"vanished": count} if (count := count_vanished(workspace)) else {}),
            "by_type": _sort(Counter(memory.type for memory in alive)),
            "by_status": _sort(Counter(memory.status for memory in memories)),
        },
        "links": {"total": links.total(), "by_relation": _sort(links)},
        "top_tags": tags(alive)["tags"][:10],
        "recent_topics": recent_topics(alive),
        "branches": branches(workspace),
        "remotes": remotes(workspace),
        **_health(workspace),
    }


def _queue(workspace: Workspace, branch: str) -> dict[str, Any]:
    """What is doubtful, as `treering review` lists it."""
    from treering.actions.answers import jsonable
    from treering.actions.tidying.review import review

    queue: dict[str, Any] = jsonable(review(workspace, branch=branch))
    return {"review": queue.pop("items"), **queue}


def remotes(workspace: Workspace) -> list[dict[str, Any]]:
    """Every remote, and whether it has memories, as far as it was asked: no network here."""
    repository = workspace.repository
    answers = read_answers(repository)
    found: list[dict[str, Any]] = []
    for name in repository.remotes():
        answer = answers.get(name)
        has_memories: bool | str = answer.has_memories if answer else "unknown"
        if refs.list_refs(repository.common_dir, f"{REMOTES}{name}/heads/"):
            has_memories = True
        found.append({"name": name, "memories": has_memories})
    return found


def _sort(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())


def branches(workspace: Workspace) -> list[dict[str, Any]]:
    """Every scope with its memories, and whether its branch is still there."""
    counts: Counter[str] = Counter()
    states: dict[str, str] = {}
    here = workspace.repository.branches()
    unborn = workspace.repository.head().branch
    for vault in workspace.store.vaults():
        for scope, tip in vault.scopes().items():
            alive = scope.branch in here or scope.branch == unborn
            states[scope.branch] = "detached" if scope.is_detached else "live" if alive else "gone"
            try:
                counts[scope.branch] += len(vault.snapshot_at(scope, tip).listing())
            except StoreDamaged:
                states[scope.branch] = "damaged"
    return [
        {"branch": branch, "memories": counts[branch], "state": state}
        for branch, state in sorted(states.items())
    ]


def _health(workspace: Workspace) -> dict[str, Any]:
    return {
        "index": _index(workspace),
        "hooks": {"installed": list(list_installed(workspace.repository))},
        "journal": {"pending": Journal(workspace.store.folder).pending()},
        "sync": _sync(workspace),
    }


def _index(workspace: Workspace) -> dict[str, Any]:
    """How much is indexed, and whether that is all there is."""
    index = workspace.searcher.index
    entries = index.entries()
    there = workspace.view_of_all().ranks_of_all()
    return {"documents": index.documents(), "fresh": all(blob in entries for blob in there)}


def _sync(workspace: Workspace) -> dict[str, Any]:
    """How many memory commits each side has that the other has not, as of the last fetch.

    What is in any scope there counts as there: a promoted branch has nothing left to push. Others'
    branches are read where they are, so only what is shared can be behind.
    """
    repository = workspace.repository
    remote = find_sharing_remote(repository)
    if not remote:
        return {"remote": "", "ahead": 0, "behind": 0}
    theirs, mine = log.below(f"{REMOTES}{remote}/heads/"), log.below(HEADS)
    folder = repository.common_dir
    shared = [
        ref
        for name in refs.list_refs(folder, HEADS)
        if refs.read(
            repository.handle, ref := f"{REMOTES}{remote}/heads/{name.removeprefix(HEADS)}"
        )
    ]
    news = {"kept": _list_kept(workspace), "undo": _undo(workspace)}
    return {
        "remote": remote,
        "ahead": log.count_commits(folder, [mine], without=[theirs]),
        "behind": log.count_commits(folder, shared, without=[mine]),
        **{name: value for name, value in news.items() if value},
    }


def _undo(workspace: Workspace) -> list[dict[str, Any]]:
    """The newest way back from a sync, for each branch whose memories are still here."""
    vault = workspace.store.shared
    ways: dict[Scope, dict[str, Any]] = {}
    for before in list_before(vault):
        tip = refs.read(workspace.repository.handle, before.scope.ref)
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


def _list_kept(workspace: Workspace) -> list[dict[str, Any]]:
    """What others left out of our scopes and was put back, as far as it is news."""
    vault = workspace.store.shared
    return [loss._asdict() for loss in list_kept(vault, list(local_scopes(vault).values()))]
