"""What is a scope's own beside the one below it: not what that one has already taken over.

Whether something was taken over is asked of trees. That a promotion has a scope's tip as parent
says nothing: anyone who may push can write such a commit, with any tree.
"""

from collections.abc import Callable

from treering.store.history import PromotionRecord, promotions
from treering.store.layout import path_of, saved_path
from treering.store.snapshot import Snapshot
from treering.store.trees import Listing
from treering.store.vault import Vault

_MOST = 1_000


def list_taken_over(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """The memories of the source that the target has taken over; shared, not to be changed."""
    return _list_taken(vault, source, target, Snapshot.listing, path_of)


def list_taken_over_saved(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """The same of prompts and templates."""
    return _list_taken(vault, source, target, Snapshot.saved, saved_path)


def own_part(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """What is the source's own: without what the target took over and nobody changed since."""
    return _without(source.listing(), list_taken_over(vault, source, target))


def own_saved(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """The same of prompts and templates."""
    return _without(source.saved(), list_taken_over_saved(vault, source, target))


def _without(all_of_it: Listing, taken: Listing) -> Listing:
    return {key: blob for key, blob in all_of_it.items() if taken.get(key) != blob}


def _list_taken(
    vault: Vault,
    source: Snapshot,
    target: Snapshot,
    part: Callable[[Snapshot], Listing],
    path: Callable[[str], str],
) -> Listing:
    if source.tip is None or target.tip is None:
        return {}
    key = (source.tip, target.tip, part.__name__)
    listing = vault.taken_over.get(key)
    if listing is None:
        if len(vault.taken_over) > _MOST:
            vault.taken_over.clear()
        listing = vault.taken_over[key] = _find_taken(vault, source, target, part, path)
    return listing


def _find_taken(
    vault: Vault,
    source: Snapshot,
    target: Snapshot,
    part: Callable[[Snapshot], Listing],
    path: Callable[[str], str],
) -> Listing:
    """Found by the promotion commits of the target, which are few, instead of a merge base, which
    for two histories that never met means walking both."""
    rest = dict(part(source))
    if source.tip == target.tip:
        return rest
    listing: Listing = {}
    for record in promotions(vault, target.tip or ""):
        if not rest:
            break
        if vault.repository.is_ancestor(record.taken, source.tip or ""):
            brought = _brought(vault, source, record, part, path)
            listing |= {key: blob for key, blob in rest.items() if brought.get(key) == blob}
            rest = {key: blob for key, blob in rest.items() if key not in listing}
    return listing


def _brought(
    vault: Vault,
    source: Snapshot,
    record: PromotionRecord,
    part: Callable[[Snapshot], Listing],
    path: Callable[[str], str],
) -> Listing:
    """The copies a promotion really brought; this never changes, so it is looked at once."""
    key = (record.commit, record.taken, part.__name__)
    if key not in vault.taken_over:
        vault.taken_over[key] = {
            name: blob
            for name, blob in part(vault.snapshot_at(source.scope, record.taken)).items()
            if _has_arrived(vault, record, path(name), blob)
        }
    return vault.taken_over[key]


def _has_arrived(vault: Vault, done: PromotionRecord, path: str, blob: str) -> bool:
    """As it is, or put together with the one that was there."""
    there = vault.file_at(done.commit, path)
    before = vault.file_at(done.onto, path) if done.onto else None
    return there == blob or there not in (None, before)
