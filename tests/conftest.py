"""A real git repository per test, with pinned time and nothing of the user's in reach."""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pygit2
import pytest
from hypothesis import settings

import forking
import hints
from treering import Treering
from treering.actions.workspace import Workspace
from treering.derived import database
from treering.git.objects import Person

START = 1_770_000_000  # 2026-02-02T02:40:00Z
ADA = Person("Ada Lovelace", "ada@example.org")
TREERING = Path(sys.executable).with_name("treering")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Tests in the background are started deaf to Ctrl-C, and what they start would be, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


settings.register_profile("ordinary", max_examples=60, deadline=None)
settings.register_profile("deep", max_examples=500, deadline=None)
settings.load_profile("ordinary")


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collection: it stays until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(autouse=True, scope="session")
def _nothing_of_the_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Home, system and global git configuration are out of reach, and ids come out the same."""
    home = tmp_path_factory.mktemp("home")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    kept |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(kept)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def _databases_are_closed(tmp_path: Path) -> Iterator[None]:
    yield
    close_databases(tmp_path)


def close_databases(folder: Path) -> None:
    """Close what is open below a folder, before its files go: SQLite must not close a file that is
    another one by then, so it would stay open for as long as the tests run."""
    for connection in list(database._OPEN):
        if connection.path.is_relative_to(folder):
            connection.close()


def remove(folder: Path) -> None:
    """Remove a folder with repositories in it that this process looked at."""
    close_databases(folder)
    shutil.rmtree(folder)


hints.watch()


@pytest.fixture(autouse=True)
def _hints_can_be_typed(
    request: pytest.FixtureRequest, tmp_path: Path, _hints_run: Path
) -> Iterator[None]:
    """Whatever a test is about: what an error or an answer says to run is a command that runs."""
    yield
    repo = next((one for one in request.node.funcargs.values() if isinstance(one, Repo)), None)
    if repo and repo.path.is_dir():
        hints.run_new(repo.path, _run_hint, _hints_run)
    assert hints.take_wrong() == []


@pytest.fixture(scope="session")
def _hints_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for each form that was run, which all workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "hints"
    folder.mkdir(exist_ok=True)
    return folder


def _run_hint(words: list[str], folder: Path) -> tuple[int, str]:
    done = forking.run(tuple(words), folder)
    return done.returncode, done.stderr.decode()


class Repo:
    """A repository under test: git as a person types it, treering as a library and as a program."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = float(START)

    def git(self, *arguments: str, feed: str | None = None) -> str:
        stamp = f"{int(self.now)} +0000"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            input=feed,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp},
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr}"
        return done.stdout.strip()

    def commit_file(self, name: str, text: str = "text\n", message: str = "") -> str:
        """Write a file, commit it a minute later, and return the commit."""
        self.now += 60
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.git("add", "--", name)
        self.git("commit", "-q", "-m", message or f"add {name}")
        return str(pygit2.Repository(self.path).head.target)

    def switch(self, branch: str, *, create: bool = False) -> "Repo":
        self.git("switch", "-q", *(["-c"] if create else []), branch)
        return self

    def clock(self) -> float:
        """Time moves a second at each look, so that newest-first is never a tie."""
        self.now += 1
        return self.now

    @property
    def tr(self) -> Treering:
        """The library, opened anew, as another process would."""
        return Treering.open(self.path, clock=self.clock)

    @property
    def workspace(self) -> Workspace:
        """The inside of the library, for tests of what lies below the verbs."""
        return Workspace.open(self.path, clock=self.clock)

    def cli(
        self, *arguments: str, feed: str | bytes | None = None
    ) -> subprocess.CompletedProcess[str]:
        data = feed.encode() if isinstance(feed, str) else feed
        done = forking.run(arguments, self.path, data or b"")
        hints.check_text(done.stderr.decode())
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def json(self, *arguments: str, feed: str | None = None) -> Any:
        """The answer of a command that must succeed."""
        done = self.cli(*arguments, "--json", feed=feed)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def error(self, *arguments: str, feed: str | bytes | None = None) -> dict[str, str]:
        """The error of a command that must fail as expected."""
        done = self.cli(*arguments, "--json", feed=feed)
        assert done.returncode == 1, f"exit {done.returncode}: {done.stdout} {done.stderr}"
        found: dict[str, str] = json.loads(done.stderr)["error"]
        return found

    def refs(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/treering")
        return dict(line.rsplit(" ", 1) for line in lines.splitlines())

    def files(self, branch: str = "main") -> list[str]:
        """The memory files of a branch, as git itself lists them."""
        ref = f"refs/treering/heads/{branch.replace('%', '%25').replace('/', '%2F')}"
        return self.git("ls-tree", "-r", "--name-only", ref).splitlines()

    def titles(self, branch: str = "") -> set[str]:
        """What is remembered, without what is saved under a name."""
        memories = self.tr.exported(branch=branch)
        return {m["title"] for m in memories if m["type"] not in ("prompt", "template")}


def make_repo(path: Path, *options: str) -> Repo:
    """A repository with Ada as its person and an unborn branch main."""
    if any(option.startswith("--separate-git-dir") for option in options):
        path.mkdir(parents=True)
        _init(path, options)  # it names a place of its own, so it cannot be copied
    else:
        shutil.copytree(_template(options), path, dirs_exist_ok=True)
    return Repo(path)


@cache
def _template(options: tuple[str, ...]) -> Path:
    folder = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
    _init(folder, options)
    git_dir = folder if "--bare" in options else folder / ".git"
    for name in ("hooks", "info"):
        (git_dir / name).mkdir()
    return folder


def _init(folder: Path, options: tuple[str, ...]) -> None:
    git = ("git", "-C", str(folder))
    subprocess.run([*git, "init", "-q", "-b", "main", "--template=", *options], check=True)
    config = {"user.name": ADA.name, "user.email": ADA.email, "gc.auto": "0"}
    for key, value in config.items():
        subprocess.run([*git, "config", key, value], check=True)


def make_clone(source: Path | str, path: Path, name: str, *options: str) -> Repo:
    """A clone of somebody's own."""
    person = (f"user.name={name.capitalize()}", f"user.email={name}@example.org", "gc.auto=0")
    config = [word for setting in person for word in ("-c", setting)]
    subprocess.run(["git", "clone", "-q", *config, *options, str(source), str(path)], check=True)
    return Repo(path)


@pytest.fixture
def empty_repo(tmp_path: Path) -> Repo:
    """A repository whose branch is unborn."""
    return make_repo(tmp_path / "repo")


@pytest.fixture(scope="session")
def _seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = make_repo(tmp_path_factory.mktemp("seed") / "repo")
    repo.commit_file("README.md", "# A project\n")
    return repo.path


@pytest.fixture
def repo(tmp_path: Path, _seed: Path) -> Repo:
    """A repository with one commit on main."""
    shutil.copytree(_seed, tmp_path / "repo")
    made = Repo(tmp_path / "repo")
    made.now += 60
    return made


@pytest.fixture
def new_repo(tmp_path: Path) -> Callable[[str], Repo]:
    """More repositories, by name."""
    return lambda name: make_repo(tmp_path / name)
