"""What search by meaning costs, as installed, beside search by words alone.

    python -m benchmarks.meaning [--documents 10000]

Made-up memories of real words, so that the table has something to do. CPU time of this process,
medians: a warm question in both modes, a new process, and building the index with and without
vectors. A reindex also reads git, so there the share is smaller.
"""

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from treering.model.document import dump, parse
from treering.model.memory import Memory, derive_id
from treering.model.query import parse as parse_query
from treering.search import Index, Understanding
from treering.search.meaning.table import FILE, StaticTable, read_table
from treering.text.words import STOP_WORDS

NOW = 1_767_225_600.0
SEED = 7


class MadeMemories:
    """Memories of the vocabulary's words, few of them common, as markdown the way git holds it."""

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
        self.raw: dict[str, bytes] = {}
        for number in range(count):
            chosen = chance.choices(words, weights, k=chance.randint(20, 60))
            text = " ".join(f"{word} {chance.choice(common)}" for word in chosen)
            memory = Memory(
                id=derive_id("bench", str(number)),
                type="insight",
                title=" ".join(chosen[:6]),
                content=text,
                created="2025-11-01T10:00:00Z",
                modified="2025-11-01T10:00:00Z",
            )
            self.raw[f"{chance.getrandbits(160):040x}"] = dump(memory)

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        return ((blob, parse(self.raw[blob])) for blob in blobs)


def _spend(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return (time.process_time() - began) * 1000


def _open(folder: Path, made: MadeMemories, has_meaning: bool) -> Index:
    understanding = Understanding(folder, [StaticTable()]) if has_meaning else None
    return Index(folder, read=made.read, understanding=understanding)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--cold", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--mode", default="text", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    made = MadeMemories(options.documents if not options.cold else 1)
    if options.cold:
        return _measure_cold(options.cold, options.mode, made)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        plain, meant = _open(Path(one), made, False), _open(Path(two), made, True)
        visible = dict.fromkeys(made.raw, 0)
        builds = [_build(index, visible) for index in (plain, meant)]
        each = [build / len(visible) for build in builds]
        print(f"building, ms a memory: words {each[0]:.3f}, and meaning {each[1]:.3f}")

        def ask(index: Index, mode: str, question: str) -> None:
            index.search(parse_query(question, NOW), visible, mode=mode, now=NOW)

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for question in made.questions:
            ask(plain, "text", question)
            ask(meant, "hybrid", question)
        costs: dict[str, list[float]] = {"text": [], "hybrid": []}
        for question in made.questions * 3:
            costs["text"].append(_spend(lambda q=question: ask(plain, "text", q)))
            costs["hybrid"].append(_spend(lambda q=question: ask(meant, "hybrid", q)))
        words, both = (statistics.median(part) for part in costs.values())
        print(
            f"a warm question, ms: words {words:.2f}, and meaning {both:.2f}: {both - words:+.2f}"
        )
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"memory while asking, MB: {grown / 1024:+.1f}")
        cold = {mode: [] for mode in costs}
        for _ in range(5):
            for mode, folder in (("text", one), ("hybrid", two)):
                cold[mode].append(_start(folder, mode))
        first, second = (statistics.median(part) for part in cold.values())
        print(f"a first question in a new process, ms: words {first:.0f}, and meaning {second:.0f}:"
              f" {second - first:+.0f}")  # fmt: skip
    return 0


def _build(index: Index, visible: dict[str, int]) -> float:
    index.rebuild(visible)
    return _spend(lambda: index.rebuild(visible))


def _start(folder: str, mode: str) -> float:
    words = [sys.executable, "-m", "benchmarks.meaning", "--cold", folder, "--mode", mode]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def _measure_cold(folder: Path, mode: str, made: MadeMemories) -> int:
    """Open and ask once; what the program itself takes to start is the same in both modes."""
    began = time.process_time()
    index = _open(folder, made, mode != "text")
    visible = dict.fromkeys(index.entries(), 0)
    index.search(parse_query(made.questions[0], NOW), visible, mode=mode, now=NOW)
    print((time.process_time() - began) * 1000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
