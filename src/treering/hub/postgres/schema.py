"""The tables of the hub in PostgreSQL.

    repository      what was added, and how fresh it is
    memory          one row for each memory that is shown: what search knows of it (`facts`, see
                    search/entry.py), who said it, its words and how often each occurs, its keys
    document        the memory itself, by blob: the same text in two repositories is kept once
    word            in how many memories of a repository a word occurs
    embedding       what a memory means to the model, as numbers and as their signs
    token           hashes of tokens; granted says what each may see

Whoever asks with a token does so in the role `treering_reader`. To it every row is hidden but those
of repositories that the very token, hashed by the database, was granted. So a mistake in a query
shows no more than the token may see, and a token that was revoked sees nothing from that moment on.

Behind such a wall the database does not use an index for arrays, whose operators might tell of rows
that are hidden. So two functions look up words and keys for the reader: among the rows of what the
token was granted, and nothing but their places comes out, which the reader still has to be shown.
"""

from typing import Any

from treering.errors import HubUnavailable

READER = "treering_reader"
VERSION = 3
#: One process makes the tables, whoever comes first.
_LOCK = 7_215_381_405
_TRIES = 5

_TABLES = """
CREATE TABLE treering.version (number integer NOT NULL);
CREATE TABLE treering.repository (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    url text NOT NULL,
    all_branches boolean NOT NULL,
    added timestamptz NOT NULL DEFAULT now(),
    updated timestamptz,
    error text NOT NULL DEFAULT '',
    memories integer NOT NULL DEFAULT 0,
    length bigint NOT NULL DEFAULT 0,
    made_with text NOT NULL DEFAULT '',
    state jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE treering.document (blob text PRIMARY KEY, body bytea NOT NULL);
CREATE TABLE treering.memory (
    repository integer NOT NULL REFERENCES treering.repository ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    blob text NOT NULL REFERENCES treering.document,
    branch text NOT NULL,
    rank smallint NOT NULL,
    status text NOT NULL,
    is_record boolean NOT NULL,
    created double precision NOT NULL,
    session text NOT NULL,
    length integer NOT NULL,
    facts jsonb NOT NULL,
    version jsonb,
    keys integer[] NOT NULL,
    words integer[] NOT NULL,
    counts smallint[] NOT NULL,
    PRIMARY KEY (repository, id)
);
CREATE INDEX memory_words ON treering.memory USING gin (words);
CREATE INDEX memory_keys ON treering.memory USING gin (keys);
CREATE INDEX memory_id ON treering.memory (id);
CREATE INDEX memory_blob ON treering.memory (blob);
CREATE INDEX memory_newest ON treering.memory (is_record, created DESC, id)
    WHERE status NOT IN ('superseded', 'deleted');
CREATE INDEX memory_session ON treering.memory (repository, session) WHERE session <> '';
CREATE TABLE treering.word (
    number integer NOT NULL,
    repository integer NOT NULL REFERENCES treering.repository ON DELETE CASCADE,
    term text COLLATE "C" NOT NULL,
    frequency integer NOT NULL,
    PRIMARY KEY (number, repository) INCLUDE (frequency)
);
CREATE INDEX word_repository ON treering.word (repository);
CREATE INDEX word_term ON treering.word (term, repository);
CREATE TABLE treering.embedding (
    repository integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    signs bit varying NOT NULL,
    numbers bytea NOT NULL,
    length real NOT NULL,
    PRIMARY KEY (repository, id),
    FOREIGN KEY (repository, id) REFERENCES treering.memory ON DELETE CASCADE
);
CREATE TABLE treering.token (
    name text PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    is_for_all boolean NOT NULL,
    created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE treering.granted (
    token text NOT NULL REFERENCES treering.token ON DELETE CASCADE,
    repository integer NOT NULL REFERENCES treering.repository ON DELETE CASCADE,
    PRIMARY KEY (token, repository)
);

CREATE FUNCTION treering.allowed() RETURNS integer[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN token.is_for_all
        THEN (SELECT array_agg(number) FROM treering.repository)
        ELSE (SELECT array_agg(repository) FROM treering.granted WHERE granted.token = token.name)
    END
    FROM treering.token
    WHERE hash = encode(sha256(convert_to(current_setting('treering.token', true), 'UTF8')), 'hex')
$$;
CREATE FUNCTION treering.find_holders(
    asked integer[], rare integer[], together text[], most integer
) RETURNS SETOF tid LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held text := 'words && $1';
    several text;
BEGIN
    FOREACH several IN ARRAY together LOOP
        held := held || format(' OR words @> %L::integer[]', several::integer[]);
    END LOOP;
    RETURN QUERY EXECUTE
        'SELECT ctid FROM treering.memory WHERE (' || held || ')'
        ' AND repository = ANY ($2) AND ($3 OR repository IN (SELECT unnest($4))) LIMIT $5'
        USING rare, asked, current_setting('role') <> 'treering_reader', treering.allowed(), most;
END
$$;
CREATE FUNCTION treering.find_keyed(asked integer[], wanted integer[], most integer)
RETURNS SETOF tid LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT ctid FROM treering.memory WHERE keys && wanted AND repository = ANY (asked)
        AND (current_setting('role') <> 'treering_reader'
             OR repository IN (SELECT unnest(treering.allowed())))
        LIMIT most
$$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA treering FROM public;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA treering TO treering_reader;
GRANT USAGE ON SCHEMA treering TO treering_reader;
GRANT SELECT ON treering.repository, treering.memory, treering.document, treering.word,
    treering.embedding TO treering_reader;
"""
#: How rows of each table are shown to a token; to the others it has no right at all.
_WALLS = {
    "repository": "number IN (SELECT unnest(treering.allowed()))",
    "memory": "repository IN (SELECT unnest(treering.allowed()))",
    "word": "repository IN (SELECT unnest(treering.allowed()))",
    "embedding": "repository IN (SELECT unnest(treering.allowed()))",
    "document": "EXISTS (SELECT 1 FROM treering.memory WHERE memory.blob = document.blob)",
}


