"""What a token may see, whatever is tried: through the verbs, and inside the database."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from conftest import Repo
from hub.conftest import HubAtHand, search_hub
from treering.errors import TreeringError
from treering.hub.postgres.database import HubDatabase
from treering.hub.postgres.hub import PostgresHub
from treering.model.query import Filters

Make = Callable[[str], Repo]
#: What would be a command if it were put into one.
WORDS = (
    "cache' OR '1'='1", "cache'; RESET ROLE; --", "cache\\' OR true --", "%s", "%(x)s", "{1,2}",
    "$1", "$$ OR true $$", "cache) OR (true", '"cache" OR 1=1', "_%", "*", "cache\u02bc OR 1=1",
)  # fmt: skip


@pytest.fixture
def token(database: HubAtHand, make: Make) -> str:
    """For the first of two repositories."""
    for name in ("api", "web"):
        repo = make(name)
        repo.tr.remember(f"The {name} cache is warmed at night", tags=["night"], topic="cache")
        database.json("hub", "add", name, str(repo.path))
    database.update()
    granted: str = database.json("hub", "grant", "ci", "--repos", "api")["token"]
    return granted


@pytest.fixture
def reader(database_url: str, token: str) -> Iterator[Any]:
    """A session like those of our questions, open to any query."""
    with psycopg.connect(database_url, autocommit=True) as connection, connection.transaction():
        connection.execute("SET TRANSACTION READ ONLY")
        connection.execute("SELECT set_config('treering.token', %s, true)", (token,))
        connection.execute("SET LOCAL ROLE treering_reader")
        yield connection


def test_words_are_never_commands(database: HubAtHand, token: str, tmp_path: Path) -> None:
    """In a question, in every filter, in an id and in the name of a repository."""
    pool = HubDatabase(database.place)
    seen = PostgresHub(database.place, tmp_path, database=pool).as_seen_by(token)
    for words in WORDS:
        names = ["api", "web", words]
        for filters in _list_filters(words):
            for question in (words, "", f"cache {words}"):
                hits = search_hub(seen, question, names, filters=filters)
                assert {repo for repo, _ in hits} <= {"api"}, words
        with seen.reading(names) as reader:
            assert set(reader.view.names.values()) == {"api"}
            for text in (words, f"api:{words}", f"web:{words}", "00002:e149f1y1bbkm"):
                with pytest.raises(TreeringError):
                    reader.view.find(text)
            assert reader.view.place(f"00002:{words}") is None
            assert reader.searcher.search_view(reader.view).index.entry(f"00002:{words}") is None
    assert [one.name for one in seen.list_repositories()] == ["api"]
    pool.close()


def _list_filters(words: str) -> list[Filters]:
    places = ("topic", "author", "agent", "session", "title", "file", "status")
    filters = [Filters(), *(Filters(**{place: words}) for place in places)]  # type: ignore[arg-type]
    return [
        *filters, Filters(tags=(words,)), Filters(without_tags=(words,)), Filters(types=(words,))
    ]  # fmt: skip


def test_functions_of_the_database_show_no_more(
    database: HubAtHand, reader: Any, database_url: str, token: str
) -> None:
    """Those that look up words for the reader run with the rights of the owner."""
    with psycopg.connect(database_url) as owner:
        rows = owner.execute("SELECT repository, words, keys FROM treering.memory").fetchall()
        names = dict(owner.execute("SELECT name, number FROM treering.repository").fetchall())
    numbers = [number for number, _, _ in rows]
    words = sorted({word for _, some, _ in rows for word in some})
    keys = sorted({key for _, _, some in rows for key in some})
    query = "SELECT count(*) FROM treering.find_holders(%s, %s::integer[], %s::text[], 100)"

    def count(repositories: list[int], together: list[str]) -> int:
        found: int = reader.execute(query, (repositories, words, together)).fetchone()[0]
        return found

    assert count(numbers, []) == 1
    assert count([names["web"]], []) == 0
    assert count([names["web"]], ["{" + str(words[0]) + "}"]) == 0
    keyed = "SELECT count(*) FROM treering.find_keyed(%s, %s::integer[], 100)"
    assert reader.execute(keyed, (numbers, keys)).fetchone()[0] == 1
    with reader.transaction():  # whoever could say anything says that there is no token
        reader.execute("SELECT set_config('treering.token', '', true)")
        assert count(numbers, []) == 0
        assert reader.execute(keyed, (numbers, keys)).fetchone()[0] == 0
        reader.execute("SELECT set_config('treering.token', %s, true)", (token,))
    assert reader.execute("SELECT treering.allowed()").fetchone()[0] == [names["api"]]
    with pytest.raises(psycopg.errors.InvalidTextRepresentation), reader.transaction():
        count(numbers, ["{1}') OR true --"])


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("SELECT 1 FROM treering.token", psycopg.errors.InsufficientPrivilege),
        ("SELECT 1 FROM treering.granted", psycopg.errors.InsufficientPrivilege),
        ("CREATE TEMP TABLE memory (x integer)", psycopg.errors.Error),
        ("CREATE FUNCTION pg_temp.x() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
         psycopg.errors.Error),
        ("UPDATE treering.repository SET name = name", psycopg.errors.Error),
        ("SELECT 1 FROM treering.memory FOR UPDATE", psycopg.errors.Error),
        ("ALTER TABLE treering.memory DISABLE ROW LEVEL SECURITY", psycopg.errors.Error),
        ("SET LOCAL row_security = off; SELECT 1 FROM treering.memory",
         psycopg.errors.InsufficientPrivilege),
    ],
)  # fmt: skip
def test_what_the_role_may_not_do(reader: Any, query: str, error: type[Exception]) -> None:
    with pytest.raises(error), reader.transaction():
        reader.execute(query)


def test_statistics_of_the_server_tell_no_values(reader: Any, database_url: str) -> None:
    """The planner samples every row, whoever's it is."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("ANALYZE treering.memory, treering.word, treering.repository")
        query = "SELECT count(*) FROM pg_stats WHERE schemaname = 'treering'"
        row = owner.execute(query).fetchone()
        assert row
        assert row[0] > 0

    rows = reader.execute("SELECT * FROM pg_stats WHERE schemaname = 'treering'").fetchall()

    assert "web" not in str(rows)
    assert not rows
