"""Connections to the hub's database: made when they are needed, limited in time, made again once.

Errors of the driver become ours here, so that nobody above knows its name.
"""

import copy
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

from treering.errors import HubUnavailable, TreeringError
from treering.hub.postgres.schema import READER, make_tables

#: Seconds to reach the server, for a question, and for one step of an update.
CONNECT_SECONDS, READ_SECONDS, WRITE_SECONDS = 10, 10, 600
_TRIES = 3
Answer = TypeVar("Answer")


def hide_secrets(url: str) -> str:
    """The url without user, password and options."""
    return re.sub(r"\?.*", "", re.sub(r"://[^/@]*@", "://", url))


class HubDatabase:
    """One database, with a connection for each thread; `token` limits what is read."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url
        self._token = token
        self._local = threading.local()
        self._all: list[Any] = []
        weakref.finalize(self, _close_all, self._all)

    def as_seen_by(self, token: str) -> "HubDatabase":
        """The same connections, for whoever has a token."""
        other = copy.copy(self)  # closed with the first one
        other._token = token
        return other

    @property
    def is_limited(self) -> bool:
        return self._token is not None

    @contextmanager
    def session(self) -> Iterator[Any]:
        """Yield a connection in a transaction that cannot write, for all questions of a call; one
        that had been lost meanwhile is made again."""
        with ExitStack() as stack:
            is_new = self._connection() is None
            try:
                connection = self._begin(stack)
            except HubUnavailable:
                if is_new or self._connection() is not None:
                    raise
                stack.pop_all()
                connection = self._begin(stack)
            yield connection

    def _begin(self, stack: ExitStack) -> Any:
        connection = stack.enter_context(self._open())
        with self._translate():
            stack.enter_context(connection.transaction())
            self._limit(connection)
        return connection

    def read(self, work: Callable[[Any], Answer]) -> Answer:
        """Run one question."""
        with self.session() as connection:
            return work(connection)

    def write(self, work: Callable[[Any], Answer]) -> Answer:
        """Run a change in one transaction; again where another one was in its way."""
        for attempt in range(_TRIES):
            try:
                with self._open() as connection, connection.transaction():
                    connection.execute(f"SET LOCAL statement_timeout = '{WRITE_SECONDS}s'")
                    return work(connection)
            except _InTheWay:
                if attempt == _TRIES - 1:
                    raise HubUnavailable("Others keep changing the same rows.") from None
        raise AssertionError

    @contextmanager
    def hold(self, number: int) -> Iterator[bool]:
        """Be the only one who updates a repository, if nobody else is; the lock goes with the
        connection."""
        with self._open() as connection:
            query = "SELECT pg_try_advisory_lock(hashtext('treering hub'), %s)"
            is_held = bool(connection.execute(query, (number,)).fetchone()[0])
        try:
            yield is_held
        finally:
            if is_held:
                with suppress(HubUnavailable), self._open() as connection:
                    connection.execute(
                        "SELECT pg_advisory_unlock(hashtext('treering hub'), %s)", (number,)
                    )

    def close(self) -> None:
        connection = self._connection()
        self._local.connection = None
        if connection is not None:
            self._all.remove(connection)
            _close_all([connection])

    # --- below ------------------------------------------------------------------------------------

    def _connection(self) -> Any:
        return getattr(self._local, "connection", None)

    def _limit(self, connection: Any) -> None:
        """Bound every question: it cannot write, it ends, and with a token it is put in a role to
        which rows of others do not exist."""
        connection.execute(
            "SET TRANSACTION READ ONLY;"
            f" SET LOCAL statement_timeout = '{int(READ_SECONDS * 1000)}ms';"
            # The planner takes arrays of rare words for common ones, and would read all rows.
            " SET LOCAL enable_seqscan = off; SET LOCAL jit = off"
        )
        if self._token is not None:
            connection.execute("SELECT set_config('treering.token', %s, true)", (self._token,))
            # Row by row from what holds the words: any other join would read all rows first.
            connection.execute(
                "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
                f" SET LOCAL ROLE {READER}"
            )

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """This thread's connection; whatever goes wrong with it, the next one is new."""
        with self._translate():
            if self._connection() is None:
                self._local.connection = self._connect(_load())
                self._all.append(self._local.connection)
            yield self._connection()

    @contextmanager
    def _translate(self) -> Iterator[None]:
        """Turn errors of the driver into ours."""
        psycopg = _load()
        try:
            yield
        except TreeringError:
            raise
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure,
                psycopg.errors.ForeignKeyViolation) as error:  # fmt: skip
            raise _InTheWay from error
        except psycopg.errors.QueryCanceled as error:
            raise HubUnavailable(
                "The database took too long.", hint="Ask for less, or of fewer repositories."
            ) from error
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
                self.close()
            raise HubUnavailable(_explain(error)) from error

    def _connect(self, psycopg: Any) -> Any:
        connection = psycopg.connect(
            self._url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            application_name="treering hub",
            keepalives_idle=30,
            tcp_user_timeout=(READ_SECONDS + CONNECT_SECONDS) * 1000,
        )
        try:
            connection.execute(f"SET statement_timeout = '{READ_SECONDS}s'")
            connection.execute("SET client_encoding = 'UTF8'")
            make_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _close_all(connections: list[Any]) -> None:
    for connection in connections:
        with suppress(Exception):
            connection.close()


class _InTheWay(Exception):
    """Another transaction changed the same rows: this one may be tried again."""


def _load() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise HubUnavailable(
            "A database as the hub needs the package psycopg.",
            hint="`pip install 'treering[hub]'` installs it.",
        ) from error
    return psycopg


def _explain(error: Exception) -> str:
    """The first line of what the server or the driver says, without secrets."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = re.sub(r"password=\S+", "", lines[0] if lines else type(error).__name__)
    return f"The hub's database cannot be used: {hide_secrets(text)[:300]}"
