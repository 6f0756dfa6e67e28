"""gc, promote, restore: memories follow what became of branches, or are brought back.

Plan first, then run.
"""

import calendar
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from treering.actions import driver
from treering.actions.searcher import forget_derived
from treering.actions.workspace import Workspace
from treering.branches import undo
from treering.branches.apply import (
    Actor,
    claim_name,
    drop_private,
    list_lessons,
    mark_restored,
    take_back_promotion,
    take_lessons_back,
)
from treering.branches.layers import scope_named
from treering.branches.names import is_gone
from treering.branches.overlay import was_shared
from treering.branches.plan import PlanLine
from treering.branches.promotion import by_hand, find_brought, list_all, promote
from treering.branches.survey import RESTORED, TrashedScope, list_trash, local_scopes, read_op
from treering.branches.tips import forget_tips
from treering.branches.trunk import trunk_of
from treering.branches.undo import EarlierTip, is_forgotten
from treering.branches.verdict import LandedVersions
from treering.call import Advice, Call, Option, ways
from treering.capture.journal import Journal
from treering.errors import BranchNotFound, Invalid, MemoryNotFound
from treering.git.lock import Held
from treering.model.dates import duration
from treering.model.scope import Scope
from treering.store import heads
from treering.store.heads import list_heads, read_merged
from treering.store.redaction import is_text
from treering.store.vault import Vault

_KEPT_FOR = "30d"
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """One line of the plan, in the contract's words."""

    branch: str
    verdict: str
    action: str
    into: str
    evidence: str
    merged_as: str
    memories: int
    reason: str
    #: The command that undoes it, where there is something to undo.
    back: str = ""
    private: bool | None = None
    #: The command that shares what was kept for you alone.
    share: str | None = None


@dataclass(frozen=True, slots=True)
class GcAnswer:
    dry_run: bool
    plan: tuple[PlanAnswer, ...]
    purged: tuple[str, ...]
    pending: int | None = None  # events a dry run did not look at


def gc(
    workspace: Workspace,
    *,
    branch: str = "",
    dry_run: bool = False,
    purge: bool = False,
    older_than: str = "30d",
    force: bool = False,
    keep_lessons: bool = True,
    remote: str = "",
    caller: str = "",
) -> GcAnswer:
    """Promote what landed, follow renames, put what was thrown away into the trash.

    The driver does it, as for hooks, and is waited for: what the answer says is so. A dry run waits
    for nobody and takes nothing in; it says how many events wait.

    With `force` scopes that cannot be judged, and what is left of those that landed in part, go to
    the trash too; with `purge` trash older than
    `older_than` is deleted: here, and with `remote` there as well.
    """
    if remote and not purge:
        raise Invalid(
            Advice("{} requires {}.", Option("remote"), Option("purge")),
            hint=Advice("{} shares memories.", Call("sync")),
        )
    if purge and not dry_run and caller:
        raise Invalid(
            "Deleting trash for good is for people.",
            hint=f"Ask them to run `treering gc --purge --older-than {older_than}`.",
        )
    age = duration(older_than)
    choose: driver.Choose = _force if force else lambda line: line
    if dry_run:
        plans = [
            driver.make_plan(workspace, vault, branch, is_dry=True)
            for vault in workspace.store.vaults()
        ]
        shown = [choose(line) for lines in plans for line in lines]
        pending = Journal(workspace.store.folder).pending() or None
        vaults = workspace.store.vaults() if purge else ()
        purgeable = tuple(entry.ref for vault in vaults for entry in _old(workspace, vault, age))
        return GcAnswer(True, _tell(workspace, shown, keep_lessons), purgeable, pending)
    withdrawn = _withdraw(workspace, remote, age) if remote else ()
    with driver.run_worker(workspace):
        done = driver.apply_plan(
            workspace,
            choose,
            branch=branch,
            keep_lessons=keep_lessons,
        )
        with workspace.store.lock() as held:
            purged = _purge(workspace, held, age) if purge else ()
            forget_tips(workspace.store, held, workspace.clock() - duration(_KEPT_FOR))
    return GcAnswer(False, _tell(workspace, done, keep_lessons), purged + withdrawn)


