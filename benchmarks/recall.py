"""A whole recall beside SQLite FTS5: branch, layers, search, memories read from git, staleness.

    python -m benchmarks recall [--quick]

CPU time of one process, medians, both sides asked the same questions over the same texts in turn.
FTS5 only gives row numbers; ours is the complete answer.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks._bench import ENVIRONMENT, heading, milliseconds, ratio, repository, row
from benchmarks.search import Corpus, Fts5, median_of, spent
from treering import Treering

KINDS = {"1 term": (1, 0), "3 terms": (3, 0), "ten-word question": (4, 6)}


def main(quick: bool = False) -> None:
    corpus = Corpus(1_000 if quick else 10_000)
    with repository() as path:
        treering = Treering.open(path)
        built = _seconds(lambda: _fill(treering, path, corpus))
        index = _seconds(lambda: treering.recall("anything"))
        count = len(corpus.memories)
        print(f"{count} memories; import {count / built:.0f}/s, index {count / index:.0f}/s (CPU)")

        heading("recall in a warm process", "FTS5", "recall", "goal 3x")
        fts5 = Fts5(corpus)
        for name, (terms, noise) in KINDS.items():
            questions = corpus.questions(20 if quick else 60, terms, noise)
            theirs = median_of(fts5.search, questions) / 1000
            ours = median_of(treering.recall, questions) / 1000
            row(name, milliseconds(theirs), milliseconds(ours), ratio(ours, theirs, 3))
        _after_a_change(treering)
        _as_a_process(path)


def _fill(treering: Treering, path: Path, corpus: Corpus) -> None:
    lines = path / "memories.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for memory in corpus.memories.values():
            file.write(json.dumps({"content": memory.content, "title": memory.title}) + "\n")
    treering.import_path(lines)
    lines.unlink()


def _after_a_change(treering: Treering) -> None:
    """What the first recall after one new memory costs more than the next one."""
    first, second = [], []
    for number in range(9):
        treering.remember(f"zebra crossing number {number}")
        first.append(_seconds(lambda: treering.recall("zebra")))
        second.append(_seconds(lambda: treering.recall("zebra")))
    more = median(first) - median(second)
    heading("", "after a change", "again", "goal 25 ms")
    verdict = "ok" if more <= 0.025 else "MISSED"
    row("first recall after one new memory", milliseconds(median(first)),
        milliseconds(median(second)), f"+{more * 1000:.0f} ms {verdict}")  # fmt: skip


def _seconds(action: Callable[[], object]) -> float:
    return spent(action) / 1000


def _as_a_process(path: Path) -> None:
    program = str(Path(sys.executable).with_name("treering"))
    imports = [sys.executable, "-W", "ignore", "-c", "import pygit2, whoosh"]
    theirs = median(_cpu(imports, path) for _ in range(9))
    ours = median(_cpu([program, "recall", "zebra crossing"], path) for _ in range(9))
    heading("as a process", "imports alone", "recall", "goal 2x")
    row("cold `treering recall`", milliseconds(theirs), milliseconds(ours), ratio(ours, theirs, 2))


def _cpu(command: list[str], path: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=path, env=ENVIRONMENT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
