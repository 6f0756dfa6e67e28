"""doctor: look at everything we wrote, say what is wrong, repair what is safe."""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treering.actions.setup.hook_files import lost
from treering.actions.workspace import Workspace
from treering.branches import refspec
from treering.capture.journal import Journal
from treering.errors import InvalidDocument, StorageFailed, StoreDamaged, TreeringError
from treering.git import lock, refs
from treering.git.objects import BLOB, TREE
from treering.model import document
from treering.model.scope import HEADS, REMOTES, TRASH, Scope, is_utf8
from treering.store import layout, message
from treering.store.vault import Vault

_OLD_TEMPORARY = 3600.0
_REPAIRED = {"stale-lock", "temporary-objects", "broken-ref", "fetch-refspec"}
#: More fetched refs than these are counted, not read: a remote may offer any number.
_MOST_FETCHED = 1_000
_MANY_LOOSE = 20_000
_LONG_PENDING = 3600.0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or worth knowing; `fixed` says that doctor has already seen to it."""

    code: str
    severity: str
    message: str
    fix: str
    fixed: bool = False

    @property
    def is_left_to_do(self) -> bool:
        return not self.fixed and self.severity != "info"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    ok: bool
    findings: tuple[Finding, ...]


def doctor(workspace: Workspace, *, dry_run: bool = False) -> Diagnosis:
    """Check refs, trees, documents, locks and loose objects; with `dry_run` only look."""
    # A whole store takes long to read, so it is read without the lock; that is for repairs alone.
    findings = tuple(_findings(workspace, may_repair=False))
    if dry_run or not any(finding.code in _REPAIRED for finding in findings):
        return Diagnosis(not any(finding.is_left_to_do for finding in findings), findings)
    with contextlib.suppress(StorageFailed), workspace.store.lock():
        findings = tuple(_findings(workspace, may_repair=True))
    return Diagnosis(not any(finding.is_left_to_do for finding in findings), findings)


def _findings(workspace: Workspace, *, may_repair: bool) -> Iterator[Finding]:
    yield from _machine(workspace)
    yield from _hooks(workspace)
    yield from _sharing(workspace, may_repair)
    for vault in workspace.store.vaults():
        folder = vault.repository.common_dir
        yield from _stale_locks(folder, may_repair)
        yield from _temporary_objects(folder, may_repair)
        yield from _loose_objects(vault)
        for prefix in (HEADS, TRASH):
            for name, value in refs.listed(folder, prefix).items():
                yield from _ref(vault, name, value, may_repair)
        yield from _fetched(vault)


def _machine(workspace: Workspace) -> Iterator[Finding]:
    import yaml

    if not os.access(workspace.repository.common_dir, os.W_OK):
        said = "The repository cannot be written, only read."
        yield Finding("read-only", "info", said, "Nothing can be repaired here.")

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
                "The file system has no flock; a pid file is used.",
                "Keep the repository on a local disk where several hosts write.",
            )
    except OSError:
        return
    if not workspace.is_synced:
        yield Finding(
            "no-fsync",
            "info",
            "treering.fsync is off: a power cut can take memories.",
            "treering config --unset fsync",
        )


def _hooks(workspace: Workspace) -> Iterator[Finding]:
    """What hooks noted, and whether there is anyone to look at it."""
    journal = Journal(workspace.store.folder)
    if (waited := journal.waited()) > _LONG_PENDING:
        yield Finding(
            "journal-pending",
            "warning",
            f"{journal.pending()} hook events wait, the oldest for {waited / 3600:.0f} hours.",
            "treering hook drain",
        )
    if names := lost(workspace.repository):
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
            f"The program hooks start is not there any more: {worker}",
            "treering init",
        )


def _sharing(workspace: Workspace, may_repair: bool) -> Iterator[Finding]:
    repository = workspace.repository
    if wrong := refspec.wrong(repository):
        fixed = may_repair and refspec.repair(repository)
        said = f"`git fetch {wrong[0]}` brings no memories, or puts them under another name."
        yield Finding("fetch-refspec", "warning", said, "treering doctor", fixed=fixed)
    if repository.is_shallow:
        said = "A shallow clone: what two people changed is merged without its history."
        yield Finding("shallow", "info", said, "git fetch --unshallow")


def _fetched(vault: Vault) -> Iterator[Finding]:
    """What remotes were seen to have; never repaired, since the next fetch brings it again."""
    found = refs.listed(vault.repository.common_dir, REMOTES)
    remotes = vault.repository.remotes()
    for remote in sorted({_remote_of(name) for name in found} - set(remotes)):
        yield Finding(
            "gone-remote",
            "info",
            f"Memories were fetched from {remote!r}, which is no remote any more.",
            f"git for-each-ref --format='delete %(refname)' {REMOTES}{remote} | "
            "git update-ref --stdin",
        )
    for name, value in list(found.items())[:_MOST_FETCHED]:
        yield from _ref(vault, name, value, may_repair=False)
    if len(found) > _MOST_FETCHED:
        said = f"{len(found)} scopes were fetched; {_MOST_FETCHED} of them were looked at."
        yield Finding("many-scopes", "info", said, "Nothing has to be done.")


def _remote_of(name: str) -> str:
    return name.removeprefix(REMOTES).rpartition("/heads/")[0]


def _stale_locks(folder: Path, may_repair: bool) -> Iterator[Finding]:
    for path in sorted((folder / "refs" / "treering").rglob("*.lock")):
        if _age(path) < refs.STALE_LOCK:
            continue
        yield Finding(
            "stale-lock",
            "warning",
            f"A lock was left behind by a process that died: {path.name}",
            "treering doctor",
            fixed=may_repair and _removed(path),
        )


def _temporary_objects(folder: Path, may_repair: bool) -> Iterator[Finding]:
    old = [p for p in (folder / "objects").glob("??/tmp_object_git2_*") if _age(p) > _OLD_TEMPORARY]
    if old:
        fixed = may_repair and _all_removed(old)
        yield Finding(
            "temporary-objects",
            "warning",
            f"{len(old)} half-written objects were left behind by processes that died.",
            "treering doctor",
            fixed=fixed,
        )


def _loose_objects(vault: Vault) -> Iterator[Finding]:
    loose = sum(1 for _ in (vault.repository.common_dir / "objects").glob("[0-9a-f][0-9a-f]/*"))
    if loose > _MANY_LOOSE:
        yield Finding("loose-objects", "info", f"{loose} loose objects take space.", "git gc")


def _age(path: Path) -> float:
    try:
        return abs(time.time() - path.stat().st_mtime)
    except OSError:
        return 0.0


def _all_removed(paths: list[Path]) -> bool:
    return not [path for path in paths if not _removed(path)]


def _removed(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


# --- one ref and all below it --------------------------------------------------------------------


def _ref(vault: Vault, name: str, value: str, may_repair: bool) -> Iterator[Finding]:
    try:
        vault.snapshot_at(Scope(""), value)
        commit = vault.repository.objects.commit(value)
        entries = vault.repository.objects.tree(commit.tree)
    except TreeringError as error:
        yield _broken_ref(vault, name, value, error, may_repair)
        return
    said = message.read(commit.message)
    if said.format > document.FORMAT:
        yield Finding(
            "format-too-new",
            "warning",
            f"{name} was written by a newer treering.",
            "Upgrade treering.",
        )
    if not is_utf8(name) or (not name.startswith(TRASH) and not _scope(name, said.code.branch)):
        yield Finding(
            "foreign-ref",
            "warning",
            f"{name} is not the name of a scope.",
            f"git update-ref -d {name}",
        )
    for entry in entries:
        if entry.mode == TREE and entry.name == layout.MEMORIES:
            yield from _memories(vault, name, entry.oid)
        elif entry.mode != TREE or entry.name not in ("prompts", "templates"):
            yield _foreign(name, entry.name)


def _scope(name: str, full_name: str) -> Scope | None:
    component = name.removeprefix(HEADS)
    if name.startswith(REMOTES):
        component = name.rpartition("/heads/")[2]
    return Scope.of_component(component, full_name)


def _broken_ref(
    vault: Vault, name: str, value: str, error: TreeringError, may_repair: bool
) -> Finding:
    """A tip that cannot be read: back to the newest one in its log that can.

    Looked at once more first: to go back for a disk that failed once would lose the newest memory.
    """
    if _is_readable(vault, value):
        return Finding(
            "unsteady-disk",
            "warning",
            f"{name} could be read only at the second try ({error.message})",
            "Look after the disk, then run `treering doctor` again.",
        )
    folder = vault.repository.common_dir
    for earlier in refs.reflog(folder, name):
        if earlier != value and _is_readable(vault, earlier):
            if may_repair:
                refs.overwrite(folder, name, earlier)
            return Finding(
                "broken-ref",
                "error",
                f"{name} cannot be read ({error.message})",
                f"treering doctor goes back to {earlier[:12]}",
                fixed=may_repair,
            )
    return Finding(
        "broken-ref",
        "error",
        f"{name} cannot be read ({error.message})",
        f"Fetch it from another clone: git fetch REMOTE '{name}:{name}'",
    )


def _is_readable(vault: Vault, tip: str) -> bool:
    try:
        vault.snapshot_at(Scope(""), tip).listing()
    except StoreDamaged:
        return False
    return True


def _memories(vault: Vault, name: str, tree: str) -> Iterator[Finding]:
    objects = vault.repository.objects
    try:
        shards = objects.tree(tree)
    except StoreDamaged as error:
        yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
        return
    for shard in shards:
        if shard.mode != TREE or not layout.is_shard(shard.name):
            yield _foreign(name, f"memories/{shard.name}")
            continue
        try:
            files = objects.tree(shard.oid)
        except StoreDamaged as error:
            yield Finding("broken-tree", "error", f"{name}: {error.message}", _FETCH)
            continue
        for file in files:
            memory_id = layout.id_in(file.name, shard.name)
            if file.mode != BLOB or memory_id is None:
                yield _foreign(name, f"memories/{shard.name}/{file.name}")
            else:
                yield from _document(vault, name, memory_id, file.oid)


_FETCH = "Fetch the object from a remote or another clone, or `treering revert` the memory."


def _document(vault: Vault, name: str, memory_id: str, blob: str) -> Iterator[Finding]:
    try:
        memory = vault.memory(blob)
    except InvalidDocument as error:
        yield Finding(
            "bad-document",
            "error",
            f"{name}: {memory_id} is no memory ({error.reason}: {error.message})",
            f"treering revert {memory_id}",
        )
    except StoreDamaged as error:
        yield Finding("broken-blob", "error", f"{name}: {memory_id}: {error.message}", _FETCH)
    else:
        if memory.id != memory_id:
            yield Finding(
                "wrong-id",
                "error",
                f"{name}: {memory_id} says it is {memory.id}",
                f"treering revert {memory_id}",
            )


def _foreign(name: str, path: str) -> Finding:
    return Finding(
        "foreign-entry",
        "info",
        f"{name}: {path!r} is not ours and is ignored.",
        "Nothing has to be done.",
    )
