"""What is left of a text that was taken out of our refs: who holds it, and how it is removed.

git deletes an object once nothing reaches it. So there are commands for all that does, and then
the one that deletes. They are for a person to read and run: each takes away what it names.
"""

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.git import reach
from treering.git.reach import Holder
from treering.model.scope import HEADS, REMOTES, TRASH, UNDO
from treering.store.vault import Vault

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
        is_shared = holder.name.startswith("refs/")
        git = self.at(holder.git_dir, is_shared=is_shared)
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
    if fixed := [holder for holder in holders if holder.is_checked_out]:
        notes.append(
            f"{', '.join(map(str, fixed))}: checked out, so there is no command for it. First "
            "check out something without the text, then run `treering redact ID --dry-run`."
        )
    return notes


def _list_unpruned(vault: Vault) -> list[str]:
    """Object stores that `git gc` leaves as they are."""
    objects = vault.repository.common_dir / "objects"
    notes = []
    if kept := sorted(path.name for path in (objects / "pack").glob("*.keep")):
        notes.append(f"git leaves packs with a .keep file as they are: {', '.join(kept)}")
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
