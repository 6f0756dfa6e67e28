"""restore: bring back a branch's memories, from the trash or from before a sync."""

from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.branches import undo
from treering.branches.apply import Actor, mark_restored, settle, take_lessons_back
from treering.branches.survey import RESTORED, TrashedScope, list_trash, local_scopes, read_op
from treering.branches.trunk import trunk_of
from treering.branches.undo import EarlierTip, is_forgotten
from treering.call import Advice, Call
from treering.errors import BranchNotFound
from treering.model.scope import Scope
from treering.store import heads
from treering.store.redaction import is_text
from treering.store.vault import Vault

_NOTHING = "All of it is there already, as it was or newer. It stays where it is."

#: What memories are brought back from.
Source = TrashedScope | EarlierTip


class RestoredScope(NamedTuple):
    """What came back, and from where."""

    branch: str
    memories: int
    trash: str
    #: Why nothing came back, where nothing did; what it would have come from is kept then.
    note: str = ""
    #: Memories that the trunk had been given when the branch was dropped, and gave back.
    lessons: int = 0

    def as_json(self) -> dict[str, object]:
        """In the contract's words, one of which is none of Python's."""
        fields = {"branch": self.branch, "memories": self.memories, "from": self.trash}
        more = {"note": self.note, "lessons": self.lessons}
        return fields | {name: value for name, value in more.items() if value}


class TrashedBranch(NamedTuple):
    branch: str
    memories: int
    when: str


class WaitingBranch(NamedTuple):
    branch: str
    memories: int


class TrashListing(NamedTuple):
    """What can be restored: the scopes in the trash, the newest first, and those of branches that
    are gone and wait for gc."""

    trash: tuple[TrashedBranch, ...]
    waiting: tuple[WaitingBranch, ...]


def list_dropped(workspace: Workspace) -> TrashListing:
    """Return what can be restored."""
    entries = [
        (entry.stamp, entry.scope.branch, len(vault.snapshot_at(entry.scope, entry.tip).listing()))
        for vault in workspace.store.vaults()
        for entry in list_trash(vault)
    ]
    return TrashListing(
        tuple(
            TrashedBranch(branch, count, f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}")
            for stamp, branch, count in sorted(entries, reverse=True)
        ),
        tuple(
            WaitingBranch(name, _count(waiting, name))
            for name in sorted(_list_ours(workspace))
            if (waiting := _find_waiting(workspace, name))
        ),
    )


def _list_ours(workspace: Workspace) -> set[str]:
    """List the branches, gone or not, that have memories of ours."""
    return {
        scope.branch
        for vault in workspace.store.vaults()
        for scope in local_scopes(vault)
        if not scope.is_detached and not scope.is_aside
    }


def restore(
    workspace: Workspace, branch: str, *, before_sync: bool = False, dry_run: bool = False
) -> RestoredScope:
    """Bring the newest dropped memories of a branch back, whether the branch is back or not.

    With `before_sync` those that the last sync hid or changed; each call goes one sync further
    back. Only memories that are seen afterwards are counted.
    """
    if dry_run:
        if not before_sync and (waiting := _find_waiting(workspace, branch)):
            return RestoredScope(branch, _count(waiting, branch), Scope(branch).ref)
        vault, entry = _find(workspace, branch, before_sync)
        return RestoredScope(
            branch, len(_visible(vault, entry.tip, _wanted(vault, entry))), entry.ref
        )
    with workspace.store.lock() as lock:
        if not before_sync and (waiting := _find_waiting(workspace, branch)):
            return _keep_waiting(workspace.actor(lock), waiting, branch)
        vault, entry = _find(workspace, branch, before_sync)
        if isinstance(entry, TrashedScope) and entry.is_redacted:
            return _bring_back_redacted(workspace.actor(lock), vault, entry)
        if vault.head(entry.scope) and not _files(vault, entry):
            return RestoredScope(entry.scope.branch, 0, entry.ref, _NOTHING)
        ids = _wanted(vault, entry)
        count = _bring_back(workspace.actor(lock), vault, entry)
        vault.move_ref(lock, entry.ref, None, old=entry.tip, why="restored")
        visible = _visible(vault, vault.tip(entry.scope), ids)
        return RestoredScope(entry.scope.branch, len(visible), entry.ref, lessons=count)


def _find_waiting(workspace: Workspace, branch: str) -> list[tuple[Vault, str]]:
    """Return where the memories of a branch that is gone wait for gc, each place with its tip."""
    repository, waiting = workspace.repository, []
    places = [repository.remote_tip_of(remote, branch) for remote in repository.remotes()]
    if branch == trunk_of(repository) or repository.tip_of(branch) or any(places):
        return []
    for vault in workspace.store.vaults():
        tip = vault.tip(Scope(branch)) if vault.head(Scope(branch)) else None
        if tip and read_op(vault, tip) != RESTORED:
            waiting.append((vault, tip))
    return waiting


