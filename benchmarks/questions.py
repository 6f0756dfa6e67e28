"""Questions in other words than the memories use, and questions in other languages.

    python -m benchmarks.questions [--model table|FOLDER]

Sets that come with the project, through remember and recall as anyone would use them: what was
decided and found out in public projects, and five languages (`data/languages.txt`), all memories of
a set in one repository. R@k is the share of questions whose memory is among the first k.

    looked at   data/coding.txt and data/coding_fresh.txt: weights were chosen with them
    unseen      data/coding_unseen.txt and data/coding_later.txt: no weight was chosen with them,
                but they were looked at while the floor for weak answers was
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks._bench import git, heading, repository, row
from treering import Treering
from treering.actions.imports.imports import import_records
from treering.actions.imports.records import from_lines
from treering.actions.workspace import Workspace
from treering.search.meaning.models import ModelChoice

DATA = Path(__file__).parent / "data"
NOW = 1_767_225_600.0
FIRST = (1, 5, 10)

#: The files of a group of questions.
CODING = {
    "looked at": ("coding.txt", "coding_fresh.txt"),
    "unseen": ("coding_unseen.txt", "coding_later.txt"),
}
#: Type, memory, question, and the group it is counted under.
Asked = tuple[str, str, str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="table", help="table, or a folder")
    parser.add_argument("--set", choices=("coding", "languages"), action="append")
    options = parser.parse_args()
    sets = {"coding": read_coding, "languages": read_languages}
    ModelChoice(options.model).check()
    for name in options.set or sets:
        heading(name, *(f"R@{count}" for count in FIRST), "questions")
        for mode in ("text", "hybrid", "semantic", "hybrid without weak answers"):
            for group, places in _ranks(list(sets[name]()), mode, options.model):
                shares = (sum(p < count for p in places) / len(places) for count in FIRST)
                row(f"{mode}, {group}", *(f"{s:.3f}" for s in shares), str(len(places)))
    return 0


def read_lines(name: str) -> Iterator[list[str]]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split(" | ")]


def read_coding() -> Iterator[Asked]:
    for group, names in CODING.items():
        for kind, _, memory, question in (line for name in names for line in read_lines(name)):
            yield kind, memory, question, group


def read_languages() -> Iterator[Asked]:
    for language, memory, question in read_lines("languages.txt"):
        yield "context", memory, question, language


def _ranks(asked: list[Asked], mode: str, model: str) -> Iterator[tuple[str, list[int]]]:
    """The place of each question's memory, by group."""
    with repository() as path:
        git(path, "config", "treering.semantic", model)
        workspace = Workspace.open(path, clock=lambda: NOW)
        treering = Treering(workspace)
        lines = [
            json.dumps({"type": kind, "content": memory, "created": "2025-06-01T10:00:00Z"})
            for kind, memory, _, _ in asked
        ]
        answer = import_records(workspace, from_lines("\n".join(lines).encode()))
        assert not answer.errors, answer.errors[:3]
        workspace.searcher.learning.make_vectors()
        ids = {memory["content"]: memory["id"] for memory in treering.exported()}
        places: dict[str, list[int]] = {}
        for _, memory, question, group in asked:
            result = treering.recall(
                question.replace(":", " "), mode=mode.split()[0], limit=10, weak=" " not in mode
            )
            order = [hit.id for hit in result.results]
            place = order.index(ids[memory]) if ids[memory] in order else FIRST[-1]
            places.setdefault(group, []).append(place)
        yield from places.items()


if __name__ == "__main__":
    sys.exit(main())
