"""Speed of the search engine beside SQLite FTS5, on the same texts and questions, in one run.

    python -m benchmarks.search [--documents 10000] [--questions 60]

All figures are CPU time of this process, medians; FTS5 uses the porter tokenizer and gets the
questions with stop words dropped. What matters is the ratio: both sides run on the same machine,
one after the other.
"""

import argparse
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.model.memory import FileRef, Memory, derive_id
from treering.model.query import Filters, parse
from treering.search.analysis import chunks
from treering.search.engine import Index
from treering.text.words import STOP_WORDS

NOW = 1_767_225_600.0
SEED = 7
TYPES = ("decision", "insight", "issue", "config", "pattern", "commit")


class Corpus:
    """Made-up memories whose words are spread as in real text: few common ones, many rare ones."""

    def __init__(self, count: int) -> None:
        self.random = random.Random(SEED)
        self.words = [self._word() for _ in range(max(4000, count // 2))]
        self.ranks = list(accumulate(1 / (rank + 8) for rank in range(len(self.words))))
        common = sorted(word for word in STOP_WORDS if word.isalpha())
        self.memories: dict[str, Memory] = {}
        for number in range(count):
            made = self.random.choices(
                self.words, cum_weights=self.ranks, k=self.random.randint(20, 70)
            )
            filler = self.random.choices(common, k=len(made))
            text = " ".join(f"{word} {between}" for word, between in zip(made, filler, strict=True))
            self.memories[f"{self.random.getrandbits(160):040x}"] = self._memory(number, text)

    def _word(self) -> str:
        parts = (
            "ca",
            "re",
            "mo",
            "li",
            "ta",
            "su",
            "ne",
            "vo",
            "ri",
            "ke",
            "pa",
            "do",
            "gu",
            "fi",
            "ze",
        )
        word = "".join(self.random.choices(parts, k=self.random.randint(2, 5)))
        return f"{word}_{self.random.choice(parts)}" if self.random.random() < 0.05 else word

    def _memory(self, number: int, text: str) -> Memory:
        return Memory(
            id=derive_id("bench", str(number)),
            type=TYPES[number % len(TYPES)],
            title=" ".join(self.random.choices(self.words, cum_weights=self.ranks, k=6)),
            content=text,
            created="2025-11-01T10:00:00Z",
            modified="2025-11-01T10:00:00Z",
            tags=(f"tag{number % 40}",),
            author="Ada Lovelace <ada@example.org>",
            files=(FileRef(f"src/{self.random.choice(self.words)}.py"),),
        )

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        return ((blob, self.memories[blob]) for blob in blobs)

    def questions(self, count: int, terms: int, noise: int = 0) -> list[str]:
        found = []
        for _ in range(count):
            words = self.random.choices(self.words, cum_weights=self.ranks, k=terms)
            filler = self.random.choices(("what", "is", "the", "how", "does", "with"), k=noise)
            found.append(" ".join(self.random.sample(words + filler, terms + noise)))
        return found


class Fts5:
    """The yardstick."""

    def __init__(self, corpus: Corpus) -> None:
        self.base = sqlite3.connect(":memory:")
        self.base.execute(
            "create virtual table memory using fts5(title, body, type unindexed, tokenize=porter)"
        )
        rows = ((m.title, m.content, m.type) for m in corpus.memories.values())
        self.base.executemany("insert into memory values (?, ?, ?)", rows)

    def search(self, question: str, kind: str = "") -> None:
        words = [c for c in chunks(question) if c.lower() not in STOP_WORDS]
        text = " OR ".join(f'"{word}"' for word in words)
        also = " and type = ?" if kind else ""
        statement = f"select rowid from memory where memory match ?{also} order by rank limit 10"
        self.base.execute(statement, (text, kind) if kind else (text,)).fetchall()


def spent(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return (time.process_time() - began) * 1000


def median_of(action: Callable[[str], object], questions: Sequence[str], rounds: int = 3) -> float:
    for question in questions:
        action(question)
    return statistics.median(
        spent(lambda q=question: action(q)) for _ in range(rounds) for question in questions
    )


def measure(count: int, asked: int) -> None:
    corpus = Corpus(count)
    folder = Path(tempfile.mkdtemp())
    index = Index(folder / "index", MemoryRows(Database(folder)), corpus.read)
    build = spent(lambda: index.catch_up(corpus.memories)) / 1000
    visible = dict.fromkeys(corpus.memories, 0)
    fts5: list[Fts5] = []
    yardstick = spent(lambda: fts5.append(Fts5(corpus))) / 1000
    print(f"{count} memories")
    print(
        f"  build         {build:6.2f} s ({count / build:,.0f}/s); FTS5 in memory {yardstick:.2f} s"
    )

    def text(question: str) -> None:
        index.search(parse(question, NOW), visible, mode="text", now=NOW)

    def filtered(question: str) -> None:
        wanted = Filters(types=("decision",))
        index.search(parse(question, NOW), visible, filters=wanted, mode="text", now=NOW)

    kinds = {"1 term": (1, 0), "3 terms": (3, 0), "question": (6, 4)}
    for name, (terms, noise) in kinds.items():
        compare(name, text, fts5[0].search, corpus.questions(asked, terms, noise))
    questions = corpus.questions(asked, 6, 4)
    compare("+ filter", filtered, lambda q: fts5[0].search(q, "decision"), questions)
    measure_change(corpus, index, text, questions)
    measure_cold(folder, questions[0])


def compare(
    name: str, ours: Callable[[str], None], theirs: Callable[[str], None], questions: list[str]
) -> None:
    first = statistics.median(spent(lambda q=q: ours(q)) for q in questions)
    mine, yardstick = median_of(ours, questions), median_of(theirs, questions)
    print(
        f"  {name:12} {mine:7.3f} ms; first time {first:7.3f}; FTS5 {yardstick:7.3f}; "
        f"ratio {mine / yardstick:.2f}"
    )


def measure_change(
    corpus: Corpus, index: Index, text: Callable[[str], None], questions: list[str]
) -> None:
    """One new memory, then the first question: what both cost beyond a warm question."""
    costs, adds = [], []
    for number, question in enumerate(questions[:8]):
        blob = f"{number:040x}"
        corpus.memories[blob] = corpus._memory(10**9 + number, "a new memory about " + question)
        visible = dict.fromkeys(corpus.memories, 0)
        warm = spent(lambda q=question: text(q))
        adds.append(spent(lambda b=blob: index.catch_up([b])))
        after = spent(
            lambda q=question, v=visible: index.search(parse(q, NOW), v, mode="text", now=NOW)
        )
        costs.append(adds[-1] + after - warm)
    print(
        f"  1 new memory {statistics.median(costs):7.1f} ms more for the first question "
        f"({statistics.median(adds):.1f} of it for adding)"
    )


_COLD = """
import sys, time
from pathlib import Path
began = time.process_time()
from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.model.query import parse
from treering.search.engine import Index
imported = time.process_time()
folder = Path(sys.argv[1])
index = Index(folder / "index", MemoryRows(Database(folder)), lambda blobs: iter(()))
visible = dict.fromkeys(index.corpus().blobs, 0)
opened = time.process_time()
found = index.search(parse(sys.argv[2], 0), visible, mode="text", now=0)
answered = time.process_time()
assert found.total
print(f"  cold process {(imported - began) * 1e3:.0f} ms imports, {(opened - imported) * 1e3:.0f} "
      f"opening, {(answered - opened) * 1e3:.0f} answering")
"""


def measure_cold(folder: Path, question: str) -> None:
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _COLD, str(folder), question],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    print(done.stdout, end="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, action="append")
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    for count in options.documents or [10_000]:
        measure(count, options.questions)


if __name__ == "__main__":
    main()
