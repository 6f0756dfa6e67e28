"""gc: look what became of branches, and let their memories follow. Plan first, then deed."""

import calendar
import time
from dataclasses import dataclass

from treering.actions.reindex import forget_derived
from treering.actions.workspace import Workspace
from treering.branches.apply import apply
from treering.branches.landing.judge import Judge
from treering.branches.layers import scope_named
from treering.branches.plan import PlanLine, plan
from treering.branches.promotion import by_hand, list_all, promote
from treering.branches.survey import TrashedScope, list_trash, local_scopes, survey
from treering.branches.trunk import trunk_of
from treering.branches.verdict import LandedFiles
from treering.errors import BranchNotFound, Invalid, SyncRefused
from treering.git import reflog, refs
from treering.git.lock import Held
from treering.model.dates import duration
from treering.model.scope import HEADS, KEEP, Scope
from treering.store.heads import list_heads
from treering.store.vault import Vault

_KEPT_FOR = "30d"


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
    private: bool | None = None


@dataclass(frozen=True, slots=True)
class GcAnswer:
    dry_run: bool
    plan: tuple[PlanAnswer, ...]
    purged: tuple[str, ...]


def gc(
    workspace: Workspace,
    *,
    branch: str = "",
    dry_run: bool = False,
    purge: bool = False,
    older_than: str = "30d",
    force: bool = False,
    keep_lessons: bool = False,
    remote: str = "",
) -> GcAnswer:
    """Promote what landed, follow renames, put what was thrown away into the trash.

    With `force` scopes that cannot be judged go to the trash too; with `purge` trash older than
    `older_than` is deleted: here, and with `remote` there as well.
    """
    if remote and not purge:
        raise Invalid("A remote is only for --purge.", hint="`treering sync` shares memories.")
    age = duration(older_than)
    # Judging may take seconds, in which others want to write: the lock is for the deeds alone.
    plans = [
        (vault, _plan_of(workspace, vault, branch, force)) for vault in workspace.store.vaults()
    ]
    if dry_run:
        whole = [line for _, lines in plans for line in lines]
        return GcAnswer(True, _tell(whole), _purgeable(workspace, age) if purge else ())
    refs_there = _withdraw(workspace, remote, age) if remote else ()
    with workspace.store.lock() as lock:
        trunk = trunk_of(workspace.repository) if keep_lessons else ""
        lines = _carry_out(workspace, lock, plans, trunk)
        refs_here = _purge(workspace, lock, age) if purge else ()
        _forget_tips(workspace, lock)
    return GcAnswer(False, _tell(lines), refs_here + refs_there)


def _withdraw(workspace: Workspace, remote: str, age: float) -> tuple[str, ...]:
    """Take scopes that were thrown away off a remote, before anything is purged here: what cannot
    be removed there can still be restored."""
    from treering.git.remote import Remote  # no other gc needs the network
    from treering.sync import refspec
    from treering.sync.exchange import fetched_ref

    repository, vault = workspace.repository, workspace.store.shared
    wire = Remote(repository, refspec.find_remote(repository, remote), is_attended=True)
    tips = wire.list_refs(HEADS)
    # Written to since, a scope stays: only what the trash here holds all of is removed.
    trash = {
        entry.scope: tip
        for entry in _old(workspace, vault, age)
        if (tip := tips.get(entry.scope.ref)) and repository.is_ancestor(tip, entry.tip)
    }
    if not trash:
        return ()
    results = wire.push({}, {scope.ref: tip for scope, tip in trash.items()}, {})
    if refusals := [result for result in results if not result.is_done]:
        raise SyncRefused(f"{wire.name} keeps {refusals[0].ref}: {refusals[0].reason}")
    with workspace.store.lock() as lock:
        for scope in trash:
            name = fetched_ref(wire.name, scope)
            if fetched_tip := refs.read(repository.handle, name):
                vault.move_ref(lock, name, None, old=fetched_tip, why="sync: purged")
    return tuple(f"{wire.name}:{scope.ref}" for scope in trash)


def follow_branches(workspace: Workspace) -> tuple[PlanAnswer, ...]:
    """Carry out all of the plan but what puts memories out of sight: that is for gc, when someone
    asks for it. For hooks, which only make happen sooner what gc would do."""
    plans = [
        (vault, [line for line in _plan_of(workspace, vault, "", False) if line.action != "trash"])
        for vault in workspace.store.vaults()
    ]
    with workspace.store.lock() as lock:
        return _tell(_carry_out(workspace, lock, plans))


