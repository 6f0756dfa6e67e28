"""redact: take a memory's text out of history, for good. What others have is theirs."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from treering.actions.workspace import Workspace
from treering.errors import MemoryNotFound
from treering.git import process, refs
from treering.git.lock import Held
from treering.model.memory import id_prefix
from treering.model.scope import HEADS, REFS, REMOTES, TRASH
from treering.store import layout
from treering.store.changes import logged
from treering.store.rewriting import Rewritten, rewritten
from treering.store.vault import Vault


@dataclass(frozen=True, slots=True)
class Redacted:
    """What was taken out, and what is left to do by hand."""

    id: str
    dry_run: bool
    versions: int
    commits: int
    refs: tuple[str, ...]
    left: tuple[str, ...]


def redact(workspace: Workspace, id: str, *, dry_run: bool = False) -> Redacted:
    """Write every history that holds a memory again, with a tombstone in its place."""
    memory_id = _meant(workspace, id)
    touched = {vault: _refs_with(vault, memory_id) for vault in workspace.store.vaults()}
    if not any(touched.values()):
        raise MemoryNotFound(f"No history here holds a memory {memory_id}")
    named = tuple(name for names in touched.values() for name in names)
    if dry_run:
        versions = sum(len(_versions(vault, memory_id, names)) for vault, names in touched.items())
        return Redacted(memory_id, True, versions, 0, named, _left(workspace, touched, 0))
    workspace.ledger.catch_up()  # of a history written again nobody could tell who wrote it
    with workspace.store.lock() as held:
        done = {vault: take_out(vault, held, [memory_id]) for vault in touched}
        packed = sum(_erased(vault, found) for vault, found in done.items())
        _forget_derived(workspace)
        workspace.ledger.forget_versions_of(memory_id)
    return Redacted(
        id=memory_id,
        dry_run=False,
        versions=sum(len(found.blobs) for found in done.values()),
        commits=sum(len(found.commits) for found in done.values()),
        refs=named,
        left=_left(workspace, touched, packed),
    )


def _meant(workspace: Workspace, text: str) -> str:
    """The id meant, also of a memory that is only in the trash: then it has to be whole."""
    prefix = id_prefix(text)
    return prefix if len(prefix) == 12 else workspace.everything().find(text).id


def _refs_with(vault: Vault, memory_id: str) -> list[str]:
    """The refs of ours whose history ever held a memory."""
    found = []
    for prefix in (HEADS, TRASH, REMOTES):
        for name, tip in refs.listed(vault.repository.common_dir, prefix).items():
            if _held(vault, tip, memory_id):
                found.append(name)
    return found


def _versions(vault: Vault, memory_id: str, names: Iterable[str]) -> set[str]:
    tips = [tip for name in names if (tip := refs.read(vault.repository.handle, name))]
    commits = logged(vault, *tips) if tips else []
    return {blob for commit in commits if (blob := vault.blob_at(commit.oid, memory_id))}


def take_out(vault: Vault, held: Held, ids: list[str]) -> Rewritten:
    """Move our refs to histories without these memories' text, and forget where they were.

    What remotes were seen to have is forgotten, too; a sync brings it back, written again.
    """
    folder = vault.repository.common_dir
    names = {**refs.listed(folder, HEADS), **refs.listed(folder, TRASH)}
    tips = list(dict.fromkeys(names.values()))
    done = rewritten(vault, ids, tips) if tips else Rewritten({}, frozenset())
    os.sync()  # one for all objects, before any ref names them
    for name, tip in names.items():
        if tip in done.commits:
            vault.move_ref(held, name, done.commits[tip], old=tip, why="redact")
    for name, tip in refs.listed(folder, REMOTES).items():
        if any(_held(vault, tip, memory_id) for memory_id in ids):
            vault.move_ref(held, name, None, old=tip, why="redact")
    refs.forget_logs(folder, REFS, done.commits)
    return done


def _held(vault: Vault, tip: str, memory_id: str) -> bool:
    """Whether a memory was ever in a history."""
    said = process.run(
        vault.repository.common_dir,
        *("rev-list", "--max-count=1", "--full-history", tip, "--", layout.path_of(memory_id)),
        may_fail=(128,),
    )
    return bool(said.strip())


def _erased(vault: Vault, done: Rewritten) -> int:
    """Remove the loose objects that held the text; how many are left, in packs or in use."""
    if not done.commits:
        return 0
    folder = vault.repository.common_dir
    if _is_in_use(vault, done):
        return len(done.blobs)
    left = 0
    for oid in (*done.blobs, *done.commits):
        path = folder / "objects" / oid[:2] / oid[2:]
        if path.exists():
            path.unlink()
        elif oid in done.blobs and vault.repository.objects.exists(oid):
            left += 1
    return left


def _is_in_use(vault: Vault, done: Rewritten) -> bool:
    """Whether a ref that is not ours holds the old history: to erase would break it."""
    objects = vault.repository.objects
    first = [
        oid
        for oid in done.commits
        if not any(parent in done.commits for parent in objects.commit(oid).parents)
    ]
    return any(
        process.run(
            vault.repository.common_dir,
            *("for-each-ref", "--count=1", f"--contains={oid}"),
            may_fail=(129,),
        ).strip()
        for oid in first
    )


def _forget_derived(workspace: Workspace) -> None:
    """Index and cached answers hold words of it; both are made again when needed."""
    for name in ("index", "cache"):
        shutil.rmtree(Path(workspace.store.folder) / name, ignore_errors=True)


def _left(workspace: Workspace, touched: dict[Vault, list[str]], packed: int) -> tuple[str, ...]:
    told = []
    if packed:
        told.append(
            f"{packed} versions are in packs: `git gc --prune=now` removes them, when no other "
            "program is using the repository."
        )
    remotes = {n.removeprefix(REMOTES).partition("/heads/")[0] for ns in touched.values()
               for n in ns if n.startswith(REMOTES)}  # fmt: skip
    for remote in sorted(remotes):
        told.append(
            f"{remote} still has it: `treering sync --remote {remote}` replaces its history; "
            "copies and caches a server keeps are out of reach."
        )
    if workspace.repository.remotes():
        told.append(
            "Other clones keep it until they sync with the replaced history; "
            "what was read or copied before cannot be called back."
        )
    return tuple(told)
