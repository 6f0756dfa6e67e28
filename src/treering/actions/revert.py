"""revert: make a memory what it was before, as a new change."""

from treering.actions.read import memory_events
from treering.actions.revise import Revised, write_changes
from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid, MemoryNotFound
from treering.model.memory import Memory, id_prefix
from treering.model.scope import Scope
from treering.store import history
from treering.store.merge.replay import is_redacted
from treering.store.view import Copy


def revert(workspace: Workspace, id: str, *, to: str = "", branch: str = "") -> Revised:
    """The version before the last change, or the one at commit `to` of its history."""

    def attempt(writing: Writing) -> Revised:
        try:
            place = writing.view.find(id)
        except MemoryNotFound:
            if absent := _absent(workspace, id, to):
                return _bring_back(workspace, writing, absent)
            raise
        earlier = _at(workspace, place, to) if to else _before(workspace, writing, place)
        if is_redacted(place.memory()) and not is_redacted(earlier):
            # What somebody redacted comes back for this clone alone: no push may carry it.
            return _bring_back(workspace, writing, Change(earlier, None, is_private=True))
        change = Change(earlier, place, place.is_private)
        return write_changes(workspace, writing, "revert", [change], allow_secret=True)

    return workspace.write(branch, attempt)


def _absent(workspace: Workspace, id: str, to: str) -> Change | None:
    """A memory that nobody sees any more, as it was at a commit."""
    for vault in workspace.store.vaults() if to else ():
        if commit := vault.repository.resolve(to):
            ids = dict(vault.snapshot_at(Scope(""), commit).starting_with(id_prefix(id)))
            for memory_id in ids if len(ids) == 1 else ():
                if memory := history.version(vault, commit, memory_id):
                    return Change(memory, None, vault.is_private)
    return None


def _bring_back(workspace: Workspace, writing: Writing, absent: Change) -> Revised:
    memory = absent.memory.touch(workspace.now())
    versions = writing.commit("revert", [absent._replace(memory=memory)], allow_secret=True)
    return Revised(memory.id, versions[memory.id], writing.scope.branch, ("content",))


def _at(workspace: Workspace, place: Copy, to: str) -> Memory:
    for vault in workspace.store.vaults():
        commit = vault.repository.resolve(to)
        memory = history.version(vault, commit, place.id) if commit else None
        if memory:
            return memory
    raise MemoryNotFound(
        f"The memory {place.id} is not in {to}",
        hint=f"`treering log {place.id}` lists its commits.",
    )


def _before(workspace: Workspace, writing: Writing, place: Copy) -> Memory:
    """The newest version in its history whose bytes are not the present ones."""
    vault = place.layer.vault
    for event in memory_events(workspace, writing.view, place.id):
        blob = (
            vault.blob_at(event.commit, place.id)
            if vault.repository.objects.exists(event.commit)
            else None
        )
        if blob and blob != place.blob and (memory := vault.try_memory(blob)):
            return memory
    raise Invalid(f"The memory {place.id} has no earlier version.")
