"""A scope's own memories beside the scope below it: not what that one has already taken over.

Whether something was taken over is asked of trees. That a promotion has a scope's tip as parent
says nothing: anyone who may push can write such a commit, with any tree.
"""

from collections.abc import Iterable, Mapping, Set
from weakref import WeakKeyDictionary

from treering.branches.long_lived import long_lived_tips
from treering.git import refs
from treering.model.memory import Memory
from treering.model.scope import PUSHED, TRASH, Scope
from treering.store.ancestry import contains
from treering.store.history import kept_back, promotions
from treering.store.trees import Listing, Snapshot
from treering.store.vault import Vault
from treering.text.masking import mask_branch

_MAX_ANSWERS = 1_000
#: Source and target commit -> what of the one the other has taken over.
_taken_over: WeakKeyDictionary[Vault, dict[tuple[str, str], Listing]] = WeakKeyDictionary()


def list_taken_over(vault: Vault, source: Snapshot, target: Snapshot) -> Listing:
    """The memories of the source that the target has taken over; shared, not to be changed."""
    if source.tip is None or target.tip is None:
        return {}
    key, answers = (source.tip, target.tip), _taken_over.setdefault(vault, {})
    known = answers.get(key)
    if known is None:
        if len(answers) > _MAX_ANSWERS:
            answers.clear()
        versions = set(source.listing().items())
        if source.tip != target.tip:
            versions -= list_not_taken(vault, versions, target)
        known = answers[key] = dict(versions)
    return known


def list_not_taken(
    vault: Vault, versions: Set[tuple[str, str]], target: Snapshot
) -> set[tuple[str, str]]:
    """Return those of some versions (id and blob) that no promotion has brought into the target, or
    that somebody took back.

    Found by the promotion commits of the target, which are few, instead of a merge base, which for
    two histories that never met means walking both. What one took is all in its own tree, and named
    in its message unless there are many.
    """
    if not versions or target.tip is None:
        return set(versions)
    taken_back = versions & kept_back(vault, target.tip).keys()
    left = set(versions - taken_back)
    for done in promotions(vault, target.tip):
        if not left:
            break
        if done.said.promoted_into != mask_branch(target.scope.branch):
            continue  # one of another scope, behind a promotion of that
        if done.said.bulk:
            left -= vault.snapshot_at(Scope(""), done.commit).listing().items()
            continue
        named = set(done.said.memories)
        left -= {
            one for one in left if one[0] in named and vault.blob_at(done.commit, one[0]) == one[1]
        }
    return left | taken_back


# --- what a branch keeps for itself ---------------------------------------------------------------


def was_shared(vault: Vault, source: Scope) -> bool:
    """Return whether a remote ever had memories of a scope, as far as is known here. What was
    pushed of other work that once had its name says nothing."""
    repository, folder = vault.repository, vault.repository.common_dir
    pushed = refs.list_refs(folder, PUSHED).items()
    last = {tip for name, tip in pushed if name.rpartition("/")[2] == source.component}
    own = vault.head(source)
    mine = [own] if own else refs.list_refs(folder, f"{TRASH}{source.component}/").values()
    if any(contains(repository, *pair) for m in mine for t in last for pair in ((t, m), (m, t))):
        return True
    return not last.issuperset(vault.fetched_heads(source)) or bool(last and not mine)


def read_special(vault: Vault, blobs: Iterable[str]) -> dict[str, Memory]:
    """Read those of some memories, by blob, that are not known to be knowledge in force that did
    not fail. Most are, and need not be read."""
    some = list(blobs)
    plain = vault.history.find_plain(some)
    read = ((blob, vault.try_memory(blob)) for blob in some if blob not in plain)
    return {blob: memory for blob, memory in read if memory}


def is_captured(memory: Memory) -> bool:
    """Return whether a memory is a commit or a session that hooks captured, and is still in
    force."""
    is_record = memory.type in ("commit", "session")
    return is_record and memory.source == "hook" and not memory.is_passing


def find_left_behind(vault: Vault, source: Scope, memories: Mapping[str, Memory]) -> set[str]:
    """Return the blobs of those memories that are not taken along when their branch lands: they are
    about the work alone, or hooks captured them on a branch that was never shared, and they would
    name that branch or commits of it that nobody else has."""
    behind = {blob for blob, memory in memories.items() if memory.is_passing}
    captured = {blob: memory for blob, memory in memories.items() if is_captured(memory)}
    if not captured or vault.is_private or was_shared(vault, source):
        return behind
    tips = [tip for tips in long_lived_tips(vault.repository).values() for tip in tips]
    is_public = vault.repository.is_ancestor
    return behind | {
        blob
        for blob, memory in captured.items()
        if memory.type != "commit" or not any(is_public(memory.commit, tip) for tip in tips)
    }