def _carry_out(
    workspace: Workspace,
    lock: Held,
    plans: list[tuple[Vault, list[PlanLine]]],
    keep_lessons: str = "",
) -> list[PlanLine]:
    outcome: list[PlanLine] = []
    for vault, lines in plans:
        current = [_if_still_true(workspace, vault, line) for line in lines]
        outcome += apply(workspace.actor(lock), vault, current, keep_lessons=keep_lessons)
    return outcome


def _if_still_true(workspace: Workspace, vault: Vault, line: PlanLine) -> PlanLine:
    """The line, unless branch or memories have moved since it was planned: then another time.

    A scope that is not there yet is one that a line before this renames.
    """
    is_same = workspace.repository.tip_of(line.scope.branch) == line.branch_tip
    if line.trashed or not line.tip or (is_same and vault.tip(line.scope) in (line.tip, None)):
        return line
    return line._replace(verdict="live", action="keep", reason="It changed meanwhile: next time.")


def _plan_of(workspace: Workspace, vault: Vault, branch: str, force: bool) -> list[PlanLine]:
    repository = workspace.repository
    scopes = survey(workspace.store, vault)
    lines = plan(repository, vault, scopes, Judge(repository), branch=branch)
    return [_force(line) if force else line for line in lines]


def _force(line: PlanLine) -> PlanLine:
    """What cannot be judged goes to the trash when someone insists; it can be restored."""
    if line.verdict != "unsure":
        return line
    return line._replace(action="trash", drops=True)


def _tell(lines: list[PlanLine]) -> tuple[PlanAnswer, ...]:
    return tuple(
        PlanAnswer(
            line.branch, line.verdict, _told_action(line), line.into, line.evidence, line.merged_as,
            line.memories, line.reason, line.is_private or None,
        )
        for line in lines
    )  # fmt: skip


def _told_action(line: PlanLine) -> str:
    """In the contract's words: what moves aside is kept."""
    return "keep" if line.action == "aside" else line.action


def _forget_tips(workspace: Workspace, lock: Held) -> None:
    """Keep refs hold code a user may have wanted gone: they end with the scope they are for, and
    once a branch that cannot be judged has been gone for long."""
    vault, repository = workspace.store.shared, workspace.repository
    scopes = {scope.component: scope for scope in local_scopes(vault)}
    for name, tip in refs.list_refs(repository.common_dir, KEEP).items():
        scope = scopes.get(name.removeprefix(KEEP))
        has_branch = scope is not None and repository.tip_of(scope.branch) is not None
        if scope is None or (not has_branch and _is_old(workspace, name)):
            vault.move_ref(lock, name, None, old=tip, why="judged")


def _is_old(workspace: Workspace, name: str) -> bool:
    log = reflog.lines(workspace.repository.common_dir / "logs" / name)
    return bool(log) and log[-1].when < workspace.clock() - duration(_KEPT_FOR)


# --- trash ---------------------------------------------------------------------------------------


def _old(workspace: Workspace, vault: Vault, age: float) -> list[TrashedScope]:
    before = workspace.clock() - age
    return [entry for entry in list_trash(vault) if _moment(entry.stamp) <= before]


def _moment(stamp: str) -> float:
    try:
        return calendar.timegm(time.strptime(stamp[:16], "%Y%m%dT%H%M%SZ"))
    except ValueError:
        return float("inf")  # not a name of ours: never purged


def _purgeable(workspace: Workspace, age: float) -> tuple[str, ...]:
    return tuple(
        entry.ref for vault in workspace.store.vaults() for entry in _old(workspace, vault, age)
    )


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
    workspace: Workspace, branch: str, *, into: str = "", dry_run: bool = False
) -> PlanAnswer:
    """Put a branch's memories into another scope now, whatever its code did."""
    repository = workspace.repository
    target = scope_named(workspace.store, into) if into else Scope(trunk_of(repository))
    source = scope_named(workspace.store, branch)
    if source == target:
        raise Invalid(f"{branch} cannot be promoted into itself.", hint="Name another with --into.")
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
    return _tell([line])[0]


def _promote_all(
    workspace: Workspace, held: Held, vault: Vault, source: Scope, target: Scope
) -> None:
    tip = vault.tip(source)
    if tip is None:
        return
    workspace.actor(held)
    files = list_all(vault, vault.snapshot_at(source, tip), vault.snapshot(target))
    if files:
        landed = LandedFiles(target.branch, by_hand(target.branch), files)
        tips = list_heads(vault, source) or vault.fetched_heads(source)
        promote(vault, held, source, tips, [landed])
