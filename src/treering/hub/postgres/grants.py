"""Tokens of a hub in a database: hashes, and the repositories each may see."""

from collections.abc import Sequence
from typing import Any

from treering.errors import Invalid
from treering.hub.hub import HubToken
from treering.hub.names import ALL
from treering.hub.tokens import hash_token, make_token
from treering.model.dates import format_moment
from treering.model.spelling import suggest


def grant(connection: Any, name: str, repos: Sequence[str]) -> str:
    """Make a token; run in a transaction."""
    token = make_token()
    is_for_all = list(repos) == [ALL]
    query = (
        "INSERT INTO treering.token (name, hash, is_for_all) VALUES (%s, %s, %s)"
        " ON CONFLICT (name) DO NOTHING RETURNING name"
    )
    row = connection.execute(query, (name, hash_token(token), is_for_all)).fetchone()
    if row is None:
        raise Invalid(
            f"There is a token {name!r} already.",
            hint=f"`treering hub revoke {name}` takes it back.",
        )
    if not is_for_all:
        connection.execute(
            "INSERT INTO treering.granted SELECT %s, number FROM treering.repository"
            " WHERE name = ANY(%s)",
            (name, list(repos)),
        )
    return token


def revoke(connection: Any, name: str) -> None:
    query = "DELETE FROM treering.token WHERE name = %s RETURNING name"
    if connection.execute(query, (name,)).fetchone() is None:
        names = [token.name for token in list_tokens(connection)]
        hint = suggest(name, names, "`treering hub status` lists the tokens.")
        raise Invalid(f"There is no token {name[:64]!r}.", hint)


def list_tokens(connection: Any) -> list[HubToken]:
    rows = connection.execute(
        "SELECT token.name, is_for_all, extract(epoch FROM token.created)::float8,"
        " array_remove(array_agg(repository.name ORDER BY repository.name), NULL)"
        " FROM treering.token LEFT JOIN treering.granted ON granted.token = token.name"
        " LEFT JOIN treering.repository ON repository.number = granted.repository"
        " GROUP BY token.name, is_for_all, token.created ORDER BY token.name"
    ).fetchall()
    return [
        HubToken(name, (ALL,) if is_for_all else tuple(repos), format_moment(created))
        for name, is_for_all, created, repos in rows
    ]


def is_known(connection: Any, token: str) -> bool:
    """Return whether a token is in force; asked of the tables by their owner."""
    query = "SELECT 1 FROM treering.token WHERE hash = %s"
    return connection.execute(query, (hash_token(token),)).fetchone() is not None
