"""The heads on a remote: what their refs are called there, and where they are kept here."""

from collections.abc import Iterable, Iterator, Mapping

from treering.model.scope import HEADS, Scope
from treering.model.value import NamedTuple
from treering.store.fetched import CLONES_SEEN, SHARED_SEEN, FetchedHead
from treering.store.vault import Vault

_LONGEST = 240


class RemoteHead(NamedTuple):
    """One head of a scope, as a remote has it now."""

    ref: str
    clone: str  # "" for the shared ref of 0.1
    component: str
    tip: str

    def seen_at(self, remote: str) -> FetchedHead:
        kind = CLONES_SEEN if self.clone else SHARED_SEEN
        return FetchedHead(remote, kind, self.clone, self.component, self.tip)


def ref_of(prefix: str, clone: str, scope: Scope) -> str:
    """The ref of a clone's head on a remote."""
    return f"{prefix}{clone}/{scope.component}"


def read_listing(listing: Mapping[str, str], prefix: str) -> Iterator[RemoteHead]:
    """The refs of a remote that can be heads: what they are called was chosen by others."""
    for ref, tip in sorted(listing.items()):
        start = prefix if ref.startswith(prefix) else HEADS
        clone, _, component = ref.removeprefix(start).rpartition("/")
        is_named = bool(clone) == (start == prefix) and "/" not in clone
        if is_named and ref.isprintable() and len(component.encode()) <= _LONGEST:
            yield RemoteHead(ref, clone, component, tip)


def group_by_scope(vault: Vault, there: Iterable[RemoteHead]) -> dict[Scope, list[RemoteHead]]:
    """Heads by the scope they are of; what is no name of ours is left out."""
    scopes: dict[Scope, list[RemoteHead]] = {}
    for head in there:
        if scope := vault.scope_named(head.component, head.tip):
            scopes.setdefault(scope, []).append(head)
    return scopes
