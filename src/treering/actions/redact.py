"""redact: take a memory's text out of history, for good. What others have is theirs.

git deletes an object once nothing reaches it. So the answer names all that does, with a command for
each, and then the one that deletes. They are for a person to read and run.
"""

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from treering.actions.searcher import forget_derived
from treering.actions.workspace import Workspace
from treering.branches.trunk import trunk_of
from treering.errors import MemoryNotFound
from treering.git import reach, refs
from treering.git.lock import Held
from treering.git.log import below
from treering.git.reach import Holder
from treering.model import document
from treering.model.memory import id_prefix
from treering.model.scope import PUSHED, REFS, REMOTES, SEEN, Scope
from treering.store import layout
from treering.store.merge.replay import is_redacted
from treering.store.message import Message
from treering.store.redaction import REDACT, REWRITTEN, is_text, note_own, take_out, tombstone
from treering.store.vault import Vault

_OURS = below(REFS)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A redaction: the text taken out, what still holds it, and what is left to do by hand."""

    id: str
    dry_run: bool
    versions: int
    commits: int
    refs: tuple[str, ...]
    held_by: tuple[str, ...]
    commands: tuple[str, ...]
    left: tuple[str, ...]


class Past(NamedTuple):
    """The history of one memory in a vault, and the refs of ours that lead there."""

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
        workspace.ledger.note_written()  # of a history written again nobody could tell who wrote it
        with workspace.store.lock() as lock:
            note_own(workspace.store.shared, [memory_id])
            histories = {vault: take_out(vault, lock, [memory_id]) for vault in pasts}
            if texts[workspace.store.shared] and _may_be_elsewhere(workspace, pasts):
                _leave_tombstone(workspace, lock, memory_id)
            for history in histories.values():
                workspace.ledger.follow_redaction(history.commits)
            forget_derived(workspace)
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
    versions = reach.find_versions(folder, [layout.path_of(memory_id)], *reach.EVERYTHING)
    commits = reach.find_descendants(folder, set().union(*versions.values()), _OURS)
    names = (
        name
        for prefix in REWRITTEN
        for name, tip in refs.list_refs(folder, prefix).items()
        if tip in commits
    )
    return Past(frozenset(blob for blob in versions if is_text(vault, blob)), tuple(names))


def _may_be_elsewhere(workspace: Workspace, pasts: Mapping[Vault, Past]) -> bool:
    """Return whether a remote may have the text: of what was never shared not even the id goes
    out."""
    names = pasts[workspace.store.shared].refs
    trunk = Scope(trunk_of(workspace.repository))
    return any(name == trunk.ref or name.startswith((REMOTES, PUSHED, SEEN)) for name in names)


def _leave_tombstone(workspace: Workspace, lock: Held, memory_id: str) -> None:
    """Say on the trunk that a text is not to be shared, so that nobody pushes it again, and who
    says so: of a history that was written again nobody could tell."""
    vault, actor = workspace.store.shared, workspace.actor(lock)
    trunk = Scope(actor.trunk)
    view = vault.tip(trunk)
    stone = vault.try_memory(vault.blob_at(view, memory_id)) if view else None
    if stone is None or not is_redacted(stone):
        stone = tombstone(memory_id, None)
    why = Message(REDACT, f"redact {memory_id}", actor.code_of(trunk), (memory_id,))
    actor.write(vault, trunk, {memory_id: document.dump(stone)}, why)


def _elsewhere(workspace: Workspace, ours: tuple[str, ...]) -> list[str]:
    notes = []
    names = (name.removeprefix(REMOTES) for name in ours if name.startswith(REMOTES))
    remotes = workspace.repository.remotes()
    places = list(names)
    for remote in [one for one in remotes if any(n.startswith(f"{one}/") for n in places)]:
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
    """Return what a vault's git keeps some blobs for.

    Our own refs are left out where they are still to be written again; afterwards none of them
    should hold a text, and one that does is named.
    """
    folder = vault.repository.common_dir
    holders = [
        holder
        for holder in reach.find_holders(folder, texts)
        if with_ours or not holder.name.startswith(REWRITTEN)
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
    try:
        text = (objects / "info" / "alternates").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return notes
    if lenders := [line for line in text.splitlines() if line and not line.startswith("#")]:
        notes.append(f"Objects are borrowed from {', '.join(lenders)}: remove the text there, too.")
    return notes
