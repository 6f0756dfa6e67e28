"""What a hub is, of whichever kind: repositories by name, and one question to all of them.

A folder is one kind, a PostgreSQL database the other. Both answer with the values below, which hold
everything a door may show, and nothing of how they were found.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from treering.derived.history import MemoryEvent
from treering.graph.network import Network
from treering.hub.mirror import MirrorState
from treering.model.choices import Match
from treering.model.memory import Memory
from treering.search.matching import Request
from treering.search.succession import NONE, Successors

UpdateStatus = Literal["updated", "unchanged", "busy", "failed"]
Say = Callable[[str], None]


class RepositoryRecord(NamedTuple):
    """One repository, as it was added, and as the hub last saw it.

    `updated` is "" where it never was; `error` says why the last try failed.
    """

    name: str
    url: str
    all_branches: bool = False
    added: str = ""
    updated: str = ""
    memories: int = 0
    error: str = ""
    state: MirrorState = MirrorState()


class HubCopy(NamedTuple):
    """A memory in a repository; its dates are those that commits vouch for."""

    repo: str
    branch: str
    layer: str
    blob: str
    memory: Memory
    #: Those whose words are in it, the first writer first.
    people: tuple[str, ...] = ()
    flags: tuple[str, ...] | None = None


class HubHit(NamedTuple):
    """A memory that answers, why, and the ids of those like it in the same repository."""

    copy: HubCopy
    score: float
    why: tuple[str, ...]
    similar: tuple[str, ...] = ()
    #: What of the same repository replaces it, or may.
    successors: Successors = NONE
    match: Match | None = None
    spelled: str = ""


class HubResult(NamedTuple):
    """An answer: hits in order, and what to say about the rest."""

    hits: tuple[HubHit, ...] = ()
    total: int = 0
    withheld: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    mode: str = "text"
    is_more: bool = False


class UpdateResult(NamedTuple):
    """What an update did for one repository."""

    name: str
    status: UpdateStatus
    memories: int = 0
    added: int = 0
    removed: int = 0
    seconds: float = 0.0
    error: str = ""
    notes: tuple[str, ...] = ()


class HubToken(NamedTuple):
    """A token as it is listed: never the token itself."""

    name: str
    repos: tuple[str, ...]
    created: str


class RepositoryHub(Protocol):
    """The verbs of a hub. What is asked for by name is in it: whoever calls has looked."""

    @property
    def kind(self) -> str: ...

    @property
    def place(self) -> str:
        """Where it is, without a password."""
        ...

    @property
    def is_limited(self) -> bool:
        """Return whether the caller sees no more than a token was granted."""
        ...

    def list_repositories(self) -> list[RepositoryRecord]:
        """Those this caller may see, by name."""
        ...

    def add(self, name: str, url: str, *, all_branches: bool) -> RepositoryRecord: ...

    def remove(self, name: str) -> None: ...

    def update(self, name: str) -> UpdateResult:
        """Bring one repository up to date. Whatever goes wrong with it is in the answer."""
        ...

    def settle(self) -> None:
        """After a round of updates: make ready what makes questions quick, and is for all."""
        ...

    def search(self, names: Sequence[str], request: Request, offset: int = 0) -> HubResult:
        """The hits from a place on, as many as the request's limit."""
        ...

    def find(self, names: Sequence[str], prefix: str) -> list[HubCopy]:
        """The memories of some repositories whose id starts so, at most a few."""
        ...

    def find_successors(self, copy: HubCopy) -> Successors:
        """What of the same repository replaces a memory, or may."""
        ...

    def read(self, name: str, ids: Sequence[str]) -> list[HubCopy]:
        """Some memories of a repository, as far as they are there."""
        ...

    def find_network(self, name: str, ids: Sequence[str], hops: int) -> Network:
        """The memories of a repository that are so few links away from some, and these links."""
        ...

    def read_history(self, copy: HubCopy) -> list[MemoryEvent]:
        """What happened to a memory, newest first; Invalid for a hub that keeps no past."""
        ...

    def read_past(self, copy: HubCopy, at: str) -> HubCopy:
        """The same memory as of a commit of its history, or a date; Invalid likewise."""
        ...

    def grant(self, name: str, repos: Sequence[str]) -> str:
        """Make a token for some repositories, and return it: it is kept nowhere."""
        ...

    def revoke(self, name: str) -> None: ...

    def list_tokens(self) -> list[HubToken]: ...

    def as_seen_by(self, token: str) -> "RepositoryHub":
        """The same hub with no more than a token was granted; NotAllowed for a bad one."""
        ...

    def check(self) -> None:
        """HubUnavailable unless it can be used."""
        ...
