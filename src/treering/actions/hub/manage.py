"""The upkeep of the hub: repositories added, updated and taken out, tokens given and taken back."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from treering.errors import Invalid, TreeringError
from treering.hub.hub import HubToken, RepositoryHub, RepositoryRecord, UpdateResult
from treering.hub.names import ALL, check_name, choose_names, split_names
from treering.hub.source import hide_password, is_behind, read_place
from treering.hub.tokens import check_token_name

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
    hub.settle()
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
