"""Every tool of the systems people come from does its job here, by the call its row names."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from conftest import Repo, make_repo
from e2e.coming_from.rows import MEMORIES, Call, Row, filled
from e2e.coming_from.table import ROWS, SYSTEMS
from mcp import Client
from treering import Treering
from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server

Caller = Callable[[str, dict[str, Any]], Any]


@contextmanager
def server(path: Path) -> Iterator[Caller]:
    """The tools of the MCP server, in memory, through a real client."""
    with start_blocking_portal() as portal:
        client = Client(make_server(ServedRepository(path)))
        with portal.wrap_async_context_manager(client) as connected:

            def call(tool: str, given: dict[str, Any]) -> Any:
                result = portal.call(connected.call_tool, tool, given)
                (content,) = result.content
                assert not result.is_error, f"{tool}({given}): {content.text}"
                return json.loads(content.text)

            yield call


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A repository with the memories and links every row finds."""
    repo = make_repo(tmp_path_factory.mktemp("scene") / "repo")
    for name in ("src/auth/jwt.go", "src/auth/gateway.go", "ARCHITECTURE.md", "docs/auth-guide.md"):
        repo.commit_file(name)
    tr, names = Treering.open(repo.path), dict[str, str]()
    for name, fields in MEMORIES.items():
        given = {key: filled(value, names) for key, value in fields.items()}
        names[name] = tr.remember(**given).id
    return repo.path, names


def _long(repo: Repo) -> None:
    """More text than one answer holds."""
    for number in range(10):
        repo.tr.remember(f"ledger entry {number}\n" + f"line {number} of the ledger. " * 150)


def _gone_branch(repo: Repo) -> None:
    repo.switch("feature/old-auth", create=True)
    repo.commit_file("old.go")
    repo.tr.remember("Basic auth was tried first", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "feature/old-auth")


def _remote(repo: Repo) -> None:
    make_repo(repo.path.parent / "remote.git", "--bare")
    repo.git("remote", "add", "origin", str(repo.path.parent / "remote.git"))
    repo.git("push", "-q", "origin", "main")


SCENES: dict[str, Callable[[Repo], None]] = {
    "long": _long,
    "gone branch": _gone_branch,
    "remote": _remote,
}


@pytest.mark.parametrize("row", ROWS, ids=[row.there for row in ROWS])
def test_the_same_job_is_done_here(
    row: Row, scene: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    """The call, the answer, and something in it that only a job done shows."""
    path, names = scene
    shutil.copytree(path, tmp_path / "repo")
    repo = Repo(tmp_path / "repo")
    if row.scene:
        SCENES[row.scene](repo)
    known = dict(names)

    with server(repo.path) as call:
        for step in row.calls:
            _play(call, step, known)


def _play(call: Caller, step: Call, known: dict[str, str]) -> None:
    answer = call(step.tool, {name: filled(value, known) for name, value in step.given.items()})
    for name, found in step.keeps.items():
        known[name] = found(answer)
    assert step.shows(answer, known), f"{step.tool}({step.given}) answered {answer}"


def test_the_table_is_whole() -> None:
    """Sixty-four tools of five systems, each once."""
    counts = {system.name: len(system.rows) for system in SYSTEMS}

    assert counts == {
        "Autology": 7, "Amalfa": 8, "MAMA": 10, "Subcog": 22, "Knowledge server": 17,
    }  # fmt: skip
    assert len({row.there for row in ROWS}) == 64
