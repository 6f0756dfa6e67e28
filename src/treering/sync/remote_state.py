"""A remote as it was last listed: its heads by scope, and what our own refs there are called.

Each clone has a name of its own, and pushes to refs of its own, so that nobody has to wait for
another.
"""

import re
import secrets
import string
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from treering.branches.sharing import pushed_ref
from treering.git import config, refs
from treering.git.lock import Held
from treering.git.repository import Repository
from treering.model.scope import HEADS, Scope
from treering.store.fetched import CLONES_SEEN, FetchedHead
from treering.store.vault import Vault

_MAX_REF = 240
_CLONE_KEY = "treering.clone"
_CLONE_ID = "[a-z0-9]{12}"
_LETTERS = string.ascii_lowercase + string.digits

#: Whose the heads are that a remote has itself: it is somebody's working repository.
WORKING = "heads"


def read_id(repository: Repository) -> str:
    """The name of this clone on remotes, or nothing where it has none yet. Only the repository's
    own configuration counts: one for all of a user's would name all of them alike."""
    values = config.read_own(repository.common_dir, _CLONE_KEY)
    return values[-1] if values and re.fullmatch(_CLONE_ID, values[-1]) else ""


def take_id(repository: Repository) -> str:
    """The name of this clone, made once."""
    return read_id(repository) or take_new_id(repository)


def take_new_id(repository: Repository) -> str:
    """Another name: this repository was copied, and its first one is someone else's now."""
    new = "".join(secrets.choice(_LETTERS) for _ in range(12))
    config.put(repository.common_dir, _CLONE_KEY, new)
    return new


class RemoteHead(NamedTuple):
    """One head of a scope, as a remote has it now."""

    ref: str
    clone: str
    component: str
    tip: str

    def seen_at(self, remote: str) -> FetchedHead:
        return FetchedHead(remote, CLONES_SEEN, self.clone, self.component, self.tip)


def read_listing(listing: Mapping[str, str], prefix: str) -> Iterator[RemoteHead]:
    """Yield the refs of a remote that can be heads: what they are called was chosen by others."""
    for ref, tip in sorted(listing.items()):
        if ref.startswith(HEADS):
            clone, component = WORKING, ref.removeprefix(HEADS)
        else:
            clone, _, component = ref.removeprefix(prefix).rpartition("/")
        is_named = clone and "/" not in f"{clone}{component}"
        if is_named and ref.isprintable() and len(component.encode()) <= _MAX_REF:
            yield RemoteHead(ref, clone, component, tip)


class RemoteState(NamedTuple):
    """A remote: its name, ours on it, and what lies there, by the scope it belongs to here."""

    remote: str
    prefix: str
    clone: str
    heads: dict[Scope, list[RemoteHead]]
    #: Scope -> the name its branch has there, where that is another one.
    names: Mapping[Scope, Scope] = {}

    @classmethod
    def of(
        cls, vault: Vault, remote: str, prefix: str, clone: str, there: Iterable[RemoteHead]
    ) -> "RemoteState":
        """Sort heads by scope; what is no name of ours is left out."""
        heads: dict[Scope, list[RemoteHead]] = {}
        names: dict[Scope, Scope] = {}
        known: dict[str, Scope | None] = {}
        for head in there:
            if head.component not in known:
                named = vault.scope_named(head.component, head.tip)
                here = vault.remote_names.scope_here(remote, named) if named else None
                if here and named and here != named:
                    names[here] = named
                known[head.component] = here
            if scope := known[head.component]:
                heads.setdefault(scope, []).append(head)
        return cls(remote, prefix, clone, heads, names)

    def list_heads(self) -> list[RemoteHead]:
        return [head for some in self.heads.values() for head in some]

    def name_of(self, scope: Scope) -> Scope:
        """Return the scope as it is called there."""
        return self.names.get(scope, scope)

    def own_ref(self, scope: Scope) -> str:
        return f"{self.prefix}{self.clone}/{self.name_of(scope).component}"

    def own_head(self, scope: Scope) -> str:
        """Return what our own ref has there, or nothing."""
        ours = (head.tip for head in self.heads.get(scope, ()) if head.clone == self.clone)
        return next(ours, "")

    def tips(self, scope: Scope) -> Collection[str]:
        """Return what heads of a scope are at, in their order, for a quick look-up."""
        return dict.fromkeys(head.tip for head in self.heads.get(scope, ()))

    def note_pushed(self, vault: Vault, held: Held, scope: Scope, tip: str | None) -> None:
        """Remember what our own ref there has now, for the next lease and for what is seen."""
        there = self.name_of(scope)
        tracking = FetchedHead(self.remote, CLONES_SEEN, self.clone, there.component, tip or "")
        for name in (pushed_ref(self.remote, there), tracking.ref):
            old = refs.read(vault.repository.handle, name)
            if old != tip:
                vault.move_ref(held, name, tip, old=old, why="sync: pushed")
