"""How often a text gets its right type, on labelled texts of both halves.

The last round of tuning looked at one half only, and the other half is what the docs quote; earlier
rounds had seen some of it. Texts and rules have the same authors: others' texts will fare worse.
"""

import json
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks._bench import heading, row
from treering.text.classify import classify

TEXTS = Path(__file__).parents[1] / "tests" / "data" / "classification.jsonl"


class Labelled(NamedTuple):
    type: str
    half: str
    text: str


class Accuracy(NamedTuple):
    """Right answers of all, and right answers among those given with confidence."""

    right: int
    texts: int
    sure_and_right: int
    sure: int


def labelled(half: str) -> list[Labelled]:
    lines = TEXTS.read_text(encoding="utf-8").splitlines()
    return [item for line in lines if (item := Labelled(**json.loads(line))).half == half]


def accuracy(texts: list[Labelled]) -> Accuracy:
    answers = [(item.type, classify(item.text)) for item in texts]
    sure = [(kind, found) for kind, found in answers if found.confident]
    return Accuracy(
        right=sum(kind == found.type for kind, found in answers),
        texts=len(answers),
        sure_and_right=sum(kind == found.type for kind, found in sure),
        sure=len(sure),
    )


def main() -> None:
    heading("half", "right", "of", "share", "when sure")
    for half in ("tune", "held"):
        found = accuracy(labelled(half))
        row(
            half,
            str(found.right),
            str(found.texts),
            f"{found.right / found.texts:.0%}",
            f"{found.sure_and_right}/{found.sure} = {found.sure_and_right / found.sure:.0%}",
        )
    texts = labelled("held")
    started = time.perf_counter()
    for item in texts:
        classify(item.text)
    print(f"{1e6 * (time.perf_counter() - started) / len(texts):.0f} us a text")


if __name__ == "__main__":
    main()
