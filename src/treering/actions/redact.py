"""redact: take a memory's text out of history, for good. What others have is theirs.

git deletes an object once nothing reaches it. So the answer names all that does, with a command for
each, and then the one that deletes. They are for a person to read and run.
"""

import os
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from treering.actions.reindex import forget_derived
from treering.actions.workspace import Workspace
from treering.errors import MemoryNotFound
from treering.git import reach, refs
from treering.git.lock import Held
from treering.git.log import below
from treering.git.reach import Holder
from treering.model.memory import id_prefix
from treering.model.scope import HEADS, REFS, REMOTES, TRASH, UNDO
from treering.store import layout
from treering.store.merge.replay import is_redacted
from treering.store.redaction import RedactedHistory, rewrite
from treering.store.vault import Vault

_OURS = below(REFS)


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
        with workspace.store.lock() as lock:
            histories = {vault: take_out(vault, lock, memory_id) for vault in pasts}
            forget_derived(workspace)
            workspace.ledger.forget_versions_of(memory_id)
        texts = {vault: texts[vault] | histories[vault].blobs for vault in pasts}
        commits = sum(len(part.commits) for part in histories.values())
    # Looked for without the lock: everything git keeps is walked, and others want to write.
    remains = [
        look_for(workspace, vault, part, with_ours=not dry_run)
        for vault, part in texts.items()
        if part
    ]
    ours = tuple(name for past in pasts.values() for name in past.refs)
    return Redacted(
        id=memory_id,
        dry_run=dry_run,
        versions=sum(map(len, texts.values())),
        commits=commits,
        refs=ours,
        held_by=tuple(name for part in remains for name in part.held_by),
        commands=tuple(command for part in remains for command in part.commands),
        left=(*(note for part in remains for note in part.notes), *_elsewhere(workspace, ours)),
    )


def _resolve(workspace: Workspace, text: str) -> str:
    """The id meant, also of a memory that is only in the trash: then it has to be whole."""
    prefix = id_prefix(text)
    return prefix if len(prefix) == 12 else workspace.view_of_all().find(text).id


def _past(vault: Vault, memory_id: str) -> Past:
    folder = vault.repository.common_dir
    versions = reach.find_versions(folder, layout.path_of(memory_id), *reach.EVERYTHING)
    commits = reach.find_descendants(folder, set().union(*versions.values()), _OURS)
    names = (
        name
        for prefix in (HEADS, TRASH, UNDO, REMOTES)
        for name, tip in refs.list_refs(folder, prefix).items()
        if tip in commits
    )
    return Past(frozenset(blob for blob in versions if _is_text(vault, blob)), tuple(names))


def _is_text(vault: Vault, blob: str) -> bool:
    """What cannot be read is no tombstone, whatever it is."""
    return not is_redacted(vault.try_memory(blob))


def take_out(vault: Vault, lock: Held, memory_id: str) -> RedactedHistory:
    """Move our refs to histories without a memory's text, and forget where they were.

    What remotes were seen to have is forgotten, too; a sync brings it back, written again.
    """
    folder = vault.repository.common_dir
    names = {n: t for p in (HEADS, TRASH, UNDO) for n, t in refs.list_refs(folder, p).items()}
    tips = list(dict.fromkeys(names.values()))
    history = rewrite(vault, [memory_id], tips) if tips else RedactedHistory({}, frozenset())
    with_text = _commits_with_text(vault, memory_id) | history.commits.keys()
    os.sync()  # one for all objects, before any ref names them
    for name, tip in names.items():
        if tip in history.commits:
            vault.move_ref(lock, name, history.commits[tip], old=tip, why="redact")
    for name, tip in refs.list_refs(folder, REMOTES).items():
        if tip in with_text:
            vault.move_ref(lock, name, None, old=tip, why="redact")
    refs.forget_logs(folder, REFS, with_text)
    return history


def _commits_with_text(vault: Vault, memory_id: str) -> set[str]:
    """Our commits that hold a memory's text, those included that only a log of ours still names."""
    folder, path = vault.repository.common_dir, layout.path_of(memory_id)
    values = refs.list_logged_values(folder, REFS)
    versions = reach.find_versions(folder, path, _OURS, also=values)
    brought = [commits for blob, commits in versions.items() if _is_text(vault, blob)]
    return reach.find_descendants(folder, set().union(*brought), _OURS, also=values)