def make_tables(connection: Any) -> None:
    """Make the tables where there are none, in one transaction; HubUnavailable where that may not
    be done, or others are there. Two who do it at once, be it in two databases of one server, wait
    for each other."""
    import psycopg

    for attempt in range(_TRIES):
        try:
            if _read_version(connection) == VERSION:
                return
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                _make(connection)
            return
        except psycopg.errors.InsufficientPrivilege as error:
            raise _refuse(connection, error) from error
        except (psycopg.errors.InternalError_, psycopg.errors.UniqueViolation,
                psycopg.errors.DuplicateObject, psycopg.errors.DuplicateTable):  # fmt: skip
            # A role belongs to the whole server, and what another one just made may not be seen
            # before the next transaction.
            if attempt == _TRIES - 1:
                raise


def _read_version(connection: Any) -> int:
    row = connection.execute("SELECT to_regclass('treering.version')").fetchone()
    if row[0] is None:
        return 0
    return int(connection.execute("SELECT number FROM treering.version").fetchone()[0])


def _make(connection: Any) -> None:
    version = _read_version(connection)
    if version == VERSION:
        return
    if version > VERSION:
        raise HubUnavailable(
            f"The hub's tables have version {version}. This treering knows {VERSION}.",
            hint="Upgrade treering. Nothing was changed.",
        )
    if version:
        raise HubUnavailable(
            f"The hub's tables have version {version}, which this treering cannot use.",
            hint="`DROP SCHEMA treering CASCADE` in the database, then add the repositories again.",
        )
    query = "SELECT 1 FROM pg_roles WHERE rolname = %s"
    if connection.execute(query, (READER,)).fetchone() is None:
        connection.execute(f"CREATE ROLE {READER} NOLOGIN")
    if not _may_read_as_reader(connection):
        connection.execute(f"GRANT {READER} TO CURRENT_USER")
    connection.execute("CREATE SCHEMA IF NOT EXISTS treering")
    connection.execute(_TABLES)
    connection.execute("INSERT INTO treering.version VALUES (%s)", (VERSION,))
    for table, condition in _WALLS.items():
        connection.execute(
            f"CREATE POLICY reader ON treering.{table} FOR SELECT TO {READER} USING ({condition})"
        )
    for table in (*_WALLS, "token", "granted"):
        connection.execute(f"ALTER TABLE treering.{table} ENABLE ROW LEVEL SECURITY")


def _may_read_as_reader(connection: Any) -> bool:
    """Tell whether the role can be taken by whoever asks with a token."""
    import psycopg

    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL ROLE {READER}; RESET ROLE")
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def _refuse(connection: Any, error: Exception) -> HubUnavailable:
    """The error for a user who lacks a right, and what to ask for."""
    query = (
        "SELECT session_user, current_database(), (SELECT pg_get_userbyid(nspowner)"
        " FROM pg_namespace WHERE nspname = 'treering'),"
        " EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)"
    )
    user, database, owner, is_reader = connection.execute(query, (READER,)).fetchone()
    if owner and owner != user:
        wanted = [f'GRANT "{owner}", {READER} TO "{user}"']
    else:
        wanted = [] if is_reader else [f"CREATE ROLE {READER} NOLOGIN"]
        wanted.append(f'GRANT {READER} TO "{user}"')
        wanted.append(f'GRANT CREATE ON DATABASE "{database}" TO "{user}"')
    reason = str(error).partition("\n")[0]
    return HubUnavailable(
        f"The hub's tables cannot be used by {user}: {reason}.",
        hint=f"Ask an administrator of the server for: `{'; '.join(wanted)}`.",
    )
