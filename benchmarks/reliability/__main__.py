"""Play the trials named, or all, and say what was lost: nothing, or exit 1."""

import argparse
import platform
import random
import subprocess
import sys
import time

import benchmarks.reliability
from benchmarks.reliability import calls, clocks, damage, disks, hooks, hostile, writers
from benchmarks.reliability.trial import Outcome, playground
from faults.ground import NotHere

TRIALS = {
    "R1": ("concurrent writers", writers.concurrent),
    "R2": ("kill -9", writers.killed),
    "R3": ("one system call fails", calls.once),
    "R4": ("system calls fail from then on", calls.from_then_on),
    "R5": ("disk full", disks.full),
    "R6": ("power cut", disks.power),
    "R10": ("damaged index", damage.index),
    "R11": ("damaged truth", damage.truth),
    "R12": ("hostile input", hostile.inputs),
    "R13": ("clocks that lie", clocks.skewed),
    "R16": ("sabotaged hooks", hooks.sabotaged),
    "R17": ("a long day", clocks.soak),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability", description=benchmarks.reliability.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="R", help=f"of {', '.join(TRIALS)}")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about three minutes; the default")
    size.add_argument("--deep", action="store_true", help="an hour or more")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--minutes", type=float, default=60, help="of R17 when deep")
    given = parser.parse_args()
    if unknown := set(given.names) - set(TRIALS):
        parser.error(f"no trial {', '.join(sorted(unknown))}")

    names = given.names or list(TRIALS)
    print(f"{_versions()}\nrepeat with: --seed {given.seed}{' --deep' * given.deep}\n", flush=True)
    print("| trial | bad day | rounds | acknowledged | lost | other failures | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    results = [_played(name, given) for name in names]
    return 0 if all(outcome is None or outcome.is_good for outcome in results) else 1


def _played(name: str, given: argparse.Namespace) -> Outcome | None:
    title, trial = TRIALS[name]
    started = time.monotonic()
    with playground(given.seed, name, is_deep=given.deep, minutes=given.minutes) as ground:
        try:
            outcome = trial(ground)
        except NotHere as error:
            print(f"| {name} | {title} | NOT TRIED, needs {error} | | | | |", flush=True)
            return None
    seconds = time.monotonic() - started
    told = f"{outcome.rounds} {outcome.notes}".strip()
    print(
        f"| {name} | {title} | {told} | {outcome.acknowledged} | {outcome.lost} "
        f"| {len(outcome.failures)} | {seconds:.0f} |",
        flush=True,
    )
    for failure in outcome.failures[:10]:
        print(f"    FAILED {name}: {failure}", file=sys.stderr, flush=True)
    return outcome


def _versions() -> str:
    import pygit2

    from treering import __version__

    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    return (
        f"treering {__version__}, Python {platform.python_version()}, {git.strip()}, "
        f"pygit2 {pygit2.__version__}, libgit2 {pygit2.LIBGIT2_VERSION}, {platform.platform()}"
    )


if __name__ == "__main__":
    sys.exit(main())
