"""The hub in PostgreSQL: repositories and memories as rows, brought up to date scope by scope.

Mirrors lie in a cache of whoever updates and can be lost. Any number of updaters may be at work,
each with its own: a repository is held by one of them at a time, through a lock of the database
that goes with the connection. What was asked of the database is answered by it alone.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from treering.clock import Clock, wall_clock
from treering.derived.history import MemoryEvent
from treering.errors import Busy, HubUnavailable, Invalid, NotAllowed, RepoNotFound, TreeringError
from treering.graph.network import Network
from treering.hub.hub import (
    HubCopy,
    HubHit,
    HubResult,
    HubToken,
    RepositoryHub,
    RepositoryRecord,
    UpdateResult,
    UpdateStatus,
)
from treering.hub.index import MirrorIndex, mark_of, split_mark, unmark
from treering.hub.mirror import Mirror, MirrorState
from treering.hub.names import folder_name
from treering.hub.postgres import grants
from treering.hub.postgres.candidates import read_network
from treering.hub.postgres.database import HubDatabase, hide_secrets
from treering.hub.postgres.nearest import make_index
from treering.hub.postgres.rows import (
    RowCounts,
    ScopeRows,
    complete_vectors,
    delete_rows,
    has_vectors,
    list_scopes,
    parse_body,
    store_scope,
)
from treering.hub.postgres.search import Background, search_rows
from treering.hub.records import read_state, state_values
from treering.model.dates import format_moment
from treering.model.query import Filters, Query
from treering.search.hits import SearchResult
from treering.search.matching import Request
from treering.search.succession import Successors

_MOST_FOUND = 20
_NO_PAST = "A database has memories as they are now. Ask the repository itself."


class PostgresHub:
    """A hub in a database; `cache` is a folder for the mirrors of whoever updates it."""

    kind = "postgresql"

    def __init__(
        self,
        url: str,
        cache: Path,
        clock: Clock = wall_clock,
        database: HubDatabase | None = None,
    ) -> None:
        self._url = url
        self._cache = cache
        self._clock = clock
        self._database = database or HubDatabase(url)

    @property
    def place(self) -> str:
        return hide_secrets(self._url)

    @property
    def is_limited(self) -> bool:
        return self._database.is_limited

    def check(self) -> None:
        self._database.read(lambda connection: connection.execute("SELECT 1"))

    # --- repositories -----------------------------------------------------------------------------

    def list_repositories(self) -> list[RepositoryRecord]:
        return sorted(self._database.read(_read_repositories).values())

    def _find(self, name: str) -> tuple[int, RepositoryRecord]:
        for number, record in self._database.read(_read_repositories).items():
            if record.name == name:
                return number, record
        raise RepoNotFound(f"The hub has no repository {name!r}.")

    def add(self, name: str, url: str, *, all_branches: bool) -> RepositoryRecord:
        query = (
            "INSERT INTO treering.repository (name, url, all_branches) VALUES (%s, %s, %s)"
            " ON CONFLICT (name) DO NOTHING RETURNING number"
        )
        values = (name, url, all_branches)
        row = self._database.write(lambda c: c.execute(query, values).fetchone())
        if row is None:
            raise Invalid(
                f"The hub has a repository {name!r} already: {self._find(name)[1].url}",
                hint=f"`treering hub remove {name}` takes it out.",
            )
        return self._find(name)[1]

    def remove(self, name: str) -> None:
        number, _ = self._find(name)
        self._database.write(lambda connection: _delete_repository(connection, number))
        shutil.rmtree(self._folder_of(name), ignore_errors=True)

    # --- bringing up to date ----------------------------------------------------------------------

    def update(self, name: str) -> UpdateResult:
        start = time.monotonic()
        self._database.forget_connection()  # this may be a fork of whoever opened it
        try:
            number, record = self._find(name)
            with self._database.hold(number) as is_held:
                if not is_held:
                    raise Busy("Another process is updating it.")
                mirror = Mirror(self._folder_of(name), self._clock)
                with mirror.lock():
                    result = self._update(number, record, mirror)
        except Busy as error:
            result = UpdateResult(name, "busy", error=error.message)
        except TreeringError as error:
            result = self._note_failure(name, error.message)
        except OSError as error:
            result = self._note_failure(name, f"{error.strerror or error}.")
        finally:
            self._database.close()
        return result._replace(seconds=round(time.monotonic() - start, 3))

    def _folder_of(self, name: str) -> Path:
        digest = hashlib.sha256(self.place.encode()).hexdigest()[:16]
        return self._cache / digest / folder_name(name)

    def _update(self, number: int, record: RepositoryRecord, mirror: Mirror) -> UpdateResult:
        before = record.state
        state = mirror.update(record.url, all_branches=record.all_branches, before=before)
        if state.is_rewritten:
            mirror.drop_unreachable()
        final = state._replace(is_rewritten=False)
        is_same = bool(record.updated) and final._replace(notes=()) == before._replace(notes=())
        news = losses = 0
        if not is_same:
            news, losses = self._store(number, MirrorIndex(record.name, mirror, state, self._clock))
        self._complete_vectors(number)
        count = self._database.write(lambda c: _note_update(c, number, final))
        is_new = not is_same or bool(record.error)
        status: UpdateStatus = "updated" if is_new else "unchanged"
        return UpdateResult(record.name, status, count, news, losses, notes=state.notes)

    def _store(self, number: int, shelf: MirrorIndex) -> tuple[int, int]:
        """Each scope in a transaction of its own, nearest first: after a kill, what was done is
        done, and the next update goes on from there."""
        scopes = list_scopes(shelf)
        news = losses = 0
        for scope in scopes:
            counts = self._database.write(partial(_store, number, shelf, scope))
            news, losses = news + counts.added, losses + counts.removed
        branches = [scope.branch for scope in scopes]
        others = self._database.write(lambda c: _delete_other_scopes(c, number, branches))
        self._database.write(_settle_index)
        return news, losses + others

    def _complete_vectors(self, number: int) -> None:
        """Make vectors of the model in use, where a repository has others or none."""
        if self._database.read(partial(has_vectors, number=number)):
            return
        while self._database.write(partial(complete_vectors, number=number)):
            pass

    def settle(self) -> None:
        self._drop_mirrors()
        with suppress(HubUnavailable):  # it is found without, only not as quickly
            self._database.write(make_index)

    def _drop_mirrors(self) -> None:
        """Those of repositories that somebody took out, here or elsewhere."""
        with suppress(TreeringError, OSError):
            folders = set(self._folder_of("x").parent.iterdir())
            names = [record.name for record in self.list_repositories()]
            for folder in folders.difference(map(self._folder_of, names)):
                with suppress(Busy), Mirror(folder).lock():
                    shutil.rmtree(folder)

    def _note_failure(self, name: str, message: str) -> UpdateResult:
        """What was there stays, and says that it is behind."""
        query = "UPDATE treering.repository SET error = %s WHERE name = %s RETURNING memories"
        try:
            row = self._database.write(
                lambda c: c.execute(query, (message.replace("\0", ""), name)).fetchone()
            )
        except TreeringError:
            row = None
        return UpdateResult(name, "failed", row[0] if row else 0, error=message)

    # --- finding ----------------------------------------------------------------------------------

    def search(self, names: Sequence[str], request: Request, offset: int = 0) -> HubResult:
        def ask(connection: Any) -> HubResult:
            numbers = _number_repositories(connection, names)
            result, background = search_rows(
                connection, list(numbers), request, offset, is_limited=self.is_limited
            )
            return _read_hits(connection, numbers, result, background)

        return self._database.read(ask)

    def find(self, names: Sequence[str], prefix: str) -> list[HubCopy]:
        def ask(connection: Any) -> list[HubCopy]:
            numbers = _number_repositories(connection, names)
            query = (
                f"SELECT {_COPY_COLUMNS} FROM treering.memory JOIN treering.document USING (blob)"
                " WHERE id >= %s AND id < %s AND repository = ANY(%s)"
                " ORDER BY repository, id LIMIT %s"
            )
            values = (prefix, f"{prefix}~", list(numbers), _MOST_FOUND)
            return _read_copies(connection.execute(query, values).fetchall(), numbers)

        return self._database.read(ask)

    def find_successors(self, copy: HubCopy) -> Successors:
        """Asked by its title: what replaces a memory is about the same."""
        words = copy.memory.title

        def ask(connection: Any) -> Successors | None:
            numbers = _number_repositories(connection, [copy.repo])
            request = Request(Query(words, words), Filters(status="all"), mode="text")
            _, background = search_rows(
                connection, list(numbers), request, is_limited=self.is_limited
            )
            blobs = [mark_of(number) + copy.blob for number in numbers]
            there = [blob for blob in blobs if blob in background.view.snapshot.numbers]
            return next(iter(background.find_successors(there).values()), None)

        return unmark(self._database.read(ask))

    def read(self, name: str, ids: Sequence[str]) -> list[HubCopy]:
        def ask(connection: Any) -> list[HubCopy]:
            numbers = _number_repositories(connection, [name])
            query = (
                f"SELECT {_COPY_COLUMNS} FROM treering.memory JOIN treering.document USING (blob)"
                " WHERE repository = ANY(%s) AND id = ANY(%s)"
            )
            rows = connection.execute(query, (list(numbers), list(ids))).fetchall()
            return _read_copies(rows, numbers)

        return self._database.read(ask)

    def find_network(self, name: str, ids: Sequence[str], hops: int) -> Network:
        def ask(connection: Any) -> Network:
            for number in _number_repositories(connection, [name]):
                return read_network(connection, number, ids, hops)
            return Network(())

        return self._database.read(ask)

    def read_history(self, copy: HubCopy) -> list[MemoryEvent]:
        raise Invalid(f"This hub keeps no history of {copy.memory.id}.", hint=_NO_PAST)

    def read_past(self, copy: HubCopy, at: str) -> HubCopy:
        raise Invalid(f"This hub does not know {copy.memory.id} as of {at}.", hint=_NO_PAST)

    # --- tokens -----------------------------------------------------------------------------------

    def grant(self, name: str, repos: Sequence[str]) -> str:
        return self._database.write(lambda connection: grants.grant(connection, name, repos))

    def revoke(self, name: str) -> None:
        self._database.write(lambda connection: grants.revoke(connection, name))

    def list_tokens(self) -> list[HubToken]:
        return self._database.read(grants.list_tokens)

    def as_seen_by(self, token: str) -> RepositoryHub:
        if "\0" in token or not self._database.read(lambda c: grants.is_known(c, token)):
            raise NotAllowed("This token is unknown, or was revoked.")
        database = self._database.as_seen_by(token)
        return PostgresHub(self._url, self._cache, self._clock, database)


_COPY_COLUMNS = "repository, branch, layer, blob, body, created, modified, people, flags"


def _read_repositories(connection: Any) -> dict[int, RepositoryRecord]:
    rows = connection.execute(
        "SELECT number, name, url, all_branches, extract(epoch FROM added)::float8,"
        " extract(epoch FROM updated)::float8, memories, error, state FROM treering.repository"
    ).fetchall()
    return {
        row[0]: RepositoryRecord(
            row[1],
            row[2],
            row[3],
            format_moment(row[4]),
            "" if row[5] is None else format_moment(row[5]),
            row[6],
            row[7],
            read_state(row[8]),
        )
        for row in rows
    }


def _number_repositories(connection: Any, names: Sequence[str]) -> dict[int, str]:
    """Numbers and names of repositories, as far as they may be seen."""
    query = "SELECT number, name FROM treering.repository WHERE name = ANY(%s)"
    return dict(connection.execute(query, (list(names),)).fetchall())


def _store(number: int, shelf: MirrorIndex, scope: ScopeRows, connection: Any) -> RowCounts:
    return store_scope(connection, number, shelf, scope)


def _settle_index(connection: Any) -> None:
    """Sort what was added into the index of words, or every question would look through it."""
    connection.execute("SELECT gin_clean_pending_list('treering.memory_words')")


def _delete_repository(connection: Any, number: int) -> None:
    query = "SELECT id FROM treering.memory WHERE repository = %s"
    delete_rows(connection, number, [row[0] for row in connection.execute(query, (number,))])
    connection.execute("DELETE FROM treering.repository WHERE number = %s", (number,))


def _delete_other_scopes(connection: Any, number: int, branches: list[str]) -> int:
    query = "SELECT id FROM treering.memory WHERE repository = %s AND NOT branch = ANY(%s)"
    rows = connection.execute(query, (number, branches)).fetchall()
    return delete_rows(connection, number, [row[0] for row in rows])


def _note_update(connection: Any, number: int, state: MirrorState) -> int:
    """By the clock of the database: updaters' own may differ."""
    query = (
        "UPDATE treering.repository SET updated = now(), error = '', state = %s WHERE number = %s"
        " RETURNING memories"
    )
    row = connection.execute(query, (json.dumps(state_values(state)), number)).fetchone()
    if row is None:
        raise RepoNotFound("It was removed meanwhile.")
    return int(row[0])


