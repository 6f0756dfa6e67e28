"""What a sync tells: of every scope what became of it, in the contract's words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SyncedScope:
    """One scope of the answer; `reason` says why it was refused or stays here, `notes` what a merge
    decided."""

    branch: str
    status: str
    reason: str | None = None
    notes: tuple[str, ...] | None = None
    undo: str | None = None  # the ref of what we saw before, where the sync changed that


@dataclass(frozen=True, slots=True)
class Synced:
    """What happened: `fetched`, `pushed` and `merged` count branches."""

    remote: str
    scopes: tuple[SyncedScope, ...]
    fetched: int
    pushed: int
    merged: int
    memories_fetched: int | None = None  # not known before a fetch
    memories_pushed: int = 0
    memories_merged: int = 0
    dry_run: bool = False
    notes: tuple[str, ...] | None = None
