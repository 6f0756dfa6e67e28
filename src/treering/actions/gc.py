"""gc: look what became of branches, and let their memories follow. Plan first, then deed."""

import calendar
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from treering.actions import driver
from treering.actions.reindex import forget_derived
from treering.actions.workspace import Workspace
from treering.branches.apply import drop_private, list_lessons, take_back_promotion
from treering.branches.layers import scope_named
from treering.branches.overlay import was_shared
from treering.branches.plan import PlanLine
from treering.branches.promotion import by_hand, find_brought, list_all, promote
from treering.branches.survey import TrashedScope, list_trash, local_scopes
from treering.branches.tips import forget_tips
from treering.branches.trunk import trunk_of
from treering.branches.verdict import LandedVersions
from treering.call import Advice, Call, Option, ways
from treering.capture.journal import Journal
from treering.errors import BranchNotFound, Invalid, MemoryNotFound
from treering.git.lock import Held
from treering.model.dates import duration
from treering.model.scope import Scope
from treering.store.heads import list_heads, look_at
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
    if dry_run:
        plans = [
            driver.make_plan(workspace, vault, branch, is_dry=True)
            for vault in workspace.store.vaults()
        ]
        shown = [_force(line) if force else line for lines in plans for line in lines]
        pending = Journal(workspace.store.folder).pending() or None
        vaults = workspace.store.vaults() if purge else ()
        purgeable = tuple(entry.ref for vault in vaults for entry in _old(workspace, vault, age))
        return GcAnswer(True, _tell(workspace, shown, keep_lessons), purgeable, pending)
    withdrawn = _withdraw(workspace, remote, age) if remote else ()
    with driver.drive(workspace):
        done = driver.carry_out(
            workspace,
            lambda line: _force(line) if force else line,
            branch=branch,
            keep_lessons=trunk_of(workspace.repository) if keep_lessons else "",
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
        case "promote":
            return _take_back(line)
        case "rename":
            new = shlex.quote(line.into)
            back = f"git branch -m {new} {branch} && {{}}"
            return Advice(back, Call("gc", branch=line.into), mark="")
        case "stack":
            return f"git config --unset {shlex.quote(f'branch.{line.branch}.treeringbase')}"
        case _:  # what moved aside or was revived follows its branch, and would do so again
            return ""


def _take_back(line: PlanLine) -> str:
    """Named one by one, as long as that can be read: what landed before stays where it is."""
    if not (line.landed or line.memories):
        return ""
    ids = sorted({memory_id for some in line.landed for memory_id, _ in some.versions})
    named = ids if len(ids) <= _MOST_NAMED else []
    return ways(Call("promote", line.branch, into=line.into, undo=True, id=named))


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
    source = scope_named(workspace.store, branch)
    count = 0
    for vault in workspace.store.vaults():
        if tip := vault.tip(source):
            count += len(vault.snapshot_at(source, tip).listing())
    if not count:
        raise BranchNotFound(f"{branch} has no memories to promote.")
    if not dry_run:
        with workspace.store.lock() as held:
            for vault in workspace.store.vaults():
                _promote_all(workspace, held, vault, source, target)
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
    listing = vault.snapshot_at(source, look_at(vault, source, tips)).listing() if tips else {}
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


def _promote_all(
    workspace: Workspace, held: Held, vault: Vault, source: Scope, target: Scope
) -> None:
    tip = vault.tip(source)
    if tip is None:
        return
    workspace.actor(held)
    some = list_all(vault, vault.snapshot_at(source, tip), vault.snapshot(target))
    if some:
        landed = LandedVersions(target.branch, by_hand(target.branch), some)
        tips = list_heads(vault, source) or vault.fetched_heads(source)
        promote(vault, held, source, tips, [landed])
