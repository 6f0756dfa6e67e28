"""doctor: look at everything we wrote, say what is wrong, repair what is safe."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treering.actions.doctor import Finding, files, readable, scopes
from treering.actions.setup.hook_files import list_lost
from treering.actions.workspace import Workspace
from treering.capture.journal import Journal
from treering.errors import StorageFailed, StoreDamaged
from treering.git import lock, refs
from treering.git.lock import Held
from treering.model.scope import HEADS, REMOTES, TRASH
from treering.store.vault import Vault
from treering.sync import refspec


def machine(workspace: Workspace) -> Iterator[Finding]:
    import yaml

    if not os.access(workspace.repository.common_dir, os.W_OK):
        message = "The repository cannot be written, only read."
        yield Finding("read-only", "info", message, "Nothing can be repaired here.")

    if not hasattr(yaml, "CSafeLoader"):
        yield Finding(
            "slow-yaml",
            "warning",
            "PyYAML has no C loader here: reading is 8x slower.",
            "Install PyYAML from a wheel, or libyaml and its headers.",
        )
    try:
        if not lock.is_flock_supported(workspace.repository.common_dir):
            yield Finding(
                "no-flock",
                "info",
                "The file system has no flock. A pid file is used.",
                "If several hosts write, keep the repository on a local disk.",
            )
    except OSError:
        return
    if not workspace.is_synced:
        yield Finding(
            "no-fsync",
            "info",
            "treering.fsync is off: a power cut can lose memories.",
            "treering config --unset fsync",
        )


_LONG_PENDING = 3600.0


def hooks(workspace: Workspace) -> Iterator[Finding]:
    journal = Journal(workspace.store.folder)
    if (age := journal.waiting_seconds()) > _LONG_PENDING:
        yield Finding(
            "journal-pending",
            "warning",
            f"{journal.pending()} hook events wait, the oldest for {age / 3600:.0f} hours.",
            "treering hook drain",
        )
    if names := list_lost(workspace.repository):
        yield Finding(
            "hooks-lost",
            "warning",
            f"git no longer runs our hooks {', '.join(names)}: another tool wrote its own.",
            "treering init",
        )
    if (worker := journal.worker()) and not os.access(worker, os.X_OK):
        yield Finding(
            "worker-gone",
            "warning",
            f"The program that hooks start is not there any more: {worker}",
            "treering init",
        )


#: More fetched refs than these are counted, not read.
_MOST_FETCHED = 1_000


def sharing(workspace: Workspace, may_repair: bool) -> Iterator[Finding]:
    repository = workspace.repository
    if wrong := refspec.wrong(repository):
        is_whole = may_repair and refspec.repair(repository)
        fetches = " and ".join(f"`git fetch {remote}`" for remote in wrong)
        message = f"{fetches}: memories do not come along, or are put under another name."
        yield Finding("fetch-refspec", "warning", message, "treering doctor", fixed=is_whole)
    if repository.is_shallow:
        message = "This clone is shallow: what two people changed is merged without its history."
        yield Finding("shallow", "info", message, "git fetch --unshallow")


def list_fetched(vault: Vault) -> list[tuple[str, str]]:
    """The refs remotes were seen to have, as many as are looked at."""
    return list(refs.list_refs(vault.repository.common_dir, REMOTES).items())[:_MOST_FETCHED]


def strange_remotes(vault: Vault) -> Iterator[Finding]:
    tips = refs.list_refs(vault.repository.common_dir, REMOTES)
    for remote in sorted({_remote_of(name) for name in tips} - set(vault.repository.remotes())):
        yield Finding(
            "gone-remote",
            "info",
            f"Memories were fetched from {remote!r}, which is not a remote any more.",
            f"git for-each-ref --format='delete %(refname)' {REMOTES}{remote} | "
            "git update-ref --stdin",
        )
    if len(tips) > _MOST_FETCHED:
        message = f"{len(tips)} scopes were fetched. {_MOST_FETCHED} of them were checked."
        yield Finding("many-scopes", "info", message, "Nothing has to be done.")


def _remote_of(name: str) -> str:
    """The remote in the name of a ref; its own name may have slashes."""
    return re.split(r"/(?:heads/|(?:clones|lost)/[^/]*/)[^/]*$", name.removeprefix(REMOTES))[0]


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
    """Yield what is wrong; with the lock held, what is safe is repaired."""
    may_repair = lock is not None
    yield from machine(workspace)
    yield from scopes.find_lost_refs(workspace, lock)
    yield from hooks(workspace)
    yield from sharing(workspace, may_repair)
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
        yield from _vault(workspace, vault, may_repair)
    yield from scopes.find_left_out(workspace, lock)
    yield from scopes.ways_back(workspace)


def _vault(workspace: Workspace, vault: Vault, may_repair: bool) -> Iterator[Finding]:
    folder = vault.repository.common_dir
    yield from files.stale_locks(folder, may_repair)
    yield from files.temporary_objects(folder, may_repair)
    yield from files.loose_objects(vault)
    yield from scopes.strangers(vault)
    yield from strange_remotes(vault)
    # What was fetched is never repaired: the next fetch brings it again.
    ours = [(name, value, may_repair) for name, value in _scopes(folder)]
    theirs = [(name, value, False) for name, value in list_fetched(vault)]
    whole = set()
    for name, value, may_mend in (*ours, *theirs):
        findings = list(scopes.scope_ref(workspace, vault, name, value, may_mend))
        yield from findings
        if not any(finding.severity == "error" for finding in findings):
            whole.add(value)
    yield from scopes.past(vault, whole)


def _scopes(folder: Path) -> list[tuple[str, str]]:
    return [item for prefix in (HEADS, TRASH) for item in refs.list_refs(folder, prefix).items()]
