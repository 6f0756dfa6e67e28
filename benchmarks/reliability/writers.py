"""R1 and R2: many writers at once, and writers killed at any moment."""

import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks.reliability.trial import Outcome, Trial, acknowledged_in
from faults.ground import Repo


def concurrent(trial: Trial) -> Outcome:
    """Eight loops of the program on one branch, from two worktrees."""
    outcome = Outcome()
    repo = trial.repo()
    repo.git("worktree", "add", "-q", "--detach", str(trial.folder / "second"))
    repo.found = repo.fingerprint()
    each = trial.amount(4, 100)

    def loop(number: int) -> set[str]:
        at = ["-C", str(trial.folder / "second")] if number % 2 else []
        found = set()
        for turn in range(each):
            said = f"writer {number} turn {turn}"
            done = repo.treering("remember", said, "-b", "main", "--json", *at)
            if done.returncode == 0:
                found |= acknowledged_in(done.stdout)
            else:
                outcome.failures.append(done.stderr.strip())
        return found

    with ThreadPoolExecutor(8) as pool, outcome.watching("concurrent writers"):
        acknowledged = set().union(*pool.map(loop, range(8)))
        outcome.judge(repo, acknowledged)
        if len(acknowledged) != 8 * each:
            outcome.failures.append(f"{8 * each - len(acknowledged)} ids stand for two memories")
    with outcome.watching("afterwards"):
        repo.close()
    outcome.rounds = 8 * each
    return outcome


def killed(trial: Trial) -> Outcome:
    """kill -9 of capture, import, gc, reindex and forget; the next command must work by itself."""
    outcome = Outcome(rounds=trial.amount(15, 500))
    repo = trial.repo()
    safe = {repo.remember(f"there from the start {n}") for n in range(3)}
    lines = trial.folder / "many.jsonl"
    started = time.monotonic()
    safe.add(repo.remember("how long a command takes"))
    usual = time.monotonic() - started

    for number in range(outcome.rounds):
        lines.write_text(
            "".join(json.dumps({"content": f"line {number} {n}"}) + "\n" for n in range(600)),
            encoding="utf-8",
        )
        command = trial.dice.choice([
            ["remember", f"thought {number}", "--json"],
            ["remember", f"thought {number}", "--json"],
            ["import", str(lines), "--json"],
            ["reindex", "--json"],
            ["gc", "--json"],
        ])  # fmt: skip
        safe |= _killed_after(repo, command, trial.dice.uniform(0.1, 1.3) * usual)
        repo.age_locks()
        with outcome.watching(f"{command[0]} killed"):
            safe.add(repo.remember(f"after kill {number}"))
    outcome.judge(repo, safe)
    with outcome.watching("afterwards"):
        repo.close()
    return outcome


def _killed_after(repo: Repo, command: list[str], seconds: float) -> set[str]:
    process = subprocess.Popen(
        [str(repo.program), *command],
        cwd=repo.path, env=repo.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    time.sleep(seconds)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    output = process.communicate()[0]
    return acknowledged_in(output) if command[0] == "remember" else set()