def _read_hits(
    connection: Any, numbers: dict[int, str], result: SearchResult, background: Background
) -> HubResult:
    keys = [(split_mark(hit.blob)[0], hit.id.partition(":")[2]) for hit in result.hits]
    query = (
        f"SELECT {_COPY_COLUMNS} FROM unnest(%s::integer[], %s::text[]) AS k (repository, id)"
        " JOIN treering.memory USING (repository, id) JOIN treering.document USING (blob)"
    )
    values = ([key[0] for key in keys], [key[1] for key in keys])
    copies = _read_copies(connection.execute(query, values).fetchall(), numbers) if keys else []
    found = background.find_successors(hit.blob for hit in result.hits)
    by_key = {(copy.repo, copy.memory.id): copy for copy in copies}
    hits = []
    for (number, memory_id), hit in zip(keys, result.hits, strict=True):
        if copy := by_key.get((numbers[number], memory_id)):
            similar = tuple(map(background.id_of, hit.folded))
            successors = unmark(found.get(hit.blob))
            reasons = (hit.score, hit.why, similar, successors, hit.match, hit.spelled)
            hits.append(HubHit(copy, *reasons))
    return HubResult(
        tuple(hits), result.total, result.withheld, result.notes, result.mode, bool(result.rest)
    )


def _read_copies(rows: Iterable[tuple[Any, ...]], numbers: dict[int, str]) -> list[HubCopy]:
    copies = []
    for number, branch, layer, blob, body, birth, change, people, flags in rows:
        if (memory := parse_body(body)) is None:
            continue
        memory_then = memory._replace(created=format_moment(birth), modified=format_moment(change))
        copies.append(
            HubCopy(
                numbers[number],
                branch,
                layer,
                blob,
                memory_then,
                tuple(people),
                None if flags is None else tuple(flags),
            )
        )
    return copies
