"""What every fault test shares: the repository and the judge of ground.py, as fixtures.

After each test the user's side of the repository must be byte for byte what it was, and no process
may have written a bug report.
"""

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.ground import Mounts, NotHere, Repo, environment


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """What cannot be tried on this machine is skipped, and says so."""
    try:
        return (yield)
    except NotHere as error:
        pytest.skip(f"NOT TESTED, needs {error}")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


@pytest.fixture
def make_repo(tmp_path: Path, env: dict[str, str]) -> Iterator[Callable[[Path], Repo]]:
    """Make repositories at given paths; each is judged when the test is over.

    A test that mounts something names `mounts` before this, so that it is unmounted after.
    """
    made: list[Repo] = []

    def make(path: Path) -> Repo:
        made.append(Repo(path, env))
        return made[-1]

    yield make
    for repo in made:
        repo.close()
    bugs = [bug.read_text(encoding="utf-8") for bug in (tmp_path / "bugs").glob("treering-bug-*")]
    assert not bugs, bugs[0]


@pytest.fixture
def repo(make_repo: Callable[[Path], Repo], tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "repo")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers whose seed is printed with a failure; FAULT_SEED repeats a run.

    Only a deep run draws its seed: the usual one plays what it played before.
    """
    is_deep = request.node.get_closest_marker("deep") is not None
    drawn = random.SystemRandom().randrange(10**6) if is_deep else 1
    number = int(os.environ.get("FAULT_SEED", drawn))
    print(f"repeat with: FAULT_SEED={number} pytest '{request.node.nodeid}'")  # noqa: T201
    return random.Random(number)


@pytest.fixture
def mounts() -> Iterator[Mounts]:
    try:
        mounts = Mounts()
    except NotHere as error:
        pytest.skip(f"NOT TESTED, needs {error}")
    yield mounts
    mounts.undo()
