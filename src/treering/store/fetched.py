"""What fetches saw of other clones: each says what it knows on refs of its own."""

from collections.abc import Iterator

from treering.git import refs
from treering.git.repository import Repository
from treering.model.scope import REMOTES
from treering.model.value import NamedTuple

#: Where a remote's refs are kept: clones' own, the shared one of 0.1, and what a remote has lost.
CLONES_SEEN, SHARED_SEEN, LOST = "clones", "heads", "lost"


class FetchedHead(NamedTuple):
    """One head of a scope, as a remote was last seen to have it."""

    remote: str
    kind: str  # clones | heads | lost
    clone: str  # "" for the shared ref of 0.1
    component: str  # the scope's name, as it stands in refs
    tip: str

    @property
    def ref(self) -> str:
        place = f"{self.clone}/{self.component}" if self.clone else self.component
        return f"{REMOTES}{self.remote}/{self.kind}/{place}"


def list_fetched(repository: Repository, remote: str = "") -> Iterator[FetchedHead]:
    """Every head that was seen at a remote, or at any."""
    for name in [remote] if remote else repository.remotes():
        for kind in (CLONES_SEEN, SHARED_SEEN, LOST):
            prefix = f"{REMOTES}{name}/{kind}/"
            for ref, tip in refs.list_refs(repository.common_dir, prefix).items():
                clone, _, component = ref.removeprefix(prefix).rpartition("/")
                if "/" not in clone and bool(clone) == (kind != SHARED_SEEN):
                    yield FetchedHead(name, kind, clone, component, tip)
