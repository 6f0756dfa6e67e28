"""The hub in PostgreSQL: repositories and memories as rows, brought up to date scope by scope.

Mirrors lie in a cache of whoever updates and can be lost. Any number of updaters may be at work,
each with its own: a repository is held by one of them at a time, through a lock of the database
that goes with the connection. What is asked of the database is answered by it alone.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from treering.clock import Clock, wall_clock
from treering.errors import Busy, Invalid, NotAllowed, RepoNotFound, TreeringError
from treering.hub.hub import (
    HubReader,
    HubToken,
    RepositoryHub,
    RepositoryRecord,
    UpdateResult,
    UpdateStatus,
)
from treering.hub.mirror import Mirror, MirrorState, read_state, state_values
from treering.hub.names import ALL, folder_name
from treering.hub.postgres.database import HubDatabase, hide_secrets
from treering.hub.postgres.reader import DatabaseRows, RowSearcher, RowVersions, RowView
from treering.hub.postgres.rows import delete_rows, list_scopes, made_with, store_scope
from treering.hub.tokens import hash_token, make_token
from treering.model.dates import format_moment
from treering.model.spelling import suggest
from treering.search.pages import Pages
from treering.store.state import StateFolder


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
        self.address = url
        self._cache = cache
        self._clock = clock
        self._database = database or HubDatabase(url)

    @property
    def place(self) -> str:
        return hide_secrets(self.address)

    @property
    def is_limited(self) -> bool:
        return self._database.is_limited

    def check(self) -> None:
        self._database.read(lambda connection: connection.execute("SELECT 1"))

    # --- repositories -----------------------------------------------------------------------------

    def list_repositories(self) -> list[RepositoryRecord]:
        return sorted(self._database.read(_read_repositories))

    def _find(self, name: str) -> RepositoryRecord:
        for record in self.list_repositories():
            if record.name == name:
                return record
        raise RepoNotFound(f"The hub has no repository {name!r}.")

    def add(self, name: str, url: str, *, all_branches: bool) -> RepositoryRecord:
        query = (
            "INSERT INTO treering.repository (name, url, all_branches) VALUES (%s, %s, %s)"
            " ON CONFLICT (name) DO NOTHING RETURNING number"
        )
        values = (name, url, all_branches)
        row = self._database.write(lambda c: c.execute(query, values).fetchone())
        record = self._find(name)
        if row is None:
            raise Invalid(
                f"The hub has a repository {name!r} already: {record.url}",
                hint=f"`treering hub remove {name}` takes it out.",
            )
        return record

    def remove(self, name: str) -> None:
        number = self._find(name).number

        def delete(connection: Any) -> None:
            delete_rows(connection, number)
            connection.execute("DELETE FROM treering.repository WHERE number = %s", (number,))

        self._database.write(delete)
        shutil.rmtree(self._folder_of(name), ignore_errors=True)

    # --- bringing up to date ----------------------------------------------------------------------

    def update(self, name: str) -> UpdateResult:
        start = time.monotonic()
        try:
            record = self._find(name)
            with self._database.hold(record.number) as is_held:
                if not is_held:
                    raise Busy("Another process is updating it.")
                mirror = Mirror(self._folder_of(name), self._clock)
                with mirror.lock():
                    result = self._update(record, mirror)
        except Busy as error:
            result = UpdateResult(name, "busy", error=error.message)
        except TreeringError as error:
            result = self._note_failure(name, error.message)
        except OSError as error:
            result = self._note_failure(name, f"{error.strerror or error}.")
        return result._replace(seconds=round(time.monotonic() - start, 3))

    def _folder_of(self, name: str) -> Path:
        digest = hashlib.sha256(self.place.encode()).hexdigest()[:16]
        return self._cache / digest / folder_name(name)

    def _update(self, record: RepositoryRecord, mirror: Mirror) -> UpdateResult:
        """Each scope in a transaction of its own, nearest first: after a kill, what was done is
        done, and the next update goes on from there."""
        number, before, news, losses = record.number, record.state, 0, 0
        state = mirror.update(record.url, all_branches=record.all_branches, before=before)
        if state.is_rewritten:
            mirror.forget_rewritten()
        final = state._replace(is_rewritten=False)
        is_same = bool(record.updated) and final._replace(notes=()) == before._replace(notes=())
        is_current = self._database.write(partial(_drop_outdated, number=number))
        if not is_same or not is_current:
            scopes = list_scopes(mirror, final)
            for scope in scopes:
                store = partial(store_scope, number=number, mirror=mirror, scope=scope)
                counts = self._database.write(store)
                news, losses = news + counts.added, losses + counts.removed
            branches = [scope.branch for scope in scopes]
            losses += self._database.write(lambda c: _delete_other_scopes(c, number, branches))
        count = self._database.write(lambda c: _note_update(c, number, final))
        is_new = not is_same or bool(record.error)
        status: UpdateStatus = "updated" if is_new else "unchanged"
        return UpdateResult(record.name, status, count, news, losses, notes=state.notes)

    def remove_unused(self) -> None:
        """Drop the mirrors of repositories that somebody took out, here or elsewhere."""
        with suppress(TreeringError, OSError):
            folders = set(self._folder_of("x").parent.iterdir())
            names = [record.name for record in self.list_repositories()]
            for folder in folders.difference(map(self._folder_of, names)):
                with suppress(Busy), Mirror(folder).lock():
                    shutil.rmtree(folder)

    def _note_failure(self, name: str, message: str) -> UpdateResult:
        """Keep what was there, and say that it is behind."""
        query = "UPDATE treering.repository SET error = %s WHERE name = %s RETURNING memories"
        values = (message.replace("\0", ""), name)
        try:
            row = self._database.write(lambda c: c.execute(query, values).fetchone())
        except TreeringError:
            row = None
        return UpdateResult(name, "failed", row[0] if row else 0, error=message)

    # --- reading ----------------------------------------------------------------------------------

    @contextmanager
    def reading(self, names: Sequence[str]) -> Iterator[HubReader]:
        with self._database.session() as connection:
            records = [one for one in _read_repositories(connection) if one.name in names]
            records.sort()
            rows = DatabaseRows(connection, records)
            view = RowView.of(rows, records, self.is_limited)
            versions = RowVersions(rows, self._clock)
            pages = Pages(StateFolder(self._cache))
            yield HubReader(view, rows, versions, RowSearcher(rows), pages)

    # --- tokens -----------------------------------------------------------------------------------

    def grant(self, name: str, repos: Sequence[str]) -> str:
        token = make_token()
        is_for_all = list(repos) == [ALL]
        values = (name, hash_token(token), is_for_all)

        def insert(connection: Any) -> None:
            query = (
                "INSERT INTO treering.token (name, hash, is_for_all) VALUES (%s, %s, %s)"
                " ON CONFLICT (name) DO NOTHING RETURNING name"
            )
            if connection.execute(query, values).fetchone() is None:
                raise Invalid(
                    f"There is a token {name!r} already.",
                    hint=f"`treering hub revoke {name}` takes it back.",
                )
            connection.execute(
                "INSERT INTO treering.granted SELECT %s, number FROM treering.repository"
                " WHERE NOT %s AND name = ANY(%s)",
                (name, is_for_all, list(repos)),
            )

        self._database.write(insert)
        return token

    def revoke(self, name: str) -> None:
        query = "DELETE FROM treering.token WHERE name = %s RETURNING name"
        if self._database.write(lambda c: c.execute(query, (name,)).fetchone()) is None:
            names = [token.name for token in self.list_tokens()]
            hint = suggest(name, names, "`treering hub status` lists the tokens.")
            raise Invalid(f"There is no token {name[:64]!r}.", hint)

    def list_tokens(self) -> list[HubToken]:
        query = (
            "SELECT token.name, is_for_all, extract(epoch FROM token.created)::float8,"
            " array_remove(array_agg(repository.name ORDER BY repository.name), NULL)"
            " FROM treering.token LEFT JOIN treering.granted ON granted.token = token.name"
            " LEFT JOIN treering.repository ON repository.number = granted.repository"
            " GROUP BY token.name, is_for_all, token.created ORDER BY token.name"
        )
        rows = self._database.read(lambda c: c.execute(query).fetchall())
        return [
            HubToken(name, (ALL,) if is_for_all else tuple(repos), format_moment(created))
            for name, is_for_all, created, repos in rows
        ]

    def as_seen_by(self, token: str) -> RepositoryHub:
        query, digest = "SELECT 1 FROM treering.token WHERE hash = %s", hash_token(token)
        row = self._database.read(lambda c: c.execute(query, (digest,)).fetchone())
        if "\0" in token or row is None:
            raise NotAllowed("This token is unknown, or was revoked.")
        database = self._database.as_seen_by(token)
        return PostgresHub(self.address, self._cache, self._clock, database)


def _read_repositories(connection: Any) -> list[RepositoryRecord]:
    rows = connection.execute(
        "SELECT name, url, all_branches, extract(epoch FROM added)::float8,"
        " extract(epoch FROM updated)::float8, memories, error, state, number"
        " FROM treering.repository"
    ).fetchall()
    return [
        RepositoryRecord(
            name, url, all_branches, format_moment(added),
            "" if updated is None else format_moment(updated), memories, error,
            read_state(state), number,
        )
        for name, url, all_branches, added, updated, memories, error, state, number in rows
    ]  # fmt: skip


def _drop_outdated(connection: Any, number: int) -> bool:
    """Take out rows that were made with another model or other rules; whether there were none."""
    query = "SELECT made_with FROM treering.repository WHERE number = %s"
    row = connection.execute(query, (number,)).fetchone()
    if row is None or row[0] == made_with():
        return True
    delete_rows(connection, number)
    query = "UPDATE treering.repository SET made_with = %s WHERE number = %s"
    connection.execute(query, (made_with(), number))
    return False


def _delete_other_scopes(connection: Any, number: int, branches: list[str]) -> int:
    """Take out scopes that are gone, and sort what was added into the index of words, or every
    question would look through it."""
    query = "SELECT id FROM treering.memory WHERE repository = %s AND NOT branch = ANY(%s)"
    rows = connection.execute(query, (number, branches)).fetchall()
    connection.execute("SELECT gin_clean_pending_list('treering.memory_words')")
    connection.execute("SELECT gin_clean_pending_list('treering.memory_keys')")
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