def _keep_waiting(actor: Actor, waiting: list[tuple[Vault, str]], branch: str) -> RestoredScope:
    """Mark what waits for gc as restored, and take back what the trunk was given of it."""
    scope, lessons, count = Scope(branch), 0, _count(waiting, branch)
    for vault, tip in waiting:
        lessons += take_lessons_back(actor, vault, scope, tip)
        mark_restored(actor, vault, scope, {})
    return RestoredScope(branch, count, scope.ref, lessons=lessons)


def _count(waiting: list[tuple[Vault, str]], branch: str) -> int:
    listings = ((v, tip, set(v.snapshot_at(Scope(branch), tip).listing())) for v, tip in waiting)
    return sum(len(_visible(vault, tip, ids)) for vault, tip, ids in listings)


def _find(workspace: Workspace, branch: str, before_sync: bool) -> tuple[Vault, Source]:
    """The newest of a branch's scopes in the trash, or of its tips from before a sync."""
    shared_vault = workspace.store.shared
    earlier = [before for before in undo.list_before(shared_vault) if before.scope.branch == branch]
    if before_sync:
        if earlier:
            return shared_vault, earlier[0]
        raise BranchNotFound(
            f"No sync has changed or hidden memories of {branch} lately.",
            hint="`treering log` shows what happened. `treering revert ID --to COMMIT` goes back.",
        )
    for vault in workspace.store.vaults():
        for entry in list_trash(vault):
            if entry.scope.branch == branch:
                return vault, entry
    names = sorted({e.scope.branch for v in workspace.store.vaults() for e in list_trash(v)})
    there = f"In the trash: {', '.join(names)}." if names else "The trash is empty."
    if earlier:
        there = Advice(
            "{} takes back what the last sync changed.", Call("restore", branch, before_sync=True)
        )
    raise BranchNotFound(f"No dropped memories of {branch} are in the trash.", hint=there)


def _wanted(vault: Vault, entry: Source) -> set[str]:
    """The memories that are to come back: all of a dropped scope, else what a sync changed."""
    tip = vault.tip(entry.scope)
    if isinstance(entry, TrashedScope) or tip is None:
        return set(vault.snapshot_at(entry.scope, entry.tip).listing())
    return set(undo.overwritten(vault, entry.tip, tip))


def _visible(vault: Vault, tip: str | None, ids: set[str]) -> set[str]:
    """Return those of some memories that are there at a tip, and not forgotten."""
    there = vault.snapshot_at(Scope(""), tip).listing()
    return {mid for mid in ids if mid in there and not is_forgotten(vault, there[mid])}


def _bring_back(actor: Actor, vault: Vault, entry: Source) -> int:
    """Give what was dropped back to the branch, and take from the trunk what it had of it for that:
    how many memories that were."""
    settle(actor, vault, entry.scope)
    if vault.head(entry.scope) is None or isinstance(entry, TrashedScope):
        heads.put(vault, actor.held, entry.scope, [entry.tip], "restored")
    mark_restored(actor, vault, entry.scope, _files(vault, entry))
    if isinstance(entry, TrashedScope):
        return take_lessons_back(actor, vault, entry.scope, entry.tip)
    return 0


def _bring_back_redacted(actor: Actor, vault: Vault, entry: TrashedScope) -> RestoredScope:
    """Bring texts that somebody redacted back for this clone alone: no push may carry them."""
    read, there = vault.repository.objects.blob, vault.snapshot(entry.scope).listing()
    files: dict[str, bytes | None] = {
        memory_id: read(blob)
        for memory_id, blob in vault.snapshot_at(entry.scope, entry.tip).listing().items()
        if is_text(vault, blob)
        and ((now := there.get(memory_id)) is None or not is_text(vault, now))
    }
    if not files:
        return RestoredScope(entry.scope.branch, 0, entry.ref, _NOTHING)
    private = actor.store.make_private(actor.held)
    mark_restored(actor, private, entry.scope, files)
    vault.move_ref(actor.held, entry.ref, None, old=entry.tip, why="restored")
    note = "They were redacted by somebody else: they are private now, and are not pushed."
    return RestoredScope(entry.scope.branch, len(files), entry.ref, note)


def _files(vault: Vault, entry: Source) -> dict[str, bytes | None]:
    """Return what has to be written: all that is not as it was before a sync; of the trash what is
    not there or was forgotten meanwhile, since what was written since is newer."""
    read = vault.repository.objects.blob
    changes = undo.overwritten(vault, entry.tip, vault.tip(entry.scope))
    return {
        memory_id: read(was)
        for memory_id, (was, now) in changes.items()
        if isinstance(entry, EarlierTip) or now is None or is_forgotten(vault, now)
    }
