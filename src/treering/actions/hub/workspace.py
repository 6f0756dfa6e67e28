"""The hub as a workspace: its view has layers of many repositories, and nothing is written."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from treering.actions.card import Card
from treering.actions.workspace import MemoryWorkspace, Standpoint
from treering.branches.layers import layer_at
from treering.call import Advice, Option
from treering.clock import Clock, wall_clock
from treering.derived.history import MemoryEvent
from treering.derived.ledger import Versions
from treering.errors import Invalid, RepoNotFound, TreeringError
from treering.git.repository import Repository
from treering.hub.hub import (
    HubReader,
    HubToken,
    HubView,
    RepositoryHub,
    RepositoryRecord,
    UpdateResult,
    refuse_token,
)
from treering.hub.names import ALL, RepoFreshness, check_name, choose_names, split_names
from treering.hub.place import HubSetting, open_hub
from treering.hub.source import hide_password, is_behind, read_place
from treering.hub.tokens import check_token_name
from treering.model.dates import parse_moment
from treering.model.mark import mark_of, unmark
from treering.search.corpus import EntrySource
from treering.search.pages import Pages
from treering.search.searcher import ViewSearcher
from treering.store.view import View

_OF_ONE = "That is a question to one repository: ask it there."
_NO_PAST = "A database has memories as they are now. Ask the repository itself."


class HubWorkspace(MemoryWorkspace):
    """A hub; opened for a call (`open_hub`), what some of its repositories hold."""

    def __init__(
        self,
        hub: RepositoryHub,
        clock: Clock = wall_clock,
        reader: HubReader | None = None,
        freshness: tuple[RepoFreshness, ...] = (),
    ) -> None:
        self.hub = hub
        self.clock = clock
        self.inspected = {}
        self.freshness = freshness
        self._opened = reader

    @classmethod
    def open(
        cls, setting: HubSetting, path: str | Path = ".", clock: Clock = wall_clock
    ) -> "HubWorkspace":
        """The hub as somebody in this folder means it, outside of any repository, too."""
        try:
            repository = Repository.discover(Path(path))
        except TreeringError:
            repository = None
        return cls(open_hub(setting, repository, clock), clock)

    @contextmanager
    def open_hub(self, repos: Sequence[str]) -> Iterator["HubWorkspace"]:
        """Open the repositories that are meant. To a token those that it was not granted and those
        that are not there are the same."""
        records = {record.name: record for record in self.hub.list_repositories()}
        try:
            names = choose_names(repos, list(records))
        except RepoNotFound:
            if self.hub.is_limited:
                raise refuse_token() from None
            raise
        freshness = tuple(
            RepoFreshness(name, records[name].updated, is_behind(records[name])) for name in names
        )
        with self.hub.reading(names) as reader:
            yield HubWorkspace(self.hub, self.clock, reader, freshness)

    @property
    def _reader(self) -> HubReader:
        if self._opened is None:
            raise Invalid(
                "No repository was named.", hint=Advice("Give {}.", Option("repos", "all"))
            )
        return self._opened

    @property
    def rows(self) -> EntrySource:
        return self._reader.rows

    @property
    def ledger(self) -> Versions:
        return self._reader.versions

    @property
    def searcher(self) -> ViewSearcher:
        return self._reader.searcher

    @property
    def pages(self) -> Pages:
        return self._reader.pages

    def look(self, branch: str = "") -> Standpoint:
        self.refuse_of_one(branch=branch)
        return Standpoint(self._reader.view)

    def as_of(self, view: View, at: str) -> View:
        what = "neither a commit of its history nor a date"
        moment = parse_moment(at, self.clock(), end=True, what=what)
        layers = tuple(layer_at(layer, moment) for layer in view.layers)
        return HubView(layers, self._reader.view.names)

    def read_events(self, view: View, memory_id: str) -> list[MemoryEvent]:
        read = self._reader.read_events
        return read(view, memory_id) if read else []

    def refuse_of_one(self, **options: object) -> None:
        """Invalid for what only one repository can be asked."""
        for name, value in options.items():
            if value:
                raise Invalid(f"{name} cannot be asked of several repositories.", hint=_OF_ONE)

    def refuse_past(self, **options: object) -> None:
        """Invalid for what happened before, where the hub does not know it."""
        for name, value in options.items():
            if value and self._reader.read_events is None:
                raise Invalid(f"This hub keeps no history to answer {name} from.", hint=_NO_PAST)

    def show(self, cards: Sequence[Card]) -> list[Card]:
        """Return cards with ids as their repositories have them, and the repository beside."""
        return [self._show(card) for card in cards]

    def _show(self, card: Card) -> Card:
        names, mark = self._reader.view.names, mark_of(card.id)
        memory_id, repo = unmark(card.id), names[mark]

        def name(word: str) -> str:
            """Name a memory of the same repository by its id, of another with that one's name."""
            plain = unmark(word)
            return plain if mark_of(word) == mark else f"{names[mark_of(word)]}:{plain}"

        return card._replace(
            id=memory_id,
            uri=f"treering://hub/{repo}/{memory_id}",
            repo=repo,
            session=card.session and unmark(card.session),
            via=name(card.via) if isinstance(card.via, str) else card.via,
            similar=card.similar and tuple(map(name, card.similar)),
            outdated_by=card.outdated_by
            and card.outdated_by._replace(id=name(card.outdated_by.id)),
            newer=card.newer and card.newer._replace(id=name(card.newer.id)),
            outdates=card.outdates
            and tuple(one._replace(id=name(one.id)) for one in card.outdates),
            links=card.links and tuple(one._replace(id=name(one.id)) for one in card.links),
        )


