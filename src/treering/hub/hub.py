"""A hub of whichever kind: repositories by name, and a view with the layers of many.

A folder is one kind, a PostgreSQL database the other. Both hand out a HubReader, with which the
verbs that read work as they do in a repository.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from treering.call import Advice, Call
from treering.derived.history import MemoryEvent
from treering.derived.ledger import Versions
from treering.errors import AmbiguousId, MemoryNotFound, NotAllowed, RepoNotFound
from treering.hub.mirror import MirrorState
from treering.hub.names import split_id
from treering.model.mark import mark_of, unmark
from treering.model.memory import id_prefix
from treering.search.corpus import EntrySource
from treering.search.hits import SearchResult
from treering.search.pages import Pages
from treering.search.searcher import SearchView, ViewSearcher
from treering.store.view import Copy, Layer, View

UpdateStatus = Literal["updated", "unchanged", "busy", "failed"]
_MOST_NAMED = 5  # memories, of those that an ambiguous id may mean


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
    #: What its mark is made of; no two repositories of a hub have the same.
    number: int = 0


class UpdateResult(NamedTuple):
    """The result of an update for one repository."""

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


# --- reading --------------------------------------------------------------------------------------


class HubView(View):
    """Layers of many repositories. Every id and blob bears the mark of its repository, so nothing
    is taken for another's; `names` are the repositories by their marks."""

    def __init__(
        self, layers: tuple[Layer, ...], names: Mapping[str, str], *, is_limited: bool = False
    ) -> None:
        super().__init__(" ".join(names.values()), layers)
        self.names = names
        self._is_limited = is_limited

    def narrow(self, text: str) -> "HubView":
        """Return the view of the one repository that `NAME:ID` names, or the whole view."""
        name, _ = self._split(text)
        marks = {mark: one for mark, one in self.names.items() if name in ("", one)}
        layers = tuple(layer for layer in self.layers if layer.mark in marks)
        return type(self)(layers, marks, is_limited=self._is_limited)

    def _split(self, text: str) -> tuple[str, str]:
        try:
            return split_id(text.strip(), list(self.names.values()))
        except RepoNotFound:
            if self._is_limited:
                raise refuse_token() from None
            raise

    def find(self, text: str) -> Copy:
        """The memory meant by an id or a unique prefix of one, with the repository's name before it
        where several are meant."""
        name, typed = self._split(text)
        prefix = id_prefix(typed)
        ids = sorted(self._list_starting(name, prefix))
        if len(ids) > 1:
            some = ", ".join(f"{self.names[mark_of(i)]}:{unmark(i)}" for i in ids[:_MOST_NAMED])
            raise AmbiguousId(
                f"{text.strip()[:80]} matches {len(ids)} memories: {some}",
                hint="Name the repository, or give one more character.",
            )
        place = self.place(ids[0]) if ids else None
        if place is None:
            where = name or f"any of {len(self.names)} repositories"
            raise MemoryNotFound(
                f"The hub has no memory {text.strip()[:80]} in {where}",
                hint=Advice("{} lists what the hub has.", Call("recall", repos=["all"])),
            )
        return place

    def _list_starting(self, name: str, prefix: str) -> set[str]:
        return {
            layer.mark + memory_id
            for layer in self.layers
            if name in ("", self.names[layer.mark])
            for memory_id, _ in layer.snapshot.starting_with(prefix)
        }


def refuse_token() -> NotAllowed:
    """The error for a repository that a token was not granted, or that is not there: to a token
    these are the same."""
    return NotAllowed("This token was not granted all of these repositories.")


class HubSearchView(SearchView):
    """A view of many repositories."""

    def break_ties(self, result: SearchResult, order: str) -> SearchResult:  # noqa: ARG002
        return result  # commits of different repositories are in no order


@dataclass(frozen=True)
class HubReader:
    """Some repositories of a hub, ready to be read."""

    view: HubView
    rows: EntrySource
    versions: Versions
    searcher: ViewSearcher
    pages: Pages
    #: Tells what happened to a memory; None where the hub keeps no past.
    read_events: Callable[[View, str], list[MemoryEvent]] | None = None


class RepositoryHub(Protocol):
    """A hub. What is asked for by name is in it: whoever calls has looked."""

    @property
    def kind(self) -> str: ...

    @property
    def place(self) -> str:
        """Return where it is, without a password."""
        ...

    @property
    def address(self) -> str:
        """The same for another process of this user: with a password, if there is one."""
        ...

    @property
    def is_limited(self) -> bool:
        """Return whether the caller sees no more than a token was granted."""
        ...

    def list_repositories(self) -> list[RepositoryRecord]:
        """Return those this caller may see, by name."""
        ...

    def add(self, name: str, url: str, *, all_branches: bool) -> RepositoryRecord: ...

    def remove(self, name: str) -> None: ...

    def update(self, name: str) -> UpdateResult:
        """Bring one repository up to date. Whatever goes wrong with it is in the answer."""
        ...

    def remove_unused(self) -> None:
        """After a round of updates: take away what nobody needs any more."""
        ...

    def reading(self, names: Sequence[str]) -> AbstractContextManager[HubReader]:
        """Open some repositories for the length of a call."""
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
