"""A trial: one kind of bad day, a number of rounds, and what came of it."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from faults.ground import Repo, environment


@dataclass
class Outcome:
    """What a trial counted; `failures` say what went wrong besides memories that were lost."""

    rounds: int = 0
    acknowledged: int = 0
    lost: int = 0
    failures: list[str] = field(default_factory=list)
    notes: str = ""

    @property
    def is_good(self) -> bool:
        return not self.lost and not self.failures

    def judge(self, repo: Repo, acknowledged: set[str], branch: str = "main") -> None:
        """Compare what was acknowledged with what git finds in the ref."""
        self.acknowledged += len(acknowledged)
        try:
            gone = acknowledged - set(repo.stored(branch))
        except (AssertionError, subprocess.CalledProcessError) as error:
            self.failures.append(f"the ref cannot be read: {error}")
            gone = acknowledged
        self.lost += len(gone)
        if gone:
            self.failures.append(f"lost {', '.join(sorted(gone)[:5])}")

    @contextmanager
    def watching(self, what: str) -> Iterator[None]:
        """An assertion of the judge becomes a line of the report, not the end of the run."""
        try:
            yield
        except (AssertionError, subprocess.SubprocessError, OSError) as error:
            self.failures.append(f"{what}: {str(error).strip()[:300] or type(error).__name__}")


@dataclass
class Trial:
    """Where a trial plays, and how long: `amount` chooses between a quick look and a deep one."""

    folder: Path
    dice: random.Random
    is_deep: bool
    minutes: float
    env: dict[str, str]

    def amount(self, quick: int, deep: int) -> int:
        return deep if self.is_deep else quick

    def repo(self, name: str = "repo", below: Path | None = None) -> Repo:
        return Repo((below or self.folder) / name, self.env)


@contextmanager
def playground(seed: int, name: str, *, is_deep: bool, minutes: float) -> Iterator[Trial]:
    """A folder for one trial; bug logs in it are failures, and it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"treering-{name}-"))
    try:
        dice = random.Random(f"{seed} {name}")
        yield Trial(folder, dice, is_deep, minutes, environment(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def acknowledged_in(output: str) -> set[str]:
    """The ids a stopped or finished `remember --json` has acknowledged: whole lines only."""
    found = set()
    for line in output.splitlines(keepends=True):
        if line.endswith("\n") and line.startswith("{"):
            found.add(json.loads(line)["id"])
    return found
