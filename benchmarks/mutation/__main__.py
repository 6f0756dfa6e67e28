"""Put faults into the code and see whether the tests notice: `python -m benchmarks.mutation`.

A fault that no test notices is a survivor. Those that are known stand in survivors.txt, each with
the reason why no test is to notice it; any other survivor makes this run fail.
"""

import argparse
import queue
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.mutation.ground import ROOT, SOURCE, TESTS, Ground
from benchmarks.mutation.mutants import Mutant, choose, make_mutants

MODULES = (
    "store/**/*.py", "git/*.py", "branches/**/*.py", "sync/*.py",
    "actions/workspace.py", "actions/remember.py",
)  # fmt: skip
SURVIVORS = Path(__file__).with_name("survivors.txt")


def main() -> int:
    given = _arguments()
    known = read_survivors()
    mutants = _chosen(given.modules or MODULES, given.each, given.seed)
    todo = [mutant for mutant in mutants if given.again or mutant.key not in known]
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        grounds: queue.Queue[Ground] = queue.Queue()
        for number in range(given.workers):
            grounds.put(Ground(Path(folder) / str(number)))
        first = grounds.get()
        calls = first.note_calls(given.tests, given.workers)
        grounds.put(first)
        print(f"{len(todo)} faults; {time.monotonic() - begun:.0f} s to see who calls what")

        def judge(mutant: Mutant) -> tuple[Mutant, str]:
            if time.monotonic() - begun > given.seconds:
                return mutant, "not tried"
            ground = grounds.get()
            try:
                return mutant, _judge(ground, mutant, calls)
            finally:
                grounds.put(ground)

        with ThreadPoolExecutor(given.workers) as pool:
            verdicts = []
            for mutant, verdict in pool.map(judge, todo):
                verdicts.append((mutant, verdict))
                print(f"{verdict:10} {mutant.key}  (line {mutant.line})", flush=True)
    return _tell(verdicts, known, time.monotonic() - begun)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths below src/treering, * allowed")
    parser.add_argument("--each", type=int, default=2, help="faults a module")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="begin none after this time")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files or folders to run")
    parser.add_argument("--again", action="store_true", help="try known survivors, too")
    return parser.parse_args()


def _chosen(patterns: tuple[str, ...] | list[str], each: int, seed: int) -> list[Mutant]:
    root = ROOT / SOURCE
    files = sorted({file for pattern in patterns for file in root.glob(pattern)})
    modules = (str(file.relative_to(root)) for file in files)
    found = [m for module in modules for m in choose(make_mutants(root, module), each, seed)]
    return choose(found, len(found), seed)  # in no order, so that time runs out on no module alone


def read_survivors() -> dict[str, str]:
    """Known survivors and why they are: a key a line, and below it the reason, indented."""
    found: dict[str, str] = {}
    key = ""
    for line in SURVIVORS.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            key = line
            found[key] = ""
    return found


def _judge(ground: Ground, mutant: Mutant, calls: dict[str, list[str]]) -> str:
    tests = calls.get(f"{mutant.module} {mutant.function}", [])
    if not tests:
        return "not called"
    return "noticed" if ground.is_noticed(mutant, tests) else "survived"


def judge_run(verdicts: list[tuple[Mutant, str]], known: dict[str, str]) -> list[str]:
    """The survivors that nobody has explained."""
    return [m.key for m, verdict in verdicts if verdict == "survived" and m.key not in known]


def _tell(verdicts: list[tuple[Mutant, str]], known: dict[str, str], seconds: float) -> int:
    counts = Counter(verdict for _, verdict in verdicts)
    print(*(f"{number} {word}," for word, number in counts.items()), f"in {seconds:.0f} s")
    noticed = {mutant.key for mutant, verdict in verdicts if verdict == "noticed"}
    if stale := sorted(known.keys() & noticed):
        print("These are noticed by now and can leave survivors.txt:", *stale, sep="\n  ")
    if survivors := judge_run(verdicts, known):
        told = "No test notices these: write one, or the reason into survivors.txt:"
        print(told, *survivors, sep="\n  ")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
