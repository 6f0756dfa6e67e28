"""What an agent waits for: a client's hook as a whole process, at 10,000 memories.

    python -m benchmarks agent_hook [--quick]

Wall time, medians, beside an interpreter that does nothing and `git status`, all in turn: a client
waits for its hooks before it answers, so this is what its user feels.
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks._bench import ENVIRONMENT, heading, interleaved, milliseconds, repository, row
from benchmarks.search import Corpus
from treering import Treering

GOAL = 0.3


def main(quick: bool = False) -> None:
    corpus = Corpus(1_000 if quick else 10_000)
    with repository() as path:
        fill(path, corpus)
        question = corpus.questions(1, 4, 6)[0]
        told = {"session_id": "bench", "cwd": str(path), "prompt": question}
        hook = [str(Path(sys.executable).with_name("treering")), "hook", "agent", "claude"]
        ways = {
            "python that does nothing": [sys.executable, "-c", ""],
            "git status": ["git", "status"],
            "SessionStart": [*hook, "SessionStart"],
            "UserPromptSubmit": [*hook, "UserPromptSubmit"],
            "Stop": [*hook, "Stop"],
        }
        feed = json.dumps(told).encode()
        taken = interleaved(
            5 if quick else 15,
            {name: lambda words=words: _run(words, path, feed) for name, words in ways.items()},
        )
        heading(f"a client's hook, {len(corpus.memories)} memories", "wall", "goal 300 ms")
        for name, seconds in taken.items():
            is_ours = name[0].isupper()
            verdict = ("ok" if seconds <= GOAL else "MISSED") if is_ours else ""
            row(name, milliseconds(seconds), verdict)


def fill(path: Path, corpus: Corpus) -> None:
    treering = Treering.open(path)
    lines = path / "memories.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for memory in corpus.memories.values():
            file.write(json.dumps({"content": memory.content, "title": memory.title}) + "\n")
    treering.import_path(lines)
    lines.unlink()
    treering.recall("anything")


def _run(words: list[str], path: Path, feed: bytes) -> None:
    subprocess.run(words, cwd=path, env=ENVIRONMENT, input=feed, capture_output=True, check=True)


if __name__ == "__main__":
    main()
