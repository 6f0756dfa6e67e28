"""Memory commits that no ref leads to: what is left of scopes whose refs another tool deleted.

git keeps objects for a while after their last ref is gone. To find them every object is looked at,
so this is for a store that has no ref at all, when somebody asks.
"""

from collections.abc import Iterator
from typing import NamedTuple

from treering.errors import TreeringError
from treering.git import log
from treering.git.binding import reference_is_valid_name
from treering.model.scope import Scope
from treering.store import message
from treering.store.merge.replay import is_redacted
from treering.store.vault import Vault


class Lost(NamedTuple):
    """The newest commit of a history of a scope."""

    scope: Scope
    tip: str
    time: int


def find_lost(vault: Vault) -> list[Lost]:
    """The ends of all memory histories git still has, newest first.

    What was redacted is not lost: a history with a text that another of the same scope has taken
    out is left where it is.
    """
    commits = list(_memory_commits(vault))
    below = {parent for _, parents in commits for parent in parents}
    ends = [lost for lost, _ in commits if lost.tip not in below and _is_whole(vault, lost)]
    ends.sort(key=lambda lost: (lost.time, lost.tip), reverse=True)
    return [
        lost
        for lost in ends
        if not any(
            other.scope == lost.scope and _has_taken_out(vault, other, lost) for other in ends
        )
    ]


def _memory_commits(vault: Vault) -> Iterator[tuple[Lost, tuple[str, ...]]]:
    """Every commit that says it is ours, with its parents."""
    for commit in log.read_all_commits(vault.repository.common_dir, "Treering-Op: "):
        text = message.read(commit.message)
        if text.op and (scope := _scope(text.code.branch)):
            yield Lost(scope, commit.oid, commit.time), commit.parents


def _scope(branch: str) -> Scope | None:
    """The scope of a branch, if the name is one: anyone may have written the commit."""
    if not branch.isprintable() or not reference_is_valid_name(f"refs/heads/{branch}"):
        return None
    if branch.startswith("@"):
        return Scope.of_component("%40" + branch[1:]) or Scope(branch)
    return Scope(branch)


def _is_whole(vault: Vault, lost: Lost) -> bool:
    try:
        vault.snapshot_at(lost.scope, lost.tip).listing()
    except TreeringError:
        return False
    return True


def _has_taken_out(vault: Vault, other: Lost, lost: Lost) -> bool:
    """Return whether a history has a tombstone where another still has the text."""
    pairs = vault.diff(other.tip, lost.tip)
    return any(
        is_redacted(vault.try_memory(there)) and not is_redacted(vault.try_memory(here))
        for there, here in pairs.values()
    )