def _elsewhere(workspace: Workspace, ours: tuple[str, ...]) -> list[str]:
    notes = []
    names = (name.removeprefix(REMOTES) for name in ours if name.startswith(REMOTES))
    for remote in sorted({name.rpartition("/heads/")[0] for name in names}):
        notes.append(
            f"{remote} still has it: `treering sync --remote {remote}` replaces its history. "
            "Copies and caches of a server cannot be reached."
        )
    if workspace.repository.remotes():
        notes.append(
            "Other clones keep it until they sync with the replaced history. "
            "What was read or copied before cannot be undone."
        )
    return notes


_BORROWERS = (
    "Repositories that borrow objects from this one (git clone --shared or --reference) are not "
    "known here. gc breaks them: run `git repack -a -d` in them first."
)


class Remains(NamedTuple):
    """Refs and lines of logs that hold a text, commands that remove it, and what to know first."""

    held_by: tuple[str, ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...]


def look_for(
    workspace: Workspace, vault: Vault, texts: Collection[str], *, with_ours: bool
) -> Remains:
    """What a vault's git keeps some blobs for.

    Our own refs are left out where they are still to be written again; afterwards none of them
    should hold a text, and one that does is named.
    """
    folder = vault.repository.common_dir
    holders = [
        holder
        for holder in reach.find_holders(folder, texts)
        if with_ours or not holder.name.startswith((HEADS, TRASH, UNDO, REMOTES))
    ]
    git = _Git(workspace, vault)
    free = [holder for holder in holders if not holder.is_checked_out]
    return Remains(
        held_by=tuple(map(str, holders)),
        commands=(*map(git.removal, free), f"{git.at(folder)} gc --prune=now"),
        notes=(*_notes(holders, len(texts)), *_list_unpruned(vault), _BORROWERS),
    )


class _Git:
    """Commands as they are typed in the work tree the caller is in."""

    def __init__(self, workspace: Workspace, vault: Vault) -> None:
        self._here = workspace.repository.git_dir
        self._common = vault.repository.common_dir
        self._is_main = workspace.repository.common_dir == self._common

    def at(self, git_dir: Path, *, is_shared: bool = True) -> str:
        """git for one git directory: what work trees share is the same from each of them."""
        is_here = git_dir == self._here or (is_shared and git_dir == self._common)
        return "git" if self._is_main and is_here else f"git --git-dir={shlex.quote(str(git_dir))}"

    def removal(self, holder: Holder) -> str:
        is_ref = holder.name.startswith("refs/")
        git = self.at(holder.git_dir, is_shared=is_ref)
        if holder.line is not None:
            entry = shlex.quote(f"{holder.name}@{{{holder.line}}}")
            verb = "stash drop" if holder.name == "refs/stash" else "reflog delete --rewrite"
            return f"{git} {verb} {entry}"
        for prefix, verb in (("refs/heads/", "branch -D"), ("refs/tags/", "tag -d")):
            if holder.name.startswith(prefix):
                return f"{git} {verb} -- {shlex.quote(holder.name.removeprefix(prefix))}"
        return f"{git} update-ref -d {shlex.quote(holder.name)}"


def _notes(holders: list[Holder], versions: int) -> list[str]:
    some = "1 version" if versions == 1 else f"{versions} versions"
    notes = [
        f"{some} of the text can still be read with `git cat-file`. Run the commands in this "
        "order, while no other program uses the repository."
    ]
    if holders:
        notes.append(
            f"It is held by {', '.join(map(str, holders))}: save what you need of these "
            "before you remove them."
        )
    if heads := [holder for holder in holders if holder.is_checked_out]:
        notes.append(
            f"{', '.join(map(str, heads))}: checked out, so there is no command for it. First "
            "check out something without the text, then run `treering redact ID --dry-run`."
        )
    return notes


def _list_unpruned(vault: Vault) -> list[str]:
    """Object stores that `git gc` leaves as they are."""
    objects = vault.repository.common_dir / "objects"
    notes = []
    if packs := sorted(path.name for path in (objects / "pack").glob("*.keep")):
        notes.append(f"git leaves packs with a .keep file as they are: {', '.join(packs)}")
    if (vault.repository.config("gc.bigPackThreshold") or "0") != "0":
        notes.append("git leaves packs above gc.bigPackThreshold as they are: unset it first.")
    if lenders := _alternates(objects):
        notes.append(f"Objects are borrowed from {', '.join(lenders)}: remove the text there, too.")
    return notes


def _alternates(objects: Path) -> list[str]:
    try:
        text = (objects / "info" / "alternates").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line and not line.startswith("#")]
