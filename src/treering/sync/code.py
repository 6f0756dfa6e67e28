"""Fetch the code that other clones' memories speak of, where its branch is gone from the remote.

Whether such a branch landed can only be judged by its commits. A remote still serves them by their
ids after the branch was deleted (git's protocol 2); each head is asked for once.
"""

from collections.abc import Collection

from treering.branches.names import code_heads
from treering.branches.tips import remote_tip_ref
from treering.git import refs
from treering.git.remote import Remote
from treering.model.scope import Scope
from treering.store.state import StateFolder
from treering.store.store import Store
from treering.sync.place import Place

#: Commits asked for in one sync: whoever may push names as many as they like.
_MAX_COMMITS = 200


def fetch_missing_code(store: Store, wire: Remote, place: Place, branches: Collection[str]) -> None:
    """Bring the commits of branches that the remote no longer lists, and keep them until judged."""
    repository = store.repository
    state, name = StateFolder(store.folder), f"code-{wire.name.replace('/', '%2F')}.json"
    kept = state.read_json(name)
    asked = {tip for tip in kept if isinstance(tip, str)} if isinstance(kept, list) else set()
    new = {
        head.tip: scope
        for scope, some in place.heads.items()
        if scope.branch not in branches
        for head in some
        if head.tip not in asked and repository.objects.exists(head.tip)
    }
    if not new or repository.is_shallow:
        return
    missing: dict[str, Scope] = {}
    for tip, scope in new.items():
        codes = code_heads(store.shared, tip)
        missing |= {code: scope for code in codes if repository.resolve(code) is None}
    if missing:
        wire.fetch_objects(list(missing)[:_MAX_COMMITS], in_parts=True)
        with store.lock() as held:
            for code, scope in reversed(missing.items()):  # the newest last, so that it is kept
                ref = remote_tip_ref(wire.name, scope)
                old = refs.read(repository.handle, ref)
                if repository.resolve(code) and not (old and repository.is_ancestor(code, old)):
                    store.shared.move_ref(held, ref, code, old=old, why="keep")
    there = {head.tip for head in place.list_heads()}
    state.write_json(name, sorted(there & {*asked, *new}))
