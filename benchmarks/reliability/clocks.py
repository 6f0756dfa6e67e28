"""R13 and R17: clocks that lie, and a long day with git packing beside us."""

import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.reliability.trial import Outcome, Trial, acknowledged_in
from faults.ground import NotHere


def skewed(trial: Trial) -> Outcome:
    """Captures dated years apart and backwards: order, ids and duplicates are as always."""
    if shutil.which("faketime") is None:
        raise NotHere("faketime: it makes the clock of one process lie")
    outcome = Outcome()
    repo = trial.repo()
    safe = {repo.remember("by the true clock")}
    skews = ["-400d", "+5y", "-1h", "+1h", "-20y", "+0"] * trial.amount(1, 10)
    for number, skew in enumerate(skews):
        done = subprocess.run(
            ["faketime", "-f", skew, str(repo.program), "remember", f"at {number}", "--json"],
            cwd=repo.path, env=repo.env, text=True, capture_output=True, check=False,
        )  # fmt: skip
        with outcome.watching(f"skew {skew}"):
            assert done.returncode == 0, done.stderr
            safe |= acknowledged_in(done.stdout)
            assert (
                len(
                    acknowledged_in(repo.treering("remember", f"at {number}", "--json").stdout)
                    - safe
                )
                == 0
            )
        outcome.rounds += 1
    outcome.judge(repo, safe)
    with outcome.watching("afterwards"):
        assert len(repo.stored()) == len(skews) + 1, "an id is missing or twice"
        repo.close()
    return outcome


def soak(trial: Trial) -> Outcome:
    """Four clients and git's own housekeeping for some minutes."""
    outcome = Outcome()
    repo = trial.repo()
    until = time.monotonic() + (trial.minutes * 60 if trial.is_deep else 20)

    def client(number: int) -> set[str]:
        mine: list[str] = []
        while time.monotonic() < until:
            done = repo.treering("remember", f"client {number} thought {len(mine)}", "--json")
            mine += acknowledged_in(done.stdout)
            if len(mine) % 5 == 4:
                repo.treering("revise", mine[-2], "--tag-add", "seen")
                repo.treering("recall", "thought", "--json")
            if len(mine) % 9 == 8:
                repo.treering("forget", mine[-3])
        return set(mine)

    def housekeeper(_: int) -> set[str]:
        while time.monotonic() < until:
            repo.git("pack-refs", "--all")
            repo.git("gc", "-q", "--prune=2.weeks.ago")
            repo.git("repack", "-adq")
        return set()

    with ThreadPoolExecutor(5) as pool, outcome.watching("soak"):
        work = [pool.submit(client, n) for n in range(4)] + [pool.submit(housekeeper, 4)]
        safe = set().union(*(job.result() for job in work))
        outcome.rounds = len(safe)
        outcome.judge(repo, safe)
    with outcome.watching("afterwards"):
        repo.close()
    return outcome
