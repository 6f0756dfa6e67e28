"""What was seen at a remote and is none of ours, held by one ref: a head once seen stays known.

A `git fetch --prune` takes what a fetch saw and a remote no longer has. Of our own scopes a view
holds it. Of all others one commit does, with the heads as parents and the names of their scopes as
message, line by line in the same order.
"""

from collections.abc import Iterable, Iterator

from treering.errors import StoreDamaged
from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import SEEN
from treering.store import heads
from treering.store.fetched import LOST, FetchedHead, list_fetched
from treering.store.store import Store
from treering.store.vault import NOBODY
from treering.sync.place import Place

_SUBJECT = "seen"


def list_before(repository: Repository, remote: str) -> dict[str, FetchedHead]:
    """What was seen at a remote, by ref, with what a prune took: that counts as lost there."""
    before = {head.ref: head for head in list_fetched(repository, remote)}
    tips = {head.tip for head in before.values()}
    for component, tip in list_seen(repository, remote):
        if tip not in tips:
            head = FetchedHead(remote, LOST, tip[:12], component, tip)
            before.setdefault(head.ref, head)
    return before


def list_seen(repository: Repository, remote: str) -> Iterator[tuple[str, str]]:
    """Names of scopes that are not ours, and heads of them that a sync has looked at."""
    try:
        tip = refs.read(repository.handle, SEEN + remote)
        commit = repository.objects.commit(tip) if tip else None
    except StoreDamaged:
        return
    lines = commit.message.splitlines()[2:] if commit else []
    for line, parent in zip(lines, commit.parents if commit else (), strict=False):
        yield from ((component, parent) for component in line.split())


def keep(store: Store, place: Place) -> None:
    """Hold on to what is at a remote and not ours; nothing is done where that did not change."""
    vault = store.shared
    is_commit = vault.repository.objects.is_commit
    now = {
        (head.component, head.tip)
        for scope, some in place.heads.items()
        if not heads.list_heads(vault, scope)
        for head in some
        if is_commit(head.tip)
    }
    if now != set(list_seen(vault.repository, place.remote)):
        name, new = SEEN + place.remote, _write(store, now) if now else None
        with store.lock() as lock:
            old = refs.read(vault.repository.handle, name)
            if old != new:
                vault.move_ref(lock, name, new, old=old, why="sync: seen")


def _write(store: Store, now: Iterable[tuple[str, str]]) -> str:
    names: dict[str, list[str]] = {}
    for component, tip in sorted(now):
        names.setdefault(tip, []).append(component)
    objects = store.repository.objects
    lines = [_SUBJECT, "", *(" ".join(names[tip]) for tip in sorted(names))]
    text = "\n".join(lines) + "\n"
    return objects.write_commit(objects.write_tree(None, {}), tuple(sorted(names)), NOBODY, 0, text)
