"""revert: make a memory what it was before, as a new change."""

from treering.actions.read import memory_events
from treering.actions.revise import Revised, diff_fields, write_changes
from treering.actions.workspace import Change, Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Conflict, Invalid, MemoryNotFound
from treering.model.memory import Memory, id_prefix
from treering.model.scope import Scope
from treering.store import history, layout, message
from treering.store.merge.replay import is_redacted
from treering.store.vault import Vault
from treering.store.view import Copy


def revert(workspace: Workspace, id: str, *, to: str = "", branch: str = "") -> Revised:
    """The version before the last change, or the one at commit `to` of its history.

    In place of a memory a commit of ours may be named: then all it changed is what it was before,
    and what it brought is forgotten. Conflict where somebody changed some of it since.
    """

    def attempt(writing: Writing) -> Revised:
        try:
            place = writing.view.find(id)
        except (Invalid, MemoryNotFound):  # too long for an id, or nobody's
            if absent := _absent(workspace, id, to):
                return _bring_back(workspace, writing, absent)
            if commit := None if to else _find_commit(writing, id):
                return _revert_commit(workspace, writing, *commit)
            raise
        earlier = _at(workspace, place, to) if to else _before(workspace, writing, place)
        if is_redacted(place.try_memory()) and not is_redacted(earlier):
            # What somebody redacted comes back for this clone alone: no push may carry it.
            return _bring_back(workspace, writing, Change(earlier, None, is_private=True))
        change = Change(earlier, place, place.is_private)
        return write_changes(workspace, writing, "revert", [change], allow_secret=True)

    return workspace.write(branch, attempt)


def _find_commit(writing: Writing, text: str) -> tuple[Vault, str] | None:
    """A change in the scope that is written to, by the start of its id."""
    for layer in writing.view.layers:
        vault, tip = layer.vault, layer.snapshot.tip
        commit = (
            vault.repository.resolve(text) if tip and layer.branch == writing.scope.branch else None
        )
        if commit and vault.repository.is_ancestor(commit, tip or ""):
            found = history.is_memory_commit(vault, commit)
            return (vault, commit) if found else None
    return None


def _revert_commit(workspace: Workspace, writing: Writing, vault: Vault, commit: str) -> Revised:
    info = vault.repository.objects.commit(commit)
    said = message.read(info.message)
    if said.is_promotion:
        raise Invalid(
            f"The commit {commit[:12]} is a promotion.",
            hint=Advice(
                "{} takes it back.",
                Call("promote", said.promoted_from, into=said.promoted_into, undo=True),
            ),
        )
    bases, now = said.bases, workspace.now()
    changes: list[Change] = []
    for path, (was, blob) in vault.diff(info.parents[0] if info.parents else None, commit).items():
        memory_id = layout.id_of_path(path)
        if memory_id is None:
            continue
        place = writing.view.place(memory_id)
        then = vault.try_memory(blob or "")
        if place is None or then is None or diff_fields(place, then):
            raise Conflict(f"The memory {memory_id} was changed since.")
        earlier = vault.try_memory(was or bases.get(memory_id, ""))
        memory = earlier or place.memory().forget("its commit was reverted")
        changes.append(Change(memory.touch(now), place, vault.is_private))
    if not changes or len(info.parents) > 1:
        raise Invalid(f"The commit {commit[:12]} changed no memories.")
    writing.commit("revert", changes, allow_secret=True)
    ids = tuple(change.memory.id for change in changes)
    return Revised(commit, "", writing.scope.branch, (), reverted=ids)


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
