"""Retrieval quality on the evaluation data, through the engine itself.

    python -m benchmarks.evaluate [FOLDER] [--mode text|semantic|hybrid ...] [--results FILE]

The data is for evaluation only and never part of this repository; FOLDER is where it is (default:
the variable TREERING_EVAL, else ../shared/eval beside the repository). Scores are those of its
`score.py`.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from treering.index import Index, embedder_named
from treering.model.memory import Memory, derive_id, title_of
from treering.model.query import Query

HERE = Path(__file__).resolve().parent.parent
NOW = 1_767_225_600.0  # a fixed day, so that runs can be compared
MODES = ("text", "semantic", "hybrid")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("TREERING_EVAL", str(HERE.parent / "shared" / "eval"))
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--model", default="auto", help="see treering.index.embedder_named")
    parser.add_argument("--results", type=Path, help="also write the results there")
    options = parser.parse_args()
    if not (options.folder / "score.py").exists():
        print(f"NO EVALUATION DATA in {options.folder}: nothing was measured.", file=sys.stderr)
        return 1

    scorer = _load_scorer(options.folder / "score.py")
    embedder = None if options.mode == ["text"] else embedder_named(options.model)
    for mode in options.mode or MODES:
        if mode != "text" and embedder is None:
            print(f"\n{mode}: no embedding model is installed, left out")
            continue
        began = time.process_time()
        results = dict(_answers(options.folder, mode, embedder))
        print(f"\n{mode} ({embedder.name if embedder and mode != 'text' else 'no model'})")
        scorer.show(_report(scorer, options.folder, results))
        print(f"{time.process_time() - began:.1f} CPU s")
        if options.results:
            lines = (json.dumps({"question_id": q, "ids": ids}) for q, ids in results.items())
            options.results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _load_scorer(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("score", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _report(scorer: Any, folder: Path, results: dict[str, list[str]]) -> Any:
    questions = [q for path in sorted(folder.glob("*_questions.jsonl")) for q in _lines(path)]
    memories = [m for path in sorted(folder.glob("*_memories.jsonl")) for m in _lines(path)]
    sessions = {m["id"]: m["session"] for m in memories if m.get("session")}
    return scorer.score(questions, results, sessions)


def _answers(folder: Path, mode: str, embedder: Any) -> Iterator[tuple[str, list[str]]]:
    for path in sorted(folder.glob("*_memories.jsonl")):
        memories, questions = (
            _lines(path),
            _lines(path.with_name(path.name.replace("memories", "questions"))),
        )
        for group in dict.fromkeys(m["group"] for m in memories):
            mine = [m for m in memories if m["group"] == group]
            asked = [q for q in questions if q["group"] == group]
            yield from _group_answers(mine, asked, mode, embedder)


def _group_answers(
    records: list[dict[str, Any]], questions: list[dict[str, Any]], mode: str, embedder: Any
) -> Iterator[tuple[str, list[str]]]:
    memories = {hashlib.sha1(r["id"].encode()).hexdigest(): _memory(r) for r in records}
    names = dict(zip(memories, (r["id"] for r in records), strict=True))

    def read(blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        return ((blob, memories[blob]) for blob in blobs)

    with tempfile.TemporaryDirectory() as folder:
        index = Index(Path(folder), read=read, embedder=embedder)
        index.catch_up(memories)
        visible = dict.fromkeys(memories, 0)
        for question in questions:
            # The question is free text: no filters, so that a colon in it means nothing.
            query = Query(text=question["question"], words=question["question"])
            found = index.search(query, visible, mode=mode, now=NOW, limit=10)
            yield question["id"], [names[hit.blob] for hit in found.hits]


def _memory(record: dict[str, Any]) -> Memory:
    return Memory(
        id=derive_id("context", record["id"]),
        type="context",
        title=record.get("title") or title_of(record["body"]),
        content=record["body"] or record["title"],
        created=record["created"],
        modified=record["created"],
        author=record["author"],
        session=record.get("session", ""),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