def _withdraw(workspace: Workspace, remote: str, age: float) -> tuple[str, ...]:
    """Take scopes that were thrown away off a remote, before anything is purged here: what cannot
    be removed there can still be restored."""
    from treering.git.remote import Remote  # no other gc needs the network
    from treering.sync import refspec
    from treering.sync.withdrawal import withdraw_from

    repository, vault = workspace.repository, workspace.store.shared
    wire = Remote(repository, refspec.find_remote(repository, remote), is_interactive=True)
    trash: dict[Scope, list[str]] = {}
    for entry in _old(workspace, vault, age):
        trash.setdefault(entry.scope, []).append(entry.tip)
    return withdraw_from(workspace.store, workspace.actor, wire, trash) if trash else ()


def _force(line: PlanLine) -> PlanLine:
    """Trash what cannot be judged, or landed only in part, when someone insists;
    it can be restored."""
    if line.verdict not in ("unsure", "partly") or line.action != "keep":
        return line
    return line._replace(action="trash", drops=True)


def _tell(
    workspace: Workspace, lines: list[PlanLine], keep_lessons: bool = False
) -> tuple[PlanAnswer, ...]:
    backs = [_way_back(line) for line in lines]
    return tuple(
        PlanAnswer(
            line.branch, line.verdict, "keep" if line.action == "aside" else line.action,
            line.into, line.evidence, line.merged_as, line.memories, line.reason,
            # What is said to git does it for shared and private memories alike.
            "" if back.startswith("git ") and back in backs[:number] else back,
            line.is_private or None,
            _share(workspace.store.shared, line) if keep_lessons else None,
        )
        for number, (line, back) in enumerate(zip(lines, backs, strict=True))
    )  # fmt: skip


def _share(vault: Vault, line: PlanLine) -> str | None:
    """Return the command that shares the lessons of a branch that was never shared itself."""
    if line.action != "trash" or line.is_private or was_shared(vault, line.scope):
        return None
    ids = list(list_lessons(vault, line))
    return ways(Call("promote", line.branch, id=ids)) if ids else None


def _way_back(line: PlanLine) -> str:
    """The command that takes a line's action back."""
    branch = shlex.quote(line.branch)
    match line.action:
        case "trash":
            return ways(Call("restore", line.branch))
        case "promote" if line.landed or line.memories:
            # Named one by one, as long as that can be read: what landed before stays where it is.
            ids = sorted({memory_id for some in line.landed for memory_id, _ in some.versions})
            named = ids if len(ids) <= _MOST_NAMED else []
            return ways(Call("promote", line.branch, into=line.into, undo=True, id=named))
        case "rename":
            new = shlex.quote(line.into)
            back = f"git branch -m {new} {branch} && {{}}"
            return Advice(back, Call("gc", branch=line.into), mark="")
        case "stack":
            return f"git config --unset {shlex.quote(f'branch.{line.branch}.treeringbase')}"
        case _:  # what moved aside or was revived follows its branch, and would do so again
            return ""


# --- trash ---------------------------------------------------------------------------------------


def _old(workspace: Workspace, vault: Vault, age: float) -> list[TrashedScope]:
    before = workspace.clock() - age
    return [entry for entry in list_trash(vault) if _moment(entry.stamp) <= before]


def _moment(stamp: str) -> float:
    try:
        return calendar.timegm(time.strptime(stamp[:16], "%Y%m%dT%H%M%SZ"))
    except ValueError:
        return float("inf")  # not a name of ours: never purged


def _purge(workspace: Workspace, lock: Held, age: float) -> tuple[str, ...]:
    names = []
    for vault in workspace.store.vaults():
        for entry in _old(workspace, vault, age):
            vault.move_ref(lock, entry.ref, None, old=entry.tip, why="purged")
            names.append(entry.ref)
    if names and not any(local_scopes(vault) for vault in workspace.store.vaults()):
        forget_derived(workspace)  # what was purged on purpose is not to be missed
    return tuple(names)


