"""What is a scope's own beside the one below it: not what that one has already taken over."""

from collections.abc import Callable

from treering.store.history import promotions
from treering.store.snapshot import Snapshot
from treering.store.trees import Listing
from treering.store.vault import Vault


def promoted_base(vault: Vault, source: Snapshot, target: Snapshot) -> str | None:
    """The newest commit of the source that the target has already taken over, or None.

    Found by the promotion commits of the target, which are few, instead of a merge base, which for
    two histories that never met means walking both.
    """
    if source.tip is None or target.tip is None:
        return None
    if source.tip == target.tip:
        return source.tip
    known = vault.promoted.get((source.tip, target.tip))
    if known is None:
        known = _newest_taken(vault, source.tip, target.tip) or ""
        vault.promoted[source.tip, target.tip] = known
    return known or None


def _newest_taken(vault: Vault, source: str, target: str) -> str | None:
    for done in promotions(vault, target):
        if vault.repository.is_ancestor(done.taken, source):
            return done.taken
    return None


def own_part(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """What is the source's own: without what the target took over and nobody changed since."""
    return _own(vault, source, target, Snapshot.listing)


def own_saved(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """The same of prompts and templates."""
    return _own(vault, source, target, Snapshot.saved)


def _own(
    vault: Vault, source: Snapshot, target: Snapshot, part: Callable[[Snapshot], Listing]
) -> Listing:
    base = promoted_base(vault, source, target)
    if base is None:
        return part(source)
    before = part(vault.snapshot_at(source.scope, base))
    return {key: blob for key, blob in part(source).items() if before.get(key) != blob}
