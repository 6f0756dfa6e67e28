"""A bare remote and as many clones of it as a test asks for."""

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from conftest import START, Repo, make_clone, make_repo

Team = Callable[[str], Repo]

HEADS = "refs/treering/heads/"
VIEWS = "refs/treering/views/"
CLONES = "refs/treering/clones/"


def seen(repo: Repo, branch: str = "main") -> str | None:
    """What a clone sees of a scope: the heads it knows, together."""
    refs = repo.refs()
    return refs.get(VIEWS + branch) or refs.get(HEADS + branch)


def seen_scopes(repo: Repo) -> set[str]:
    """The scopes a clone takes part in."""
    names = [ref for ref in repo.refs() if ref.startswith((HEADS, VIEWS))]
    return {name.rpartition("/")[2] for name in names}


def remote_refs(repo: Repo, remote: str = "origin") -> dict[str, str]:
    """Every ref of ours that a remote has."""
    lines = repo.git("ls-remote", remote, "refs/treering/*").splitlines()
    return {ref: oid for oid, ref in (line.split("\t") for line in lines)}


def remote_scopes(repo: Repo, remote: str = "origin") -> set[str]:
    """The scopes that clones have heads of on a remote."""
    names = [ref for ref in remote_refs(repo, remote) if ref.startswith(CLONES)]
    return {name.rpartition("/")[2] for name in names}


def own_ref(repo: Repo, branch: str = "main") -> str:
    """The ref of a clone's own head on a remote."""
    return f"{CLONES}{repo.git('config', 'treering.clone')}/{branch}"


def publish(repo: Repo, branch: str, *thoughts: str, file: str = "") -> None:
    """A new branch with a commit and memories; the branch is pushed, its memories are not yet."""
    repo.switch(branch, create=True).commit_file(file or f"{branch.replace('/', '-')}.txt")
    for thought in thoughts:
        repo.tr.remember(thought, type="insight")
    repo.git("push", "-q", "-u", "origin", branch)


def write_to(repo: Repo, tip: str, ref: str) -> None:
    """Push as git would, whoever's ref it is: who may push at all may do that."""
    repo.git("push", "-q", "--force", "origin", f"{tip}:{ref}")


#: From whom something is forged to the ref it is pushed to.
Aim = Callable[..., str]


@pytest.fixture(params=["theirs", "own"])
def aim(request: pytest.FixtureRequest) -> Aim:
    """Where an attacker pushes to: the ref of another clone, or one nobody has seen before."""

    def choose(victim: Repo, branch: str = "main") -> str:
        is_theirs = request.param == "theirs"
        return own_ref(victim, branch) if is_theirs else f"{CLONES}mallory00000/{branch}"

    return choose


class Clock:
    """One time for all clones, so that nobody's work is older than what it builds on."""

    def __init__(self) -> None:
        self.start = int(START) + 100
        self.ticks: Iterator[int] = itertools.count(self.start)

    def __call__(self) -> float:
        return float(next(self.ticks))


class Clone(Repo):
    """A clone with its own person; every look at the clock is later than all before, anywhere."""

    def __init__(self, path: Path, clock: Clock) -> None:
        super().__init__(path)
        self._clock = clock

    def clock(self) -> float:
        self.now = self._clock()
        return self.now


def let_months_pass(repo: Clone) -> None:
    """Everybody is quiet by now, and what is in the trash is old."""
    repo._clock.start += 60 * 24 * 3600
    repo._clock.ticks = itertools.count(repo._clock.start)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A bare repository with one commit on main."""
    return shutil.copytree(_origin(), tmp_path / "origin.git")


@cache
def _origin() -> Path:
    folder = Path(tempfile.mkdtemp(dir=os.environ["HOME"]))
    make_repo(folder / "seed").commit_file("README.md", "# A project\n")
    subprocess.run(["git", "clone", "-q", "--bare", "seed", "origin.git"], cwd=folder, check=True)
    return folder / "origin.git"


@pytest.fixture
def clone(tmp_path: Path, origin: Path) -> Team:
    """Clones by the name of the person whose they are."""
    clock = Clock()
    return lambda name: Clone(make_clone(origin, tmp_path / name, name).path, clock)
