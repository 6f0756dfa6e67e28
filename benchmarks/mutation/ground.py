"""Where mutants live: copies of the project, so that the work tree is never touched."""

import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.mutation import calls
from benchmarks.mutation.mutants import Mutant

ROOT = Path(__file__).parents[2]
SOURCE = Path("src/treering")
#: What holds store, git, branches and the write path; random and very slow tests are left out.
TESTS = (
    "tests/store", "tests/git", "tests/branches", "tests/sync", "tests/faults/test_damage.py",
    "tests/faults/test_lock.py", "tests/actions/test_remember.py", "tests/actions/test_change.py",
    "tests/actions/test_carry.py", "tests/actions/test_vanished.py",
)  # fmt: skip
_LEFT_OUT = (".git", ".venv", "dist", "build", "*cache*", ".hypothesis")
#: Tests that call little else say most about a fault: as many as these are run first.
_FIRST = 40
_PATIENCE = 60.0  # seconds a test, and a machine may be busy


class Ground:
    """One copy of the project, in which one mutant at a time is alive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)

    def note_calls(self, tests: Sequence[str], workers: int) -> dict[str, list[str]]:
        """Function -> the tests that call it, those first that call little else.

        A module's name stands for all of its functions.
        """
        notes = self._folder / "notes"
        notes.mkdir()
        shutil.copy(calls.__file__, self._folder / "src" / "sitecustomize.py")
        env = {calls.SOURCE: str(self._folder / SOURCE), calls.NOTES: str(notes)}
        plugin = ("-p", "benchmarks.mutation.plugin", "-n", str(workers), "-m", "not deep")
        done = self._pytest(*tests, *plugin, env=env)
        if done.returncode:
            sys.exit(f"Without any fault these tests fail already:\n{done.stdout.decode()}")
        found: dict[str, set[str]] = defaultdict(set)
        width: Counter[str] = Counter()
        for line in (line for file in notes.iterdir() for line in file.open(encoding="utf-8")):
            test, function = line.rstrip("\n").split("\t")
            width[test] += 1
            found[function].add(test)
            found[f"{function.split()[0]} <module>"].add(test)
        return {
            function: sorted(names, key=lambda test: (width[test], test))
            for function, names in found.items()
        }

    def is_noticed(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether a test fails, or does not end, with this fault in the code."""
        place = self._folder / SOURCE / mutant.module
        whole = place.read_bytes()
        place.write_bytes(mutant.source)
        try:
            return any(self._fails(part) for part in (tests[:_FIRST], tests[_FIRST:]) if part)
        finally:
            place.write_bytes(whole)

    def _fails(self, tests: list[str]) -> bool:
        try:
            return self._pytest("-x", *tests, patience=_PATIENCE * len(tests)).returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def _pytest(
        self, *arguments: str, env: dict[str, str] | None = None, patience: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        ours = {"PYTHONPATH": str(self._folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
            cwd=self._folder,
            env=os.environ | ours | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
            check=False,
        )
