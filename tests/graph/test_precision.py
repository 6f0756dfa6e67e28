"""How often a link that inference makes is right, counted on labelled pairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from treering.graph.inference import InferenceCase, infer
from treering.graph.subject import Mentions, Subject, subject_of
from treering.model.memory import FileRef, Memory, derive_id

PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


def _memory(said: dict[str, Any], day: int) -> Memory:
    files = tuple(FileRef(path) for path in said.get("files", ()))
    when = f"2026-01-{day:02}T10:00:00Z"
    return Memory(
        id=derive_id(said["type"], said["title"] + said["content"]),
        type=said["type"],
        title=said["title"],
        content=said["content"],
        created=when,
        modified=when,
        tags=tuple(said.get("tags", ())),
        session=said.get("session", ""),
        files=files,
    )


def _made(new: Memory, others: list[Subject]) -> dict[str, str]:
    """Target -> relation of the links that would be made, not only suggested."""
    case = InferenceCase(subject_of(new), Mentions(f"{new.title}\n\n{new.content}"))
    return {link.target: link.relation for link, _ in infer(case, others) if link.is_certain}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["new"]["title"])
def test_a_pair_is_linked_as_a_person_would(pair: dict[str, Any]) -> None:
    """One line each, so that a rule that gets better or worse is seen by name."""
    new, old = _memory(pair["new"], 2), _memory(pair["old"], 1)

    made = _made(new, [subject_of(old, "b")])

    assert made.get(old.id, "") == pair["link"]


def test_among_all_others_nearly_every_link_made_is_right() -> None:
    """Each new memory against all old ones at once, where chance has many more ways to be wrong."""
    olds = {m.id: subject_of(m, m.id) for m in (_memory(pair["old"], 1) for pair in PAIRS)}
    labelled = {(p["new"]["title"], p["old"]["title"], p["link"]) for p in PAIRS}

    made = [
        (pair["new"]["title"], olds[target].title, relation)
        for pair in PAIRS
        for target, relation in _made(_memory(pair["new"], 2), list(olds.values())).items()
    ]

    wrong = [link for link in made if link not in labelled]
    assert len(made) >= sum(bool(pair["link"]) for pair in PAIRS)
    assert len(wrong) / len(made) <= 0.1, wrong
