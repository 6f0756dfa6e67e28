"""What search by meaning costs, as installed, beside search by words alone.

    python -m benchmarks.meaning [--documents 10000]

Made-up memories of real words, so that the table has something to do, in a repository of their own.
CPU time through the program, medians, both ways in turn: a warm question, a cold one, a memory
written, an index built anew; and the memory of a process that answers.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks._bench import ENVIRONMENT, git, heading, interleaved, repository, row
from treering import Treering
from treering.search.meaning.table import FILE, read_table
from treering.text.words import STOP_WORDS

SEED = 7
PROGRAM = str(Path(sys.executable).with_name("treering"))
#: The program's settings that are compared.
WORDS, MEANING = "off", "table"
_ROUNDS = 11
_ANSWER = """
import json, sys
from treering import Treering
treering = Treering.open(sys.argv[1])
for question in json.loads(sys.stdin.read()):
    treering.recall(question)
for line in open("/proc/self/status"):
    if line.startswith("VmRSS"):
        print(line.split()[1])
"""


class MadeMemories:
    """Memories of the vocabulary's words, few of them common."""

    def __init__(self, count: int) -> None:
        chance = random.Random(SEED)
        words = [word for word in read_table(FILE).numbers if word.isalpha() and len(word) > 3]
        words = [word for word in words if word not in STOP_WORDS]
        chance.shuffle(words)
        weights = [1 / (rank + 20) for rank in range(len(words))]
        common = sorted(word for word in STOP_WORDS if word.isalpha())
        self.questions = [
            " ".join([*chance.choices(words, weights, k=5), "what", "is", "the"]) for _ in range(60)
        ]
        self.lines: list[str] = []
        for _ in range(count):
            chosen = chance.choices(words, weights, k=chance.randint(20, 60))
            text = " ".join(f"{word} {chance.choice(common)}" for word in chosen)
            fields = {"type": "insight", "title": " ".join(chosen[:6]), "content": text}
            self.lines.append(json.dumps(fields))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=10_000)
    made = MadeMemories(parser.parse_args().documents)
    with repository() as path:
        _fill(path, made)
        heading(f"{len(made.lines)} memories", "words", "and meaning", "more", "goal")
        for what, costs in _warm(path, made).items():
            _report(what, costs, 1.5)
        _report("a cold question, ms", _cold(path, made), 40)
        _report("memory of a process that answers, MB", _resident(path, made), 20)
        _report("a memory written, ms", _written(path), 5)
        _report("reindex, s", _rebuilt(path), 1.3, is_ratio=True)
    return 0


def _fill(path: Path, made: MadeMemories) -> None:
    lines = path / "memories.jsonl"
    lines.write_text("\n".join(made.lines), encoding="utf-8")
    treering = Treering.open(path)
    treering.import_path(lines)
    lines.unlink()
    treering.recall(made.questions[0])


def _report(what: str, both: Sequence[float], goal: float, *, is_ratio: bool = False) -> None:
    words, meaning = both
    more = meaning / words if is_ratio else meaning - words
    verdict = "ok" if more <= goal else "MISSED"
    shown = f"{more:.2f}x" if is_ratio else f"{more:+.2f}"
    row(what, f"{words:.2f}", f"{meaning:.2f}", shown, f"{goal:g} {verdict}")


def _warm(path: Path, made: MadeMemories) -> dict[str, tuple[float, float]]:
    """One process that has answered all of it before, question by question: what meaning adds to
    the middle one, and to that which nine of ten cost less than."""
    treering = Treering.open(path)
    costs: dict[str, list[tuple[float, float]]] = {question: [] for question in made.questions}
    for turn in range(6):
        for question, times in costs.items():
            both = (_ask(treering, question, "text"), _ask(treering, question, "hybrid"))
            if turn:
                times.append(both)
    least = [(min(w for w, _ in times), min(m for _, m in times)) for times in costs.values()]
    least.sort(key=lambda both: both[1] - both[0])
    return {
        "a warm question, ms": least[len(least) // 2],
        "the same, the tenth of ten": least[len(least) * 9 // 10],
    }


def _ask(treering: Treering, question: str, mode: str) -> float:
    began = time.process_time()
    treering.recall(question, mode=mode)
    return (time.process_time() - began) * 1000


def _cold(path: Path, made: MadeMemories) -> list[float]:
    question = made.questions[0]
    ways = {mode: lambda m=mode: _run(path, "recall", question, "--mode", m)
            for mode in ("text", "hybrid")}  # fmt: skip
    return [seconds * 1000 for seconds in _compare(ways)]


def _written(path: Path) -> list[float]:
    """Each a little different, for what is known already is not written."""
    numbers = iter(range(1000))

    def write(setting: str) -> None:
        with _set(path, setting):
            _run(path, "remember", f"Thought number {next(numbers)} about nothing in particular")

    return [s * 1000 for s in _compare({s: lambda s=s: write(s) for s in (WORDS, MEANING)})]


def _rebuilt(path: Path) -> list[float]:
    def rebuild(setting: str) -> None:
        with _set(path, setting):
            _run(path, "reindex")

    return _compare({s: lambda s=s: rebuild(s) for s in (WORDS, MEANING)}, rounds=3)


def _resident(path: Path, made: MadeMemories) -> list[float]:
    """What it holds when it has answered; a first process leaves nothing to be made."""
    sizes: dict[str, list[float]] = {WORDS: [], MEANING: []}
    for setting in (*sizes, *sizes, *sizes):
        with _set(path, setting):
            sizes[setting].append(_answer(path, made))
    return [median(part[1:]) for part in sizes.values()]


def _answer(path: Path, made: MadeMemories) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _ANSWER, str(path)],
        input=json.dumps(made.questions),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout) / 1024


@contextmanager
def _set(path: Path, setting: str) -> Iterator[None]:
    git(path, "config", "treering.semantic", setting)
    yield
    git(path, "config", "--unset", "treering.semantic")


def _compare(ways: dict[str, Callable[[], object]], rounds: int = _ROUNDS) -> list[float]:
    return list(interleaved(rounds, ways, warm_up=1, clock=_children).values())


def _run(path: Path, *arguments: str) -> None:
    command = [PROGRAM, *arguments]
    subprocess.run(command, cwd=path, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)


def _children() -> float:
    """CPU seconds of the programs that were run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
