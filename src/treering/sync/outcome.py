"""What a sync tells: of every scope what became of it, in the contract's words."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SyncedScope:
    """One scope of the answer; `reason` says why it was refused, `notes` what a merge decided."""

    branch: str
    status: str
    reason: str | None = None
    notes: tuple[str, ...] | None = None
    undo: str | None = None  # the ref of what we saw before, where the sync changed that


@dataclass(frozen=True, slots=True)
class Synced:
    """What happened, counted in scopes; `memories` counts the files that moved."""

    remote: str
    scopes: tuple[SyncedScope, ...]
    fetched: int
    pushed: int
    merged: int
    memories: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] | None = None
