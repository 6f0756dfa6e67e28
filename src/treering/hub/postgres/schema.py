"""The tables of the hub, by version. A migration is added at the end, and none is ever changed.

    repository      what was added, and how fresh it is
    scope           which state of a branch its rows are from
    memory          one row for each memory that is shown: fields, words, how often each occurs
    document        the memory itself, by blob: the same text in two repositories is kept once
    word            in how many memories of a repository a word occurs
    embedding       what a memory means to a model, as numbers and as their signs
    token           hashes of tokens; granted says what each may see

Whoever asks with a token does so in the role `treering_reader`. To it every row is hidden but those
of repositories that the very token, hashed by the database, was granted. So a mistake in a query
shows no more than the token may see, and a token that was revoked sees nothing from that moment on.

Behind such a wall the database does not use an index for arrays, whose operators might tell of rows
that are hidden. So the function `find_holders` looks up words for the reader: among the rows of
what the token was granted, and nothing but their places comes out of it, which the reader still has
to be shown.
"""

from typing import Any

from treering.errors import HubUnavailable

READER = "treering_reader"
#: One migration at a time, whoever comes first.
_LOCK = 7_215_381_405

_VERSION_1 = """
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
    state jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE treering.scope (
    repository integer NOT NULL REFERENCES treering.repository ON DELETE CASCADE,
    branch text NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (repository, branch)
);
CREATE TABLE treering.document (
    blob text PRIMARY KEY,
    body bytea NOT NULL
);
CREATE TABLE treering.memory (
    repository integer NOT NULL REFERENCES treering.repository ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    blob text NOT NULL REFERENCES treering.document,
    branch text NOT NULL,
    layer text NOT NULL,
    rank smallint NOT NULL,
    type text NOT NULL,
    title text NOT NULL,
    status text NOT NULL,
    created double precision NOT NULL,
    modified double precision NOT NULL,
    confidence double precision NOT NULL,
    author text NOT NULL,
    agent text NOT NULL,
    session text NOT NULL,
    topic text NOT NULL,
    tags text[] NOT NULL,
    files text[] NOT NULL,
    place integer NOT NULL,
    length integer NOT NULL,
    sketch bytea NOT NULL,
    title_sketch bytea NOT NULL,
    flags text[],
    outcome text NOT NULL,
    people text[] NOT NULL,
    said double precision NOT NULL,
    links jsonb NOT NULL,
    is_record boolean NOT NULL,
    words integer[] NOT NULL,
    counts smallint[] NOT NULL,
    PRIMARY KEY (repository, id)
);
CREATE INDEX memory_words ON treering.memory USING gin (words);
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
CREATE FUNCTION treering.holders(
    asked integer[], rare integer[], together text[], most integer
) RETURNS TABLE (repository integer, id text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held text := 'words && $1';
    several text;
BEGIN
    FOREACH several IN ARRAY together LOOP
        held := held || format(' OR words @> %L::integer[]', several::integer[]);
    END LOOP;
    RETURN QUERY EXECUTE
        'SELECT repository, id FROM treering.memory WHERE (' || held || ')'
        ' AND repository = ANY ($2) AND repository = ANY ($3) LIMIT $4'
        USING rare, asked, treering.allowed(), most;
END
$$;
REVOKE ALL ON FUNCTION treering.allowed() FROM public;
REVOKE ALL ON FUNCTION treering.holders(integer[], integer[], text[], integer) FROM public;
GRANT EXECUTE ON FUNCTION treering.allowed() TO treering_reader;
GRANT EXECUTE ON FUNCTION treering.holders(integer[], integer[], text[], integer)
    TO treering_reader;
GRANT USAGE ON SCHEMA treering TO treering_reader;
GRANT SELECT ON treering.repository, treering.memory, treering.document, treering.word
    TO treering_reader;

ALTER TABLE treering.repository ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.scope ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.document ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.word ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.token ENABLE ROW LEVEL SECURITY;
ALTER TABLE treering.granted ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON treering.repository FOR SELECT TO treering_reader
    USING (number = ANY ((SELECT treering.allowed())::integer[]));
CREATE POLICY reader ON treering.memory FOR SELECT TO treering_reader
    USING (repository = ANY ((SELECT treering.allowed())::integer[]));
CREATE POLICY reader ON treering.word FOR SELECT TO treering_reader
    USING (repository = ANY ((SELECT treering.allowed())::integer[]));
CREATE POLICY reader ON treering.document FOR SELECT TO treering_reader
    USING (EXISTS (SELECT 1 FROM treering.memory WHERE memory.blob = document.blob));
"""

#: Vectors; walls that look a repository up in a hash, not in a list of all that are allowed; and
#: rows that hold words found by where they are, not by their keys.
_VERSION_2 = """
CREATE TABLE treering.embedding (
    repository integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    model integer NOT NULL,
    signs bit varying NOT NULL,
    numbers bytea NOT NULL,
    length real NOT NULL,
    PRIMARY KEY (repository, id),
    FOREIGN KEY (repository, id) REFERENCES treering.memory ON DELETE CASCADE
);
ALTER TABLE treering.repository ADD COLUMN model integer;
CREATE INDEX memory_linking ON treering.memory (repository) WHERE links <> '[]';
GRANT SELECT ON treering.embedding TO treering_reader;
ALTER TABLE treering.embedding ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON treering.embedding FOR SELECT TO treering_reader
    USING (repository IN (SELECT unnest(treering.allowed())));
ALTER POLICY reader ON treering.repository USING (number IN (SELECT unnest(treering.allowed())));
ALTER POLICY reader ON treering.memory USING (repository IN (SELECT unnest(treering.allowed())));
ALTER POLICY reader ON treering.word USING (repository IN (SELECT unnest(treering.allowed())));
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
        ' AND repository = ANY ($2) AND repository IN (SELECT unnest($3)) LIMIT $4'
        USING rare, asked, treering.allowed(), most;
END
$$;
REVOKE ALL ON FUNCTION treering.find_holders(integer[], integer[], text[], integer) FROM public;
GRANT EXECUTE ON FUNCTION treering.find_holders(integer[], integer[], text[], integer)
    TO treering_reader;
DROP FUNCTION treering.holders(integer[], integer[], text[], integer);
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2)


def migrate(connection: Any) -> None:
    """Bring the tables to the version this program knows, each step in one transaction."""
    if _read_version(connection) == len(MIGRATIONS):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        version = _read_version(connection)
        if version > len(MIGRATIONS):
            raise HubUnavailable(
                f"The hub's tables have version {version}. This treering knows {len(MIGRATIONS)}.",
                hint="Upgrade treering. Nothing was changed.",
            )
        if version == 0:
            _make_reader(connection)
            connection.execute("CREATE SCHEMA IF NOT EXISTS treering")
            connection.execute("CREATE TABLE treering.version (number integer NOT NULL)")
            connection.execute("INSERT INTO treering.version VALUES (0)")
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            connection.execute(script)
            connection.execute("UPDATE treering.version SET number = %s", (number,))


def _read_version(connection: Any) -> int:
    row = connection.execute("SELECT to_regclass('treering.version')").fetchone()
    if row[0] is None:
        return 0
    return int(connection.execute("SELECT number FROM treering.version").fetchone()[0])


def _make_reader(connection: Any) -> None:
    """A role that nobody logs in as. It belongs to the whole server, so it may be there already."""
    query = "SELECT 1 FROM pg_roles WHERE rolname = %s"
    if connection.execute(query, (READER,)).fetchone() is None:
        connection.execute(f"CREATE ROLE {READER} NOLOGIN")
    connection.execute(f"GRANT {READER} TO CURRENT_USER")
