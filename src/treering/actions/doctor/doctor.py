"""doctor: look at everything we wrote, say what is wrong, repair what is safe."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treering.actions.doctor import environment, files, lost, scopes
from treering.actions.doctor.finding import Finding, readable
from treering.actions.workspace import Workspace
from treering.errors import StorageFailed, StoreDamaged
from treering.git import refs
from treering.git.lock import Held
from treering.model.scope import HEADS, TRASH
from treering.store.vault import Vault

_REPAIRED = {
    "stale-lock", "temporary-objects", "temporary-files", "broken-ref", "index-damaged",
    "database-damaged", "open-to-all", "fetch-refspec", "vanished", "memories-vanished",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Diagnosis:
    ok: bool
    findings: tuple[Finding, ...]


def doctor(workspace: Workspace, *, dry_run: bool = False) -> Diagnosis:
    """Check refs, trees, documents, history, locks, files and the index; `dry_run` only looks."""
    # A whole store takes long to read, so it is read without the lock; that is for repairs alone.
    findings = tuple(_findings(workspace, None))
    if not dry_run and any(finding.code in _REPAIRED for finding in findings):
        with contextlib.suppress(StorageFailed), workspace.store.lock() as lock:
            findings = tuple(_findings(workspace, lock))
    is_well = not any(finding.is_left_to_do for finding in findings)
    return Diagnosis(is_well, tuple(readable(findings)))


def _findings(workspace: Workspace, lock: Held | None) -> Iterator[Finding]:
    """What is wrong; with the lock held, what is safe is repaired."""
    may_repair = lock is not None
    yield from environment.machine(workspace)
    yield from lost.find_lost_refs(workspace, lock)
    yield from environment.hooks(workspace)
    yield from environment.sharing(workspace, may_repair)
    yield from files.find_leftovers(workspace.store, may_repair)
    yield from files.permissions(workspace.store, may_repair)
    yield from files.database(workspace.store, workspace.database, may_repair)
    yield from files.index(workspace.store, may_repair)
    try:
        vaults = workspace.store.vaults()
    except StoreDamaged as error:
        vaults = [workspace.store.shared]
        yield Finding("broken-private", "error", error.message, error.hint)
    for vault in vaults:
        yield from _vault(vault, may_repair)
    yield from lost.find_left_out(workspace, lock)
    yield from lost.ways_back(workspace)


def _vault(vault: Vault, may_repair: bool) -> Iterator[Finding]:
    folder = vault.repository.common_dir
    yield from files.stale_locks(folder, may_repair)
    yield from files.temporary_objects(folder, may_repair)
    yield from files.loose_objects(vault)
    yield from scopes.strangers(vault)
    yield from environment.strange_remotes(vault)
    # What was fetched is never repaired: the next fetch brings it again.
    ours = [(name, value, may_repair) for name, value in _scopes(folder)]
    theirs = [(name, value, False) for name, value in environment.list_fetched(vault)]
    whole = set()
    for name, value, may_mend in (*ours, *theirs):
        findings = list(scopes.scope_ref(vault, name, value, may_mend))
        yield from findings
        if not any(finding.severity == "error" for finding in findings):
            whole.add(value)
    yield from scopes.past(vault, whole)


def _scopes(folder: Path) -> list[tuple[str, str]]:
    return [item for prefix in (HEADS, TRASH) for item in refs.list_refs(folder, prefix).items()]
