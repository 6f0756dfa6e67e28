"""Take scopes of branches that were thrown away off a remote, when someone asks for it."""

from collections.abc import Sequence

from treering.actions.workspace import Workspace
from treering.branches.survey import TrashedScope
from treering.errors import SyncRefused
from treering.git import refs
from treering.git.remote import Remote
from treering.model.scope import HEADS
from treering.sync import refspec
from treering.sync.exchange import fetched_ref


def withdraw(
    workspace: Workspace, remote: str, thrown_away: Sequence[TrashedScope]
) -> tuple[str, ...]:
    """Remove from a remote what the trash here holds all of; written to since, it stays."""
    repository, vault = workspace.repository, workspace.store.shared
    wire = Remote(repository, refspec.find_remote(repository, remote), is_attended=True)
    listed = wire.list_refs(HEADS)
    gone = {
        entry.scope.ref: there
        for entry in thrown_away
        if (there := listed.get(entry.scope.ref)) and repository.is_ancestor(there, entry.tip)
    }
    if not gone:
        return ()
    results = list(wire.push({}, gone, {}))
    if refused := [result for result in results if not result.is_done]:
        raise SyncRefused(f"{wire.name} keeps {refused[0].ref}: {refused[0].reason}")
    with workspace.store.lock() as held:
        for entry in thrown_away:
            name = fetched_ref(wire.name, entry.scope)
            if entry.scope.ref in gone and (tip := refs.read(repository.handle, name)):
                vault.move_ref(held, name, None, old=tip, why="sync: purged")
    return tuple(f"{wire.name}:{ref}" for ref in gone)