_SHORTEST_WATCH = 1.0


class RepositoryLine(NamedTuple):
    """A repository of the hub, as it is listed."""

    name: str
    url: str
    all_branches: bool
    updated: str
    behind: bool
    memories: int
    error: str | None = None


class RepositoryLines(NamedTuple):
    repositories: tuple[RepositoryLine, ...]


class RemovedRepository(NamedTuple):
    removed: str


class UpdateRound(NamedTuple):
    """One round over the repositories."""

    repos: tuple[UpdateResult, ...]
    updated: int
    failed: int


class HubStatus(NamedTuple):
    place: str
    kind: str
    memories: int
    repos: tuple[RepositoryLine, ...]
    tokens: tuple[HubToken, ...]


class GrantedToken(NamedTuple):
    name: str
    token: str
    repos: tuple[str, ...]


class RevokedToken(NamedTuple):
    revoked: str


def add(hub: RepositoryHub, name: str, url: str, *, all_branches: bool = False) -> RepositoryLine:
    """Add a repository; what it holds is fetched by the next update."""
    check_name(name)
    return _line(hub.add(name, read_place(url, Path()), all_branches=all_branches))


def list_repositories(hub: RepositoryHub) -> RepositoryLines:
    return RepositoryLines(tuple(map(_line, hub.list_repositories())))


def remove(hub: RepositoryHub, name: str) -> RemovedRepository:
    names = [record.name for record in hub.list_repositories()]
    choose_names([check_name(name)], names)
    hub.remove(name)
    return RemovedRepository(name)


def _line(record: RepositoryRecord) -> RepositoryLine:
    return RepositoryLine(
        record.name,
        hide_password(record.url),
        record.all_branches,
        record.updated,
        is_behind(record),
        record.memories,
        record.error or None,
    )


#: Updates some repositories, and yields each result as it is there.
Updater = Callable[[Sequence[str]], Iterable[UpdateResult]]


def update(
    hub: RepositoryHub,
    names: Sequence[str],
    updater: Updater,
    *,
    say: Callable[[UpdateResult], None] | None = None,
) -> UpdateRound:
    """Bring repositories up to date."""
    names_there = [record.name for record in hub.list_repositories()]
    results = []
    for result in updater(choose_names(names, names_there)):
        results.append(result)
        if say:
            say(result)
    hub.remove_unused()
    return UpdateRound(
        tuple(sorted(results)),
        sum(result.status == "updated" for result in results),
        sum(result.status == "failed" for result in results),
    )


def watch(
    hub: RepositoryHub, names: Sequence[str], updater: Updater, seconds: float
) -> Iterator[UpdateRound]:
    """Round after round. A hub that cannot be reached for a while is tried again."""
    while True:
        start = time.monotonic()
        try:
            yield update(hub, names, updater)
        except Invalid:
            raise
        except TreeringError as error:
            yield UpdateRound((UpdateResult("", "failed", error=error.message),), 0, 1)
        time.sleep(max(0.0, seconds - (time.monotonic() - start)))


def read_seconds(text: str) -> float:
    """The seconds between two rounds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _SHORTEST_WATCH <= seconds < float("inf"):
        raise Invalid(f"watch is a number of seconds from 1 on, not {text!r}.")
    return seconds


def status(hub: RepositoryHub) -> HubStatus:
    hub.check()
    records = hub.list_repositories()
    return HubStatus(
        hub.place,
        hub.kind,
        sum(record.memories for record in records),
        tuple(map(_line, records)),
        tuple(hub.list_tokens()),
    )


def grant(hub: RepositoryHub, name: str, repos: Sequence[str] = ()) -> GrantedToken:
    """Make a token for some repositories, or for all, those to come included."""
    check_token_name(name)
    names = split_names(repos)
    if not names:
        raise Invalid(
            "Which repositories may it ask about?", hint="Give --repos a,b or --repos all."
        )
    names_there = [record.name for record in hub.list_repositories()]
    is_all = ALL in (one.lower() for one in names)
    granted_names = (ALL,) if is_all else choose_names(names, names_there)
    return GrantedToken(name, hub.grant(name, granted_names), granted_names)


def revoke(hub: RepositoryHub, name: str) -> RevokedToken:
    hub.revoke(check_token_name(name))
    return RevokedToken(name)