def promote_by_hand(
    workspace: Workspace,
    branch: str,
    *,
    into: str = "",
    undo: bool = False,
    ids: Sequence[str] = (),
    dry_run: bool = False,
) -> PlanAnswer:
    """Put a branch's memories into another scope now, whatever its code did.

    With `undo` the last promotion is taken back, or that of the memories named: both scopes are
    what they were, and gc does not repeat it.
    """
    repository = workspace.repository
    target = scope_named(workspace.store, into) if into else Scope(trunk_of(repository))
    if undo:
        return _undo_promotion(workspace, branch, target, ids, dry_run)
    if Scope(branch) == target:
        raise Invalid(
            f"{branch} cannot be promoted into itself.",
            hint=Advice("Name another with {}.", Option("into")),
        )
    if ids:
        return _promote_some(workspace, branch, target, ids, dry_run)
    source, vaults = scope_named(workspace.store, branch), workspace.store.vaults()
    count = sum(len(vault.snapshot_at(source, vault.tip(source)).listing()) for vault in vaults)
    if not count:
        raise BranchNotFound(f"{branch} has no memories to promote.")
    if not dry_run:
        with workspace.store.lock() as held:
            workspace.ledger.note_written()  # a ref that goes takes its log with it
            for vault in vaults:
                here = vault.snapshot_at(source, vault.tip(source))
                some = list_all(vault, here, vault.snapshot(target))
                landed = LandedVersions(target.branch, by_hand(target.branch), some)
                if some:
                    tips = list_heads(vault, source) or vault.fetched_heads(source)
                    promote(vault, held, source, tips, [landed])
    line = PlanLine(branch, "merged", "promote", "Asked for by hand.", count, into=target.branch)
    return _tell(workspace, [line])[0]


def _promote_some(
    workspace: Workspace, branch: str, target: Scope, ids: Sequence[str], dry_run: bool
) -> PlanAnswer:
    """Promote some memories of a branch, or of what is left of it in the trash."""
    vault, source = workspace.store.shared, Scope(branch)
    tips = list_heads(vault, source) or vault.fetched_heads(source)
    entries = (entry.tip for entry in reversed(list(list_trash(vault))) if entry.scope == source)
    tips = tips or list(islice(entries, 1))
    listing = vault.snapshot_at(source, read_merged(vault, source, tips)).listing() if tips else {}
    if missing := [memory_id for memory_id in ids if memory_id not in listing]:
        raise MemoryNotFound(
            f"{branch} has no memory {missing[0]}.",
            hint="Ids are whole: `treering log` shows them.",
        )
    some = tuple((memory_id, listing[memory_id]) for memory_id in sorted(set(ids)))
    if not dry_run:
        with workspace.store.lock() as held:
            landed = LandedVersions(target.branch, by_hand(target.branch), some)
            promote(vault, held, source, tips, [landed])
            drop_private(workspace.actor(held), target, ids)
    line = PlanLine(branch, "merged", "promote", "Asked for by hand.", len(some), target.branch)
    return _tell(workspace, [line])[0]


def _undo_promotion(
    workspace: Workspace, branch: str, target: Scope, ids: Sequence[str], dry_run: bool
) -> PlanAnswer:
    source, vaults = Scope(branch), workspace.store.vaults()
    view = workspace.view(target.branch)
    known = {view.find(text).id for text in ids}
    if dry_run:
        brought = [find_brought(vault, source, target, known) for vault in vaults]
    else:
        with workspace.store.lock() as held:
            actor = workspace.actor(held)
            brought = [take_back_promotion(actor, v, source, target, known) for v in vaults]
    if not any(one.versions for one in brought):
        raise Invalid(
            f"Nothing of {branch} is in {target.branch} by a promotion.",
            hint=Advice("{} makes one.", Call("promote", branch, into=target.branch)),
        )
    count = sum(len(one.versions) for one in brought)
    reason = f"Taken back from {target.branch}."
    back = ways(Call("promote", branch, into=target.branch))
    return PlanAnswer(branch, "live", "keep", target.branch, "none", "", count, reason, back)


_NOTHING = "All of it is there already, as it was or newer. It stays where it is."

#: What memories are brought back from.
Source = TrashedScope | EarlierTip


class RestoredScope(NamedTuple):
    """A scope that came back, and the ref it came from."""

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
    """Scopes that can be restored: those in the trash, the newest first, and those of branches that
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
    ours = {
        scope.branch
        for vault in workspace.store.vaults()
        for scope in local_scopes(vault)
        if not scope.is_detached and not scope.is_aside
    }
    return TrashListing(
        tuple(
            TrashedBranch(branch, count, f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}")
            for stamp, branch, count in sorted(entries, reverse=True)
        ),
        tuple(
            WaitingBranch(name, _count(waiting, name))
            for name in sorted(ours)
            if (waiting := _find_waiting(workspace, name))
        ),
    )


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
    if branch == trunk_of(repository) or not is_gone(repository, Scope(branch)):
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
    claim_name(actor, vault, entry.scope)
    if vault.head(entry.scope) is None or isinstance(entry, TrashedScope):
        heads.append_to_own_head(vault, actor.held, entry.scope, [entry.tip], "restored")
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
