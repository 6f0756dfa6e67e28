"""From git to searchable: what `treering backfill` costs a memory, in CPU time of all processes.

Without a repository of your own (`TREERING_BENCH_HISTORY=PATH`) a history is made up: commits of
one to five files with messages of one to forty words, by eight people.
"""

import os
import random
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks._bench import ENVIRONMENT, git, heading, repository, row

PROGRAM = str(Path(sys.executable).with_name("treering"))
GOAL = 1000.0
_WORDS = [
    "request",
    "session",
    "cookie",
    "template",
    "parser",
    "cache",
    "retry",
    "socket",
    "lock",
    "index",
    "query",
    "schema",
    "config",
    "test",
    "login",
    "token",
    "route",
    "header",
    "body",
    "stream",
    "worker",
    "queue",
    "signal",
    "error",
    "handle",
    "fix",
    "add",
    "remove",
    "rename",
    "move",
    "keep",
    "avoid",
    "when",
    "because",
    "after",
    "before",
    "without",
    "instead",
    "of",
    "the",
    "a",
    "in",
    "to",
    "for",
    "and",
    "not",
]


def main(quick: bool) -> None:
    with repository() as path:
        history = os.environ.get("TREERING_BENCH_HISTORY")
        if history:
            git(path, "fetch", "-q", "--no-tags", history, "+HEAD:refs/heads/past")
            git(path, "checkout", "-q", "-B", "main", "past")
            git(path, "branch", "-q", "-D", "past")
        else:
            git(path, "fast-import", "--quiet", feed=_make_up(1500 if quick else 6000))
        before = _children()
        subprocess.run(
            [PROGRAM, "backfill"], cwd=path, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True
        )
        seconds = _children() - before
        names = git(path, "ls-tree", "-r", "--name-only", "refs/treering/heads/main").split()
    count = sum(name.startswith(b"memories/") for name in names)
    heading("backfill, commits and sessions", "memories", "CPU", "each s", "goal")
    rate = count / seconds
    verdict = f"{GOAL:.0f} {'ok' if rate >= GOAL else 'MISSED'}"
    row("  from git to searchable", str(count), f"{seconds:.2f} s", f"{rate:.0f}", verdict)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _make_up(number: int) -> bytes:
    """A history for `git fast-import`, always the same one."""
    dice = random.Random(7)
    parts = []
    for n in range(number):
        who = f"Person {dice.randrange(8)} <p{dice.randrange(8)}@example.org>"
        message = " ".join(dice.choices(_WORDS, k=dice.randint(3, 9)))
        if dice.random() < 0.5:
            message += "\n\n" + " ".join(dice.choices(_WORDS, k=dice.randint(5, 40)))
        parts.append(
            f"commit refs/heads/main\ncommitter {who} {1_600_000_000 + n * 3600} +0000\n"
            f"data {len(message)}\n{message}\n" + ("from refs/heads/main^0\n" if n == 0 else "")
        )
        for _ in range(dice.randint(1, 5)):
            text = f"{n} {dice.random()}\n"
            name = f"src/{dice.choice(_WORDS)}/{dice.choice(_WORDS)}.py"
            parts.append(f"M 100644 inline {name}\ndata {len(text)}\n{text}\n")
    return "".join(parts).encode()
