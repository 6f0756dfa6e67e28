"""Which memories a capture compares itself with: enough of them, and few."""

import random
from pathlib import Path

import pytest

from treering.derived import clues as module
from treering.derived.clues import ClueTable
from treering.derived.database import Database
from treering.graph.inference import SAME_SUBJECT, InferenceCase, infer, may_replace, similar
from treering.graph.subject import Mentions, Subject, subject_of
from treering.model.memory import FileRef, Memory, derive_id

NAMES = [f"{first}{last}" for first in "bcdfghklmn" for last in ("avon", "erit", "olum", "usta")]

ALIKE = (
    "Calls of the worker are made again {} times with a growing pause between them, then the "
    "invoice waits for somebody who looks at the ledger and decides what to do about it"
)


def _memory(title: str, content: str, tags: tuple[str, ...] = (), files: str = "") -> Memory:
    return Memory(
        id=derive_id("insight", content),
        type="insight",
        title=title,
        content=content,
        created="2026-01-01T00:00:00Z",
        modified="2026-01-01T00:00:00Z",
        tags=tags,
        files=tuple(FileRef(path, "") for path in files.split()),
    )


def _subject(memory: Memory) -> Subject:
    return subject_of(memory, blob=memory.id)


def _find(table: ClueTable, memory: Memory) -> list[str]:
    subject = _subject(memory)
    return [other.title for other in table.candidates(subject, subject.traits(), [])]


@pytest.fixture
def table(tmp_path: Path) -> ClueTable:
    return ClueTable(Database(tmp_path / "index"))


@pytest.mark.parametrize(
    ("other", "is_near"),
    [
        (_memory("Retry budget", "One text"), False),
        (_memory("Retry limit of ledgers", "One text"), True),
        (_memory("Elsewhere", "One text", tags=("billing",)), False),
        (_memory("Elsewhere", "One text", tags=("billing", "gateway")), True),
        (_memory("Elsewhere", "One text", files="src/pay.py"), True),
        (_memory("Elsewhere", ALIKE.format("three")), True),
    ],
)
def test_one_word_or_tag_in_common_is_not_worth_a_comparison(
    table: ClueTable, other: Memory, is_near: bool
) -> None:
    """No rule says anything of such two, and every capture would read dozens of them."""
    table.add([_subject(other)])

    new = _memory(
        "Retry limit of the gateway",
        ALIKE.format("four"),
        tags=("billing", "gateway"),
        files="src/pay.py",
    )

    assert _find(table, new) == ([other.title] if is_near else [])


def test_short_titles_are_about_the_same_by_one_word(table: ClueTable) -> None:
    table.add([_subject(_memory("Redis timeouts", "One text"))])

    assert _find(table, _memory("Redis", "Something else")) == ["Redis timeouts"]


@pytest.mark.parametrize("seed", range(8))
def test_what_a_rule_would_link_is_among_the_candidates(
    table: ClueTable, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at everything finds nothing more, but for texts that are hardly alike."""
    monkeypatch.setattr(module, "_PER_KEY", 1_000)
    monkeypatch.setattr(module, "_CANDIDATES", 1_000)
    dice = random.Random(seed)

    def make() -> Memory:
        title = " ".join(dice.sample(NAMES, dice.randrange(1, 5)))
        content = " ".join(dice.choices(NAMES, k=dice.randrange(3, 30)))
        files = " ".join(dice.sample(("a.py", "b.py", "c.py", "d.py"), dice.randrange(2)))
        return _memory(title, content, tuple(dice.sample(NAMES[:6], dice.randrange(3))), files)

    subjects = {subject.id: subject for subject in (_subject(make()) for _ in range(12))}
    table.add(subjects.values())
    memory = make()
    subject = _subject(memory)
    case = InferenceCase(subject, Mentions(""))
    near = {other.id for other in table.candidates(subject, subject.traits(), [])}
    linked = {other.id for _, other in infer(case, subjects.values())}
    alike = {other.id for other, _ in similar(subject, subjects.values())}
    replaced = {
        other.id
        for other in subjects.values()
        if may_replace(subject, other)
        and len(subject.sample & other.sample) >= SAME_SUBJECT * len(subject.sample | other.sample)
    }

    assert linked | alike | replaced <= near
