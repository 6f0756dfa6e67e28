"""Refs of other clones as fetches saw them: each says what it knows on refs of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import REMOTES

#: From here on refs are moved together.
MANY = 10
#: Where a remote's refs are kept: those of its clones, and what a remote has lost.
CLONES_SEEN, LOST = "clones", "lost"


class FetchedHead(NamedTuple):
    """One head of a scope, as a remote was last seen to have it."""

    remote: str
    kind: str  # clones | lost
    clone: str
    component: str  # the scope's name, as it stands in refs
    tip: str

    @property
    def ref(self) -> str:
        return f"{REMOTES}{self.remote}/{self.kind}/{self.clone}/{self.component}"


def list_fetched(
    repository: Repository, remote: str = "", component: str = ""
) -> Iterator[FetchedHead]:
    """Every head that was seen at a remote, or at any; of all scopes, or of one."""
    for name in [remote] if remote else repository.remotes():
        for kind in (CLONES_SEEN, LOST):
            prefix = f"{REMOTES}{name}/{kind}/"
            for ref, tip in refs.list_refs(repository.common_dir, prefix, component).items():
                clone, _, scope = ref.removeprefix(prefix).rpartition("/")
                if clone and "/" not in clone:
                    yield FetchedHead(name, kind, clone, scope, tip)
