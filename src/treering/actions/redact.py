"""redact: take a memory's text out of history, for good. What others have is theirs."""

import os
from dataclasses import dataclass
from typing import NamedTuple

from treering.actions.reindex import forget_derived
from treering.actions.remains import look_for
from treering.actions.workspace import Workspace
from treering.errors import MemoryNotFound, TreeringError
from treering.git import reach, refs
from treering.git.lock import Held
from treering.model.memory import id_prefix
from treering.model.scope import HEADS, REFS, REMOTES, TRASH, UNDO
from treering.store import layout
from treering.store.merge.replay import is_redacted
from treering.store.redaction import RedactedHistory, rewrite
from treering.store.vault import Vault

_OURS = f"--glob={REFS}*"


@dataclass(frozen=True, slots=True)
class Redacted:
    """What was taken out, what still holds it, and what is left to do by hand."""

    id: str
    dry_run: bool
    versions: int
    commits: int
    refs: tuple[str, ...]
    held_by: tuple[str, ...]
    commands: tuple[str, ...]
    left: tuple[str, ...]


class Past(NamedTuple):
    """What a vault's history knows of one memory, and the refs of ours that lead there."""

    texts: frozenset[str]  # blobs
    refs: tuple[str, ...]


def redact(workspace: Workspace, id: str, *, dry_run: bool = False) -> Redacted:
    """Write every history that holds a memory again, with a tombstone in its place.

    Objects are not deleted: a clone that borrows them, or a ref that is not ours, would break. The
    answer names what keeps them, and the commands that remove them.
    """
    memory_id = _resolve(workspace, id)
    pasts = {vault: _past(vault, memory_id) for vault in workspace.store.vaults()}
    if not any(past.refs or past.texts for past in pasts.values()):
        raise MemoryNotFound(f"No history here holds a memory {memory_id}")
    texts = {vault: past.texts for vault, past in pasts.items()}
    commits = 0
    if not dry_run:
        workspace.ledger.catch_up()  # of a history written again nobody could tell who wrote it
        with workspace.store.lock() as held:
            done = {vault: take_out(vault, held, memory_id) for vault in pasts}
            forget_derived(workspace)
            workspace.ledger.forget_versions_of(memory_id)
        texts = {vault: texts[vault] | done[vault].blobs for vault in pasts}
        commits = sum(len(found.commits) for found in done.values())
    # Looked for without the lock: everything git keeps is walked, and others want to write.
    remains = [
        look_for(workspace, vault, found, with_ours=not dry_run)
        for vault, found in texts.items()
        if found
    ]
    ours = tuple(name for past in pasts.values() for name in past.refs)
    return Redacted(
        id=memory_id,
        dry_run=dry_run,
        versions=sum(map(len, texts.values())),
        commits=commits,
        refs=ours,
        held_by=tuple(name for found in remains for name in found.held_by),
        commands=tuple(command for found in remains for command in found.commands),
        left=(*(note for found in remains for note in found.notes), *_elsewhere(workspace, ours)),
    )


def _resolve(workspace: Workspace, text: str) -> str:
    """The id meant, also of a memory that is only in the trash: then it has to be whole."""
    prefix = id_prefix(text)
    return prefix if len(prefix) == 12 else workspace.view_of_all().find(text).id


def _past(vault: Vault, memory_id: str) -> Past:
    folder = vault.repository.common_dir
    versions = reach.find_versions(folder, layout.path_of(memory_id), *reach.EVERYTHING)
    commits = reach.find_descendants(folder, set().union(*versions.values()), _OURS)
    found = (
        name
        for prefix in (HEADS, TRASH, UNDO, REMOTES)
        for name, tip in refs.list_refs(folder, prefix).items()
        if tip in commits
    )
    return Past(frozenset(blob for blob in versions if _is_text(vault, blob)), tuple(found))


def _is_text(vault: Vault, blob: str) -> bool:
    try:
        return not is_redacted(vault.memory(blob))
    except TreeringError:
        return True  # whatever it is, it is no tombstone


def take_out(vault: Vault, held: Held, memory_id: str) -> RedactedHistory:
    """Move our refs to histories without a memory's text, and forget where they were.

    What remotes were seen to have is forgotten, too; a sync brings it back, written again.
    """
    folder = vault.repository.common_dir
    names = {n: t for p in (HEADS, TRASH, UNDO) for n, t in refs.list_refs(folder, p).items()}
    tips = list(dict.fromkeys(names.values()))
    done = rewrite(vault, [memory_id], tips) if tips else RedactedHistory({}, frozenset())
    with_text = _commits_with_text(vault, memory_id) | done.commits.keys()
    os.sync()  # one for all objects, before any ref names them
    for name, tip in names.items():
        if tip in done.commits:
            vault.move_ref(held, name, done.commits[tip], old=tip, why="redact")
    for name, tip in refs.list_refs(folder, REMOTES).items():
        if tip in with_text:
            vault.move_ref(held, name, None, old=tip, why="redact")
    refs.forget_logs(folder, REFS, with_text)
    return done


def _commits_with_text(vault: Vault, memory_id: str) -> set[str]:
    """Our commits that hold a memory's text, those included that only a log of ours still names."""
    folder, path = vault.repository.common_dir, layout.path_of(memory_id)
    logged = refs.list_logged_values(folder, REFS)
    versions = reach.find_versions(folder, path, _OURS, also=logged)
    brought = [commits for blob, commits in versions.items() if _is_text(vault, blob)]
    return reach.find_descendants(folder, set().union(*brought), _OURS, also=logged)


def _elsewhere(workspace: Workspace, ours: tuple[str, ...]) -> list[str]:
    told = []
    seen = (name.removeprefix(REMOTES) for name in ours if name.startswith(REMOTES))
    for remote in sorted({name.rpartition("/heads/")[0] for name in seen}):
        told.append(
            f"{remote} still has it: `treering sync --remote {remote}` replaces its history. "
            "Copies and caches of a server cannot be reached."
        )
    if workspace.repository.remotes():
        told.append(
            "Other clones keep it until they sync with the replaced history. "
            "What was read or copied before cannot be undone."
        )
    return told
